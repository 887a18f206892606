package features

import (
	"fmt"

	"github.com/inroad/inroad/grammars/derivation"
)

// counts counts the paths of one and two symbols that end in the children of a node.
func counts(x *ExtraExtractor, k Kind, p *parent) {
	above := p.Occurrence()
	for i, c := range p.children {
		o := c.grammar.ID
		if i > 0 && !p.inToken {
			x.at = p.children[i-1].End()
		}
		if !x.flags[o].Has(k) {
			continue
		}
		if n := int(x.most[k].of[o]); n < maxCount {
			x.raise(k, o, n+1)
		}
		if above != derivation.None {
			x.countPair(newExtra(k, 0, above, o))
		}
	}
}

// countPair counts an occurrence of a path of two symbols.
func (x *ExtraExtractor) countPair(e Extra) {
	p := x.pairs[e]
	if p == nil {
		p = &pair{}
		x.pairs[e] = p
	}
	if p.n < maxCount {
		p.at[p.n] = int32(x.at)
		p.n++
	}
}

func describeCount(p phrase) string {
	return fmt.Sprintf("%s %s times", p.space.Pattern(p.path), p.orMore())
}

func needCount(p phrase) Need {
	return Need{Paths: []Path{p.path}, Min: p.bound, Negatable: true, Text: p.space.Pattern(p.path)}
}
