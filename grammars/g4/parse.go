package g4

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// What a file may be at most. Real grammars stay far below all three.
const (
	maxText        = 1 << 20
	maxNesting     = 500
	maxDiagnostics = 1000
)

// Parse reads the text of a .g4 file. The name is that of the file, for use in
// positions.
//
// The File is never nil: where the text is wrong, it has what could be read. The
// diagnostics are in the order of their places. Where the ANTLR tool rejects a
// grammar by the notation alone there is an error, and where it warns a warning,
// but for a few mistakes that leave no doubt about what is meant.
func Parse(name, text string) (*File, Diagnostics) {
	start := Pos{File: name, Line: 1, Column: 1}
	p := &parser{
		file:       &File{Pos: start},
		seen:       map[string]bool{},
		modes:      map[string]bool{DefaultMode: true},
		mode:       Name{Text: DefaultMode},
		properties: map[string][]RuneRange{},
	}
	if len(text) > maxText {
		p.errorf(start, "grammar has %d bytes, more than the limit of %d", len(text), maxText)
		return p.file, p.diagnostics
	}
	p.scan = &scanner{text: text, pos: start, report: p.report}
	p.requireUTF8()
	p.next()
	p.grammar()
	slices.SortStableFunc(p.diagnostics, func(a, b Diagnostic) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if p.dropped > 0 {
		p.diagnostics = append(p.diagnostics, Diagnostic{
			p.tok.Pos, p.droppedSeverity,
			fmt.Sprintf("%d further diagnostics are not shown", p.dropped),
		})
	}
	return p.file, p.diagnostics
}

// A parser reads one file by recursive descent. A production that cannot go on
// panics with abandon; the section it is in, a rule or a declaration, is then
// left and reading goes on behind the next semicolon.
type parser struct {
	scan  *scanner
	tok   token
	ahead []token // the token after tok, if it was looked at

	file        *File
	diagnostics Diagnostics

	dropped         int // diagnostics beyond the limit
	droppedSeverity Severity

	seen      map[string]bool // the kinds of declarations that were there
	modes     map[string]bool // the modes so far
	mode      Name
	modeRules int   // rules of the mode so far that are not fragments
	rule      *Rule // the rule that is being read
	caseless  bool  // its caseInsensitive option, or else the grammar's
	nesting   int   // of brackets in it
	inBlock   bool  // between the braces of options, tokens or channels

	properties map[string][]RuneRange // by their escapes, negated ones too
}

type abandon struct{}

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

// fail reports an error that the current section cannot be read beyond.
func (p *parser) fail(pos Pos, format string, args ...any) {
	p.errorf(pos, format, args...)
	panic(abandon{})
}

// unexpected fails at the current token.
func (p *parser) unexpected(expected string) {
	p.fail(p.tok.Pos, "expected %s, found %s", expected, p.tok)
}

// String describes a token for messages.
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

// requireUTF8 replaces what is not UTF-8, and reports the first such place.
func (p *parser) requireUTF8() {
	valid := validLength(p.scan.text)
	if valid == len(p.scan.text) {
		return
	}
	before := *p.scan
	before.advance(valid)
	p.errorf(before.pos, "text is not UTF-8")
	p.scan.text = strings.ToValidUTF8(p.scan.text, string(utf8.RuneError))
}

// validLength returns the length of the longest prefix of text that is UTF-8.
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

// next moves on to the next token.
func (p *parser) next() {
	if len(p.ahead) > 0 {
		p.tok = p.ahead[0]
		p.ahead = p.ahead[:0]
		return
	}
	p.tok = p.scan.scan()
}

// after returns the token after the current one, which must not be an opening
// bracket or brace: how to read on behind those is for the caller.
func (p *parser) after() token {
	if len(p.ahead) == 0 {
		p.ahead = append(p.ahead, p.scan.scan())
	}
	return p.ahead[0]
}

func (p *parser) at(text string) bool { return p.tok.text == text }

// accept moves on if the current token is text.
func (p *parser) accept(text string) bool {
	if !p.at(text) {
		return false
	}
	p.next()
	return true
}

// expect moves on if the current token is text, and fails otherwise.
func (p *parser) expect(text, where string) {
	if !p.accept(text) {
		p.unexpected(fmt.Sprintf("%q %s", text, where))
	}
}

// name reads an identifier; what says whose.
func (p *parser) name(what string) Name {
	t := p.tok
	if t.kind != identifier {
		p.unexpected(what)
	}
	p.next()
	return Name{t.Pos, t.text}
}

// notes takes the notes that stand before the current token.
func (p *parser) notes() []Note {
	here := func(n Note) bool {
		return n.Line > p.tok.Line || n.Line == p.tok.Line && n.Column > p.tok.Column
	}
	all := p.scan.notes
	i := slices.IndexFunc(all, here)
	if i < 0 {
		i = len(all)
	}
	p.scan.notes = all[i:]
	return all[:i:i]
}

// refuseNotes reports notes where there is no rule to say something of.
func (p *parser) refuseNotes() {
	for _, n := range p.notes() {
		p.warnf(n.Pos, "note %q does not stand right above a rule, and is ignored", n.Text)
	}
}

// grammar reads the file.
func (p *parser) grammar() {
	p.section(p.declaration)
	for p.tok.kind != endOfFile {
		p.section(p.construct)
	}
	p.refuseNotes()
	p.endMode()
}

// section reads one construct, and goes on behind it if it cannot be read.
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

// synchronize skips to behind the next semicolon, or to what can only be the
// start of a rule. Semicolons between braces do not count, and a declaration
// ends with its brace.
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

// skip moves on, over a whole set or action if one begins here.
func (p *parser) skip() {
	switch {
	case p.at("{"):
		p.scan.action()
	case p.at("[") && p.rule != nil && p.rule.IsLexer():
		p.scan.set()
	case p.at("["):
		p.scan.arguments()
	}
	p.next()
}

// atRule reports whether a rule, or a mode, and nothing else can begin here.
func (p *parser) atRule() bool {
	switch {
	case p.at("fragment"):
		return true
	case p.at("mode"): // or a lexer command
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

// atBlock reports whether the current token is a word such as "options" that
// opens a block. Without a brace it is a name like any other.
func (p *parser) atBlock(word string) bool {
	return p.at(word) && p.after().text == "{"
}

// beforeRules reports a declaration that comes too late, or again although one
// is all there may be.
func (p *parser) beforeRules() {
	p.refuseNotes()
	what := p.tok.text
	switch {
	case len(p.file.Rules) > 0:
		p.errorf(p.tok.Pos, "%q must come before the first rule", what)
	case p.seen[what] && (what == "options" || what == "tokens" || what == "import"):
		p.errorf(p.tok.Pos, "%q again; there can be only one", what)
	}
	p.seen[what] = true
}

func (p *parser) grammarOptions() {
	options := p.options()
	p.file.Options = append(p.file.Options, options...)
	p.setCase(options)
	for _, o := range options {
		if o.Name == "superClass" {
			p.file.Code = append(p.file.Code, Code{Pos: o.Pos, Kind: SuperClass, Text: o.Value})
		}
	}
}

// setCase follows the caseInsensitive option, if it is among the options.
func (p *parser) setCase(options []Option) {
	for _, o := range options {
		if o.Name != "caseInsensitive" {
			continue
		}
		p.caseless = o.Value == "true"
		if !p.caseless && o.Value != "false" {
			p.warnf(o.Pos, "caseInsensitive is true or false, found %q", o.Value)
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

// openBlock reads a word such as "options" and its brace.
func (p *parser) openBlock() {
	p.next()
	p.next()
	p.inBlock = true
}

// closeBlock reads the brace at the end of a block.
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

// qualifiedName reads names with dots between them.
func (p *parser) qualifiedName() string {
	names := []string{p.name("a name").Text}
	for p.accept(".") {
		names = append(names, p.name("a name after the dot").Text)
	}
	return strings.Join(names, ".")
}

// code reads target-language code with a method of the scanner, which goes on
// behind the bracket or brace that is the current token.
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
			p.errorf(n.Pos, "a token's name must begin with a capital letter, found %q", n.Text)
		}
	}
	p.file.Tokens = append(p.file.Tokens, names...)
}

// channels reads "channels {A, B}".
func (p *parser) channels() {
	if p.file.Kind != Lexer {
		p.errorf(p.tok.Pos, "channels can be declared only in a lexer grammar")
	}
	p.openBlock()
	p.file.Channels = append(p.file.Channels, p.names("the name of a channel")...)
}

// names reads the names of a block, with commas between them. The semicolons of
// ANTLR 3 are reported once and read the same.
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
			p.errorf(p.tok.Pos, "names are separated by commas, found %s", p.tok)
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

// modeSection reads "mode X;", which the rules up to the next one belong to.
func (p *parser) modeSection() {
	p.refuseNotes()
	p.endMode()
	p.next()
	p.mode, p.modeRules = p.name("the name of a mode"), 0
	if p.file.Kind != Lexer {
		p.errorf(p.mode.Pos, "modes are possible only in a lexer grammar")
	}
	if !p.modes[p.mode.Text] {
		p.modes[p.mode.Text] = true
		p.file.Modes = append(p.file.Modes, p.mode)
	}
	p.expect(";", "after the name of the mode")
}

// endMode reports a mode that can match nothing.
func (p *parser) endMode() {
	if p.mode.Line > 0 && p.modeRules == 0 {
		p.errorf(p.mode.Pos, "mode %s needs at least one rule that is not a fragment", p.mode.Text)
	}
}
