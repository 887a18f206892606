package g4

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits on one file. Real grammars stay far below all of them.
const (
	maxText        = 1 << 20 // bytes
	maxNesting     = 500     // parentheses
	maxDiagnostics = 1000
)

// MaxElements limits the alternatives of a file together with their elements and
// commands. The largest public grammars have a quarter as many.
const MaxElements = 250_000

// ErrElements is the error of a file with more than [MaxElements] elements.
var ErrElements = errors.New("too many elements")

// Parse parses the text of a .g4 file. The name is used in positions.
//
// The File is never nil: if the text has errors, it holds the parts that could
// be read. The diagnostics are sorted by position. Parse reports an error or a
// warning where the ANTLR tool rejects or warns about the notation, except for
// a few mistakes whose meaning is obvious. The error is [ErrElements], [ErrMerge], or
// the cause of ctx's cancellation.
func Parse(ctx context.Context, name, text string) (file *File, found Diagnostics, err error) {
	start := Pos{File: name, Line: 1, Column: 1}
	p := &parser{
		ctx:        ctx,
		file:       &File{Pos: start},
		seen:       map[string]bool{},
		modes:      map[string]bool{DefaultMode: true},
		mode:       Name{Text: DefaultMode},
		properties: map[string][]RuneRange{},
	}
	if len(text) > maxText {
		p.errorf(start, "grammar file too long: must be at most %d bytes", maxText)
		return p.file, p.diagnostics, nil
	}
	defer catch(&err)
	p.scan = &scanner{text: text, pos: start, report: p.report}
	p.requireUTF8()
	p.next()
	p.grammar()
	if p.merges && p.scannerless {
		err = p.file.MergeLiterals(ctx)
	}
	slices.SortStableFunc(p.diagnostics, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if p.dropped > 0 {
		p.diagnostics = append(p.diagnostics, Diagnostic{
			p.tok.Pos, p.droppedSeverity,
			fmt.Sprintf("%d further diagnostics are not shown", p.dropped),
		})
	}
	return p.file, p.diagnostics, err
}

// A parser parses one file by recursive descent. A production that cannot
// continue panics with abandon; the parser then leaves the current section, a
// rule or a declaration, and continues after the next semicolon.
type parser struct {
	ctx   context.Context
	read  int // tokens so far
	kept  int // alternatives, elements and commands so far
	scan  *scanner
	tok   token
	ahead []token // the token after tok, once peeked at

	file        *File
	diagnostics Diagnostics

	dropped         int // diagnostics beyond the limit
	droppedSeverity Severity

	seen      map[string]bool // kinds of declarations read so far
	modes     map[string]bool // modes read so far
	mode      Name
	modeRules int   // non-fragment rules of the mode so far
	rule      *Rule // the current rule
	caseless  bool  // its caseInsensitive option, or the grammar's
	nesting   int   // depth of parentheses in it
	inBlock   bool  // between the braces of options, tokens or channels

	scannerless bool // characters are the tokens
	merges      bool // adjacent literals become one, in a scannerless grammar

	properties map[string][]RuneRange // by p or P and the folded name
}

type abandon struct{}

// stopped is the panic value that ends a parse.
type stopped struct{ err error }

// catch sets err if a panic with stopped ended the function that defers it.
func catch(err *error) {
	switch e := recover().(type) {
	case nil:
	case stopped:
		*err = e.err
	default:
		panic(e)
	}
}

// tokensPerPoll is the number of tokens between two checks of the context.
const tokensPerPoll = 1 << 10

func (p *parser) report(pos Pos, severity Severity, format string, args ...any) {
	if len(p.diagnostics) == maxDiagnostics {
		if p.dropped == 0 || severity == Error {
			p.droppedSeverity = severity
		}
		p.dropped++
		return
	}
	p.diagnostics = append(p.diagnostics, Diagnostic{pos, severity, fmt.Sprintf(format, args...)})
}

func (p *parser) errorf(pos Pos, format string, args ...any) {
	p.report(pos, Error, format, args...)
}

func (p *parser) warnf(pos Pos, format string, args ...any) {
	p.report(pos, Warning, format, args...)
}

// fail reports an error and abandons the current section.
func (p *parser) fail(pos Pos, format string, args ...any) {
	p.errorf(pos, format, args...)
	panic(abandon{})
}

// unexpected fails at the current token, which is not the expected one.
func (p *parser) unexpected(expected string) {
	p.fail(p.tok.Pos, "expected %s, found %s", expected, p.tok)
}

// String describes the token for diagnostics.
func (t token) String() string {
	text := t.text
	if utf8.RuneCountInString(text) > 40 {
		text = string([]rune(text)[:40]) + "..."
	}
	switch t.kind {
	case endOfFile:
		return "the end of the file"
	case keyword:
		return fmt.Sprintf("the keyword %q", text)
	case quoted:
		return text
	}
	return fmt.Sprintf("%q", text)
}

// requireUTF8 replaces invalid UTF-8 and reports its first position.
func (p *parser) requireUTF8() {
	valid := validLength(p.scan.text)
	if valid == len(p.scan.text) {
		return
	}
	before := *p.scan
	before.advance(valid)
	p.errorf(before.pos, "text is not valid UTF-8")
	p.scan.text = strings.ToValidUTF8(p.scan.text, string(utf8.RuneError))
}

// validLength returns the length of the longest valid UTF-8 prefix of text.
func validLength(text string) int {
	for i, r := range text {
		if r != utf8.RuneError {
			continue
		}
		if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
			return i
		}
	}
	return len(text)
}

// keep counts an alternative, an element or a command.
func (p *parser) keep() {
	if p.kept++; p.kept > MaxElements {
		panic(stopped{ErrElements})
	}
}

// next advances to the next token.
func (p *parser) next() {
	if p.read%tokensPerPoll == 0 && p.ctx.Err() != nil {
		panic(stopped{context.Cause(p.ctx)})
	}
	p.read++
	if len(p.ahead) > 0 {
		p.tok = p.ahead[0]
		p.ahead = p.ahead[:0]
		return
	}
	p.tok = p.scan.scan()
}

// after returns the token after the current one. The current token must not be
// an opening bracket or brace: only the caller knows how to scan the text after
// it.
func (p *parser) after() token {
	if len(p.ahead) == 0 {
		p.ahead = append(p.ahead, p.scan.scan())
	}
	return p.ahead[0]
}

func (p *parser) at(text string) bool { return p.tok.text == text }

// accept advances if the current token is text, and reports whether it was.
func (p *parser) accept(text string) bool {
	if !p.at(text) {
		return false
	}
	p.next()
	return true
}

// expect advances if the current token is text, and fails otherwise.
func (p *parser) expect(text, where string) {
	if !p.accept(text) {
		p.unexpected(fmt.Sprintf("%q %s", text, where))
	}
}

// name reads an identifier. what names the expected identifier in the error.
func (p *parser) name(what string) Name {
	t := p.tok
	if t.kind != identifier {
		p.unexpected(what)
	}
	p.next()
	return Name{t.Pos, t.text}
}

// notes removes and returns the notes before the current token.
func (p *parser) notes() []Note {
	after := func(n Note) bool {
		return n.Line > p.tok.Line || n.Line == p.tok.Line && n.Column > p.tok.Column
	}
	all := p.scan.notes
	i := slices.IndexFunc(all, after)
	if i < 0 {
		i = len(all)
	}
	p.scan.notes = all[i:]
	return all[:i:i]
}

// refuseNotes warns about notes that are not above a rule.
func (p *parser) refuseNotes() {
	for _, n := range p.notes() {
		p.warnf(n.Pos, "note %q is ignored: it must be directly above a rule", n.Text)
	}
}

// grammar reads the whole file.
func (p *parser) grammar() {
	p.section(p.declaration)
	for p.tok.kind != endOfFile {
		p.section(p.construct)
	}
	p.refuseNotes()
	p.endMode()
}

// section reads one construct and recovers if it is abandoned.
func (p *parser) section(read func()) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case abandon:
			p.synchronize()
		default:
			panic(r)
		}
	}()
	read()
}

// synchronize skips past the next semicolon, or to the unmistakable start of a
// rule. It ignores semicolons inside braces, and ends a declaration at its
// closing brace.
func (p *parser) synchronize() {
	if p.inBlock {
		p.inBlock = false
		p.skipTo("}")
		if p.rule == nil {
			return
		}
	}
	p.skipTo(";")
}

func (p *parser) skipTo(end string) {
	for p.tok.kind != endOfFile && !p.atRule() {
		if p.accept(end) {
			return
		}
		p.skip()
	}
}

// skip advances, past a whole set or action if one begins here.
func (p *parser) skip() {
	switch {
	case p.at("{"):
		p.scan.action()
	case p.at("[") && p.rule != nil && p.hasCharacters():
		p.scan.set()
	case p.at("["):
		p.scan.arguments()
	}
	p.next()
}

// atRule reports whether the current token can only begin a rule or a mode.
func (p *parser) atRule() bool {
	switch {
	case p.at("fragment"):
		return true
	case p.at("mode"): // unless it is the lexer command
		return p.after().kind == identifier
	case p.tok.kind == identifier:
		return slices.Contains([]string{":", "@", "returns", "locals", "throws"}, p.after().text)
	}
	return false
}

// declaration reads "grammar X;".
func (p *parser) declaration() {
	switch {
	case p.accept("lexer"):
		p.file.Kind = Lexer
	case p.accept("parser"):
		p.file.Kind = Parser
	}
	p.expect("grammar", "at the start of the file")
	name := p.name("the name of the grammar")
	p.file.Pos, p.file.Name = name.Pos, name.Text
	p.refuseNotes()
	p.expect(";", "after the name of the grammar")
}

// construct reads a declaration or a rule.
func (p *parser) construct() {
	p.rule, p.nesting = nil, 0
	switch {
	case p.atBlock("options"):
		p.beforeRules()
		p.grammarOptions()
	case p.atBlock("tokens"):
		p.beforeRules()
		p.tokens()
	case p.atBlock("channels"):
		p.beforeRules()
		p.channels()
	case p.at("import"):
		p.beforeRules()
		p.imports()
	case p.at("@"):
		p.beforeRules()
		p.namedAction()
	case p.at("mode"):
		p.modeSection()
	case p.at("catch") || p.at("finally"):
		p.handler()
	default:
		p.ruleSection()
	}
}

// atBlock reports whether the current token is word and opens a block. Without
// a brace, a word such as "options" is an ordinary name.
func (p *parser) atBlock(word string) bool {
	return p.at(word) && p.after().text == "{"
}

// beforeRules reports a declaration that comes after the first rule or must not
// be repeated.
func (p *parser) beforeRules() {
	p.refuseNotes()
	what := p.tok.text
	switch {
	case len(p.file.Rules) > 0:
		p.errorf(p.tok.Pos, "%q must come before the first rule", what)
	case p.seen[what] && (what == "options" || what == "tokens" || what == "import"):
		p.errorf(p.tok.Pos, "duplicate %q: a grammar can have only one", what)
	}
	p.seen[what] = true
}

func (p *parser) grammarOptions() {
	options := p.options()
	p.file.Options = append(p.file.Options, options...)
	p.setCase(options)
	for _, o := range options {
		switch o.Name {
		case "superClass":
			p.file.Code = append(p.file.Code, Code{Pos: o.Pos, Kind: SuperClass, Text: o.Value})
		case "scannerless":
			p.setScannerless(o)
		case "mergeLiterals":
			p.merges = o.Value == "true"
		}
	}
}

// setScannerless applies the scannerless option.
func (p *parser) setScannerless(o Option) {
	switch {
	case o.Value != "true" && o.Value != "false":
		p.errorf(o.Pos, "scannerless must be true or false, found %q", o.Value)
	case o.Value == "true" && p.file.Kind != Combined:
		p.errorf(o.Pos, "scannerless: must be the option of a grammar, not of a parser or lexer grammar")
	case o.Value == "true":
		p.scannerless, p.file.Scannerless = true, true
	}
}

// hasCharacters reports whether the current rule derives characters, not tokens.
func (p *parser) hasCharacters() bool { return p.scannerless || p.rule.IsLexer() }

// setCase applies the caseInsensitive option, if present.
func (p *parser) setCase(options []Option) {
	for _, o := range options {
		if o.Name != "caseInsensitive" {
			continue
		}
		p.caseless = o.Value == "true"
		if !p.caseless && o.Value != "false" {
			p.warnf(o.Pos, "caseInsensitive must be true or false, found %q", o.Value)
		}
	}
}

// options reads "options {...}".
func (p *parser) options() []Option {
	var options []Option
	p.openBlock()
	for !p.at("}") {
		name := p.name(`an option or "}"`)
		p.expect("=", "after the option's name")
		options = append(options, Option{name.Pos, name.Text, p.optionValue()})
		p.expect(";", "after the option's value")
	}
	p.closeBlock()
	return options
}

// openBlock reads a word such as "options" and the opening brace.
func (p *parser) openBlock() {
	p.next()
	p.next()
	p.inBlock = true
}

// closeBlock reads the closing brace of a block.
func (p *parser) closeBlock() {
	p.inBlock = false
	p.next()
}

func (p *parser) optionValue() string {
	t := p.tok
	switch {
	case t.kind == integer:
		p.next()
		return t.text
	case t.kind == quoted:
		p.next()
		text, _ := p.unquote(t)
		return text
	case p.at("{"):
		return p.code(p.scan.action)
	case t.kind == identifier:
		return p.qualifiedName()
	}
	p.unexpected("the option's value")
	return ""
}

// qualifiedName reads a dotted name.
func (p *parser) qualifiedName() string {
	names := []string{p.name("a name").Text}
	for p.accept(".") {
		names = append(names, p.name("a name after the dot").Text)
	}
	return strings.Join(names, ".")
}

// code reads target-language code with a method of the scanner that continues
// after the current bracket or brace.
func (p *parser) code(read func() (string, bool)) string {
	text, closed := read()
	if !closed {
		p.fail(p.tok.Pos, "%s is not closed", p.tok)
	}
	p.next()
	return text
}

// tokens reads "tokens {A, B}".
func (p *parser) tokens() {
	p.openBlock()
	if p.at("}") {
		p.closeBlock()
		return
	}
	names := p.names("the name of a token")
	for _, n := range names {
		if !IsTokenName(n.Text) {
			p.errorf(n.Pos, "token name %q must start with a capital letter", n.Text)
		}
	}
	p.file.Tokens = append(p.file.Tokens, names...)
}

// channels reads "channels {A, B}".
func (p *parser) channels() {
	if p.file.Kind != Lexer {
		p.errorf(p.tok.Pos, "channels are allowed only in lexer grammars")
	}
	p.openBlock()
	p.file.Channels = append(p.file.Channels, p.names("the name of a channel")...)
}

// names reads the comma-separated names of a block. It accepts ANTLR 3's
// semicolons, but reports the first one.
func (p *parser) names(what string) []Name {
	var names []Name
	semicolons := false
	for {
		names = append(names, p.name(what))
		switch {
		case p.at("}"):
			p.closeBlock()
			return names
		case !p.at(";"):
			p.expect(",", `or "}" after the name`)
			continue
		case !semicolons:
			semicolons = true
			p.errorf(p.tok.Pos, "names must be separated by commas, found %s", p.tok)
		}
		p.next()
		if p.at("}") {
			p.closeBlock()
			return names
		}
	}
}

// imports reads "import A, B=C;".
func (p *parser) imports() {
	p.next()
	for {
		name := p.name("the name of a grammar")
		if p.accept("=") {
			name = p.name("the name of a grammar")
		}
		p.file.Imports = append(p.file.Imports, name)
		if p.accept(";") {
			return
		}
		p.expect(",", `or ";" after the imported grammar`)
	}
}

// namedAction reads "@scope::name {...}".
func (p *parser) namedAction() {
	at := p.tok
	p.next()
	if p.at("lexer") || p.at("parser") {
		p.next()
		p.expect("::", "after the scope")
	} else if p.tok.kind == identifier && p.after().text == "::" {
		p.next()
		p.next()
	}
	kind := Members
	if p.name("the name of an action").Text == "header" {
		kind = Header
	}
	if !p.at("{") {
		p.unexpected(`"{"`)
	}
	p.file.Code = append(p.file.Code, Code{Pos: at.Pos, Kind: kind, Text: p.code(p.scan.action)})
}

// modeSection reads "mode X;". The rules up to the next mode section belong to
// X.
func (p *parser) modeSection() {
	p.refuseNotes()
	p.endMode()
	p.next()
	p.mode, p.modeRules = p.name("the name of a mode"), 0
	if p.file.Kind != Lexer {
		p.errorf(p.mode.Pos, "modes are allowed only in lexer grammars")
	}
	if !p.modes[p.mode.Text] {
		p.modes[p.mode.Text] = true
		p.file.Modes = append(p.file.Modes, p.mode)
	}
	p.expect(";", "after the name of the mode")
}

// endMode reports a mode without token rules.
func (p *parser) endMode() {
	if p.mode.Line > 0 && p.modeRules == 0 {
		p.errorf(p.mode.Pos, "mode %s needs at least one rule that is not a fragment", p.mode.Text)
	}
}
