package grammars

import (
	"path"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/atn"
	"github.com/inroad/inroad/grammars/tribble"
)

// classify sets the token types of a scannerless grammar's symbols. The automaton
// determines them: each is a class of characters that no symbol distinguishes.
func (l *loader) classify() {
	g := l.grammar
	g.names.Chars, g.names.Tokens = true, []string{""}
	for t := 1; t <= g.machine.CharTypes(); t++ {
		g.names.Tokens = append(g.names.Tokens, charsText(g.machine.CharsOf(t)))
	}
	for _, n := range g.Nodes {
		switch n.Kind {
		case Literal:
			first := g.LiteralTypes(n)[0]
			n.Token = first[0]
			if len(first) > 1 {
				n.Types = first
			}
		case CharSet:
			for _, r := range n.Chars {
				for t := g.machine.CharType(r.Lo); t <= g.machine.CharType(r.Hi); t++ {
					l.meter.Step(1)
					n.Types = append(n.Types, t)
				}
			}
			l.take(memberSize * len(n.Types))
			n.Token = n.Types[0]
		}
	}
}

// charsText returns a range of characters as the notation writes it.
func charsText(r g4.RuneRange) string {
	if r.Lo == r.Hi {
		return "'" + charText(r.Lo, '\'') + "'"
	}
	return "[" + charText(r.Lo, ']') + "-" + charText(r.Hi, ']') + "]"
}

// charText returns a character as the notation writes it between delimiters.
func charText(char, delimiter rune) string {
	switch {
	case char == delimiter || char == '\\' || delimiter == ']' && char == '-':
		return `\` + string(char)
	case char == '"' || char == '\'':
		return string(char)
	case strconv.IsPrint(char):
		return string(char)
	default:
		quoted := strconv.QuoteRuneToASCII(char)
		if char > 0xFFFF {
			return `\u{` + strconv.FormatInt(int64(char), 16) + "}"
		}
		if quoted = quoted[1 : len(quoted)-1]; len(quoted) == 2 && quoted != `\a` && quoted != `\v` {
			return quoted
		}
		return `\u` + strconv.FormatInt(int64(char)+0x10000, 16)[1:]
	}
}

// CharTypes returns the types of the characters of a text, in order. It must only be
// called for a scannerless grammar.
func (g *Grammar) CharTypes(text string) []int {
	var out []int
	for _, char := range text {
		out = append(out, g.machine.CharType(char))
	}
	return out
}

// charLexicon returns the lexicon of a scannerless grammar: any character can follow any
// other.
func (g *Grammar) charLexicon() *Lexicon {
	x := &Lexicon{}
	for t := 1; t < len(g.Tokens()); t++ {
		x.Readings = append(x.Readings, &Reading{Type: t, After: []int{0}, Number: t - 1})
	}
	x.Follows = [][]bool{slices.Repeat([]bool{true}, len(x.Readings))}
	return x
}

// LiteralTypes returns the types of each character of a literal in a scannerless
// grammar; several if case is ignored.
func (g *Grammar) LiteralTypes(n *Node) [][]int {
	var out [][]int
	for _, char := range n.Value {
		var types []int
		chars := []g4.RuneRange{{Lo: char, Hi: char}}
		if n.FoldCase {
			chars = atn.FoldCase(chars[0])
		}
		for _, r := range chars {
			types = append(types, g.machine.CharType(r.Lo))
		}
		slices.Sort(types)
		out = append(out, slices.Compact(types))
	}
	return out
}

// Scannerless returns the sources of a grammar with the options set that make it
// scannerless. With merge, adjacent literals become one.
func Scannerless(sources []Source, merge bool) []Source {
	out := slices.Clone(sources)
	for i, s := range out {
		switch isTribble := path.Ext(s.Name) == tribble.Extension; {
		case isTribble && merge:
			out[i].Text += "\n" + tribble.MergeLiterals + "\n"
		case isTribble:
		default:
			if merge {
				out[i].Text = g4.WithOption(out[i].Text, "mergeLiterals")
			}
			out[i].Text = g4.WithOption(out[i].Text, "scannerless")
		}
	}
	return out
}
