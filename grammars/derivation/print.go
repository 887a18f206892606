package derivation

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// WriteLisp writes the tree in the format of ANTLR's toStringTree: a rule with
// children in parentheses, and leaves as their text with \n, \r and \t escaped.
func (t *Tree) WriteLisp(w io.Writer) error {
	out := bufio.NewWriter(w)
	open := 0 // open parentheses
	for i, n := range t.nodes {
		if n.kind() == Empty {
			continue
		}
		for ; open > int(n.depth); open-- {
			out.WriteByte(')')
		}
		if i > 0 {
			out.WriteByte(' ')
		}
		if n.kind() == Leaf {
			out.WriteString(t.lispText(Node{t, int32(i)}))
			continue
		}
		if t.hasChildren(int32(i)) {
			out.WriteByte('(')
			open++
		}
		out.WriteString(t.names.Rules[n.symbol()])
	}
	for ; open > 0; open-- {
		out.WriteByte(')')
	}
	return out.Flush()
}

// hasChildren reports whether a node has children other than empty
// alternatives.
func (t *Tree) hasChildren(i int32) bool {
	for j := i + 1; j < t.nodes[i].next; j = t.nodes[j].next {
		if t.nodes[j].kind() != Empty {
			return true
		}
	}
	return false
}

// lispText returns the text of a token as ANTLR prints it. Like EOF, an empty
// token at the end of the input is <EOF>.
func (t *Tree) lispText(n Node) string {
	token := n.Token()
	if int(token.Start) == len(t.input) {
		return "<EOF>"
	}
	text := strings.ToValidUTF8(string(t.input[token.Start:token.End]), string(utf8.RuneError))
	if !strings.ContainsAny(text, "\n\r\t") {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		switch c {
		case '\n':
			b.WriteString(`\n`)
		case '\r':
			b.WriteString(`\r`)
		case '\t':
			b.WriteString(`\t`)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// WriteIndented writes the tree for people to read: one node per line, with its
// occurrence. A token is preceded by its trivia and followed by its derivation
// from its lexer rule.
func (t *Tree) WriteIndented(w io.Writer) error {
	p := &indenter{Writer: bufio.NewWriter(w), tree: t, dissector: t.Dissector()}
	for depth, n := range t.All() {
		if n.Kind() == Leaf {
			if err := p.trivia(depth, int(n.get().symbol())); err != nil {
				return err
			}
		}
		p.node(depth, n)
		if err := p.inside(depth+1, func() (*Tree, error) { return p.dissector.Leaf(n) }); err != nil {
			return err
		}
	}
	if err := p.trivia(1, len(t.tokens)); err != nil {
		return err
	}
	return p.Flush()
}

type indenter struct {
	*bufio.Writer
	tree      *Tree
	dissector *Dissector
	next      int // the first token not yet considered
}

// trivia writes the trivia before a token, given by its index.
func (p *indenter) trivia(depth, before int) error {
	for ; p.next < before; p.next++ {
		token := p.tree.tokens[p.next]
		if !token.Trivia() {
			continue
		}
		o := None
		if p.tree.deriver != nil && token.Rule >= 0 {
			o = p.tree.deriver.TriviaOccurrence(token.Rule)
		}
		name := p.tree.names.Token(int(token.Type))
		p.line(depth, "trivia "+name, string(p.tree.input[token.Start:token.End]), o)
		if err := p.inside(depth+1, func() (*Tree, error) { return p.dissector.Token(p.next) }); err != nil {
			return err
		}
	}
	return nil
}

// inside writes the nodes below a token.
func (p *indenter) inside(depth int, derive func() (*Tree, error)) error {
	t, err := derive()
	if t == nil || err != nil {
		return err
	}
	for d, n := range t.All() {
		if d > 0 { // the root is the token
			p.node(depth+d-1, n)
		}
	}
	return nil
}

func (p *indenter) node(depth int, n Node) {
	text := n.Text()
	if n.Kind() != Leaf || n.Token().Type == EOF || "'"+text+"'" == n.Name() {
		text = ""
	}
	name := n.Name()
	if n.Kind() == Empty {
		name = `""`
	}
	p.line(depth, name, text, n.Occurrence())
}

func (p *indenter) line(depth int, name, text string, o Occurrence) {
	for range depth {
		p.WriteString("  ")
	}
	p.WriteString(name)
	if text != "" {
		fmt.Fprintf(p, " %q", text)
	}
	if o != None {
		fmt.Fprintf(p, " #%d", o)
	}
	p.WriteByte('\n')
}
