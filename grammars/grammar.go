// Package grammars loads grammars at run time and parses inputs by them.
//
// [Load] reads ANTLR v4 grammar files and makes a [Grammar] of them, which is a
// graph: one [Node] for each occurrence of a symbol in the rules, down into
// the tokens, characters and sets. [Grammar.Parse] derives an input from it;
// every node of the resulting tree knows the node of the graph it is an
// instance of.
//
// Trees are those of the parser that the ANTLR tool would generate. Code of
// the target language inside a grammar is not run: predicates count as true and
// actions as nothing, and such a grammar says so, see [Grammar.Exact].
//
// A Grammar is immutable and safe for concurrent use. The same grammar text
// gives the same numbers on every run and every machine.
package grammars

import (
	"sync"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/atn"
)

// NumberingVersion names the way nodes are numbered. It is stored with
// whatever refers to nodes by number.
const NumberingVersion = 1

// A Grammar is a loaded grammar.
type Grammar struct {
	Name   string
	Start  string  // the rule that parsing begins with unless told otherwise
	Rules  []*Rule // parser rules first, then lexer rules; each in the order of the grammar
	Nodes  []*Node // the graph, by number
	Trivia Occurrence
	Digest string // of the normalised grammar: comments, layout and file names do not matter

	// Agreements are what the grammar says, in notes, of the texts of tokens.
	Agreements []Agreement
	// Code lists what of the target language the grammar has in it.
	Code     []g4.Code
	Warnings g4.Diagnostics

	names      *derivation.Names
	ruleByName map[string]*Rule
	makers     map[int][]*Rule // the lexer rules that make each type of token
	modes      map[string]int  // by name
	parents    [][]Occurrence  // of each node in the graph
	machine    *atn.Machine

	lexingsLock sync.Mutex
	lexings     map[string]*lexing // by start rule, once asked for
}

// Rule returns the named rule, or nil.
func (g *Grammar) Rule(name string) *Rule { return g.ruleByName[name] }

// ParserRules returns the parser rules, the i-th being the one that trees call rule i.
func (g *Grammar) ParserRules() []*Rule {
	n := 0
	for n < len(g.Rules) && g.Rules[n].Kind == ParserRule {
		n++
	}
	return g.Rules[:n]
}

// Tokens returns the names of the tokens by type, as people see them: a literal
// in quotes or the name of a rule. Types count from 1.
func (g *Grammar) Tokens() []string { return g.names.Tokens }

// TokenRules returns the lexer rules that make tokens of a type.
func (g *Grammar) TokenRules(token int) []*Rule { return g.makers[token] }

// Exact reports whether the grammar's trees are sure to be those of the
// generated parser. They are not where the grammar has predicates, actions or
// members of the target language, which inroad does not run.
func (g *Grammar) Exact() bool {
	for _, c := range g.Code {
		if changesTrees(c.Kind) {
			return false
		}
	}
	return true
}

func changesTrees(kind g4.CodeKind) bool { return kind != g4.Header && kind != g4.RuleHeader }

// RuleKind tells what a rule derives.
type RuleKind int

// The kinds of rules.
const (
	ParserRule   RuleKind = iota // sequences of tokens
	TokenRule                    // a token
	FragmentRule                 // a part of a token
)

// A Rule is a rule of a grammar.
type Rule struct {
	g4.Pos
	Name  string
	Index int // among the parser rules, or among the lexer rules
	Kind  RuleKind
	Mode  string     // of a lexer rule
	Root  Occurrence // the rule's right-hand side
	// Literal tells that the rule was made for a literal that only parser rules have.
	Literal bool
	// Operators says how the alternatives of a left-recursive parser rule bind;
	// it has one for each alternative, and is nil for any other rule.
	Operators []Operator
	// Needs names a symbol without which, before it, the rule is not worth drawing,
	// as a note of the grammar says; "" for most rules.
	Needs string

	source *g4.Rule
}

// An Occurrence is the number of a node.
type Occurrence = derivation.Occurrence

// NodeKind tells what a node of the graph is.
type NodeKind int

// The kinds of nodes. The first four only shape the graph, the rest are symbols.
const (
	Alternation   NodeKind = iota // one of its children
	Concatenation                 // all of its children, in order
	Repetition                    // its child, Min to Max times
	End                           // the end of the input
	Reference                     // a rule or a token; its child, if any, is what that is made of
	Literal                       // a fixed text
	CharSet                       // a character out of a set
	TokenSet                      // a token out of a set, in a parser rule: ~A or .
	Empty                         // an empty alternative
)

// Symbolic reports whether nodes of the kind are symbols, which paths count.
func (k NodeKind) Symbolic() bool { return k >= Reference }

func (k NodeKind) String() string {
	return [...]string{
		"alternation", "concatenation", "repetition", "end",
		"reference", "literal", "set", "tokens", "empty",
	}[k]
}

// A Node is an occurrence of a symbol in a grammar, or of a construct that
// holds symbols.
type Node struct {
	g4.Pos
	ID       Occurrence
	Kind     NodeKind
	Rule     *Rule   // the rule that it stands in; nil above tokens that several rules make, and above trivia
	Children []*Node // of a reference at most one

	Text      string         // symbols: as people write it: value, '+', [a-z]
	Min, Max  int            // repetitions; Max is -1 where there is no bound
	NonGreedy bool           // repetitions
	Target    *Rule          // references: the rule; nil for a token that no rule is named after
	Token     int            // symbols in parser rules: the token's type; 0 elsewhere and for sets
	Value     string         // literals: what they stand for
	FoldCase  bool           // literals: either case will do
	Chars     []g4.RuneRange // sets of characters, sorted
	Types     []int          // sets of tokens, sorted

	// Size is the least number of symbols in a derivation from here, this one
	// included, and Depth the least number of symbols below each other.
	// Both are [Unproductive] where there is no finite derivation.
	Size, Depth int

	deferred bool // numbered after all others: it is only there because of EOF
}

// Unproductive is the size and depth of what has no finite derivation.
const Unproductive = -1
