package features

import (
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// Each calls found once for each feature of a tree, with the feature's
// [Position], in no particular order. It fails if a token takes too long to
// parse.
func (x *ExtraExtractor) Each(tree *derivation.Tree, found func(e Extra, at Position)) error {
	x.found, x.input, x.tokens, x.leaves, x.at = found, tree.Input(), 0, x.leaves[:0], 0
	defer x.reset()
	if err := x.walk(tree); err != nil {
		return err
	}
	if len(x.ofTrivia) > 0 {
		x.surround(tree)
	}
	x.reportAll()
	return nil
}

// walk visits all nodes of a tree and of the trees inside its tokens.
func (x *ExtraExtractor) walk(tree *derivation.Tree) error {
	dissector := tree.Dissector()
	place := placer{}
	for _, n := range tree.All() {
		if n.Kind() == derivation.Empty {
			continue
		}
		x.at = place.of(n)
		o := n.Occurrence()
		for i := range x.ofSymbols {
			x.ofSymbols[i].symbol(x, x.ofSymbols[i].Kind, o)
		}
		if n.Kind() == derivation.Rule {
			x.visit(n, inRules, x.input)
			continue
		}
		x.tokens++
		if len(x.ofTrivia) > 0 {
			x.leaves = append(x.leaves, leafAt{n.Token().Start, o})
		}
		if o == derivation.None || x.grammar.Nodes[o].Kind == grammars.End {
			continue
		}
		x.measure(n)
		if !x.inside[o] {
			continue
		}
		inside, err := dissector.Leaf(n)
		if err != nil {
			return err
		}
		if inside == nil {
			continue
		}
		text := inside.Input() // that of an equal, earlier token if the tree is cached
		for _, m := range inside.All() {
			if m.Kind() == derivation.Rule {
				x.visit(m, inTokens, text)
			}
		}
	}
	return nil
}

// visit calls the functions of the kinds that test a node and its children.
func (x *ExtraExtractor) visit(n derivation.Node, in where, text []byte) {
	if len(x.ofNodes) == 0 {
		return
	}
	p := &x.node
	*p = parent{Node: n, root: derivation.None, text: text, inToken: in == inTokens, children: p.children[:0]}
	flags := Kinds(0) // of kinds to look for here
	for c := range n.Children() {
		o := c.Occurrence()
		if o == derivation.None {
			continue
		}
		node := x.grammar.Nodes[o]
		if node.Kind == grammars.End {
			continue
		}
		if p.root == derivation.None && node.Rule != nil {
			p.root = node.Rule.Root
			flags |= x.flags[p.root]
		}
		flags |= x.flags[o] | x.flags[x.lead[o]]
		p.children = append(p.children, child{c, node, x.lead[o]})
	}
	start := x.at
	for i := range x.ofNodes {
		if k := &x.ofNodes[i]; (k.deep || flags.Has(k.Kind)) && k.where&in != 0 && (!k.several || len(p.children) > 1) {
			if in == inRules {
				x.at = max(start, n.End()-1)
			}
			k.node(x, k.Kind, p)
		}
	}
	x.at = start
}

// measure calls the functions of the kinds that test the text of a token.
func (x *ExtraExtractor) measure(n derivation.Node) {
	o := n.Occurrence()
	if x.grammar.Nodes[o].Kind != grammars.Reference {
		return
	}
	token := n.Token()
	x.token = tokenText{text: x.input[token.Start:token.End]}
	for i := range x.ofTokens {
		if k := &x.ofTokens[i]; x.flags[o].Has(k.Kind) {
			x.raise(k.Kind, o, k.token(&x.token))
		}
	}
	for i := range x.ofTexts {
		if k := &x.ofTexts[i]; x.flags[o].Has(k.Kind) {
			at := o
			if k.named {
				at = x.name[o]
			}
			k.text(x, k.Kind, at)
		}
	}
}

// reportAll reports the features found.
func (x *ExtraExtractor) reportAll() {
	for _, r := range x.rises {
		x.report(x.row(r.kind), r)
	}
	for e, p := range x.pairs {
		path, row := e.Path(), x.row(e.Kind())
		for _, bound := range row.bounds {
			if bound <= p.n {
				x.tell(newExtra(e.Kind(), bound, path[0], path[1]), int(p.at[bound-1]))
			}
		}
	}
	for e, at := range x.once {
		x.tell(e, at)
	}
}

// reset clears the features found.
func (x *ExtraExtractor) reset() {
	for i := range x.most {
		x.most[i].reset()
	}
	x.rises = x.rises[:0]
	clear(x.pairs)
	clear(x.once)
}

// report reports a feature for each bound that a number reaches with a rise.
func (x *ExtraExtractor) report(k *kind, r rise) {
	if k.bounds == nil && r.from == 0 {
		x.tell(newExtra(r.kind, 0, r.occurrence, derivation.None), int(r.at))
	}
	for _, bound := range k.bounds {
		reaches := (r.from == 0 || int(r.from) < bound) && bound <= int(r.to)
		if k.atMost {
			reaches = int(r.to) <= bound
		}
		if reaches {
			x.tell(newExtra(r.kind, bound, r.occurrence, derivation.None), int(r.at))
		}
	}
}

// tell reports a feature if it is wanted.
func (x *ExtraExtractor) tell(e Extra, at Position) {
	if x.wanted != nil {
		if _, ok := x.wanted[e]; !ok {
			return
		}
	}
	x.found(e, at)
}
