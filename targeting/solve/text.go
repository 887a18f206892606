package solve

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/targeting/generate"
)

// draft chooses texts for the tokens of a tree. The draft is nil if no text was found
// for a token. free reports whether other texts are possible.
func (w *writer) draft(tree witness) (draft *generate.Draft, free bool) {
	draft = &generate.Draft{}
	trivia := w.drawTrivia(words(tree) + 1)
	free = len(trivia) > 0
	texts := w.chooseTexts(tree, &free)
	word := 0
	for i := 0; i < len(tree); {
		p := tree[i]
		to := i + 1
		switch {
		case p.node.Kind == grammars.Repetition: // absent
		case isWord(p.node):
			to = tree.end(i)
			token, text := w.word(tree[i:to], texts[i], &free)
			if text == nil {
				w.bad = append(w.bad[:0], i)
				return nil, false
			}
			for _, t := range trivia[word] {
				draft.Trivia(t)
			}
			draft.Word(int(p.depth), p.node.ID, token, text)
			word++
		default:
			draft.Symbol(int(p.depth), p.node.ID)
		}
		i = to
	}
	for _, t := range trivia[word] {
		draft.Trivia(t)
	}
	return draft, free
}

// isWord reports whether a symbol of a parser rule is a token.
func isWord(n *grammars.Node) bool {
	switch n.Kind {
	case grammars.Literal, grammars.TokenSet, grammars.CharSet:
		return true
	case grammars.Reference:
		return n.Token > 0
	default:
		return false
	}
}

// words returns the number of tokens of a tree.
func words(tree witness) int {
	n := 0
	for _, p := range tree {
		if p.node.Rule != nil && p.node.Rule.Kind == grammars.ParserRule && isWord(p.node) {
			n++
		}
	}
	return n
}

// word returns the type and text of a token with the derivation tree. It prefers the
// chosen text unless that is empty. The text is nil if every text that was tried is
// forbidden or reads as another token.
func (w *writer) word(tree witness, chosen string, free *bool) (token int, text []byte) {
	n := tree[0].node
	if n.Kind == grammars.Literal {
		return n.Token, []byte(n.Value)
	}
	if n.Kind == grammars.CharSet { // of a scannerless grammar
		return n.Token, w.spell(tree, free)
	}
	if chosen != "" {
		types := []int{n.Token}
		if n.Kind == grammars.TokenSet {
			types = w.types(n, tree[0].makers)
		}
		for _, token := range types {
			if w.text.Reads(token, []byte(chosen)) {
				return token, []byte(chosen)
			}
		}
	}
	for range maxSpells {
		token = n.Token
		below := tree[1:]
		if n.Kind == grammars.TokenSet {
			*free = true
			types := w.types(n, tree[0].makers)
			token = types[w.rand.IntN(len(types))]
			if below = w.smallestToken(token, tree[0].makers); below == nil {
				continue
			}
		}
		if text = w.spell(below, free); w.text.Reads(token, text) && !w.forbidden(n.ID, text) {
			return token, text
		}
	}
	return 0, nil
}

// spell returns a text of a token's derivation. It sets free, unless that is nil, if
// other characters are possible.
func (w *writer) spell(tree witness, free *bool) []byte {
	text := []byte{}
	for _, p := range tree {
		switch p.node.Kind {
		case grammars.Literal:
			if p.node.FoldCase && w.rand.IntN(2) == 0 {
				text = append(text, strings.ToUpper(p.node.Value)...)
			} else {
				text = append(text, p.node.Value...)
			}
		case grammars.CharSet:
			if c := p.node.Chars; free != nil && (len(c) > 1 || c[0].Lo != c[0].Hi) {
				*free = true
			}
			text = utf8.AppendRune(text, w.text.Ordinary(p.node.Chars))
		}
	}
	return text
}

// types returns the token types of a set that the lexer rules in makers can
// produce, or all types of the set if makers is nil.
func (w *writer) types(set *grammars.Node, makers []*grammars.Rule) []int {
	if makers == nil {
		return set.Types
	}
	return slices.DeleteFunc(slices.Clone(set.Types), func(t int) bool {
		return !slices.ContainsFunc(w.solver.grammar.TokenRules(t), func(r *grammars.Rule) bool { return slices.Contains(makers, r) })
	})
}

// smallestToken returns one of the smallest derivations of a token by a lexer rule
// in makers, or by any lexer rule if makers is nil.
func (w *writer) smallestToken(token int, makers []*grammars.Rule) witness {
	var roots []*grammars.Node
	for _, r := range w.solver.grammar.TokenRules(token) {
		if root := w.solver.grammar.Nodes[r.Root]; root.Size != grammars.Unproductive && (makers == nil || slices.Contains(makers, r)) {
			roots = append(roots, root)
		}
	}
	if len(roots) == 0 {
		return nil
	}
	tree := witness{}
	var visit func(n *grammars.Node)
	visit = func(n *grammars.Node) {
		switch n.Kind {
		case grammars.Alternation:
			visit(w.least(n.Children))
		case grammars.Concatenation:
			for _, c := range n.Children {
				visit(c)
			}
		case grammars.Repetition:
			if n.Min > 0 {
				visit(n.Children[0])
			}
		case grammars.Reference:
			visit(n.Children[0])
		default:
			tree = append(tree, place{node: n})
		}
	}
	visit(w.least(roots))
	return tree
}

// least returns one of the nodes with the smallest derivations.
func (w *writer) least(nodes []*grammars.Node) *grammars.Node {
	var best []*grammars.Node
	for _, n := range nodes {
		switch {
		case n.Size == grammars.Unproductive || len(best) > 0 && n.Size > best[0].Size:
		case len(best) > 0 && n.Size == best[0].Size:
			best = append(best, n)
		default:
			best = append(best[:0], n)
		}
	}
	return best[w.rand.IntN(len(best))]
}

// drawTrivia returns the trivia that a constraint requires, spread at random over
// the places before, between and after tokens.
func (w *writer) drawTrivia(places int) map[int][][]byte {
	out := map[int][][]byte{}
	if w.trivia == nil {
		return out
	}
	tree := w.trivia.draw(w.trivia.cheapest(), randomChooser{w.rand})
	for i := 0; i < len(tree); {
		to := tree.end(i)
		if tree[i].node.Kind == grammars.Reference { // else the tree has no trivia
			at := w.rand.IntN(places)
			out[at] = append(out[at], w.spell(tree[i:to], nil))
		}
		i = to
	}
	return out
}

// findBad finds the tokens whose derivation in the parsed tree differs from the
// witness.
func (w *writer) findBad(tree witness, read *derivation.Tree) error {
	w.bad = w.bad[:0]
	dissector := read.Dissector()
	at := 0
	for _, n := range read.All() {
		if n.Kind() != derivation.Leaf || n.Token().Type == derivation.EOF {
			continue
		}
		for !isWord(tree[at].node) {
			at++
		}
		inside, err := dissector.Leaf(n)
		if err != nil {
			return err
		}
		to := tree.end(at)
		if inside != nil && !isInside(tree[at:to], inside) {
			w.bad = append(w.bad, at)
		}
		at = to
	}
	return nil
}

// isInside reports whether a parsed token has the derivation of the witness.
func isInside(tree witness, inside *derivation.Tree) bool {
	at := 0
	for depth, n := range inside.All() {
		if depth == 0 {
			continue
		}
		for at++; at < len(tree) && !tree[at].node.Kind.Symbolic(); at++ {
		}
		if at >= len(tree) || int(tree[at].depth-tree[0].depth) != depth || tree[at].node.ID != n.Occurrence() {
			return false
		}
	}
	for at++; at < len(tree); at++ {
		if tree[at].node.Kind.Symbolic() {
			return false
		}
	}
	return true
}
