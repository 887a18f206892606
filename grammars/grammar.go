// Package grammars loads ANTLR v4 grammars at run time and parses inputs with
// them.
//
// [Load] turns grammar files into a [Grammar]: a graph with one [Node] for each
// occurrence of a symbol in the rules, down to tokens, characters and sets.
// [Grammar.Parse] returns the derivation tree of an input; each node of the
// tree refers to the graph node that it is an instance of.
//
// Trees are those of the parser that the ANTLR tool would generate.
// Target-language code in a grammar is not run: predicates count as true, and
// actions are ignored. [Grammar.Exact] reports whether that can change the
// trees.
//
// A Grammar is immutable and safe for concurrent use. The same grammar text
// yields the same node numbers on every run and every machine.
package grammars

import (
	"fmt"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/atn"
)

// NumberingVersion is the version of the node numbering. It is stored with all
// data that refers to nodes by number.
const NumberingVersion = 1

// A Grammar is a loaded grammar.
type Grammar struct {
	Name   string
	Start  string  // the default start rule
	Rules  []*Rule // parser rules, then lexer rules, each in grammar order
	Nodes  []*Node // the graph, by number
	Trivia Occurrence
	Digest string // of the normalized grammar, independent of comments, layout and file names
	// Scannerless reports whether characters are the tokens. All rules are then
	// parser rules, and each token type is a class of characters that the grammar
	// does not distinguish. A literal is one leaf of a tree, whatever its length.
	Scannerless bool

	// Agreements are the constraints that notes put on the texts of tokens.
	Agreements []Agreement
	// Code is the target-language code of the grammar.
	Code     []g4.Code
	Warnings g4.Diagnostics

	names      *derivation.Names
	ruleByName map[string]*Rule
	makers     map[int][]*Rule // the lexer rules that produce each token type
	modes      []string        // of the lexer, in the order of the grammar
	parents    [][]Occurrence  // by node
	machine    *atn.Machine

	memo memo
}

// Rule returns the named rule, or nil if the grammar has none.
func (g *Grammar) Rule(name string) *Rule { return g.ruleByName[name] }

// ParserRules returns the parser rules. Their indexes are the rule indexes in
// trees.
func (g *Grammar) ParserRules() []*Rule {
	n := 0
	for n < len(g.Rules) && g.Rules[n].Kind == ParserRule {
		n++
	}
	return g.Rules[:n]
}

// Tokens returns the display names of the tokens by type: a quoted literal or a
// rule name. Types count from 1.
func (g *Grammar) Tokens() []string { return g.names.Tokens }

// TokenRules returns the lexer rules that produce tokens of a type.
func (g *Grammar) TokenRules(token int) []*Rule { return g.makers[token] }

// Modes returns the names of the lexer's modes. The lexer begins in the first.
func (g *Grammar) Modes() []string { return g.modes }

// Exact reports whether the grammar's trees are certain to be those of the
// generated parser. They are not if the grammar contains predicates, actions or
// members in the target language, which inroad does not run.
func (g *Grammar) Exact() bool {
	for _, c := range g.Code {
		if changesTrees(c.Kind) {
			return false
		}
	}
	return true
}

// ExactRules reports whether the parser's choices are certain to depend on nothing but
// the tokens: the files with parser rules contain no predicates, actions or members,
// except in lexer rules.
func (g *Grammar) ExactRules() bool {
	files := map[string]bool{}
	for _, r := range g.ParserRules() {
		files[r.source.File] = true
	}
	for _, c := range g.Code {
		r := g.Rule(c.Rule)
		if files[c.File] && (r == nil || r.Kind == ParserRule) && changesTrees(c.Kind) {
			return false
		}
	}
	return true
}

func changesTrees(kind g4.CodeKind) bool { return kind != g4.Header && kind != g4.RuleHeader }

// RuleKind is the kind of a rule.
type RuleKind int

// The kinds of rules.
const (
	ParserRule   RuleKind = iota // derives sequences of tokens
	TokenRule                    // derives a token
	FragmentRule                 // derives a part of a token
)

// A Rule is a rule of a grammar.
type Rule struct {
	g4.Pos
	Name  string
	Index int // among the parser rules, or among the lexer rules
	Kind  RuleKind
	Mode  string     // lexer rules: the lexer mode
	Root  Occurrence // the rule's right-hand side
	// Literal reports whether the rule is implicit: it stands for a literal that
	// occurs only in parser rules.
	Literal bool
	// Operators has the operator precedence of each alternative of a
	// left-recursive parser rule. It is nil for other rules.
	Operators []Operator
	// Needs is the symbol of the rule's "needs" note: generated inputs use the
	// rule only after that symbol. It is "" without such a note.
	Needs string

	unused bool // by a note: no parser rule uses the token, so that the parser rejects its texts
	source *g4.Rule
}

// Commands returns the lexer commands of a lexer rule.
func (r *Rule) Commands() []g4.Command {
	if alts := r.source.Body.Alts; len(alts) == 1 { // a rule with several alternatives has none
		return alts[0].Commands
	}
	return nil
}

// An Occurrence is the number of a graph node.
type Occurrence = derivation.Occurrence

// NodeKind is the kind of a graph node.
type NodeKind int

// The kinds of nodes. The first four are structural, the others are symbols.
const (
	Alternation   NodeKind = iota // one of its children
	Concatenation                 // all of its children, in order
	Repetition                    // its child, repeated Min to Max times
	End                           // the end of the input
	Reference                     // a rule or a token; its child, if any, is the right-hand side
	Literal                       // a fixed text
	CharSet                       // one character of a set
	TokenSet                      // one token of a set, in a parser rule: ~A or .
	Empty                         // an empty alternative
)

// Symbolic reports whether nodes of kind k are symbols. Only symbols are part
// of paths.
func (k NodeKind) Symbolic() bool { return k >= Reference }

func (k NodeKind) String() string {
	return [...]string{
		"alternation", "concatenation", "repetition", "end",
		"reference", "literal", "set", "tokens", "empty",
	}[k]
}

// A Node is an occurrence of a symbol in a grammar, or of a construct around
// symbols.
type Node struct {
	g4.Pos
	ID       Occurrence
	Kind     NodeKind
	Rule     *Rule   // the enclosing rule; nil above trivia and above tokens that several rules produce
	Children []*Node // at most one for a reference

	Text      string         // symbols: as written in the grammar: value, '+', [a-z]
	Min, Max  int            // repetitions; Max is -1 if unbounded
	NonGreedy bool           // repetitions
	Target    *Rule          // references: the rule; nil for a token without a rule of its name
	Token     int            // symbols in parser rules: the token's type, or that of the first character if scannerless; 0 elsewhere and for token sets
	Value     string         // literals: the text, with escapes decoded
	FoldCase  bool           // literals: case is ignored
	Chars     []g4.RuneRange // sets of characters, sorted
	Types     []int          // token sets, and character sets of scannerless grammars: the token types, sorted

	// Probabilities are those of the alternatives of an alternation, if the grammar
	// states any; nil otherwise. They add up to 1.
	Probabilities []float64

	// Size and Depth are the least number of symbols and the least height of a
	// derivation of the node, the node included. Tokens is the least number of tokens
	// of a derivation. All are [Unproductive] if the node has no finite derivation.
	Size, Depth, Tokens int

	deferred bool // exists only because of EOF, and is numbered after all other nodes
}

// Quantifier returns the quantifier of a repetition in the notation of grammars: ?, +, *,
// {3}, {2,} or {2,5}.
func (n *Node) Quantifier() string {
	switch {
	case n.Min == 0 && n.Max == 1:
		return "?"
	case n.Min == 0 && n.Max < 0:
		return "*"
	case n.Min == 1 && n.Max < 0:
		return "+"
	case n.Max < 0:
		return fmt.Sprintf("{%d,}", n.Min)
	case n.Min == n.Max:
		return fmt.Sprintf("{%d}", n.Min)
	default:
		return fmt.Sprintf("{%d,%d}", n.Min, n.Max)
	}
}

// Unproductive is the size, depth and number of tokens of a node without a finite derivation.
const Unproductive = -1
