// Package g4 parses the ANTLR v4 grammar notation.
//
// [Parse] turns the text of one .g4 file into a [File]: its declarations and
// rules as written, each element with its position. It resolves no names;
// package grammars does that, and combines several files into one grammar.
//
// Target-language code is kept as text and never run. Parse reports every error
// it finds, not just the first. It never panics, and its recursion is bounded
// whatever the text.
package g4

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pos is a position in a grammar file. Lines and columns count from 1; columns
// count characters.
type Pos struct {
	File         string
	Line, Column int
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Position returns p itself. Types that embed Pos inherit it, so that every
// [Element] has a position.
func (p Pos) Position() Pos { return p }

// DefaultMode is the mode a lexer starts in.
const DefaultMode = "DEFAULT_MODE"

// Kind is the kind of a grammar file.
type Kind int

// The kinds of grammar files.
const (
	Combined Kind = iota // grammar X;
	Parser               // parser grammar X;
	Lexer                // lexer grammar X;
)

// A File is a parsed .g4 file.
type File struct {
	Pos      // of the grammar's name
	Kind     Kind
	Name     string
	Options  []Option
	Imports  []Name
	Tokens   []Name // tokens { A, B }
	Channels []Name // channels { A, B }
	Modes    []Name // modes in order of first mention, without [DefaultMode]
	Rules    []*Rule
	// Scannerless reports whether characters are the tokens: all rules are parser
	// rules, whatever their names.
	Scannerless bool
	Code        []Code // all target-language code, in file order
}

// A Name is an identifier with its position.
type Name struct {
	Pos
	Text string
}

// An Option is one setting of an options block.
type Option struct {
	Pos
	Name, Value string // quotes around the value are removed
}

// CodeKind is the kind of a piece of target-language code.
type CodeKind int

// The kinds of code. Only [Header] and [RuleHeader] can never change the trees
// of a grammar.
const (
	Predicate  CodeKind = iota // {...}? in a rule
	Action                     // {...} in a rule
	Members                    // @members {...}, or any other named action except @header
	Header                     // @header {...}
	RuleHeader                 // arguments, returns, locals, throws, @init, @after, catch, finally
	SuperClass                 // the superClass option
)

// Code is a piece of target-language code. It is never run.
type Code struct {
	Pos
	Kind CodeKind
	Rule string // the enclosing rule; "" outside rules
	Text string
}

// A Rule is a parsed rule.
type Rule struct {
	Pos      // of the rule's name
	Name     string
	Fragment bool
	Mode     string // lexer rules: the mode; [DefaultMode] before the first mode section
	// Scannerless reports whether the rule is part of a scannerless grammar.
	Scannerless bool
	Options     []Option
	Notes       []Note
	Body        *Block
}

// A Note is a comment above a rule that is addressed to inroad, for example
// "// inroad: same NAME". ANTLR ignores it.
type Note struct {
	Pos
	Text string // the text after the colon, up to a nested //, with single spaces between words
}

// IsLexer reports whether r is a lexer rule, judged by its name. A scannerless
// grammar has none.
func (r *Rule) IsLexer() bool { return !r.Scannerless && IsTokenName(r.Name) }

// A Block is a choice of alternatives: a rule body or a parenthesized group.
type Block struct {
	Pos
	Options []Option // ( options {...} : a | b )
	Alts    []*Alt
}

// An Alt is one alternative of a block.
type Alt struct {
	Pos
	RightAssoc bool // <assoc=right> before the first element
	// Probability is the chance of the alternative when inputs are generated, if
	// HasProbability is set. A .g4 file has none.
	Probability    float64
	HasProbability bool
	Elements       []Element // empty for an empty alternative
	Commands       []Command // lexer rules: -> skip, type(X)
	Label          string    // # label
}

// A Command is a lexer command after ->.
type Command struct {
	Pos
	Name string // in ANTLR's spelling: skip more type channel mode pushMode popMode
	Arg  string
}

// An Element is a part of an alternative: a [*Ref], [*Literal], [*Range],
// [*CharSet], [*Not], [*Dot], [*Block], [*Repeat], [*Labeled] or [*Embedded].
type Element interface {
	Position() Pos
	element()
}

// A Ref is a reference to a rule or a token. EOF, the end of the input, is a
// token.
type Ref struct {
	Pos
	Name string
}

// A Literal is a quoted string.
type Literal struct {
	Pos
	Text  string // as written, without the quotes
	Value string // with escapes decoded; never empty
}

// Quoted returns the literal as written, with its quotes.
func (l *Literal) Quoted() string { return "'" + l.Text + "'" }

// A Range is 'a'..'z'.
type Range struct {
	Pos
	Text   string // as written: 'a'..'z'
	Lo, Hi rune
}

// A CharSet is [...].
type CharSet struct {
	Pos
	Text  string // as written, with its brackets
	Items []SetItem
}

// A SetItem is one item of a character set: a character, a range, or a Unicode
// property.
type SetItem struct {
	Text   string // as written: a, a-z, \p{L}
	Ranges []RuneRange
}

// IsProperty reports whether the item is a Unicode property.
func (i SetItem) IsProperty() bool {
	return strings.HasPrefix(i.Text, `\p`) || strings.HasPrefix(i.Text, `\P`)
}

// A RuneRange is the inclusive range of characters from Lo to Hi.
type RuneRange struct{ Lo, Hi rune }

// A Not is ~x or ~(x | y); its items are [*Ref], [*Literal], [*Range] or [*CharSet].
type Not struct {
	Pos
	Items []Element
}

// A Dot is the wildcard.
type Dot struct{ Pos }

// A Repeat is x?, x* or x+, greedy unless another ? follows. In a scannerless
// grammar, it can also be x{m,n}.
type Repeat struct {
	Pos
	Op        byte // '?', '*', '+' or '{'
	Min, Max  int  // of x{m,n}; Max is -1 for x{m,}
	NonGreedy bool
	Body      Element // never a *Repeat: ANTLR requires parentheses there
}

// A Labeled is name=x or name+=x.
type Labeled struct {
	Pos
	Label string
	Body  Element // a *Ref, *Literal, *Range, *CharSet, *Not, *Dot or *Block
}

// An Embedded is a predicate or an action among the elements of a rule.
type Embedded struct {
	Pos
	Kind CodeKind // Predicate or Action
	Text string
}

func (*Ref) element()      {}
func (*Literal) element()  {}
func (*Range) element()    {}
func (*CharSet) element()  {}
func (*Not) element()      {}
func (*Dot) element()      {}
func (*Block) element()    {}
func (*Repeat) element()   {}
func (*Labeled) element()  {}
func (*Embedded) element() {}

// Severity tells errors, which make a grammar unusable, from warnings.
type Severity int

// The severities.
const (
	Error Severity = iota
	Warning
)

// A Diagnostic is an error or a warning about a grammar.
type Diagnostic struct {
	Pos
	Severity Severity
	Message  string
}

func (d Diagnostic) String() string {
	if d.Severity == Warning {
		return fmt.Sprintf("%v: warning: %s", d.Pos, d.Message)
	}
	return fmt.Sprintf("%v: %s", d.Pos, d.Message)
}

// Diagnostics lists the errors and warnings of a grammar. As an error it prints
// one line per error and leaves out warnings.
type Diagnostics []Diagnostic //nolint:errname // a list first, warnings included, and an error only where there is one in it

func (ds Diagnostics) Error() string {
	var lines []string
	for _, d := range ds {
		if d.Severity == Error {
			lines = append(lines, d.String())
		}
	}
	return strings.Join(lines, "\n")
}

// Failed reports whether the diagnostics include an error.
func (ds Diagnostics) Failed() bool {
	for _, d := range ds {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// IsTokenName reports whether name starts with a capital letter, as the names
// of tokens and lexer rules do.
func IsTokenName(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}
