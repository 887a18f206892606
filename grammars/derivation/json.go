package derivation

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
)

// WriteJSON writes the tree as nested objects: rules with their children,
// leaves with their texts, all with their occurrences and spans in bytes.
func (t *Tree) WriteJSON(w io.Writer) error {
	out := &jsonWriter{Writer: bufio.NewWriter(w), tree: t}
	spans := t.spans()
	depth := -1
	for i, n := range t.nodes {
		out.close(depth, int(n.depth))
		depth = int(n.depth)
		out.node(Node{t, int32(i)}, spans[i])
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

// spans returns what [Node.Span] does for every node, in one pass each way.
func (t *Tree) spans() []span {
	out := make([]span, len(t.nodes))
	at := 0
	for i, n := range t.nodes {
		out[i].end = at // for now: where the leaf before it ends
		if n.kind() == Leaf {
			at = int(Node{t, int32(i)}.Token().End)
		}
	}
	ends := append(make([]int, 0, len(t.nodes)+1), 0)
	for i := range t.nodes {
		ends = append(ends, out[i].end)
	}
	ends = append(ends[1:], at)
	start := at
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := t.nodes[i]
		if n.kind() == Leaf {
			start = int(Node{t, int32(i)}.Token().Start)
		}
		end := ends[n.next]
		out[i] = span{start, end}
		if end == ends[i] && start >= end { // nothing inside
			out[i] = span{end, end}
		}
	}
	return out
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
		w.WriteString(strconv.Itoa(int(o)))
	}
	w.WriteString(`,"start":`)
	w.WriteString(strconv.Itoa(s.start))
	w.WriteString(`,"end":`)
	w.WriteString(strconv.Itoa(s.end))
}

func (w *jsonWriter) text(s string) {
	quoted, err := json.Marshal(s)
	if err != nil { // strings always marshal
		panic(err)
	}
	w.Write(quoted)
}
