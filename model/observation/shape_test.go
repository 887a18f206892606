package observation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/model/observation"
)

func refused(input, message string) observation.Observation {
	return observation.Observation{Input: []byte(input), Outcome: observation.Failed, Failure: &observation.Failure{Type: "*errors.errorString", Message: message}}
}

// TestFailureShape compares messages of failures without a stack.
func TestFailureShape(t *testing.T) {
	for _, c := range []struct {
		what, input, message string
		otherInput, other    string
		same                 bool
	}{
		{"quoted tokens and lines", "f(x))", "unexpected token ')' at line 3", "f(x}", "unexpected token '}' at line 7", true},
		{"different causes", `"a`, "unterminated string", "1 +", "missing operand", false},
		{"causes after equal quoted parts", "a", `invalid character 'a' looking for beginning of value`, "b", `invalid character 'b' after object key`, false},
		{"quoted names", "x", `undefined variable "x"`, "y", `undefined variable "y z\" w"`, true},
		{"typographic quotation marks", "x", "undefined “x”", "y", "undefined “y y”", true},
		{"quoted quotation marks", "'", "unexpected '''", "a", "unexpected 'a'", true},
		{"escaped quotation marks", "'", `unexpected '\'' here`, "a", "unexpected 'a' here", true},
		{"apostrophes", "", "can't read what isn't there", "", "can't read what wasn't there", false},
		{"a quotation mark alone", `"`, `unexpected " at the end`, `'`, "unexpected ' at the end", true},
		{"numbers", "", "offset 12 of 40 bytes", "", "offset 3 of 1 bytes", true},
		{"signed and fractional numbers", "", "-1.5e3 out of range", "", "7 out of range", true},
		{"hexadecimal numbers", "", "bad rune U+00E9 (0xe9)", "", "bad rune U+1F600 (0x41)", true},
		{"positions", "", "3:14: syntax error", "", "10:2: syntax error", true},
		{"positions with a file", "", "in.txt:3:14: syntax error", "", "in.txt:10:2: syntax error", true},
		{"numbers in names", "", "cannot store in int64", "", "cannot store in int32", true},
		{"names of the input", "let foo;", "undefined: foo", "let quux;", "undefined: quux", true},
		{"names that are not in the input", "", "undefined: foo", "", "undefined: bar", false},
		{"several names of the input", "a_1 = b", "near a_1 = b in line 1", "c", "near c in line 1", true},
		{"punctuation of the input", "(a]", "expected ), found ]", "{a;", "expected ), found ;", true},
		{"bracketed punctuation of the input", "1 % + 2", "no operand between [%] and [+]", "1 * / 2", "no operand between [*] and [/]", true},
		{"excerpts of the input", "[-0g\f\\\n]", "unclosed section: [-0g \\", "[a b 'c]", "unclosed section: [a b 'c]", true},
		{"the whole input", "a + b\n", "parsing a + b failed at 1:3: unexpected '+'", "(c", "parsing (c failed at 1:1: unexpected '('", true},
		{"text after a colon that is not in the input", "[a", "unclosed section: no ]", "b", "unclosed section: no }", false},
		{"parts of names of the input", "stringify", "bad string", "numbers", "bad number", false},
		{"repeated parts of names of the input", "aaa", "bad aa", "bbb", "bad bb", false},
		{"only the first line counts", "", "syntax error\n  a b\n  ^", "", "syntax error\n  c", true},
		{"words that one of the inputs has", "value x1", "missing value of x1", "y1", "missing value of y1", true},
		{"long messages", "", strings.Repeat("word ", 100) + "a", "", strings.Repeat("word ", 90) + "b", true},
		{"long quoted parts", strings.Repeat("a ", 300), `parse "` + strings.Repeat("a ", 300) + `": no host`, "b", `parse "b": no host`, true},
		{"causes after long quoted parts", strings.Repeat("a ", 300), `parse "` + strings.Repeat("a ", 300) + `": no host`, "b", `parse "b": no port`, false},
		{"a quoted input that contains the input", `\=\\\`, `parse "\\=\\\\\\": no host`, "b", `parse "b": no host`, true},
		{"no message", "", "", "", "a message", true},
	} {
		t.Run(c.what, func(t *testing.T) {
			p := observation.FailureOf(refused(c.input, c.message))
			if got := p.Holds(refused(c.otherInput, c.other)); got != c.same {
				t.Errorf("%q and %q: same: %v, want %v; %s", c.message, c.other, got, c.same, p)
			}
		})
	}
}

// TestFailureShapeNames checks that names in quotes and positions have no influence.
func TestFailureShapeNames(t *testing.T) {
	name := rapid.StringMatching(`[a-zA-Z_$][a-zA-Z0-9_$ .(){}-]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		template := rapid.SampledFrom([]string{"%[2]d:%[3]d: unexpected %[1]s", "%[1]s is not defined (line %[2]d, column %[3]d)", "bad %[1]s: want %[4]s at %[2]d"}).Draw(t, "template")
		quote := rapid.SampledFrom([]string{`"%s"`, "'%s'", "`%s`", "“%s”", "«%s»"}).Draw(t, "quote")
		draw := func(label string) observation.Observation {
			number := rapid.IntRange(0, 1<<40)
			first, second := name.Draw(t, label), name.Draw(t, label)
			input := rapid.SampledFrom([]string{"", first, second, first + " " + second}).Draw(t, label)
			return refused(input, fmt.Sprintf(template+"%.0[4]s", fmt.Sprintf(quote, first), number.Draw(t, label), number.Draw(t, label), fmt.Sprintf(quote, second)))
		}
		a, b := draw("a"), draw("b")
		if p := observation.FailureOf(a); !p.Holds(b) {
			t.Fatalf("%q and %q have different shapes: %s", a.Failure.Message, b.Failure.Message, p)
		}
	})
}

// TestOutcomeGroupsWithoutStack groups failures without a stack by their messages.
func TestOutcomeGroupsWithoutStack(t *testing.T) {
	all := []observation.Observation{
		refused("f(x))", "unexpected token ')' at line 3"), refused("{}}", "unexpected token '}' at line 7"),
		refused(`"string`, "unterminated string"), refused(`"s`, "unterminated string"), // the word is in one of the inputs
		refused("let foo;", "undefined: foo"), refused("bar();", "undefined: bar"),
		refused("1 +", "missing operand"),
	}
	want := []string{`2 unterminated string`, `2 unexpected token '}' at line 7`, `2 undefined: bar`, `1 missing operand`}
	r := rand.New(rand.NewPCG(1, 0))
	for range 20 {
		if diff := cmp.Diff(want, listGroups(all)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
}

func listGroups(all []observation.Observation) []string {
	var groups observation.OutcomeGroups
	for _, o := range all {
		groups.Add(o)
	}
	var got []string
	for _, g := range groups.All() {
		got = append(got, fmt.Sprintf("%d %s", g.Count, g.Failure().Message))
	}
	if groups.Len() != len(got) {
		return append(got, fmt.Sprintf("Len is %d", groups.Len()))
	}
	return got
}

// TestOutcomeGroupsLimit groups by fewer words if there are too many shapes.
func TestOutcomeGroupsLimit(t *testing.T) {
	word := func(i int) string { return string([]byte{'a' + byte(i/676%26), 'a' + byte(i/26%26), 'a' + byte(i%26)}) }
	var all []observation.Observation
	for i := range 3000 {
		all = append(all, refused(fmt.Sprint(i), "bad name "+word(i)), refused(fmt.Sprint(i), "no value of a name such as "+word(i)))
	}
	all = append(all, refused("x", "end of input"))
	want := []string{"3000 bad name aaa", "3000 no value of a name such as aaa", "1 end of input"}
	r := rand.New(rand.NewPCG(1, 0))
	for range 3 {
		if diff := cmp.Diff(want, listGroups(all)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		slices.Reverse(all)
		r.Shuffle(len(all)/2, func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
}
