package features

import (
	"fmt"
	"strings"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// An optional is a part of a rule that can be left out. It is absent from a
// node that contains its holder but not the part itself.
type optional struct {
	part   grammars.Occurrence
	holder grammars.Occurrence // the closest alternative or repetition around it, else the rule's right-hand side
}

// absent finds the optional parts that are missing in a node.
func absent(x *ExtraExtractor, k Kind, p *parent) {
	if p.root == derivation.None || !x.flags[p.root].Has(k) {
		return
	}
	x.stamp++
	for _, c := range p.children {
		for at := c.grammar.ID; at != derivation.None && x.present[at] != x.stamp; at = x.above[at] {
			x.present[at] = x.stamp
		}
	}
	for _, part := range x.parts[p.root] {
		if x.present[part.part] != x.stamp && (part.holder == p.root || x.present[part.holder] == x.stamp) {
			x.raise(k, part.part, 1)
		}
	}
}

// findOptional fills x.parts and x.above for a construct of the rule with the
// given right-hand side.
func (x *ExtraExtractor) findOptional(n *grammars.Node, root, holder grammars.Occurrence) {
	if n.Kind.Symbolic() {
		return
	}
	if n.Kind == grammars.Repetition {
		if n.Min == 0 {
			x.parts[root] = append(x.parts[root], optional{n.ID, holder})
		}
		holder = n.ID
	}
	for _, c := range n.Children {
		x.above[c.ID] = n.ID
		inside := holder
		if n.Kind == grammars.Alternation {
			inside = c.ID
		}
		x.findOptional(c, root, inside)
	}
}

func describeAbsent(p phrase) string { return indefinite(p.withoutPart()) }

func needAbsent(p phrase) Need {
	return Need{Paths: []Path{p.path}, Min: 1, Negatable: true, Text: p.withoutPart()}
}

// withoutPart returns "NUMBER without the optional FRACTION".
func (p phrase) withoutPart() string {
	return fmt.Sprintf("%s without the optional %s", p.rule(), strings.TrimSuffix(Describe(p.node), "?"))
}
