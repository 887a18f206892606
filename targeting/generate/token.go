package generate

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
)

// maxTokenText bounds the text of a token, in bytes.
const maxTokenText = 10_000

// A spelling is the text of a token while it is drawn.
type spelling struct {
	*drawing
	text []byte
}

// node draws what a node of a lexer rule derives.
func (t *spelling) node(n *grammars.Node, depth int) {
	if len(t.text) > maxTokenText || t.failed {
		t.failed = true
		return
	}
	t.enter(n, depth)
	switch n.Kind {
	case grammars.Alternation:
		t.node(t.pick(productive(n.Children), depth), depth)
	case grammars.Concatenation:
		t.sequence(n, func(c *grammars.Node) { t.node(c, depth) })
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

// cased returns a literal, in either case where that does not matter.
func (t *spelling) cased(n *grammars.Node) string {
	if n.FoldCase && t.rand.IntN(2) == 0 {
		return strings.ToUpper(n.Value)
	}
	return n.Value
}

// Reads reports whether a text alone is read as a token of a type.
func (x *Generator) Reads(token int, text []byte) bool { return x.writer.Reads(token, text) }

// Char draws a character, a plain one if the set has any nine times out of ten.
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

// withoutSurrogates leaves out what text cannot have.
func withoutSurrogates(set []g4.RuneRange) []g4.RuneRange {
	return append(intersect(set, 0, 0xD7FF), intersect(set, 0xE000, unicode.MaxRune)...)
}

// findSeparators returns short texts of the grammar's trivia, blanks and line
// ends first.
func (x *Generator) findSeparators() [][]byte {
	short := &Generator{grammar: x.grammar, opt: Options{Shortest: true}.withDefaults(), rand: x.rand}
	var rest [][]byte
	blank, line := false, false
	for _, n := range x.grammar.Nodes[x.grammar.Trivia].Children {
		if n.Size == grammars.Unproductive {
			continue
		}
		blank = blank || derives(n, ' ')
		line = line || derives(n, '\n')
		t := &spelling{drawing: &drawing{Generator: short}}
		t.node(n, 0)
		if !t.failed && len(t.text) > 0 {
			rest = append(rest, t.text)
		}
	}
	var out [][]byte
	if blank {
		out = append(out, []byte(" "))
	}
	if line {
		out = append(out, []byte("\n"))
	}
	return append(out, rest...)
}

// derives reports whether a character stands anywhere in what a node derives,
// which is as good a guess as any that it can be alone.
func derives(n *grammars.Node, c rune) bool {
	seen := map[*grammars.Node]bool{}
	for work := []*grammars.Node{n}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if n.Kind == grammars.Literal && n.Value == string(c) || n.Kind == grammars.CharSet && len(intersect(n.Chars, c, c)) > 0 {
			return true
		}
		work = append(work, n.Children...)
	}
	return false
}
