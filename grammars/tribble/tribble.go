// Package tribble parses the grammar notation of the test generator TRIBBLE.
//
// [Parse] turns the text of one file into a [g4.File] of a scannerless grammar, which
// package grammars loads like a .g4 file. The notation is that of Scala files:
//
//	Grammar(
//	  'list := "[" ~ ('item ~ ",".?).rep ~ "]",
//	  'item := 'list @@ 0.2 | "[0-9]+".regex | "x".rep(1, 3)
//	)
//
// A regular expression becomes a minimal automaton, and each state of the automaton
// becomes a rule. Parse never panics; nesting and the size of automata are limited for any
// text. It reports the first error of a file.
package tribble

import (
	"context"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/g4"
)

// Limits on one file.
const (
	maxText    = 1 << 20 // bytes
	maxNesting = 500     // parentheses
)

// Extension is the extension of files in the notation.
const Extension = ".scala"

// MergeLiterals is a comment that makes adjacent literals one, as TRIBBLE's option of
// that name does.
const MergeLiterals = "// inroad: merge-literals"

// Parse parses the text of a file. The name is used in positions. The File is never nil:
// if the text has an error, it holds the rules before it. The error is
// [g4.ErrElements], [g4.ErrMerge], or the cause of ctx's cancellation.
func Parse(ctx context.Context, name, text string) (file *g4.File, found g4.Diagnostics, err error) {
	p := &parser{ctx: ctx, text: text, pos: g4.Pos{File: name, Line: 1, Column: 1}}
	p.file = &g4.File{Pos: p.pos, Name: strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), Extension), Scannerless: true}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case abandon:
			file, found, err = p.file, p.found, e.err
		default:
			panic(e)
		}
	}()
	if len(text) > maxText {
		p.failf(p.pos, "grammar file too long: must be at most %d bytes", maxText)
	}
	if !utf8.ValidString(text) {
		p.failf(p.pos, "text is not valid UTF-8")
	}
	p.grammar()
	p.breakCycles()
	if p.merges {
		err = p.file.MergeLiterals(ctx)
	}
	return p.file, p.found, err
}

// A parser parses one file by recursive descent. Where it cannot continue, it panics
// with abandon.
type parser struct {
	ctx     context.Context //nolint:containedctx // of one parse
	text    string
	off     int // of the next character
	pos     g4.Pos
	file    *g4.File
	found   g4.Diagnostics
	nesting int
	kept    int // elements so far
	regexes int // so far
	merges  bool
}

type abandon struct{ err error }

func (p *parser) report(at g4.Pos, severity g4.Severity, format string, args ...any) {
	p.found = append(p.found, g4.Diagnostic{Pos: at, Severity: severity, Message: fmt.Sprintf(format, args...)})
}

// failf reports an error and ends the parse.
func (p *parser) failf(at g4.Pos, format string, args ...any) {
	p.report(at, g4.Error, format, args...)
	panic(abandon{})
}

// keep counts an element.
func (p *parser) keep() {
	if p.kept++; p.kept > g4.MaxElements {
		panic(abandon{g4.ErrElements})
	}
	if p.kept%1024 == 0 && p.ctx.Err() != nil {
		panic(abandon{context.Cause(p.ctx)})
	}
}

// grammar reads the whole file.
func (p *parser) grammar() {
	p.blanks()
	for p.word("import") {
		p.take(func(c rune) bool { return c != '\n' && c != ';' })
		p.accept(";")
	}
	p.file.Pos = p.pos
	if !p.word("Grammar") {
		p.expected(`"Grammar(" at the start of the file`)
	}
	p.expect("(", `after "Grammar"`)
	for !p.at(")") {
		p.production()
		if !p.accept(",") {
			break
		}
	}
	p.expect(")", `or "," after a rule`)
	if p.accept(";"); p.off < len(p.text) {
		p.expected("the end of the file")
	}
	if len(p.file.Rules) == 0 {
		p.failf(p.file.Pos, "the grammar has no rules")
	}
}

// production reads 'name := alternatives.
func (p *parser) production() {
	at := p.pos
	name := p.reference()
	rule := p.rule(at, name)
	p.expect(":=", "after the rule's name")
	rule.Body = p.alternation()
}

// rule adds a rule without a body.
func (p *parser) rule(at g4.Pos, name string) *g4.Rule {
	r := &g4.Rule{Pos: at, Name: name, Scannerless: true, Body: &g4.Block{Pos: at}}
	p.file.Rules = append(p.file.Rules, r)
	return r
}

// alternation reads alternatives with their probabilities.
func (p *parser) alternation() *g4.Block {
	b := &g4.Block{Pos: p.pos}
	for {
		p.keep()
		alt := &g4.Alt{Pos: p.pos}
		alt.Elements = p.concatenation()
		if at := p.pos; p.accept("@@") {
			alt.Probability = p.probability(at)
			alt.HasProbability = true
		}
		if inner := soleBlock(alt); inner != nil { // (a | b) | c is a | b | c
			b.Alts = append(b.Alts, inner.Alts...)
		} else {
			b.Alts = append(b.Alts, alt)
		}
		if !p.accept("|") {
			p.checkProbabilities(b)
			return b
		}
	}
}

// soleBlock returns the block that an alternative consists of; nil for any other.
func soleBlock(alt *g4.Alt) *g4.Block {
	if len(alt.Elements) != 1 || alt.HasProbability {
		return nil
	}
	if b, ok := alt.Elements[0].(*g4.Block); ok && len(b.Alts) > 1 {
		return b
	}
	return nil
}

// maxSum is the largest sum of probabilities that counts as 1.
const maxSum = 1 + 1e-9

func (p *parser) checkProbabilities(b *g4.Block) {
	sum, annotated := 0.0, 0
	for _, alt := range b.Alts {
		if alt.HasProbability {
			sum, annotated = sum+alt.Probability, annotated+1
		}
	}
	switch {
	case sum > maxSum:
		p.failf(b.Pos, "the probabilities of the alternatives add up to %v: must be at most 1", sum)
	case annotated == 1 && len(b.Alts) == 1:
		p.report(b.Pos, g4.Warning, "a probability without an alternative has no effect")
	}
}

// probability reads a number from 0 to 1.
func (p *parser) probability(at g4.Pos) float64 {
	text := p.take(func(c rune) bool { return strings.ContainsRune("0123456789.xXabcdefABCDEFpP+-", c) })
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(value) || value < 0 || value > 1 {
		p.failf(at, "probability %q: must be a number from 0 to 1", text)
	}
	return value
}

// concatenation reads elements joined by ~.
func (p *parser) concatenation() []g4.Element {
	var out []g4.Element
	for {
		e := p.quantified()
		if b, ok := e.(*g4.Block); ok && len(b.Alts) == 1 && !b.Alts[0].HasProbability && len(b.Alts[0].Elements) > 0 { // (a ~ b) ~ c is a ~ b ~ c
			out = append(out, b.Alts[0].Elements...)
		} else {
			out = append(out, e)
		}
		if !p.accept("~") {
			break
		}
	}
	if b, ok := out[0].(*g4.Block); ok && len(out) == 1 && len(b.Alts) == 1 && len(b.Alts[0].Elements) == 0 {
		return nil // "" alone is the empty alternative
	}
	return out
}

// quantified reads an element with its quantifiers.
func (p *parser) quantified() g4.Element {
	at := p.pos
	e := p.atom()
	for p.at(".") {
		p.accept(".")
		switch dot := p.pos; {
		case p.accept("?"):
			e = g4.Quantified(at, e, 0, 1, false)
		case p.word("rep"):
			e = p.repetition(at, dot, e)
		default:
			p.expected(`"?" or "rep" after "."`)
		}
	}
	return e
}

// repetition reads the bounds after .rep.
func (p *parser) repetition(at, name g4.Pos, e g4.Element) g4.Element {
	low, high := 0, -1
	if p.accept("(") {
		if !p.at(")") {
			low = p.number()
			if p.accept(",") {
				high = p.number()
			}
		}
		p.expect(")", "after the bounds of rep")
	}
	switch {
	case high == 0 || high > 0 && low > high:
		p.failf(name, "rep(%d, %d): the second bound must be at least 1 and not below the first", low, high)
	case low > g4.MaxRepeat || high > g4.MaxRepeat:
		p.failf(name, "rep: bounds must be at most %d", g4.MaxRepeat)
	}
	return g4.Quantified(at, e, low, high, false)
}

// number reads a decimal number. A number that is too large is above every limit.
func (p *parser) number() int {
	at := p.pos
	text := p.take(func(c rune) bool { return '0' <= c && c <= '9' })
	if text == "" {
		p.failf(at, "expected a number, found %s", p.next())
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return math.MaxInt32
	}
	return n
}

// atom reads a reference, a string, a regular expression, a range of characters or a
// group.
func (p *parser) atom() g4.Element {
	p.keep()
	at := p.pos
	switch {
	case p.at("("):
		return p.group(at)
	case p.at(`"`):
		text := p.str()
		if mark := *p; p.accept(".") && p.word("regex") {
			return p.regex(at, text)
		} else {
			*p = mark
		}
		return literal(at, text)
	case p.atChar():
		return p.charRange(at)
	case p.at("'"):
		return &g4.Ref{Pos: at, Name: p.reference()}
	default:
		p.expected("a rule's name, a string or a group")
		return nil
	}
}

func (p *parser) group(at g4.Pos) g4.Element {
	if p.nesting++; p.nesting > maxNesting {
		p.failf(at, "parentheses are nested more than %d deep", maxNesting)
	}
	p.accept("(")
	b := p.alternation()
	p.expect(")", "or another element of the group")
	p.nesting--
	b.Pos = at
	if alt := b.Alts[0]; len(b.Alts) == 1 && len(alt.Elements) == 1 && !alt.HasProbability {
		return alt.Elements[0]
	}
	return b
}

// literal returns a literal, or an empty alternative for an empty text.
func literal(at g4.Pos, text string) g4.Element {
	if text == "" {
		return &g4.Block{Pos: at, Alts: []*g4.Alt{{Pos: at}}}
	}
	return &g4.Literal{Pos: at, Text: escape(text), Value: text}
}

// escape writes a text as in a .g4 literal.
func escape(text string) string {
	var b strings.Builder
	for _, c := range text {
		b.WriteString(escapeRune(c, '\''))
	}
	return b.String()
}

func escapeRune(c, delimiter rune) string {
	switch {
	case c == delimiter || c == '\\' || delimiter == ']' && c == '-':
		return `\` + string(c)
	case c == '\n':
		return `\n`
	case c == '\r':
		return `\r`
	case c == '\t':
		return `\t`
	case strconv.IsPrint(c):
		return string(c)
	case c > 0xFFFF:
		return fmt.Sprintf(`\u{%X}`, c)
	default:
		return fmt.Sprintf(`\u%04X`, c)
	}
}

// atChar reports whether a character literal begins here, such as 'a'.
func (p *parser) atChar() bool {
	if !p.at("'") {
		return false
	}
	_, width := utf8.DecodeRuneInString(p.text[p.off+1:])
	return width > 0 && strings.HasPrefix(p.text[p.off+1+width:], "'")
}

// charRange reads 'a' -> 'z'.
func (p *parser) charRange(at g4.Pos) g4.Element {
	low := p.char()
	p.expect("->", "after a character")
	if !p.atChar() {
		p.expected("the last character of the range")
	}
	high := p.char()
	if low > high {
		p.failf(at, "range %q -> %q: the first character must not come after the last", low, high)
	}
	return p.unfold(at, rangeAutomaton(low, high))
}

func (p *parser) char() rune {
	p.advance(1)
	c, width := utf8.DecodeRuneInString(p.text[p.off:])
	p.advance(width + 1)
	p.blanks()
	return c
}

// regex adds rules for a regular expression and returns a reference to the first.
func (p *parser) regex(at g4.Pos, pattern string) g4.Element {
	a, err := compile(p.ctx, pattern)
	switch {
	case err != nil && p.ctx.Err() != nil:
		panic(abandon{context.Cause(p.ctx)})
	case err != nil:
		p.failf(at, "regular expression %q: %v", excerpt(pattern), err)
	case a.isEmpty():
		p.failf(at, "regular expression %q matches nothing", excerpt(pattern))
	}
	return p.unfold(at, a)
}

// excerpt shortens a regular expression for an error.
func excerpt(pattern string) string {
	const most = 100
	if len(pattern) <= most {
		return pattern
	}
	return strings.ToValidUTF8(pattern[:most], "") + "…"
}
