package generate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
)

// maxTokenText limits the text of a token, in bytes.
const maxTokenText = 10_000

// maxTokenDraws limits the texts that are drawn for a token until the lexer reads
// one as that token and not, say, as a keyword.
const maxTokenDraws = 20

// token draws the text of a token.
func (d *drawing) token(n *grammars.Node, kind, depth int) {
	if d.given(n, kind, depth) {
		d.shift(n, kind, nil)
		return
	}
	roots := d.roots(n, kind)
	for range maxTokenDraws {
		if len(roots) == 0 {
			break
		}
		t := &spelling{drawing: d}
		before := *d
		root := d.pick(n, roots, depth+1)
		t.node(root, depth+1)
		if !d.failed && d.writer.IsToken(kind, t.text) {
			d.Word(depth, n.ID, kind, t.text)
			d.shift(n, kind, root)
			return
		}
		d.goals, d.size, d.available, d.failed = before.goals, before.size, before.available, false
	}
	text := d.writer.Spell(d.rand, kind)
	if text == nil || len(d.goals) > 0 {
		d.failed = true
		return
	}
	d.size += max(n.Size-1, 0)
	d.Word(depth, n.ID, kind, text)
	d.shift(n, kind, nil)
}

// roots returns the nodes that a token can be derived from.
func (d *drawing) roots(n *grammars.Node, kind int) []*grammars.Node {
	var roots []*grammars.Node
	switch {
	case n.Kind == grammars.TokenSet:
		for _, r := range d.grammar.TokenRules(kind) {
			roots = append(roots, d.grammar.Nodes[r.Root])
		}
	case d.stack != "" && len(n.Children) > 0:
		for _, r := range d.readings(n, kind) {
			if root := d.modes.Inside(n, r.Rule); !slices.Contains(roots, root) {
				roots = append(roots, root)
			}
		}
	default:
		roots = n.Children
	}
	return without(roots, unproductive)
}

// given chooses one of the texts from the options, unless a goal or an uncovered
// path is inside the token. It reports whether it did.
func (d *drawing) given(n *grammars.Node, kind, depth int) bool {
	texts := d.opt.Tokens[kind]
	if names := d.opt.Names[kind]; len(texts) == 0 && len(names) > 0 && d.rand.IntN(4) > 0 {
		texts = names
	}
	if len(texts) == 0 || len(d.goals) > 0 {
		return false
	}
	if c, ok := d.chooser.(*Cover); ok && slices.ContainsFunc(n.Children, func(root *grammars.Node) bool { return c.gain(d, root, depth+1) > 0 }) {
		return false
	}
	for range maxTokenDraws {
		if text := texts[d.rand.IntN(len(texts))]; d.writer.IsToken(kind, text) {
			d.size += max(n.Size-1, 0)
			d.Word(depth, n.ID, kind, text)
			return true
		}
	}
	return false
}

// A spelling is a token's text while it is drawn.
type spelling struct {
	*drawing
	text []byte
}

// node draws a derivation of a node of a lexer rule.
func (t *spelling) node(n *grammars.Node, depth int) {
	t.enter(n, depth)
	if len(t.text) > maxTokenText || t.failed {
		t.failed = true
		return
	}
	switch n.Kind {
	case grammars.Alternation:
		t.node(t.pick(n, t.productive[n.ID], depth), depth)
	case grammars.Concatenation:
		t.sequence(n, depth, func(c *grammars.Node) { t.node(c, depth) })
	case grammars.Repetition:
		t.repeat(n, depth, func() { t.node(n.Children[0], depth) })
	case grammars.Reference:
		if len(n.Children) > 0 {
			t.node(n.Children[0], depth+1)
		}
	case grammars.Literal:
		t.text = append(t.text, t.cased(n)...)
	case grammars.CharSet:
		t.text = utf8.AppendRune(t.text, t.Char(n.Chars))
	}
}

// cased returns the text of a literal, in random case if case does not matter.
func (t *spelling) cased(n *grammars.Node) string {
	if n.FoldCase && t.rand.IntN(2) == 0 {
		return strings.ToUpper(n.Value)
	}
	return n.Value
}

// Reads reports whether the lexer reads a text alone as a token of a type.
func (x *Generator) Reads(token int, text []byte) bool { return x.writer.IsToken(token, text) }

// Char draws a character of a set. Nine times out of ten it is a printable ASCII
// character, if the set has any.
func (x *Generator) Char(set []g4.RuneRange) rune {
	if plain := intersect(set, ' ', '~'); len(plain) > 0 && x.rand.IntN(10) > 0 {
		set = plain
	}
	if valid := withoutSurrogates(set); len(valid) > 0 {
		set = valid
	}
	r := set[x.rand.IntN(len(set))]
	return r.Lo + rune(x.rand.IntN(int(r.Hi-r.Lo)+1))
}

func intersect(set []g4.RuneRange, lo, hi rune) []g4.RuneRange {
	var out []g4.RuneRange
	for _, r := range set {
		if r.Lo <= hi && r.Hi >= lo {
			out = append(out, g4.RuneRange{Lo: max(r.Lo, lo), Hi: min(r.Hi, hi)})
		}
	}
	return out
}

// withoutSurrogates removes surrogates, which UTF-8 text cannot contain.
func withoutSurrogates(set []g4.RuneRange) []g4.RuneRange {
	return append(intersect(set, 0, 0xD7FF), intersect(set, 0xE000, unicode.MaxRune)...)
}
