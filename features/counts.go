package features

import (
	"fmt"

	"github.com/inroad/inroad/grammars/derivation"
)

// counts counts the paths of one and two symbols that end in the children of a node.
func counts(x *ExtraExtractor, k Kind, p *parent) {
	above := p.Occurrence()
	for _, c := range p.children {
		o := c.grammar.ID
		if !x.flags[o].Has(k) {
			continue
		}
		x.most[k].add(o, 1)
		if above != derivation.None {
			x.pairs[newExtra(k, 0, above, o)]++
		}
	}
}

func describeCount(p phrase) string {
	return fmt.Sprintf("%s %s times", p.space.Pattern(p.path), p.orMore())
}

func needCount(p phrase) Need {
	return Need{Paths: []Path{p.path}, Min: p.bound, Negatable: true, Text: p.space.Pattern(p.path)}
}
