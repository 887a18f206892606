package derivation

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"unicode/utf8"
)

// WriteJSON writes the tree as nested objects: rules with their children,
// leaves with their texts, all with their occurrences and spans in bytes.
func (t *Tree) WriteJSON(w io.Writer) error {
	out := &jsonWriter{Writer: bufio.NewWriter(w), tree: t}
	spans := newSpanner(t)
	depth := -1
	for i, n := range t.nodes {
		out.close(depth, int(n.depth))
		depth = int(n.depth)
		out.node(Node{t, int32(i)}, spans.of(int32(i)))
	}
	out.close(depth, 0)
	return out.Flush()
}

// WriteTriviaJSON writes the tokens that the parser never saw as an array of
// objects in the form of a tree's leaves.
func (t *Tree) WriteTriviaJSON(w io.Writer) error {
	out := &jsonWriter{Writer: bufio.NewWriter(w), tree: t}
	separator := "["
	for i, o := range t.Trivia() {
		token := t.tokens[i]
		out.WriteString(separator)
		out.token(t.names.Token(int(token.Type)), string(t.input[token.Start:token.End]))
		out.place(o, span{int(token.Start), int(token.End)})
		out.WriteString("}")
		separator = ","
	}
	if separator == "[" {
		out.WriteString("[")
	}
	out.WriteString("]")
	return out.Flush()
}

type jsonWriter struct {
	*bufio.Writer
	tree *Tree
}

// close ends the nodes down from one depth to another, and separates what
// follows from what is there.
func (w *jsonWriter) close(from, to int) {
	switch {
	case from < 0:
		return
	case to > from:
		return
	}
	for ; from > to; from-- {
		w.WriteString("}]")
	}
	w.WriteString("}")
	if to > 0 {
		w.WriteString(",")
	}
}

type span struct{ start, end int }

// spanner finds what [Node.Span] does for one node after the other.
type spanner struct {
	tree   *Tree
	before []int32 // by node, and one more: the last leaf before it, -1 for none
	next   int32   // the first leaf from the node on
}

func newSpanner(t *Tree) *spanner {
	s := &spanner{tree: t, before: make([]int32, len(t.nodes)+1)}
	last := int32(-1)
	for i := range t.nodes {
		s.before[i] = last
		if t.nodes[i].kind() == Leaf {
			last = int32(i)
		}
	}
	s.before[len(t.nodes)] = last
	return s
}

// of returns the span of a node, which must not be before the one asked for last.
func (s *spanner) of(i int32) span {
	t := s.tree
	for s.next = max(s.next, i); int(s.next) < len(t.nodes) && t.nodes[s.next].kind() != Leaf; {
		s.next++
	}
	last := s.before[t.nodes[i].next]
	switch {
	case last >= i:
		return span{int(Node{t, s.next}.Token().Start), int(Node{t, last}.Token().End)}
	case last >= 0:
		end := int(Node{t, last}.Token().End)
		return span{end, end}
	default:
		return span{int(t.start), int(t.start)}
	}
}

func (w *jsonWriter) node(n Node, s span) {
	switch n.Kind() {
	case Rule:
		w.WriteString(`{"rule":`)
		w.text(n.Name())
	case Empty:
		w.WriteString(`{"empty":true`)
	case Leaf:
		w.token(n.Name(), n.Text())
	}
	w.place(n.Occurrence(), s)
	if n.get().next > n.index+1 {
		w.WriteString(`,"children":[`)
	}
}

func (w *jsonWriter) token(name, text string) {
	w.WriteString(`{"token":`)
	w.text(name)
	w.WriteString(`,"text":`)
	w.text(text)
}

func (w *jsonWriter) place(o Occurrence, s span) {
	if o != None {
		w.WriteString(`,"occurrence":`)
		w.number(int(o))
	}
	w.WriteString(`,"start":`)
	w.number(s.start)
	w.WriteString(`,"end":`)
	w.number(s.end)
}

func (w *jsonWriter) number(n int) {
	w.Write(strconv.AppendInt(w.AvailableBuffer(), int64(n), 10))
}

// text writes a string. Most have nothing in them to escape.
func (w *jsonWriter) text(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, err := json.Marshal(s)
			if err != nil { // strings always marshal
				panic(err)
			}
			w.Write(quoted)
			return
		}
	}
	w.WriteByte('"')
	w.WriteString(s)
	w.WriteByte('"')
}
