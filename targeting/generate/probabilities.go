package generate

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// Probabilities are the probabilities of a grammar's choices: of the alternatives
// of each alternation, and of the numbers of rounds of each repetition. The
// options of a choice without probabilities are equally likely.
type Probabilities struct {
	grammar      *grammars.Grammar
	alternatives map[grammars.Occurrence][]float64       // by alternation, in the order of its alternatives
	repetitions  map[grammars.Occurrence]map[int]float64 // by repetition and number of rounds
	contexts     map[choiceContext]*distribution         // probabilities that depend on the context; nil if there are none
}

// fits returns an error if the probabilities belong to another grammar.
func (p *Probabilities) fits(g *grammars.Grammar) error {
	if p != nil && p.grammar.Digest != g.Digest {
		return fmt.Errorf("the probabilities belong to another grammar than %s", g.Name)
	}
	return nil
}

// Alternatives returns the probabilities of the alternatives of an alternation;
// nil if there are none. The caller must not change them.
func (p *Probabilities) Alternatives(n *grammars.Node) []float64 { return p.alternatives[n.ID] }

// Times returns the probabilities of the numbers of rounds of a repetition; nil if
// there are none. The caller must not change them.
func (p *Probabilities) Times(n *grammars.Node) map[int]float64 { return p.repetitions[n.ID] }

// A Tally counts the choices of trees, to learn probabilities from. It is not
// safe for concurrent use.
type Tally struct {
	grammar *grammars.Grammar
	choices *grammars.Choices
	length  int                           // of the contexts, in symbols including the choice
	counts  map[choiceContext]map[int]int // by option: the number of times that it was chosen
	room    int                           // the number of contexts that can be added
}

// NewTally returns an empty tally, whose probabilities do not depend on the context.
func NewTally(g *grammars.Grammar) *Tally { return NewContextTally(g, 1) }

// NewContextTally returns an empty tally, whose probabilities depend on the context: on
// up to k-1 symbols that enclose a choice. Together with an option they form a k-path. A k
// above [MaxContext] counts as MaxContext. The tally keeps the first [MaxContexts] contexts
// that occur; a choice in any other context counts only for the shorter contexts it keeps.
func NewContextTally(g *grammars.Grammar, k int) *Tally {
	return &Tally{g, g.Choices(), min(max(k, 1), MaxContext), map[choiceContext]map[int]int{}, MaxContexts}
}

// Add counts the choices of a tree. The error is a *limit.Error if a token takes
// too long to parse.
func (t *Tally) Add(tree *derivation.Tree) error {
	return t.choices.EachWithin(tree, t.length-1, func(n *grammars.Node, choice int, within []grammars.Occurrence) {
		for length := range len(within) + 1 {
			c := newContext(n.ID, within[:length])
			if t.counts[c] == nil {
				if length > 0 {
					if t.room == 0 {
						break // the longer contexts are not there either
					}
					t.room--
				}
				t.counts[c] = map[int]int{}
			}
			t.counts[c][choice]++
		}
	})
}

// Probabilities returns the relative frequency of each option of a choice. Choices
// that no tree made have no probabilities.
func (t *Tally) Probabilities() *Probabilities {
	p := newProbabilities(t.grammar)
	for c, counts := range t.counts {
		sum := 0
		for _, times := range counts {
			sum += times
		}
		rounds := map[int]float64{}
		for option, times := range counts {
			rounds[option] = float64(times) / float64(sum)
		}
		n := t.grammar.Nodes[c.node]
		if n.Kind == grammars.Repetition {
			p.set(c, nil, rounds)
			continue
		}
		alternatives := make([]float64, len(n.Children))
		for option, share := range rounds {
			alternatives[option] = share
		}
		p.set(c, alternatives, nil)
	}
	return p
}

// set sets the probabilities of a choice in a context.
func (p *Probabilities) set(c choiceContext, alternatives []float64, rounds map[int]float64) {
	switch {
	case c.within != "":
		if p.contexts == nil {
			p.contexts = map[choiceContext]*distribution{}
		}
		p.contexts[c] = newDistribution(alternatives, rounds)
	case alternatives != nil:
		p.alternatives[c.node] = alternatives
	case rounds != nil:
		p.repetitions[c.node] = rounds
	}
}

func newProbabilities(g *grammars.Grammar) *Probabilities {
	return &Probabilities{grammar: g, alternatives: map[grammars.Occurrence][]float64{}, repetitions: map[grammars.Occurrence]map[int]float64{}}
}

// GrammarProbabilities returns the probabilities that a grammar states; nil if it states
// none.
func GrammarProbabilities(g *grammars.Grammar) *Probabilities {
	p := newProbabilities(g)
	for _, n := range g.Nodes {
		if n.Probabilities != nil {
			p.alternatives[n.ID] = n.Probabilities
		}
	}
	if len(p.alternatives) == 0 {
		return nil
	}
	return p
}

// usualTimes is the highest number of rounds that is an option of every repetition
// that allows it.
const usualTimes = 10

// Invert returns the normalised reciprocals of the probabilities, so that likely
// options become unlikely. If some options of a choice have probability 0, only they
// are possible afterwards, and equally likely. The options of a repetition are up to
// ten rounds, and the numbers of rounds that have a probability.
func (p *Probabilities) Invert() *Probabilities { return p.mapped(timesOf, invert) }

// flatten returns the normalised square roots of the probabilities, so that they become
// more even. Options without a probability get none.
func (p *Probabilities) flatten() *Probabilities {
	return p.mapped(func(_ *grammars.Node, ps map[int]float64) []int { return slices.Sorted(maps.Keys(ps)) }, flatten)
}

// mapped applies a function to the probabilities of each choice. times returns the
// options of a repetition.
func (p *Probabilities) mapped(times func(n *grammars.Node, ps map[int]float64) []int, of func([]float64) []float64) *Probabilities {
	out := newProbabilities(p.grammar)
	add := func(c choiceContext, alternatives []float64, rounds map[int]float64) {
		if alternatives != nil {
			out.set(c, of(alternatives), nil)
		}
		if rounds == nil {
			return
		}
		options := times(p.grammar.Nodes[c.node], rounds)
		before := make([]float64, len(options))
		for i, t := range options {
			before[i] = rounds[t]
		}
		after := map[int]float64{}
		for i, share := range of(before) {
			if share > 0 {
				after[options[i]] = share
			}
		}
		out.set(c, nil, after)
	}
	for o, ps := range p.alternatives {
		add(choiceContext{node: o}, ps, nil)
	}
	for o, ps := range p.repetitions {
		add(choiceContext{node: o}, nil, ps)
	}
	for c, d := range p.contexts {
		add(c, d.alternatives, d.rounds)
	}
	return out
}

func flatten(ps []float64) []float64 {
	out := make([]float64, len(ps))
	for i, p := range ps {
		out[i] = math.Sqrt(p)
	}
	return normalized(out)
}

// timesOf returns the numbers of rounds of a repetition: all numbers up to
// usualTimes, and the numbers in given.
func timesOf(n *grammars.Node, given map[int]float64) []int {
	most := max(usualTimes, n.Min)
	if n.Max >= 0 {
		most = min(most, n.Max)
	}
	var out []int
	for t := n.Min; t <= most; t++ {
		out = append(out, t)
	}
	for _, t := range slices.Sorted(maps.Keys(given)) {
		if t > most {
			out = append(out, t)
		}
	}
	return out
}

// invert returns the reciprocals, normalised to a sum of 1.
func invert(ps []float64) []float64 {
	out := make([]float64, len(ps))
	if slices.Contains(ps, 0) {
		for i, p := range ps {
			if p == 0 {
				out[i] = 1
			}
		}
	} else {
		for i, p := range ps {
			out[i] = 1 / p
		}
	}
	return normalized(out)
}

// normalized divides weights by their sum.
func normalized(weights []float64) []float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}
