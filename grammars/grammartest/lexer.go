package grammartest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A randomLexer writes lexers.
type randomLexer struct {
	*rand.Rand
	modes int
	rules int
}

// RandomLexer returns the text of a small lexer grammar L with overlapping tokens T0,
// T1 and so on, over the characters a, b and c. The grammar may be invalid.
func RandomLexer(r *rand.Rand) string {
	l := &randomLexer{Rand: r, modes: 1 + r.IntN(3)}
	var b strings.Builder
	b.WriteString("lexer grammar L;\n")
	for mode := range l.modes {
		if mode > 0 {
			fmt.Fprintf(&b, "mode M%d;\n", mode)
		}
		for range 1 + l.IntN(4) {
			fmt.Fprintf(&b, "T%d : %s%s ;\n", l.rules, l.alternatives(), l.commands())
			l.rules++
		}
	}
	return b.String()
}

func (l *randomLexer) of(options ...string) string { return options[l.IntN(len(options))] }

func (l *randomLexer) alternatives() string {
	if l.IntN(4) > 0 {
		return l.elements()
	}
	return "(" + l.elements() + " | " + l.elements() + ")"
}

func (l *randomLexer) elements() string {
	var out []string
	for range 1 + l.IntN(3) {
		element := l.of("'a'", "'a'", "'b'", "'b'", "'c'", "'ab'", "'ba'", "[ab]", "[bc]", "~[a]", "~[bc]", ".")
		out = append(out, element+l.of("", "", "", "", "?", "*", "+", "*?", "+?"))
	}
	return strings.Join(out, " ")
}

func (l *randomLexer) commands() string {
	mode := "DEFAULT_MODE"
	if i := l.IntN(l.modes); i > 0 {
		mode = fmt.Sprintf("M%d", i)
	}
	var out []string
	if l.IntN(3) == 0 {
		out = append(out, l.of("skip", "channel(HIDDEN)", "more", "type(T0)"))
	}
	if l.modes > 1 && l.IntN(2) == 0 {
		out = append(out, l.of("mode("+mode+")", "pushMode("+mode+")", "popMode"))
		if l.IntN(6) == 0 {
			out = append(out, l.of("popMode", "mode("+mode+")"))
		}
	}
	if out == nil {
		return ""
	}
	return " -> " + strings.Join(out, ", ")
}

// ShortTexts returns all texts of up to n of the characters of [RandomLexer], short
// texts first.
func ShortTexts(n int) []string {
	out := []string{""}
	for from := 0; n > 0; n-- {
		for to := len(out); from < to; from++ {
			for _, c := range "abc" {
				out = append(out, out[from]+string(c))
			}
		}
	}
	return out
}
