package g4

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// ruleSection reads a rule.
func (p *parser) ruleSection() {
	notes := p.notes()
	p.modifiers()
	fragment := p.tok
	isFragment := p.accept("fragment")
	if p.tok.kind == keyword {
		p.fail(p.tok.Pos, "%s cannot be used as a rule name", p.tok)
	}
	name := p.name("a rule")
	rule := &Rule{Pos: name.Pos, Name: name.Text, Fragment: isFragment && !p.scannerless, Scannerless: p.scannerless, Notes: notes, Body: &Block{Pos: name.Pos}}
	if rule.IsLexer() {
		rule.Mode = p.mode.Text
	}
	if isFragment && !rule.IsLexer() && !p.scannerless {
		p.errorf(fragment.Pos, "parser rule %s cannot be a fragment", rule.Name)
		rule.Fragment = false
	}
	// Add the rule even if the rest cannot be read, so that references to it are
	// not reported as well.
	p.rule = rule
	p.file.Rules = append(p.file.Rules, rule)
	p.checkKind()

	caseless := p.caseless
	defer func() { p.caseless = caseless }()
	p.ruleHeader()
	p.ruleBody()
}

// modifiers skips access modifiers, which ANTLR 4 accepts before rules and
// ignores.
func (p *parser) modifiers() {
	for p.at("public") || p.at("private") || p.at("protected") {
		if t := p.after(); t.kind != identifier && t.text != "fragment" {
			return
		}
		p.next()
	}
}

// checkKind reports a rule that this kind of grammar does not allow.
func (p *parser) checkKind() {
	r := p.rule
	switch {
	case r.IsLexer() && !r.Fragment:
		p.modeRules++
	case r.IsLexer():
	case p.file.Kind == Lexer:
		p.errorf(r.Pos, "parser rule %s in a lexer grammar", r.Name)
	}
	if r.IsLexer() && p.file.Kind == Parser {
		p.errorf(r.Pos, "lexer rule %s in a parser grammar", r.Name)
	}
}

// ruleHeader reads everything between a rule's name and its colon.
func (p *parser) ruleHeader() {
	for !p.at(":") {
		if p.scannerless && p.at("[") {
			p.unexpected(`":" after the rule's name`)
		}
		if p.rule.IsLexer() && (p.tok.kind == keyword || p.at("[") || p.at("@")) {
			p.errorf(p.tok.Pos, "%s is allowed only in parser rules", p.tok)
		}
		switch {
		case p.atBlock("options"):
			options := p.options()
			p.rule.Options = append(p.rule.Options, options...)
			p.setCase(options)
		case p.at("["):
			p.header(p.scan.arguments)
		case p.at("returns") || p.at("locals"):
			what := p.tok.text
			p.next()
			if !p.at("[") {
				p.unexpected(`"[" after ` + what)
			}
			p.header(p.scan.arguments)
		case p.at("throws"):
			p.throws()
		case p.at("@"):
			p.next()
			p.name("the name of an action")
			p.headerAction()
		default:
			p.unexpected(`":" after the rule's name`)
		}
	}
}

// header reads code that applies to the whole rule.
func (p *parser) header(read func() (string, bool)) {
	pos := p.tok.Pos
	p.addCode(RuleHeader, pos, p.code(read))
}

func (p *parser) headerAction() {
	if !p.at("{") {
		p.unexpected(`"{"`)
	}
	p.header(p.scan.action)
}

func (p *parser) addCode(kind CodeKind, pos Pos, text string) {
	p.file.Code = append(p.file.Code, Code{Pos: pos, Kind: kind, Rule: p.rule.Name, Text: text})
}

// throws reads "throws X, Y.Z".
func (p *parser) throws() {
	p.next()
	pos := p.tok.Pos
	names := []string{p.qualifiedName()}
	for p.accept(",") {
		names = append(names, p.qualifiedName())
	}
	p.addCode(RuleHeader, pos, strings.Join(names, ", "))
}

// ruleBody reads a rule from its colon to its semicolon.
func (p *parser) ruleBody() {
	body := p.rule.Body
	body.Pos = p.tok.Pos
	p.next()
	p.alternatives(body)
	switch {
	case p.at(";"):
		p.refuseNotes()
		p.next()
	case p.tok.kind == endOfFile || p.atRule():
		p.errorf(p.tok.Pos, "missing \";\" after rule %s, before %s", p.rule.Name, p.tok)
	default:
		p.unexpected(`";" or another element of rule ` + p.rule.Name)
	}
	p.checkLabels()
	p.checkCommands()
}

// checkLabels reports a rule that labels only some of its alternatives.
func (p *parser) checkLabels() {
	labeled := 0
	for _, alt := range p.rule.Body.Alts {
		if alt.Label != "" {
			labeled++
		}
	}
	if labeled > 0 && labeled < len(p.rule.Body.Alts) {
		p.errorf(p.rule.Pos, "rule %s must label all of its alternatives or none", p.rule.Name)
	}
}

// handler reads "catch [...] {...}" or "finally {...}" after a rule.
func (p *parser) handler() {
	if len(p.file.Rules) == 0 {
		p.fail(p.tok.Pos, "%s must follow a rule", p.tok)
	}
	p.rule = p.file.Rules[len(p.file.Rules)-1]
	if p.rule.IsLexer() {
		p.errorf(p.tok.Pos, "%s must follow a parser rule", p.tok)
	}
	if p.accept("finally") {
		p.headerAction()
		return
	}
	p.next()
	if !p.at("[") {
		p.unexpected(`"[" after catch`)
	}
	p.header(p.scan.arguments)
	p.headerAction()
}

// alternatives reads the alternatives of a block.
func (p *parser) alternatives(b *Block) {
	for {
		p.keep()
		alt := &Alt{Pos: p.tok.Pos}
		b.Alts = append(b.Alts, alt)
		p.alternative(alt)
		if !p.accept("|") {
			break
		}
	}
	if p.hasCharacters() {
		p.checkChoice(b)
	}
}

func (p *parser) alternative(alt *Alt) {
	if p.at("<") {
		alt.RightAssoc = p.alternativeOptions()
	}
	for p.atElement() {
		e := p.element()
		if code, ok := e.(*Embedded); ok && len(alt.Elements) > 0 {
			p.checkBraces(code)
		}
		alt.Elements = append(alt.Elements, e)
	}
	if p.at("->") {
		p.commands(alt)
	}
	if p.at("#") {
		p.label(alt)
	}
}

// atElement reports whether an element begins here. The unmistakable start of
// the next rule is not an element: a semicolon is missing before it.
func (p *parser) atElement() bool {
	switch p.tok.kind {
	case identifier:
		return !p.atRule()
	case quoted:
		return true
	}
	return slices.Contains([]string{"(", "[", "{", "~", "."}, p.tok.text)
}

// label reads "# name".
func (p *parser) label(alt *Alt) {
	pos := p.tok.Pos
	p.next()
	name := p.name("the label of the alternative")
	switch {
	case p.rule.IsLexer():
		p.errorf(pos, "alternatives of lexer rules cannot have labels")
	case p.nesting > 0:
		p.errorf(pos, "alternatives inside parentheses cannot have labels")
	default:
		alt.Label = name.Text
	}
}

// element reads an element with its label and suffix.
func (p *parser) element() Element {
	p.keep()
	if p.at("{") {
		return p.embedded()
	}
	pos := p.tok.Pos
	var body Element
	if p.tok.kind == identifier && (p.after().text == "=" || p.after().text == "+=") {
		body = p.labeled()
	} else {
		body = p.atom()
	}
	return p.suffix(pos, body)
}

// embedded reads an action or, if a question mark follows immediately, a
// predicate.
func (p *parser) embedded() *Embedded {
	e := &Embedded{Pos: p.tok.Pos, Kind: Action}
	e.Text = p.code(func() (string, bool) {
		text, closed := p.scan.action()
		if p.scan.peek(0) == '?' {
			e.Kind = Predicate
			p.scan.advance(1)
		}
		return text, closed
	})
	p.elementOptions()
	p.addCode(e.Kind, e.Pos, e.Text)
	if p.rule.Fragment && e.Kind == Action {
		p.warnf(e.Pos, "an action in a fragment is never executed")
	}
	if p.atSuffix() {
		p.errorf(p.tok.Pos, "%s cannot follow an action", p.tok)
		p.next()
	}
	return e
}

// labeled reads "x=atom" or "x+=atom".
func (p *parser) labeled() Element {
	label := p.tok
	if p.rule.IsLexer() {
		p.errorf(label.Pos, "elements of lexer rules cannot have labels")
	}
	p.next()
	p.next()
	body := p.atom()
	if b, ok := body.(*Block); ok && !isTokenSet(b) {
		p.errorf(label.Pos, "label %s: a labeled group must be a choice of single tokens", label.text)
	}
	return &Labeled{Pos: label.Pos, Label: label.text, Body: body}
}

// isTokenSet reports whether b is a choice between single tokens, the only
// blocks on which ANTLR allows labels.
func isTokenSet(b *Block) bool {
	for _, alt := range b.Alts {
		if len(alt.Elements) != 1 {
			return false
		}
		switch e := alt.Elements[0].(type) {
		case *Literal:
		case *Ref:
			if !IsTokenName(e.Name) {
				return false
			}
		default:
			return false
		}
	}
	return len(b.Alts) > 1
}

func (p *parser) atSuffix() bool { return p.at("?") || p.at("*") || p.at("+") }

// suffix reads an optional ?, * or + after an element; in a scannerless grammar, also
// {m,n}.
func (p *parser) suffix(pos Pos, body Element) Element {
	if p.scannerless && p.at("{") {
		return p.quantifier(pos, body)
	}
	if !p.atSuffix() {
		return body
	}
	r := &Repeat{Pos: pos, Op: p.tok.text[0], Body: body}
	p.next()
	r.NonGreedy = p.accept("?")
	p.refuseSuffixes()
	return r
}

// refuseSuffixes reports suffixes after a suffix.
func (p *parser) refuseSuffixes() {
	isSuffix := func() bool { return p.atSuffix() || p.atQuantifier() }
	if !isSuffix() {
		return
	}
	p.errorf(p.tok.Pos, "%s cannot follow another suffix without parentheses", p.tok)
	for isSuffix() {
		p.skip()
	}
}

// atom reads an element without its label and suffix.
func (p *parser) atom() Element {
	t := p.tok
	var e Element
	switch {
	case t.kind == identifier:
		e = p.reference()
	case t.kind == quoted:
		e = p.literalOrRange()
	case p.at("["):
		if !p.hasCharacters() {
			p.errorf(t.Pos, "sets are allowed only in lexer rules and in scannerless grammars")
		}
		e = p.charSet()
	case p.accept("."):
		e = &Dot{t.Pos}
	case p.at("~"):
		e = p.not()
	case p.at("("):
		e = p.group()
	default:
		p.unexpected("an element")
	}
	p.elementOptions()
	return e
}

// reference reads the name of a rule or a token, and its arguments.
func (p *parser) reference() *Ref {
	t := p.tok
	if p.atBlock(t.text) && slices.Contains([]string{"options", "tokens", "channels"}, t.text) {
		p.fail(t.Pos, "unexpected %s block in rule %s", t.text, p.rule.Name)
	}
	p.next()
	if p.rule.IsLexer() {
		if !IsTokenName(t.text) {
			p.errorf(t.Pos, "reference to parser rule %s in lexer rule %s", t.text, p.rule.Name)
		}
	} else if p.at("[") && !p.scannerless {
		p.header(p.scan.arguments)
	}
	if p.at("..") {
		p.fail(p.tok.Pos, "range bounds must be single characters, found %s", t)
	}
	return &Ref{t.Pos, t.text}
}

// literalOrRange reads 'x' or 'x'..'y'.
func (p *parser) literalOrRange() Element {
	t := p.tok
	p.next()
	if !p.at("..") {
		return p.literal(t)
	}
	if !p.hasCharacters() {
		p.errorf(t.Pos, "ranges are allowed only in lexer rules and in scannerless grammars")
	}
	p.next()
	if p.tok.kind != quoted {
		p.unexpected("the last character of the range")
	}
	r := p.characterRange(t, p.tok)
	p.next()
	return r
}

// not reads ~x or ~(x | y).
func (p *parser) not() *Not {
	n := &Not{Pos: p.tok.Pos}
	p.next()
	if !p.accept("(") {
		n.Items = []Element{p.notItem()}
		return n
	}
	n.Items = append(n.Items, p.notItem())
	for !p.accept(")") {
		p.expect("|", `or ")" after an item of the negated set`)
		n.Items = append(n.Items, p.notItem())
	}
	if p.hasCharacters() {
		p.checkRepeats(characters(n.Items))
	}
	return n
}

// notItem reads an item of a negated set. In a lexer rule, only characters are
// allowed.
func (p *parser) notItem() Element {
	p.keep()
	t := p.tok
	var item Element
	switch {
	case t.kind == quoted:
		item = p.literalOrRange()
		if lit, ok := item.(*Literal); ok && p.hasCharacters() && utf8.RuneCountInString(lit.Value) > 1 {
			p.errorf(t.Pos, "~ applies only to single characters, found %s", t)
		}
	case t.kind == identifier && IsTokenName(t.text):
		p.next()
		if p.hasCharacters() {
			p.errorf(t.Pos, "~ applies only to single characters, found %s", t)
		}
		item = &Ref{t.Pos, t.text}
	case p.at("[") && p.hasCharacters():
		item = p.charSet()
	default:
		p.unexpected("a token or a set after ~")
	}
	p.elementOptions()
	return item
}

// group reads a parenthesized block.
func (p *parser) group() *Block {
	b := &Block{Pos: p.tok.Pos}
	if p.nesting == maxNesting {
		p.fail(p.tok.Pos, "parentheses are nested more than %d deep", maxNesting)
	}
	p.nesting++
	p.next()
	p.groupHeader(b)
	p.alternatives(b)
	p.expect(")", "or another element of rule "+p.rule.Name)
	p.nesting--
	return b
}

// groupHeader reads the options and actions of a group, up to the colon.
func (p *parser) groupHeader(b *Block) {
	if p.atBlock("options") {
		b.Options = p.options()
	} else if !p.at("@") && !p.at(":") {
		return
	}
	for p.accept("@") {
		p.name("the name of an action")
		p.headerAction()
	}
	p.expect(":", "after the options of the group")
}

// alternativeOptions reads the <...> before an alternative and reports whether
// it makes an operator right-associative.
func (p *parser) alternativeOptions() (right bool) {
	for _, o := range p.angleOptions() {
		if o.Name != "assoc" {
			continue
		}
		right = o.Value == "right"
		if !right && o.Value != "left" {
			p.warnf(o.Pos, "assoc must be left or right, found %q", o.Value)
		}
	}
	return right
}

// elementOptions reads and ignores the <...> after an element.
func (p *parser) elementOptions() {
	if !p.at("<") {
		return
	}
	for _, o := range p.angleOptions() {
		if o.Name == "assoc" {
			p.warnf(o.Pos, "assoc is ignored here; it belongs before the first element of an alternative")
		}
	}
}

// angleOptions reads "<a, b=c>".
func (p *parser) angleOptions() []Option {
	var options []Option
	p.next()
	if p.accept(">") {
		return nil
	}
	for {
		o := Option{Pos: p.tok.Pos, Name: p.qualifiedName()}
		if p.accept("=") {
			o.Value = p.optionValue()
		}
		options = append(options, o)
		if p.accept(">") {
			return options
		}
		p.expect(",", `or ">" after the option`)
	}
}
