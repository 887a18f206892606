package grammars_test

import (
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// failer is the common interface of tests and properties.
type failer interface {
	Helper()
	Errorf(format string, args ...any)
}

// checkTree checks the invariants of a tree: it prints back, its tokens are
// contiguous, each node is an instance of a symbol below that of its parent,
// and spans are nested and ordered.
func checkTree(t failer, g *grammars.Grammar, tree *derivation.Tree, input string) {
	t.Helper()
	if got := tree.String(); got != input {
		t.Errorf("tree prints as %q, want %q", got, input)
	}
	end := int32(0)
	for i, token := range tree.Tokens() {
		if token.Start != end || token.End < token.Start {
			t.Errorf("token %d is from %d to %d, after one that ends at %d", i, token.Start, token.End, end)
		}
		end = token.End
	}
	type place struct{ start, end, next int }
	var above []derivation.Node // the way from the root
	var spans []place           // of those, and where the next child may begin
	for depth, n := range tree.All() {
		above, spans = append(above[:depth], n), spans[:depth]
		start, end := n.Span()
		if depth == 0 {
			if n.Occurrence() != derivation.None || n.Kind() != derivation.Rule {
				t.Errorf("root is %s, occurrence %d", n.Name(), n.Occurrence())
			}
		} else {
			checkOccurrence(t, g, above[depth-1], n)
			p := &spans[depth-1]
			if start < p.next || end > p.end || start < p.start {
				t.Errorf("%s from %d to %d is outside of %d to %d, or before %d", n.Name(), start, end, p.start, p.end, p.next)
			}
			p.next = end
		}
		spans = append(spans, place{start, end, start})
	}
}

// checkOccurrence checks that a node's occurrence can be below its parent's,
// and that it has the node's kind and name.
func checkOccurrence(t failer, g *grammars.Grammar, parent, n derivation.Node) {
	t.Helper()
	o := n.Occurrence()
	if o < 0 || int(o) >= len(g.Nodes) {
		t.Errorf("%s below %s has occurrence %d", n.Name(), parent.Name(), o)
		return
	}
	symbol := g.Nodes[o]
	if symbol.Rule != g.ParserRules()[parent.Rule()] {
		t.Errorf("occurrence %d of %s is in rule %v, not in %s", o, n.Name(), symbol.Rule, parent.Name())
	}
	if parent.Occurrence() != derivation.None {
		above := g.Nodes[parent.Occurrence()]
		if above.Kind != grammars.Reference || len(above.Children) != 1 || !reaches(above.Children[0], symbol) {
			t.Errorf("occurrence %d of %s is not below occurrence %d of %s", o, n.Name(), parent.Occurrence(), parent.Name())
		}
	}
	ok := false
	switch n.Kind() {
	case derivation.Rule:
		ok = symbol.Kind == grammars.Reference && symbol.Target == g.ParserRules()[n.Rule()]
	case derivation.Empty:
		ok = symbol.Kind == grammars.Empty
	case derivation.Leaf:
		t := int(n.Token().Type)
		switch symbol.Kind {
		case grammars.End:
			ok = t == derivation.EOF
		case grammars.TokenSet:
			for _, other := range symbol.Types {
				ok = ok || other == t
			}
		default:
			ok = symbol.Token == t && t > 0
		}
	}
	if !ok {
		t.Errorf("%s %q has occurrence %d, which is %v %s", n.Name(), n.Text(), o, symbol.Kind, symbol.Text)
	}
}

// reaches reports whether a symbol is reachable from a node without passing
// another symbol.
func reaches(from, symbol *grammars.Node) bool {
	if from == symbol {
		return true
	}
	if from.Kind.Symbolic() {
		return false
	}
	for _, child := range from.Children {
		if reaches(child, symbol) {
			return true
		}
	}
	return false
}
