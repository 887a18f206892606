// Package g4 reads the ANTLR v4 grammar notation.
//
// [Parse] turns the text of one .g4 file into a [File]: its declarations and
// rules as written, every element with its place. Nothing is resolved here;
// what a name means, and how several files make one grammar, is settled by
// package grammars.
//
// Target-language code is kept as text and never run. Parse reports everything
// it finds wrong, not just the first fault, and never panics or recurses
// without bound, whatever the text.
package g4

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pos is a place in a grammar file. Lines and columns count from 1; columns
// count characters.
type Pos struct {
	File         string
	Line, Column int
}

func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// Place returns the position itself, so that whatever embeds a Pos has a place.
func (p Pos) Place() Pos { return p }

// DefaultMode is the mode that lexers start in.
const DefaultMode = "DEFAULT_MODE"

// Kind tells what a file holds.
type Kind int

// The kinds of grammar files.
const (
	Combined Kind = iota // grammar X;
	Parser               // parser grammar X;
	Lexer                // lexer grammar X;
)

// A File is one .g4 file as written.
type File struct {
	Pos      // of the grammar's name
	Kind     Kind
	Name     string
	Options  []Option
	Imports  []Name
	Tokens   []Name // tokens { A, B }
	Channels []Name // channels { A, B }
	Modes    []Name // modes in the order of their first mention, [DefaultMode] left out
	Rules    []*Rule
	Code     []Code // everything in the target language, in file order
}

// A Name is an identifier where it was written.
type Name struct {
	Pos
	Text string
}

// An Option is one setting of an options block.
type Option struct {
	Pos
	Name, Value string // a quoted value is kept without its quotes
}

// CodeKind tells what a piece of target-language code could do to a parse.
type CodeKind int

// The kinds of code. Of these only headers and rule headers can never change
// which trees a grammar has.
const (
	Predicate  CodeKind = iota // {...}? in a rule
	Action                     // {...} in a rule
	Members                    // @members {...}, or any other named action but @header
	Header                     // @header {...}
	RuleHeader                 // arguments, returns, locals, throws, @init, @after, catch, finally
	SuperClass                 // the superClass option
)

// Code is a piece of target-language code, which inroad does not run.
type Code struct {
	Pos
	Kind CodeKind
	Rule string // the rule that holds it, if one does
	Text string
}

// A Rule is one rule as written.
type Rule struct {
	Pos      // of the rule's name
	Name     string
	Fragment bool
	Mode     string // lexer rules: the mode they belong to; [DefaultMode] outside any
	Options  []Option
	Notes    []Note
	Body     *Block
}

// A Note is a comment above a rule that says something of it to inroad:
// // inroad: same NAME. Other tools read nothing in it.
type Note struct {
	Pos
	Text string // what follows the colon, up to another comment, its words a space apart
}

// IsLexer reports whether the rule's name makes it a lexer rule.
func (r *Rule) IsLexer() bool { return IsTokenName(r.Name) }

// A Block is a choice of alternatives: a rule's body, or a bracketed group.
type Block struct {
	Pos
	Options []Option // ( options {...} : a | b )
	Alts    []*Alt
}

// An Alt is one alternative of a block.
type Alt struct {
	Pos
	RightAssoc bool      // <assoc=right> before the first element
	Elements   []Element // none: the alternative is empty
	Commands   []Command // lexer rules: -> skip, type(X)
	Label      string    // # label
}

// A Command is a lexer command after ->.
type Command struct {
	Pos
	Name string // in lower camel case as ANTLR spells it: skip more type channel mode pushMode popMode
	Arg  string
}

// An Element is a part of an alternative: [*Ref], [*Literal], [*Range],
// [*CharSet], [*Not], [*Dot], [*Block], [*Repeat], [*Labeled] or [*Embedded].
type Element interface {
	Place() Pos
	element()
}

// A Ref names a rule or a token; the end of the input is the token EOF.
type Ref struct {
	Pos
	Name string
}

// A Literal is a quoted string.
type Literal struct {
	Pos
	Text  string // as written, without the quotes
	Value string // what it stands for; never empty
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

// A SetItem is what was written between the brackets of a set as one: a
// character, a range, or a Unicode property.
type SetItem struct {
	Text   string // as written: a, a-z, \p{L}
	Ranges []RuneRange
}

// IsProperty reports whether the item is a Unicode property.
func (i SetItem) IsProperty() bool {
	return strings.HasPrefix(i.Text, `\p`) || strings.HasPrefix(i.Text, `\P`)
}

// A RuneRange is the characters from Lo to Hi, both included.
type RuneRange struct{ Lo, Hi rune }

// A Not is ~x or ~(x | y); its items are [*Ref], [*Literal], [*Range] or [*CharSet].
type Not struct {
	Pos
	Items []Element
}

// A Dot is the wildcard.
type Dot struct{ Pos }

// A Repeat is x?, x* or x+, greedy unless another ? follows.
type Repeat struct {
	Pos
	Op        byte // '?', '*' or '+'
	NonGreedy bool
	Body      Element // never a *Repeat: ANTLR's notation needs brackets there
}

// A Labeled is name=x or name+=x.
type Labeled struct {
	Pos
	Label string
	Of    Element // a *Ref, *Literal, *Range, *CharSet, *Not, *Dot or *Block
}

// An Embedded is a predicate or an action between elements.
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

// Severity tells whether a grammar can be used in spite of a diagnostic.
type Severity int

// The severities.
const (
	Error Severity = iota
	Warning
)

// A Diagnostic is something wrong with a grammar, or worth knowing about it.
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

// Diagnostics is what was found in a grammar. As an error it has one line for
// each error in it; warnings are not shown.
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

// Failed reports whether there is an error among the diagnostics.
func (ds Diagnostics) Failed() bool {
	for _, d := range ds {
		if d.Severity == Error {
			return true
		}
	}
	return false
}

// IsTokenName reports whether a name, by its first letter, is a token's or a
// lexer rule's.
func IsTokenName(name string) bool {
	r, _ := utf8.DecodeRuneInString(name)
	return unicode.IsUpper(r)
}
