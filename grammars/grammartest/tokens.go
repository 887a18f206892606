package grammartest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// RandomTokens returns the text of a small grammar whose tokens overlap and have many
// derivations, over the characters of [ShortTexts]. The grammar may be invalid.
func RandomTokens(r *rand.Rand) string {
	l := &randomLexer{Rand: r, modes: 1}
	elements := func(fragments int) string {
		var alternatives []string
		for range 1 + l.IntN(3) {
			parts := []string{l.elements()}
			for range l.IntN(3) {
				if fragments > 0 {
					parts = append(parts, fmt.Sprintf("F%d", l.IntN(fragments))+l.of("", "", "?", "*", "+", "*?"))
				}
			}
			l.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
			alternatives = append(alternatives, strings.Join(parts, " "))
		}
		return strings.Join(alternatives, " | ")
	}
	var rules, names []string
	for i := range 1 + l.IntN(4) {
		names = append(names, fmt.Sprintf("T%d", i))
		rules = append(rules, fmt.Sprintf("T%d : %s ;\n", i, elements(3)))
	}
	for i := range 3 {
		again := ""
		if l.IntN(3) == 0 { // recursive
			again = fmt.Sprintf(" | %s F%d%s", l.of("'a'", "'b'", "'a' 'b'", "[bc]"), i, l.of("", "?", " 'b'", " 'a'?"))
		}
		rules = append(rules, fmt.Sprintf("fragment F%d : %s%s ;\n", i, elements(i), again))
	}
	return "grammar G;\ns : (" + strings.Join(names, " | ") + ")* EOF ;\n" + strings.Join(rules, "")
}
