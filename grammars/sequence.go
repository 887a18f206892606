package grammars

import (
	"slices"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/atn"
)

// A Part describes a part of a sequence of tokens: one token, unless it is repeated or
// optional.
type Part struct {
	Types    []int // of the tokens
	Repeated bool  // whether there may be several tokens
	Optional bool  // whether there may be no token
	// First has the characters that the first token may begin with; nil for any.
	First []g4.RuneRange
}

// maxSequence limits the spellings to look at for a sequence.
const maxSequence = 20_000

// Merges reports whether the lexer provably reads no text as the sequence of parts,
// with any trivia between them, because it reads the first token and all text up to the
// end of a later token as one longer token. The first part must be a single token. A
// lexer with several modes is not analysed.
func (w *Writer) Merges(parts []Part) bool {
	single := func(p Part) bool { return !p.Repeated && !p.Optional }
	if w.grammar.Scannerless || len(w.grammar.modes) > 1 || !w.grammar.Exact() || len(parts) < 2 || !single(parts[0]) {
		return false
	}
	q := &sequence{Writer: w, left: maxSequence}
	at := q.then([]atn.Lexed{w.speller.Begin(0)}, parts[0], false)
	for i, part := range parts[1:] {
		at = q.closure(at, Part{Types: []int{0}})
		before := at
		if at = q.then(before, part, false); part.Repeated {
			at = q.closure(at, Part{Types: append([]int{0}, part.Types...)})
		}
		if part.Optional {
			at = append(at, before...)
		}
		if len(at) == 0 && !q.failed {
			more := slices.ContainsFunc(parts[i+2:], func(p Part) bool { return !p.Optional })
			return more || len(q.then(before, part, true)) == 0 && !q.failed
		}
	}
	return false
}

// A sequence is the analysis of a sequence of tokens.
type sequence struct {
	*Writer
	left   int  // the number of spellings to look at
	failed bool // whether a limit was exceeded, or some text cannot belong to the longer token
}

// then returns the states of the lexer after a token of a part. If last is set, the
// token ends the input. The states only track whether later text would extend the first
// token or the last one.
func (q *sequence) then(from []atn.Lexed, part Part, last bool) []atn.Lexed {
	var out []atn.Lexed
	seen := map[string]bool{}
	for _, t := range part.Types {
		if q.failed || len(from) == 0 {
			return nil
		}
		after, looked, ok := q.speller.Past(from, q.goal(t, nil), part.First, last, q.left)
		if q.left -= looked; !ok || q.left <= 0 {
			q.failed = true
			return nil
		}
		for _, at := range after {
			if key := q.speller.Key(at); !seen[key] {
				seen[key] = true
				out = append(out, at)
			}
		}
	}
	return out
}

// closure returns the states of the lexer after any number of tokens of a part.
func (q *sequence) closure(from []atn.Lexed, part Part) []atn.Lexed {
	out, work := slices.Clone(from), from
	seen := map[string]bool{}
	for _, at := range from {
		seen[q.speller.Key(at)] = true
	}
	for len(work) > 0 && !q.failed {
		var next []atn.Lexed
		for _, at := range q.then(work, part, false) {
			if key := q.speller.Key(at); !seen[key] {
				seen[key] = true
				next = append(next, at)
			}
		}
		out, work = append(out, next...), next
	}
	return out
}

// FirstChars returns the characters that texts of a lexer rule can begin with if their
// derivations have the given symbol of the rule. It returns nil if they are not known.
func (g *Grammar) FirstChars(symbol *Node) []g4.RuneRange {
	if symbol.Rule == nil || symbol.Rule.Kind != TokenRule || g.HasMore() {
		return nil
	}
	root := g.Nodes[symbol.Rule.Root]
	if root.Kind == Alternation {
		for _, alt := range root.Children {
			if alt.has(symbol) {
				root = alt
				break
			}
		}
	}
	set, empty, ok := g.firstChars(root, 0)
	if empty || !ok {
		return nil
	}
	return set
}

// has reports whether a construct contains a node.
func (n *Node) has(other *Node) bool {
	return n == other || slices.ContainsFunc(n.Children, func(c *Node) bool { return c.has(other) })
}

// firstChars returns the characters that texts of a construct of a lexer rule begin with,
// and whether a text may be empty. It reports false if they are not known.
func (g *Grammar) firstChars(n *Node, depth int) (set []g4.RuneRange, empty, ok bool) {
	switch {
	case depth > maxInsideDepth:
		return nil, false, false
	case n.Kind == CharSet:
		return n.Chars, false, true
	case n.Kind == Literal:
		char, _ := utf8.DecodeRuneInString(n.Value)
		set = []g4.RuneRange{{Lo: char, Hi: char}}
		if n.FoldCase {
			set = atn.FoldCase(set[0])
		}
		return set, false, n.Value != ""
	case n.Kind == Reference && n.Target != nil:
		return g.firstChars(g.Nodes[n.Target.Root], depth+1)
	case n.Kind == Repetition:
		set, empty, ok = g.firstChars(n.Children[0], depth+1)
		return set, empty || n.Min == 0, ok
	case n.Kind == Alternation || n.Kind == Concatenation:
		all := n.Kind == Concatenation
		empty = all
		for _, c := range n.Children {
			some, none, known := g.firstChars(c, depth+1)
			if !known {
				return nil, false, false
			}
			set = append(slices.Clip(set), some...)
			if all && !none {
				return set, false, true
			}
			empty = empty || none
		}
		return set, empty, true
	default:
		return nil, false, false
	}
}
