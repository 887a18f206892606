package observe

import (
	"testing"

	"github.com/inroad/inroad/model/observation"
)

const javaSample = `package p;
// class Fake { void m() {
class A {
  int[] table = {1, 2}, more = new int[] { 3 };
  String s = "{", t = """
    { \""" """; char c = '{', d = '\'';

  A() { super(); }

  @Names({"a", "("})
  public
  <T> void m(int n,
             T... rest)
      throws E {
    run(() -> {
      m(n, rest);
    });
    new A() { void inner() { m(1); } };
  }

  static { table(); }
}
`

func TestJavaText(t *testing.T) {
	text := parseJavaSource(javaSample)
	for _, tc := range []struct {
		name       string
		start, end int // lines with code
		want       [2]int
	}{
		{"A.m(int,Object[])", 15, 19, [2]int{10, 19}},
		{"A.1.inner()", 18, 18, [2]int{18, 18}},
		{"A.<init>()", 4, 8, [2]int{8, 8}},
		{"A.<clinit>()", 21, 21, [2]int{21, 21}},
		{"A.run()", 15, 17, [2]int{0, 0}},      // a call, not a declaration
		{"A.1.<init>()", 18, 18, [2]int{0, 0}}, // likewise
	} {
		kind := observation.KindMethod
		b, ok := text.find(observation.Unit{Kind: kind, Name: tc.name, Start: tc.start, End: tc.end})
		if got := [2]int{b.start, b.end}; got != tc.want || ok != (tc.want[0] > 0) {
			t.Errorf("%s: got lines %v, want %v", tc.name, got, tc.want)
		}
	}
}

func FuzzJavaText(f *testing.F) {
	f.Add(javaSample)
	f.Add("void m() {")
	f.Add(`"""\`)
	f.Fuzz(func(t *testing.T, source string) {
		text := parseJavaSource(source)
		for _, b := range text.blocks {
			if b.start < 1 || b.end < b.start {
				t.Errorf("block %q from %d to %d", b.head, b.start, b.end)
			}
		}
		text.find(observation.Unit{Kind: observation.KindMethod, Name: "A.m(int)", Start: 1, End: 2})
	})
}
