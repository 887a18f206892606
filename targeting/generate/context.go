package generate

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/inroad/inroad/grammars"
)

// MaxContext is the longest context of probabilities, in symbols including the choice.
const MaxContext = 8

// MaxContexts is the highest number of contexts of a [Tally]. It bounds memory and files.
const MaxContexts = 50_000

// A choiceContext is a choice together with the symbols that enclose it, the nearest first.
// Symbols are encoded in four bytes each.
type choiceContext struct {
	node   grammars.Occurrence
	within string
}

const symbolBytes = 4

func newContext(node grammars.Occurrence, within []grammars.Occurrence) choiceContext {
	var key []byte
	for _, o := range within {
		key = binary.BigEndian.AppendUint32(key, uint32(o))
	}
	return choiceContext{node, string(key)}
}

// symbols returns the enclosing symbols.
func (c choiceContext) symbols() []grammars.Occurrence {
	var out []grammars.Occurrence
	for at := 0; at < len(c.within); at += symbolBytes {
		out = append(out, grammars.Occurrence(binary.BigEndian.Uint32([]byte(c.within[at:at+symbolBytes]))))
	}
	return out
}

func (c choiceContext) compare(other choiceContext) int {
	if c.node != other.node {
		return int(c.node) - int(other.node)
	}
	return slices.Compare(c.symbols(), other.symbols())
}

// A distribution has the probabilities of the options of a choice.
type distribution struct {
	alternatives []float64
	rounds       map[int]float64
	times        []int // the numbers of rounds that have a probability, in order
}

func newDistribution(alternatives []float64, rounds map[int]float64) *distribution {
	d := &distribution{alternatives: alternatives, rounds: rounds}
	for _, times := range slices.Sorted(maps.Keys(rounds)) {
		if rounds[times] > 0 {
			d.times = append(d.times, times)
		}
	}
	return d
}

// Context returns the length of the longest context, in symbols including the choice. It
// is 1 if probabilities do not depend on the context.
func (p *Probabilities) Context() int {
	longest := 0
	for c := range p.contexts {
		longest = max(longest, len(c.within)/symbolBytes)
	}
	return 1 + longest
}

// Within returns the probabilities of an alternation's alternatives, given the symbols that
// enclose it, nearest first. It uses the longest context of nearest symbols that has
// probabilities. The caller must not change the result.
func (p *Probabilities) Within(n *grammars.Node, within ...grammars.Occurrence) []float64 {
	if d := p.within(n, within); d != nil {
		return d.alternatives
	}
	return p.alternatives[n.ID]
}

// within returns the probabilities of a choice in the longest context that has probabilities;
// nil if none has.
func (p *Probabilities) within(n *grammars.Node, within []grammars.Occurrence) *distribution {
	for length := len(within); length > 0; length-- {
		if d := p.contexts[newContext(n.ID, within[:length])]; d != nil {
			return d
		}
	}
	return nil
}
