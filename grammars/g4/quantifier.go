package g4

import (
	"regexp"
	"strconv"
)

// MaxRepeat limits the bounds of a quantifier such as {2,5}.
const MaxRepeat = 1000

// quantifierBody matches the text between the braces of a quantifier.
var quantifierBody = regexp.MustCompile(`^[ \t]*([0-9]*)[ \t]*(,?)[ \t]*([0-9]*)[ \t]*$`)

// parseQuantifier returns the bounds of a quantifier, given the text between its
// braces: m,n or m, or ,n or m. The upper bound is -1 if there is none. ok reports
// whether the text is a quantifier.
func parseQuantifier(text string) (least, most string, ok bool) {
	m := quantifierBody.FindStringSubmatch(text)
	if m == nil || m[1] == "" && m[3] == "" {
		return "", "", false
	}
	least, most = m[1], m[3]
	switch {
	case m[2] == "" && m[1] != "" && m[3] != "": // two numbers without a comma
		return "", "", false
	case m[2] == "":
		most = least
	case most == "":
		most = "-1"
	case least == "":
		least = "0"
	}
	return least, most, true
}

// quantifier reads {m,n}, {m,}, {,n} or {m} after an element of a scannerless grammar.
// Braces with any other text are an action: the element is then returned alone.
func (p *parser) quantifier(pos Pos, body Element) Element {
	at := p.tok.Pos
	text, closed := p.peekAction()
	least, most, ok := parseQuantifier(text)
	if !closed || !ok {
		return body
	}
	p.scan.advance(len(text) + 1)
	p.next()
	nonGreedy := p.accept("?")
	p.refuseSuffixes()
	low, err := strconv.Atoi(least)
	high, errMost := strconv.Atoi(most)
	switch {
	case err != nil || errMost != nil || low > MaxRepeat || high > MaxRepeat:
		p.errorf(at, "quantifier {%s}: bounds must be at most %d", text, MaxRepeat)
		return body
	case high == 0:
		p.errorf(at, "quantifier {%s}: the upper bound must be at least 1", text)
		return body
	case high > 0 && low > high:
		p.errorf(at, "quantifier {%s}: the lower bound must not exceed the upper bound", text)
		return body
	}
	return Quantified(pos, body, low, high, nonGreedy)
}

// atQuantifier reports whether a quantifier of a scannerless grammar begins here.
func (p *parser) atQuantifier() bool {
	if !p.scannerless || !p.at("{") {
		return false
	}
	text, closed := p.peekAction()
	_, _, ok := parseQuantifier(text)
	return closed && ok
}

// Quantified returns an element that is repeated between low and high times; high is -1
// for no upper bound. The result uses ?, * or + where possible, and is body itself for
// exactly one time.
func Quantified(pos Pos, body Element, low, high int, nonGreedy bool) Element {
	r := &Repeat{Pos: pos, Op: '{', Min: low, Max: high, NonGreedy: nonGreedy, Body: body}
	if inner, ok := body.(*Repeat); ok { // a Repeat holds no Repeat
		r.Body = &Block{Pos: inner.Pos, Alts: []*Alt{{Pos: inner.Pos, Elements: []Element{inner}}}}
	}
	switch [2]int{low, high} {
	case [2]int{1, 1}:
		return body
	case [2]int{0, 1}:
		r.Op = '?'
	case [2]int{0, -1}:
		r.Op = '*'
	case [2]int{1, -1}:
		r.Op = '+'
	default:
		return r
	}
	r.Min, r.Max = 0, 0
	return r
}

// peekAction returns the text between the current brace and its closing brace, without
// advancing.
func (p *parser) peekAction() (body string, closed bool) {
	rest := p.scan.text[p.scan.off:]
	if n := codeLength(rest, '{', '}', true); n >= 0 {
		return rest[:n], true
	}
	return "", false
}

// checkBraces warns about an action behind an element that was probably meant as a
// quantifier.
func (p *parser) checkBraces(e *Embedded) {
	if _, _, ok := parseQuantifier(e.Text); ok && e.Kind == Action && !p.scannerless {
		p.warnf(e.Pos, "{%s} is an action to ANTLR and repeats nothing; quantifiers are allowed only in scannerless grammars", e.Text)
	}
}
