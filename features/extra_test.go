package features

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars/grammartest"
)

func TestExtras(t *testing.T) {
	json := grammartest.Bundled(t, "json")
	space := NewSpace(json, Options{})
	for _, tc := range []struct {
		name  string
		kinds Kinds
		input string
		want  []string
	}{
		{
			"a key twice", Of(Repeated, SameStart), `{"a":1,"b":1,"a":2}`,
			[]string{"an object where one member starts with the same token as another"},
		},
		{
			"a member twice", Of(Repeated, SameStart), `{"a":1,"a":1}`,
			[]string{"an object with the same member twice", "an object where one member starts with the same token as another"},
		},
		{"the same key in two objects", Of(Repeated, SameStart), `[{"a":1},{"a":2}]`, nil},
		{
			"a value twice", Of(Repeated), `[1,[2],1]`,
			[]string{"an array with the same value twice"},
		},
		{"an array of three", Of(Children), `[1,[2],3]`, []string{"an array with two or more ','", "an array with two or more value", "an array with three or more value"}},
		{"keys out of order", Of(Unsorted), `{"b":1,"a":[1,2]}`, []string{
			"an object where the first token of one member sorts before that of the previous one",
		}},
		{"values out of order", Of(Unsorted), `[2,1]`, []string{"an array where the first token of one value sorts before that of the previous one"}},
		{"one order in each object", Of(Unsorted), `[{"b":1},{"a":2}]`, nil},
		{"escapes", Of(Code), `"\u0041\n\uD83D\ude00"`, []string{
			"a UNICODE with the hexadecimal code of an ASCII character", "a UNICODE with the hexadecimal code of a high surrogate", "a UNICODE with the hexadecimal code of a low surrogate",
		}},
		{"a long string", Of(Length), `"abc"`, []string{
			"a value with a STRING of at least 2 bytes", "a value with a STRING of at least 3 bytes", "a value with a STRING of at least 4 bytes",
		}},
		{"wide characters", Of(Wide), `"日"`, []string{
			"a value with a STRING that has a character of at least two bytes", "a value with a STRING that has a character of at least three bytes",
		}},
		{"a large number", Of(Large, Digits), `-12.50e1`, []string{
			"a value with a NUMBER of at least 1e1, ignoring its sign", "a value with a NUMBER of at least 1e2, ignoring its sign",
			"a value with a NUMBER of at least 2 significant digits", "a value with a NUMBER of at least 3 significant digits",
		}},
		{"a small number", Of(Large, Small), `0.005`, []string{
			"a value with a NUMBER below 1, ignoring its sign, but not 0", "a value with a NUMBER below 1, ignoring its sign, but not 0", "a value with a NUMBER below 1e-1, ignoring its sign, but not 0", "a value with a NUMBER below 1e-2, ignoring its sign, but not 0",
		}},
		{"zero", Of(Large, Small, Digits), `0.0e99`, nil},
		{"short texts", Of(Value), `[10,-1,"ab","abc",12345,"é"]`, []string{
			"a value with the NUMBER 10", "a value with the NUMBER -1", `a value with the STRING "ab"`,
		}},
		{"characters", Of(Character), `{"é":"a中","z":["é😀"]}`, []string{
			"a STRING with a character from U+0080 to U+0FFF", "a STRING with a character from U+0080 to U+00FF",
			"a STRING with a character from U+4000 to U+4FFF", "a STRING with a character from U+1F000 to U+1FFFF",
		}},
		{"operands", Of(Operands), `{"a":[null,1]}`, []string{
			"'[' followed by 'null' among the children of one node", "'[' followed by a NUMBER among the children of one node",
			"'null' followed by ',' among the children of one node", "'null' followed by ']' among the children of one node",
			"'null' followed by a NUMBER among the children of one node", "',' followed by a NUMBER among the children of one node",
			"a NUMBER followed by ']' among the children of one node",
			"a STRING followed by ':' among the children of one node", "a STRING followed by an array among the children of one node",
			"':' followed by an array among the children of one node",
			"'{' followed by a member among the children of one node", "a member followed by '}' among the children of one node",
		}},
		{"no fraction", Of(Absent), `-1e+2`, []string{"a NUMBER without the optional FRACTION", "an INTEGER without the optional [0-9]*"}},
		{"twice", Of(Count), `[true,null,true]`, []string{
			"'[' value ',' value ']' two or more times", "'[' value ',' value ']' two or more times", "'[' value ',' value ']' two or more times",
			"'[' value ',' value ']' two or more times", "'true' two or more times",
		}},
		{"early", Of(Early), `[[[[[[1]]]]]]`, []string{
			"'[' at the start of the input", "an array at the start of the input", "a value at the start of the input",
			"'[' within the first two tokens", "an array within the first two tokens", "a value within the first two tokens",
			"'[' within the first four tokens", "an array within the first four tokens", "a value within the first four tokens",
			"'[' within the first eight tokens", "an array within the first eight tokens", "a value within the first eight tokens",
			"a NUMBER within the first eight tokens", "']' within the first eight tokens",
			"'[' within the first 16 tokens", "an array within the first 16 tokens", "a value within the first 16 tokens",
			"a NUMBER within the first 16 tokens", "']' within the first 16 tokens",
			"'[' within the first 32 tokens", "an array within the first 32 tokens", "a value within the first 32 tokens",
			"a NUMBER within the first 32 tokens", "']' within the first 32 tokens",
			"'[' within the first 64 tokens", "an array within the first 64 tokens", "a value within the first 64 tokens",
			"a NUMBER within the first 64 tokens", "']' within the first 64 tokens",
			"'[' within the first 128 tokens", "an array within the first 128 tokens", "a value within the first 128 tokens",
			"a NUMBER within the first 128 tokens", "']' within the first 128 tokens",
		}},
		{"a blank", Of(Before, After), " [\n]", []string{
			"WHITESPACE after '[' in an array", "WHITESPACE at the start of the input", "WHITESPACE before '[' in an array", "WHITESPACE before ']' in an array",
			"WHITESPACE with a line break after '[' in an array", "WHITESPACE with a line break before ']' in an array",
		}},
		{"a blank at the end", Of(Before, After), "1 ", []string{"WHITESPACE after NUMBER in a value", "WHITESPACE before the end of the input"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			x := NewExtraExtractor(json, tc.kinds)
			for range 2 { // nothing is left of the first time
				var got []string
				if err := x.Each(grammartest.Parse(t, json, tc.input), func(e Extra, _ Position) {
					if !e.Valid(len(json.Nodes)) {
						t.Errorf("%x is not valid", e)
					}
					got = append(got, e.Describe(space))
				}); err != nil {
					t.Fatal(err)
				}
				slices.Sort(got)
				slices.Sort(tc.want)
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", tc.input, diff)
				}
			}
		})
	}
}

// An extractor for one feature finds only this one.
func TestWantedExtras(t *testing.T) {
	json := grammartest.Bundled(t, "json")
	all := AllKinds()
	tree := grammartest.Parse(t, json, "{\"b\": [1, -2.5e10, 0.001],\n\"a\":\"\\u00e9\\n日\", \"a\": [[], {}, true, true]} ")
	extras := func(x *ExtraExtractor) []Extra {
		var out []Extra
		if err := x.Each(tree, func(e Extra, _ Position) { out = append(out, e) }); err != nil {
			t.Fatal(err)
		}
		slices.Sort(out)
		return out
	}
	found := extras(NewExtraExtractor(json, all))
	kinds := Kinds(0)
	for _, e := range found {
		kinds |= Of(e.Kind())
		if got := extras(NewExtraExtractor(json, Of(e.Kind()), e)); !slices.Equal(got, []Extra{e}) {
			t.Errorf("wanted %s, got %d features", e.Describe(NewSpace(json, Options{})), len(got))
		}
	}
	if kinds != all {
		t.Errorf("kinds %b are found, of %b", kinds, all)
	}
	if got := extras(NewExtraExtractor(json, all, found...)); !slices.Equal(got, found) {
		t.Errorf("wanted all %d, got %d", len(found), len(got))
	}
}

// A token has the same features if it occurs again, at another offset.
func TestExtrasOfAKnownToken(t *testing.T) {
	json := grammartest.Bundled(t, "json")
	x := NewExtraExtractor(json, Of(Code))
	for _, input := range []string{`"\u0041"`, `["\u0041"]`, ` [1, 2, 3, "\u0041"]`} {
		found := 0
		if err := x.Each(grammartest.Parse(t, json, input), func(e Extra, _ Position) {
			found++
			if e.Bound() != 1 {
				t.Errorf("%s: %s", input, e.Describe(NewSpace(json, Options{})))
			}
		}); err != nil {
			t.Fatal(err)
		}
		if found != 1 {
			t.Errorf("%s: %d codes, want 1", input, found)
		}
	}
}

// Tokens with only one text are described by it, and names are put into sentences.
func TestDescribeTokens(t *testing.T) {
	g := grammartest.Load(t, "grammar G;\nquery : item (COMMA item)* EOF ;\nitem : ID unit? ;\nunit : '%' ;\nCOMMA : ',' ;\nID : [a-z]+ ;\n")
	space := NewSpace(g, Options{})
	var got []string
	for _, e := range extrasOf(t, NewExtraExtractor(g, Of(Repeated, Absent, Early)), grammartest.Parse(t, g, "a,b%,c")) {
		if e.Bound() <= 2 {
			got = append(got, e.Describe(space))
		}
	}
	want := []string{
		"a query with two or more ','",
		"an item without the optional unit",
		"an item at the start of the input", "an ID at the start of the input",
		"an item within the first two tokens", "',' within the first two tokens", "an ID within the first two tokens",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("descriptions (-want +got):\n%s", diff)
	}
}

func TestDecimal(t *testing.T) {
	for _, tc := range []struct {
		text          string
		digits, power int
		ok            bool
	}{
		{"1", 1, 0, true},
		{"-120", 2, 2, true},
		{"0.0012", 2, -3, true},
		{"12.50e1", 3, 2, true},
		{"1E-400", 1, -400, true},
		{"1e99999999999999999999", 1, 1_000_000, true},
		{"0", 0, -1, true},
		{"", 0, 0, false},
		{".", 0, 0, false},
		{"e1", 0, 0, false},
		{"1e", 0, 0, false},
		{"1e+-1", 0, 0, false},
		{"abc", 0, 0, false},
		{"0x10", 0, 0, false},
	} {
		digits, power, ok := decimal([]byte(tc.text))
		if digits != tc.digits || power != tc.power || ok != tc.ok {
			t.Errorf("%q: got %d digits, power %d, %v; want %d, %d, %v", tc.text, digits, power, ok, tc.digits, tc.power, tc.ok)
		}
	}
}

// Locate finds the same paths as an Extractor.
func TestLocate(t *testing.T) {
	json := grammartest.Bundled(t, "json")
	tree := grammartest.Parse(t, json, " {\"a\\u00e9\": [1.5e3, true, {}],\n \"b\": \"\"} ")
	for _, opt := range []Options{{}, {Trivia: true}} {
		space := NewSpace(json, opt)
		got := map[uint64]Path{}
		if err := space.Locate(tree, 3, func(id uint64, p Path) { got[id] = slices.Clone(p) }); err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 {
			t.Fatalf("options %+v: no paths", opt)
		}
		want := map[uint64]int{}
		if err := NewExtractor(space, 3).Each(tree, func(length int, id uint64, _ Position) { want[id] = length }); err != nil {
			t.Fatal(err)
		}
		for id, p := range got {
			if want[id] != len(p) || space.ID(p) != id {
				t.Errorf("options %+v: path %v has ID %x, extracted with length %d", opt, p, id, want[id])
			}
			delete(want, id)
		}
		if len(want) > 0 {
			t.Errorf("options %+v: %d paths were not located", opt, len(want))
		}
	}
}
