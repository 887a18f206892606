package features

import (
	"fmt"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// maxOperands limits the children of a node that are compared with each other.
const maxOperands = 8

// operands records the ordered pairs of children of a node. A child stands for
// the first of its descendants that has several children or none, because
// grammars put many rules of one child between an operator and its operands.
func operands(x *ExtraExtractor, k Kind, p *parent) {
	heads := x.heads[:0]
	for _, c := range p.children[:min(len(p.children), maxOperands)] {
		heads = append(heads, x.head(c))
	}
	x.heads = heads
	for i, a := range heads {
		for _, b := range heads[i+1:] {
			if a.fixed && b.fixed || a.occurrence == derivation.None || b.occurrence == derivation.None {
				continue
			}
			if x.flags[b.occurrence].Has(k) {
				x.addOnce(newExtra(k, 0, a.occurrence, b.occurrence))
			}
		}
	}
}

// A head stands for a child of a node.
type head struct {
	occurrence grammars.Occurrence
	fixed      bool // the child is a token with one text
}

// head follows the chain of only children down from a child, and returns the last node.
func (x *ExtraExtractor) head(c child) head {
	n, depth := c.Node, 0
	for n.Kind() == derivation.Rule {
		only, ok := onlyChild(n)
		if !ok {
			break
		}
		n = only
		depth++
	}
	o := n.Occurrence()
	if o == derivation.None {
		return head{o, true}
	}
	node := x.grammar.Nodes[o]
	return head{o, depth == 0 && n.Kind() == derivation.Leaf && (node.Kind == grammars.Literal || onlyText(node))}
}

// onlyChild returns the child of a node with one child.
func onlyChild(n derivation.Node) (only derivation.Node, ok bool) {
	count := 0
	for c := range n.Children() {
		only = c
		if count++; count > 1 {
			break
		}
	}
	return only, count == 1
}

func describeOperands(p phrase) string {
	a, b := p.space.grammar.Nodes[p.path[0]], p.space.grammar.Nodes[p.path[1]]
	return fmt.Sprintf("%s followed by %s among the children of one node", indefinite(symbolName(a)), indefinite(symbolName(b)))
}

// needOperands requires the second child. Targeting draws the first next to it.
func needOperands(p phrase) Need {
	return Need{Paths: []Path{p.path[1:]}, Min: 1, Text: symbolName(p.space.grammar.Nodes[p.path[1]])}
}
