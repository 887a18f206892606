package targeting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// A PathError tells what is wrong with a path that someone wrote.
type PathError struct {
	Path   string
	Reason string
	// Where a symbol cannot stand: those that can, and the symbol itself if there
	// is none like it anywhere.
	Symbol string
	Known  []string
}

func (e *PathError) Error() string { return fmt.Sprintf("path %s: %s", e.Path, e.Reason) }

// maxNamed bounds the paths that one written path stands for.
const maxNamed = 20_000

// A Reader reads paths of what a grammar derives from a rule.
type Reader struct {
	grammar *grammars.Grammar
	main    []*grammars.Node // the symbols that paths can begin with
	trivia  []*grammars.Node
}

// NewReader returns a reader of the paths below a parser rule, the grammar's
// start rule if the name is empty.
func NewReader(g *grammars.Grammar, start string) *Reader {
	r := &Reader{grammar: g}
	for p := range features.NewSpace(g, features.Options{Start: start, Absent: true}).All(1) {
		r.main = append(r.main, g.Nodes[p[0]])
	}
	for p := range features.NewSpace(g, features.Options{Trivia: true, Absent: true}).All(1) {
		r.trivia = append(r.trivia, g.Nodes[p[0]])
	}
	return r
}

// Read returns the paths that a written one stands for, as a condition that one
// of them is there.
//
// Symbols are written as the grammar has them and joined by >: names of rules and
// tokens, literals in single or double quotes, sets in brackets. A number picks
// one occurrence, as in unaryExpr#15 or #15; a symbol without one stands for all
// its occurrences. At the end may stand absent: an optional part that is not
// there. A path that what the parser sees cannot have may be one of
// trivia; with trivia before it, it is.
func (r *Reader) Read(text string) (Condition, error) {
	symbols, err := splitPath(text)
	if err != nil {
		return Condition{}, err
	}
	trivia := symbols[0].name == "trivia" && len(symbols) > 1 && !slices.ContainsFunc(r.main, symbols[0].is)
	if trivia {
		symbols = symbols[1:]
	}
	if len(symbols) > features.MaxK {
		return Condition{}, &PathError{Path: text, Reason: fmt.Sprintf("it has %d symbols; %d are the most", len(symbols), features.MaxK)}
	}
	c := Condition{Min: 1, Max: Unbounded, Text: text, Trivia: trivia}
	if trivia {
		c.Paths, err = r.expand(text, symbols, r.trivia)
		return c, err
	}
	c.Paths, err = r.expand(text, symbols, r.main)
	if err != nil {
		if paths, ok := r.expand(text, symbols, r.trivia); ok == nil {
			c.Paths, c.Trivia, err = paths, true, nil
		}
	}
	return c, err
}

// Absent returns the condition that a rule or a token is nowhere to be found.
func (r *Reader) Absent(rule string) (Condition, error) {
	c := Condition{Text: rule}
	nodes := r.main
	isReference := func(n *grammars.Node) bool { return n.Kind == grammars.Reference && n.Text == rule }
	if !slices.ContainsFunc(nodes, isReference) && slices.ContainsFunc(r.trivia, isReference) {
		nodes, c.Trivia = r.trivia, true
	}
	var names []string
	for _, n := range nodes {
		if isReference(n) {
			c.Paths = append(c.Paths, features.Path{n.ID})
		}
		if n.Kind == grammars.Reference && !slices.Contains(names, n.Text) {
			names = append(names, n.Text)
		}
	}
	if len(c.Paths) == 0 {
		return c, &PathError{Path: rule, Reason: "there is no rule or token of this name below the start rule", Symbol: rule, Known: names}
	}
	return c, nil
}

// expand returns the paths of the grammar that the symbols stand for.
func (r *Reader) expand(text string, symbols []written, first []*grammars.Node) ([]features.Path, error) {
	var paths []features.Path
	next := func(features.Path) []*grammars.Node { return first }
	for i, s := range symbols {
		var longer []features.Path
		before := paths
		if i == 0 {
			before = []features.Path{nil}
		}
		var known []*grammars.Node
		for _, p := range before {
			candidates := next(p)
			known = append(known, candidates...)
			for _, n := range candidates {
				if s.is(n) {
					longer = append(longer, append(slices.Clip(p), n.ID))
				}
			}
			if len(longer) > maxNamed {
				return nil, &PathError{Path: text, Reason: fmt.Sprintf("it stands for more than %d paths; give the occurrence of a symbol, as %s", maxNamed, Symbol(r.grammar, longer[0][0]))}
			}
		}
		if len(longer) == 0 {
			return nil, r.unknown(text, symbols, i, known)
		}
		paths = longer
		next = func(p features.Path) []*grammars.Node { return below(r.grammar.Nodes[p[len(p)-1]]) }
	}
	return paths, nil
}

// unknown tells that a symbol is nowhere, or not where it was looked for.
func (r *Reader) unknown(text string, symbols []written, at int, known []*grammars.Node) error {
	e := &PathError{Path: text}
	for _, n := range known {
		name := nameOf(n)
		if symbols[at].number >= 0 {
			name = Symbol(r.grammar, n.ID)
		}
		if !isOptional(n) && !slices.Contains(e.Known, name) {
			e.Known = append(e.Known, name)
		}
	}
	elsewhere := slices.ContainsFunc(r.main, symbols[at].is) || slices.ContainsFunc(r.trivia, symbols[at].is)
	switch {
	case at == 0 || !elsewhere:
		e.Symbol = symbols[at].String()
		e.Reason = fmt.Sprintf("there is no symbol %s in what grammar %s derives", symbols[at], r.grammar.Name)
	case len(known) == 0:
		e.Reason = fmt.Sprintf("nothing stands below %s", symbols[at-1])
	default:
		e.Reason = fmt.Sprintf("%s never stands right below %s", symbols[at], symbols[at-1])
	}
	return e
}

// below returns the symbols that can stand right below a symbol, among them the
// optional parts whose absence ends a path.
func below(n *grammars.Node) []*grammars.Node {
	if isOptional(n) { // it is not there
		return nil
	}
	var out []*grammars.Node
	for work := slices.Clone(n.Children); len(work) > 0; {
		c := work[0]
		work = work[1:]
		if c.Kind.Symbolic() || isOptional(c) {
			out = append(out, c)
		}
		if !c.Kind.Symbolic() {
			work = append(slices.Clone(c.Children), work...)
		}
	}
	return out
}

// isOptional reports whether a node is a part that need not be there.
func isOptional(n *grammars.Node) bool { return n.Kind == grammars.Repetition && n.Min == 0 }

// nameOf returns a node as it is written.
func nameOf(n *grammars.Node) string {
	if isOptional(n) {
		return "absent"
	}
	return n.Text
}

// A written is a symbol as someone wrote it.
type written struct {
	name    string // as the grammar has it; empty where only the number is given
	literal bool
	value   string // of a literal
	number  int    // of the occurrence, -1 for any
}

func (w written) String() string {
	if w.number < 0 {
		return w.name
	}
	return fmt.Sprintf("%s#%d", w.name, w.number)
}

// is reports whether a node is an occurrence of the symbol.
func (w written) is(n *grammars.Node) bool {
	switch {
	case w.number >= 0 && int(n.ID) != w.number:
		return false
	case w.literal && w.value == "" && n.Kind == grammars.Empty:
		return true
	case w.literal:
		return n.Kind == grammars.Literal && (n.Value == w.value || n.Text == w.name)
	default:
		return w.name == "" || nameOf(n) == w.name
	}
}

// splitPath reads the symbols of a path.
func splitPath(text string) ([]written, error) {
	var out []written
	for rest := text; ; {
		end := symbolEnd(rest)
		w, reason := readSymbol(strings.TrimSpace(rest[:end]))
		if reason != "" {
			return nil, &PathError{Path: text, Reason: reason}
		}
		out = append(out, w)
		if end == len(rest) {
			return out, nil
		}
		rest = rest[end+1:]
	}
}

// symbolEnd returns where the first symbol of a path ends: before a > that is
// neither in quotes nor in brackets.
func symbolEnd(text string) int {
	closing := byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && closing != 0:
			i++
		case closing != 0:
			if c == closing {
				closing = 0
			}
		case c == '\'' || c == '"':
			closing = c
		case c == '[':
			closing = ']'
		case c == '>':
			return i
		}
	}
	return len(text)
}

func readSymbol(text string) (w written, reason string) {
	w.number = -1
	w.name = text
	if at := strings.LastIndexByte(text, '#'); at >= 0 && !strings.ContainsAny(text[at:], `'"]`) {
		n, err := strconv.ParseUint(text[at+1:], 10, 31)
		if err != nil {
			return w, fmt.Sprintf("%s: after # stands the number of an occurrence", text)
		}
		w.name, w.number = text[:at], int(n)
	}
	switch {
	case w.name == "" && w.number < 0:
		return w, "a symbol is missing"
	case w.name == "" || w.name[0] != '\'' && w.name[0] != '"':
		return w, ""
	case len(w.name) < 2 || w.name[len(w.name)-1] != w.name[0]:
		return w, fmt.Sprintf("%s: a quote is missing", w.name)
	}
	w.literal = true
	value, err := unescape(w.name[1 : len(w.name)-1])
	if err != nil {
		return w, fmt.Sprintf("%s: %v", w.name, err)
	}
	w.value = value
	return w, ""
}

// unescape returns what a literal stands for. Escapes are those of Go.
func unescape(text string) (string, error) {
	var out strings.Builder
	for len(text) > 0 {
		if text[0] != '\\' || len(text) > 1 && strings.IndexByte(`'"`, text[1]) >= 0 {
			text = strings.TrimPrefix(text, `\`)
			out.WriteByte(text[0])
			text = text[1:]
			continue
		}
		c, _, rest, err := strconv.UnquoteChar(text, 0)
		if err != nil {
			return "", fmt.Errorf("what is %s?", text)
		}
		out.WriteRune(c)
		text = rest
	}
	return out.String(), nil
}

// Symbol returns an occurrence as a [Reader] reads it.
func Symbol(g *grammars.Grammar, o grammars.Occurrence) string {
	return fmt.Sprintf("%s#%d", nameOf(g.Nodes[o]), o)
}
