package derivation

import (
	"bufio"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/internal/grow"
)

// WriteJSON writes the tree as nested objects: rules with their children and
// leaves with their text, all with their occurrence and byte span.
func (t *Tree) WriteJSON(w io.Writer) error { return newJSONWriter(w, t, nil).all() }

// WriteDeepJSON is like [Tree.WriteJSON], but leaves have the nodes inside
// their tokens as children. A token that exceeds a limit has an error instead.
// WriteDeepJSON writes the whole tree and then returns the first such error.
func (t *Tree) WriteDeepJSON(w io.Writer) error { return newJSONWriter(w, t, t.Dissector()).all() }

// WriteTriviaJSON writes the tokens hidden from the parser as an array of
// objects in the format of a tree's leaves.
func (t *Tree) WriteTriviaJSON(w io.Writer) error { return newJSONWriter(w, t, nil).trivia() }

// WriteDeepTriviaJSON is like [Tree.WriteTriviaJSON], but with the nodes inside
// the tokens, as in [Tree.WriteDeepJSON].
func (t *Tree) WriteDeepTriviaJSON(w io.Writer) error {
	return newJSONWriter(w, t, t.Dissector()).trivia()
}

type jsonWriter struct {
	*bufio.Writer
	tree      *Tree
	dissector *Dissector // nil if tokens are not derived
	spans     spanner
	err       error // of the first token that could not be derived
}

func newJSONWriter(w io.Writer, t *Tree, dissector *Dissector) *jsonWriter {
	return &jsonWriter{Writer: bufio.NewWriter(w), tree: t, dissector: dissector}
}

// finish flushes the output and returns the first error.
func (w *jsonWriter) finish() error {
	if err := w.Flush(); err != nil {
		return err
	}
	return w.err
}

func (w *jsonWriter) all() error {
	t := w.tree
	spans := newSpanner(t)
	depth := -1
	for i, n := range t.nodes {
		w.close(depth, int(n.depth))
		depth = int(n.depth)
		node := Node{t, int32(i)}
		w.node(node, spans.of(int32(i)))
		if w.dissector != nil && n.kind() == Leaf {
			inside, err := w.dissector.Leaf(node)
			w.inside(inside, err, int(node.Token().Start))
		}
	}
	w.close(depth, 0)
	return w.finish()
}

func (w *jsonWriter) trivia() error {
	t := w.tree
	separator := ""
	w.WriteString("[")
	for i, o := range t.Trivia() {
		token := t.tokens[i]
		w.WriteString(separator)
		w.leaf("token", t.names.Token(int(token.Type)), string(t.input[token.Start:token.End]))
		w.place(o, span{int(token.Start), int(token.End)})
		if w.dissector != nil {
			inside, err := w.dissector.Token(i)
			w.inside(inside, err, int(token.Start))
		}
		w.WriteString("}")
		separator = ","
	}
	w.WriteString("]")
	return w.finish()
}

// inside writes the children of a token that begins at the given offset.
func (w *jsonWriter) inside(t *Tree, err error, start int) {
	if err != nil {
		w.WriteString(`,"error":`)
		w.text(err.Error())
		if w.err == nil {
			w.err = err
		}
	}
	if t == nil || err != nil || len(t.nodes) == 1 {
		return
	}
	w.spans.reset(t)
	w.spans.shift = start - int(t.start) // the offsets of a cached tree start at 0
	w.WriteString(`,"children":[`)
	depth := -1
	for i := 1; i < len(t.nodes); i++ {
		w.close(depth, int(t.nodes[i].depth))
		depth = int(t.nodes[i].depth)
		w.node(Node{t, int32(i)}, w.spans.of(int32(i)))
	}
	w.closeChildren(depth, 1)
	w.WriteString("}]")
}

// close ends the nodes between two depths and writes the separator before the
// next node.
func (w *jsonWriter) close(from, to int) {
	switch {
	case from < 0:
		return
	case to > from:
		return
	}
	w.closeChildren(from, to)
	w.WriteString("}")
	if to > 0 {
		w.WriteString(",")
	}
}

func (w *jsonWriter) closeChildren(from, to int) {
	for ; from > to; from-- {
		w.WriteString("}]")
	}
}

type span struct{ start, end int }

// A spanner computes [Node.Span] for the nodes of a tree in pre-order, in
// linear time.
type spanner struct {
	tree  *Tree
	shift int // added to all offsets

	// By node, with one more entry for the end of the tree.
	before []int32 // the last leaf before the node, or -1
	after  []int32 // the least depth from the node to the next leaf

	next  int32 // the first leaf at or after the current node
	at    int32 // the current node
	since int32 // the least depth from the last leaf before the current node to the node
}

func newSpanner(t *Tree) *spanner {
	s := &spanner{}
	s.reset(t)
	return s
}

// reset prepares the spanner for another tree.
func (s *spanner) reset(t *Tree) {
	n := len(t.nodes)
	s.tree, s.next, s.at, s.since = t, 0, -1, math.MaxInt32
	s.before, s.after = grow.Slice(s.before[:0], n+1)[:n+1], grow.Slice(s.after[:0], n+1)[:n+1]
	last := int32(-1)
	for i := range t.nodes {
		s.before[i] = last
		if t.nodes[i].kind() == Leaf {
			last = int32(i)
		}
	}
	s.before[n], s.after[n] = last, math.MaxInt32
	for i := n - 1; i >= 0; i-- {
		s.after[i] = t.nodes[i].depth
		if t.nodes[i].kind() != Leaf {
			s.after[i] = min(s.after[i], s.after[i+1])
		}
	}
}

// of returns the span of a node. Nodes must be passed in pre-order.
func (s *spanner) of(i int32) span {
	t := s.tree
	for s.at < i {
		if s.at >= 0 && t.nodes[s.at].kind() == Leaf {
			s.since = math.MaxInt32
		}
		s.at++
		s.since = min(s.since, t.nodes[s.at].depth)
	}
	next := t.nodes[i].next
	if last := s.before[next]; last >= i {
		for s.next = max(s.next, i); t.nodes[s.next].kind() != Leaf; {
			s.next++
		}
		return span{s.shift + int(Node{t, s.next}.Token().Start), s.shift + int(Node{t, last}.Token().End)}
	}
	for s.next = max(s.next, next); int(s.next) < len(t.nodes) && t.nodes[s.next].kind() != Leaf; {
		s.next++
	}
	at := s.shift + t.within(gap{last: s.before[i], next: s.next, before: s.since, after: s.after[next]})
	return span{at, at}
}

func (w *jsonWriter) node(n Node, s span) {
	switch n.Kind() {
	case Rule:
		w.WriteString(`{"rule":`)
		w.text(n.Name())
	case Empty:
		w.WriteString(`{"empty":true`)
	case Leaf:
		key := "token"
		if n.tree.chars {
			key = "symbol"
		}
		w.leaf(key, n.Name(), n.Text())
	}
	w.place(n.Occurrence(), s)
	if n.get().next > n.index+1 {
		w.WriteString(`,"children":[`)
	}
}

func (w *jsonWriter) leaf(key, name, text string) {
	w.WriteString(`{"` + key + `":`)
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
	w.number(w.tree.Offset(s.start))
	w.WriteString(`,"end":`)
	w.number(w.tree.Offset(s.end))
}

func (w *jsonWriter) number(n int) {
	w.Write(strconv.AppendInt(w.AvailableBuffer(), int64(n), 10))
}

// text writes a string. It avoids the encoder for strings without escapes.
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
