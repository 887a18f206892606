package features

import "fmt"

// children counts the children of a node by their names.
func children(x *ExtraExtractor, k Kind, p *parent) {
	for _, c := range p.children {
		if x.flags[c.lead].Has(k) {
			x.tally.add(c.lead, 1)
		}
	}
	for _, lead := range x.tally.touched {
		x.raise(k, lead, int(x.tally.of[lead]))
	}
	x.tally.reset()
}

func describeChildren(p phrase) string {
	return fmt.Sprintf("%s with %s %s", indefinite(p.rule()), p.orMore(), p.symbol())
}

func needChildren(p phrase) Need {
	return Need{Paths: p.siblings(), Min: p.bound, Text: p.symbol() + " in " + p.rule()}
}
