package grammartest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A randomParser writes parser rules.
type randomParser struct {
	*rand.Rand
	rules int
}

// RandomParser returns the text of a small grammar with ambiguities, loops and
// operators, over the characters of [ShortTexts]. The grammar may be invalid.
func RandomParser(r *rand.Rand) string {
	p := &randomParser{Rand: r, rules: 2 + r.IntN(3)}
	var b strings.Builder
	b.WriteString("grammar G;\n")
	for i := range p.rules {
		var alternatives []string
		if i > 0 && p.IntN(3) == 0 {
			for range 1 + p.IntN(3) {
				alternatives = append(alternatives, p.operator(i))
			}
		}
		for range 1 + p.IntN(3) {
			alternatives = append(alternatives, p.elements(i, 2))
		}
		p.Shuffle(len(alternatives), func(i, j int) { alternatives[i], alternatives[j] = alternatives[j], alternatives[i] })
		end := ""
		if i == 0 && p.IntN(4) > 0 {
			alternatives, end = []string{p.elements(i, 2)}, " EOF"
		}
		fmt.Fprintf(&b, "r%d : %s%s ;\n", i, strings.Join(alternatives, " | "), end)
	}
	b.WriteString("A : 'a' ;\nB : 'b' ;\nC : 'c' ;\n")
	return b.String()
}

func (p *randomParser) of(options ...string) string { return options[p.IntN(len(options))] }

// operator writes an operator of a rule.
func (p *randomParser) operator(rule int) string {
	tokens := p.of("A", "B", "C", "B C", "(A | C)", "B?  C")
	switch p.IntN(7) {
	case 0:
		return fmt.Sprintf("r%d %s", rule, tokens)
	case 1:
		return fmt.Sprintf("%s r%d", tokens, rule)
	case 2:
		return fmt.Sprintf("<assoc=right> r%d %s r%d", rule, tokens, rule)
	case 3:
		return fmt.Sprintf("r%d (%s r%d)%s", rule, tokens, rule, p.of("+", "?  C", "+?", "+ A?"))
	case 4:
		return fmt.Sprintf("r%d %s r%d%s", rule, tokens, 1+p.IntN(p.rules-1), p.of("", "?", "*", " B*", " (C | B)?"))
	default:
		return fmt.Sprintf("r%d %s r%d", rule, tokens, rule)
	}
}

// elements writes a sequence of elements of a rule, with nested blocks.
func (p *randomParser) elements(rule, depth int) string {
	var out []string
	for range 1 + p.IntN(3) {
		element := p.of("A", "A", "B", "C")
		switch {
		case p.IntN(3) == 0:
			if below := rule + 1 + p.IntN(p.rules); below < p.rules {
				element = fmt.Sprintf("r%d", below)
			} else if p.IntN(4) == 0 {
				element = fmt.Sprintf("B r%d", p.IntN(p.rules))
			}
		case p.IntN(8) == 0:
			element = "~B"
		case depth > 0 && p.IntN(3) == 0:
			element = "(" + p.elements(rule, depth-1) + " | " + p.elements(rule, depth-1) + ")"
		}
		suffix := p.of("", "", "", "?", "*", "+", "??", "*?", "+?")
		if strings.Contains(element, " ") && suffix != "" {
			element = "(" + element + ")"
		}
		out = append(out, element+suffix)
	}
	return strings.Join(out, " ")
}
