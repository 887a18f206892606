package derivation

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// WriteLisp writes the tree as ANTLR's toStringTree does: a rule with children
// in brackets, leaves by their text with \n, \r and \t as escapes.
func (t *Tree) WriteLisp(w io.Writer) error {
	out := bufio.NewWriter(w)
	open := 0 // brackets that are open
	for i, n := range t.nodes {
		if n.kind == Empty {
			continue
		}
		for ; open > int(n.depth); open-- {
			out.WriteByte(')')
		}
		if i > 0 {
			out.WriteByte(' ')
		}
		if n.kind == Leaf {
			out.WriteString(t.lispText(n))
			continue
		}
		if t.hasChildren(int32(i)) {
			out.WriteByte('(')
			open++
		}
		out.WriteString(t.names.Rules[n.symbol])
	}
	for ; open > 0; open-- {
		out.WriteByte(')')
	}
	return out.Flush()
}

// hasChildren reports whether there is anything but empty alternatives below a node.
func (t *Tree) hasChildren(i int32) bool {
	for j := i + 1; j < t.nodes[i].next; j = t.nodes[j].next {
		if t.nodes[j].kind != Empty {
			return true
		}
	}
	return false
}

func (t *Tree) lispText(n node) string {
	token := t.tokens[n.symbol]
	if token.Type == EOF {
		return "<EOF>"
	}
	text := strings.ToValidUTF8(string(t.input[token.Start:token.End]), string(utf8.RuneError))
	return strings.NewReplacer("\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text)
}

// WriteIndented writes the tree a node a line, each with the number of its
// occurrence in the grammar, for people to read.
func (t *Tree) WriteIndented(w io.Writer) error {
	out := bufio.NewWriter(w)
	for depth, n := range t.All() {
		for range depth {
			out.WriteString("  ")
		}
		switch n.Kind() {
		case Rule:
			out.WriteString(n.Name())
		case Empty:
			out.WriteString(`""`)
		case Leaf:
			out.WriteString(n.Name())
			if text := n.Text(); n.Token().Type != EOF && "'"+text+"'" != n.Name() {
				fmt.Fprintf(out, " %q", text)
			}
		}
		if n.Occurrence() != None {
			fmt.Fprintf(out, " #%d", n.Occurrence())
		}
		out.WriteByte('\n')
	}
	return out.Flush()
}
