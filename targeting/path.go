package targeting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// A PathError reports a path that is malformed or that the grammar does not have.
type PathError struct {
	Path   string
	Reason string
	Symbol string   // the symbol that the grammar does not have; empty if every symbol is known
	Known  []string // the symbols that the grammar allows at the position of the error
}

func (e *PathError) Error() string { return fmt.Sprintf("path %s: %s", e.Path, e.Reason) }

// maxPaths limits the number of paths that one text matches.
const maxPaths = 20_000

// A Reader parses paths of one grammar.
type Reader struct {
	grammar *grammars.Grammar
	main    []*grammars.Node // symbols in the trees of the start rule
	trivia  []*grammars.Node // symbols in skipped and hidden tokens
}

// NewReader returns a reader of paths in trees of the parser rule start, or of
// the grammar's start rule if start is empty.
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

// Read parses text as a path and returns the condition that an input has at least
// one of the grammar's paths that match text.
//
// A path is a list of symbols joined by ">". A symbol is the name of a rule or a
// token, a literal in single or double quotes, or a set in brackets, spelled as
// in the grammar. A symbol matches all its occurrences; a number selects one, as
// in unaryExpr#15 or #15. The last symbol may be "absent", an optional element
// that the input omits. Read looks a path up in the trees of the start rule first,
// then in trivia; the prefix "trivia >" restricts the path to trivia.
func (r *Reader) Read(text string) (Condition, error) {
	symbols, err := splitPath(text)
	if err != nil {
		return Condition{}, err
	}
	trivia := symbols[0].name == "trivia" && len(symbols) > 1 && !slices.ContainsFunc(r.main, symbols[0].matches)
	if trivia {
		symbols = symbols[1:]
	}
	if len(symbols) > features.MaxK {
		return Condition{}, &PathError{Path: text, Reason: fmt.Sprintf("has %d symbols: must have at most %d", len(symbols), features.MaxK)}
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

// Absent returns the condition that an input has no occurrence of a rule or token.
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
		return c, &PathError{Path: rule, Reason: "no rule or token of this name is reachable from the start rule", Symbol: rule, Known: names}
	}
	return c, nil
}

// expand returns the grammar's paths that match symbols and begin in first.
func (r *Reader) expand(text string, symbols []symbol, first []*grammars.Node) ([]features.Path, error) {
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
				if s.matches(n) {
					longer = append(longer, append(slices.Clip(p), n.ID))
				}
			}
			if len(longer) > maxPaths {
				return nil, &PathError{Path: text, Reason: fmt.Sprintf("matches more than %d paths: select one occurrence of a symbol, such as %s", maxPaths, Symbol(r.grammar, longer[0][0]))}
			}
		}
		if len(longer) == 0 {
			return nil, r.unknown(text, symbols, i, known)
		}
		paths = longer
		next = func(p features.Path) []*grammars.Node { return children(r.grammar.Nodes[p[len(p)-1]]) }
	}
	return paths, nil
}

// unknown returns the error for symbols[at], which matches none of the known nodes.
func (r *Reader) unknown(text string, symbols []symbol, at int, known []*grammars.Node) error {
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
	elsewhere := slices.ContainsFunc(r.main, symbols[at].matches) || slices.ContainsFunc(r.trivia, symbols[at].matches)
	switch {
	case at == 0 || !elsewhere:
		e.Symbol = symbols[at].String()
		e.Reason = fmt.Sprintf("symbol %s not found in grammar %s", symbols[at], r.grammar.Name)
	case len(known) == 0:
		e.Reason = fmt.Sprintf("%s has no children", symbols[at-1])
	default:
		e.Reason = fmt.Sprintf("%s has no child %s", symbols[at-1], symbols[at])
	}
	return e
}

// children returns the symbols that can be children of n in a tree, and the
// optional elements of n, whose absence ends a path.
func children(n *grammars.Node) []*grammars.Node {
	if isOptional(n) { // an absent element has no children
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

// isOptional reports whether n is an element that an input may omit.
func isOptional(n *grammars.Node) bool { return n.Kind == grammars.Repetition && n.Min == 0 }

// nameOf returns the name of n in paths.
func nameOf(n *grammars.Node) string {
	if isOptional(n) {
		return "absent"
	}
	return n.Text
}

// A symbol is one element of a parsed path.
type symbol struct {
	name    string // as in the grammar; empty if only a number was given
	literal bool
	value   string // the literal without quotes and escapes
	number  int    // the occurrence, or -1 for any
}

func (s symbol) String() string {
	if s.number < 0 {
		return s.name
	}
	return fmt.Sprintf("%s#%d", s.name, s.number)
}

// matches reports whether n is an occurrence of the symbol.
func (s symbol) matches(n *grammars.Node) bool {
	switch {
	case s.number >= 0 && int(n.ID) != s.number:
		return false
	case s.literal && s.value == "" && n.Kind == grammars.Empty:
		return true
	case s.literal:
		return n.Kind == grammars.Literal && (n.Value == s.value || n.Text == s.name)
	default:
		return s.name == "" || nameOf(n) == s.name
	}
}

// splitPath parses the symbols of a path.
func splitPath(text string) ([]symbol, error) {
	var out []symbol
	for rest := text; ; {
		end := symbolEnd(rest)
		s, reason := parseSymbol(strings.TrimSpace(rest[:end]))
		if reason != "" {
			return nil, &PathError{Path: text, Reason: reason}
		}
		out = append(out, s)
		if end == len(rest) {
			return out, nil
		}
		rest = rest[end+1:]
	}
}

// symbolEnd returns the index of the first ">" outside quotes and brackets, or
// len(text).
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

// parseSymbol parses one symbol. A non-empty reason says why text is not one.
func parseSymbol(text string) (s symbol, reason string) {
	s.number = -1
	s.name = text
	if at := strings.LastIndexByte(text, '#'); at >= 0 && !strings.ContainsAny(text[at:], `'"]`) {
		n, err := strconv.ParseUint(text[at+1:], 10, 31)
		if err != nil {
			return s, fmt.Sprintf("%s: # must be followed by the number of an occurrence", text)
		}
		s.name, s.number = text[:at], int(n)
	}
	switch {
	case s.name == "" && s.number < 0:
		return s, "missing symbol"
	case s.name == "" || s.name[0] != '\'' && s.name[0] != '"':
		return s, ""
	case len(s.name) < 2 || s.name[len(s.name)-1] != s.name[0]:
		return s, fmt.Sprintf("%s: missing closing quote", s.name)
	}
	s.literal = true
	value, err := unescape(s.name[1 : len(s.name)-1])
	if err != nil {
		return s, fmt.Sprintf("%s: %v", s.name, err)
	}
	s.value = value
	return s, ""
}

// unescape resolves the escapes of a literal, which have the syntax of Go.
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
			return "", fmt.Errorf(`invalid escape %s: must be an escape of Go, such as \n or \u00e9`, text)
		}
		out.WriteRune(c)
		text = rest
	}
	return out.String(), nil
}

// Symbol returns the text by which a [Reader] finds an occurrence, such as
// value#15.
func Symbol(g *grammars.Grammar, o grammars.Occurrence) string {
	return fmt.Sprintf("%s#%d", nameOf(g.Nodes[o]), o)
}
