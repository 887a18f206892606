package generate

import (
	"maps"
	"math/rand/v2"

	"github.com/inroad/inroad/grammars"
)

// ChoosingRules returns the rules that derivations from start use and that have a
// choice, in the order of the grammar.
func ChoosingRules(g *grammars.Grammar, start string) []*grammars.Rule {
	used := make([]bool, len(g.Nodes))
	choosing := map[*grammars.Rule]bool{}
	for stack := []*grammars.Node{g.Nodes[g.Rule(start).Root]}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if used[n.ID] {
			continue
		}
		used[n.ID] = true
		if n.Rule != nil && hasChoice(n) {
			choosing[n.Rule] = true
		}
		stack = append(stack, n.Children...)
	}
	var out []*grammars.Rule
	for _, rule := range g.Rules {
		if choosing[rule] {
			out = append(out, rule)
		}
	}
	return out
}

// hasChoice reports whether a node has several options.
func hasChoice(n *grammars.Node) bool {
	return n.Kind == grammars.Alternation && len(n.Children) > 1 || n.Kind == grammars.Repetition && n.Min != n.Max
}

// WithRandom returns probabilities with new values for the choices of a rule: a
// random number above 0 and up to 1 for each option, normalised.
func (p *Probabilities) WithRandom(r *rand.Rand, rule *grammars.Rule) *Probabilities {
	out := p.WithUniform(rule)
	for _, n := range p.grammar.Nodes {
		if n.Rule != rule || !hasChoice(n) {
			continue
		}
		if n.Kind == grammars.Alternation {
			out.alternatives[n.ID] = randomShares(r, len(n.Children))
			continue
		}
		times := timesOf(n, nil)
		out.repetitions[n.ID] = map[int]float64{}
		for i, share := range randomShares(r, len(times)) {
			out.repetitions[n.ID][times[i]] = share
		}
	}
	return out
}

// WithUniform returns probabilities in which all options of a rule's choices are
// equally likely.
func (p *Probabilities) WithUniform(rule *grammars.Rule) *Probabilities {
	out := &Probabilities{p.grammar, maps.Clone(p.alternatives), maps.Clone(p.repetitions), maps.Clone(p.contexts)}
	maps.DeleteFunc(out.contexts, func(c choiceContext, _ *distribution) bool { return p.grammar.Nodes[c.node].Rule == rule })
	for _, n := range p.grammar.Nodes {
		if n.Rule == rule {
			delete(out.alternatives, n.ID)
			delete(out.repetitions, n.ID)
		}
	}
	return out
}

// randomShares returns n random numbers above 0 with the sum 1.
func randomShares(r *rand.Rand, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 1 - r.Float64()
	}
	return normalized(out)
}
