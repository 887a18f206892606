package source

import (
	"path"
	"strings"
)

// A jsLexer splits a JavaScript or TypeScript file into tokens. A regular
// expression is a string literal, and so is each part of a template between
// placeholders.
type jsLexer struct {
	*lexer
	jsMarks
	jsx    bool // the file may contain elements of JSX
	closed bool // a value may begin behind the last closing bracket
	open   []jsBracket
}

// jsMarks holds facts that the lexer found about tokens, by index.
type jsMarks struct {
	objects  map[int]bool // opening braces of object literals
	elements map[int]int  // first tokens of elements of JSX, and the indexes behind them
}

// A jsBracket is an open bracket, or another open construct such as a tag.
type jsBracket struct {
	place jsPlace
	// after is true if a regular expression may follow the closing bracket.
	after bool
	start int // index of the first token
}

// A jsPlace is the construct that a lexer is inside of.
type jsPlace uint8

const (
	inBrackets    jsPlace = iota
	inPlaceholder         // of a template
	inTag                 // of JSX
	inClosingTag
	inElement   // between tags of JSX
	inContainer // braces in JSX
)

func lexJavaScript(o *outline) jsMarks {
	l := jsLexer{lexer: newLexer(o.file.text), jsMarks: jsMarks{map[int]bool{}, map[int]int{}}}
	switch strings.ToLower(path.Ext(o.file.Name)) {
	case ".ts", ".mts", ".cts":
	default:
		l.jsx = true
	}
	for l.more() {
		if l.place() == inElement {
			l.element()
		} else {
			l.next()
		}
	}
	o.tokens = l.tokens
	return l.jsMarks
}

func (l *jsLexer) place() jsPlace {
	if len(l.open) == 0 {
		return inBrackets
	}
	return l.open[len(l.open)-1].place
}

func (l *jsLexer) push(place jsPlace, after bool) {
	l.open = append(l.open, jsBracket{place, after, len(l.tokens)})
}

func (l *jsLexer) pop() jsBracket {
	n := len(l.open)
	if n == 0 {
		return jsBracket{after: true}
	}
	top := l.open[n-1]
	l.open = l.open[:n-1]
	return top
}

// next adds the next token of code.
func (l *jsLexer) next() {
	c, d := l.text[l.pos], l.peek(1)
	switch {
	case c == '\n':
		if l.isRestricted() {
			l.emit(terminator, l.pos)
		}
		l.rest()
	case l.place() == inTag || l.place() == inClosingTag:
		l.tag()
	case c == '/' && d == '/':
		l.skip(l.lineEnd())
	case c == '/' && d == '*':
		l.skip(l.behind(2, "*/"))
	case c == '"' || c == '\'':
		l.emit(stringLiteral, l.quoted(1, false))
	case c == '`':
		l.templatePart()
	case c == '/' && l.beginsValue():
		l.regularExpression()
	case c == '<' && l.jsx && l.beginsValue() && (isWordByte(d) && !isDigit(d) || d == '>'):
		l.push(inTag, false)
		l.emit(operator, l.pos+1)
	case c == '(' || c == '[' || c == '{':
		l.openBracket(c)
	case c == ')' || c == ']' || c == '}':
		l.closeBracket(c)
	case (c == '+' || c == '-') && d == c && len(l.tokens) > 0 && l.tokens[len(l.tokens)-1].last < l.line && !l.beginsValue():
		l.emit(terminator, l.pos)
		l.emit(operator, l.pos+2)
	default:
		l.rest("=>", "===", "!==", "**=", "**", "&&=", "||=", "??=", "??", "?.", "<<=")
	}
}

// isRestricted reports whether a line end ends the statement regardless of the next
// token.
func (l *jsLexer) isRestricted() bool {
	n := len(l.tokens)
	if n == 0 || l.tokens[n-1].kind != identifier {
		return false
	}
	switch l.lastText() {
	case "return", "break", "continue", "throw", "yield":
		return n < 2 || l.tokens[n-2].text(l.text) != "."
	}
	return false
}

// beginsValue reports whether a value may begin behind the last token; otherwise an
// operator follows.
func (l *jsLexer) beginsValue() bool {
	n := len(l.tokens)
	if n == 0 {
		return true
	}
	text := l.lastText()
	switch l.tokens[n-1].kind {
	case identifier:
		if n > 1 && isQualifier(l.tokens[n-2].text(l.text)) {
			return false
		}
		switch text {
		case "return", "typeof", "instanceof", "in", "of", "new", "delete", "void", "throw", "case", "do", "else", "yield", "await",
			"extends", "default":
			return true
		}
		return false
	case stringLiteral:
		return strings.HasSuffix(text, "${") && (text[0] == '`' || text[0] == '}')
	case number:
		return false
	case operator:
		switch text {
		case "]", "++", "--":
			return false
		case ")", "}", ">":
			return l.closed
		}
	}
	return true
}

// openBracket adds an opening bracket.
func (l *jsLexer) openBracket(c byte) {
	after := false
	switch c {
	case '(':
		switch l.lastText() {
		case "if", "while", "for", "with":
			after = true // a statement follows the condition
		}
	case '{':
		if l.isObject() {
			l.objects[len(l.tokens)] = true
		} else {
			after = true
		}
	}
	l.push(inBrackets, after)
	l.emit(operator, l.pos+1)
}

// isObject reports whether a brace behind the last token opens an object literal.
func (l *jsLexer) isObject() bool {
	n := len(l.tokens)
	if n == 0 {
		return false
	}
	text := l.lastText()
	switch l.tokens[n-1].kind {
	case identifier:
		switch text {
		case "return", "typeof", "in", "of", "new", "void", "throw", "case", "yield", "await", "default", "delete", "instanceof",
			"const", "let", "var", "import", "export":
			return true
		}
		return false
	case operator:
		switch text {
		case ")", "]", "}", ";", "{", "=>", ">", "++", "--":
			return false
		case ":":
			return n < 2 || !l.isLabel(n-2)
		}
		return true
	case stringLiteral:
		return l.beginsValue()
	}
	return false
}

// isLabel reports whether the colon behind token i ends a label or a case.
func (l *jsLexer) isLabel(i int) bool {
	if l.tokens[i].text(l.text) == "default" && i > 0 {
		before := l.tokens[i-1].text(l.text)
		return before != "," && (before != "{" || !l.objects[i-1])
	}
	for limit := 0; i > 0 && limit < 8; i, limit = i-1, limit+1 {
		switch l.tokens[i-1].text(l.text) {
		case "case":
			return true
		case "{", ",", "?", "(":
			return false
		case ";", "}":
			return true
		}
	}
	return false
}

// closeBracket adds a closing bracket.
func (l *jsLexer) closeBracket(c byte) {
	if n := len(l.tokens); n > 1 && l.lastText() == "," {
		if before := l.tokens[n-2].text(l.text); before != "," && before != "[" {
			l.dropComma()
		}
	}
	if c == '}' && l.place() == inPlaceholder {
		l.pop()
		l.templatePart()
		return
	}
	if c == '}' && l.place() == inContainer {
		l.pop()
		l.closed = false
		l.emit(operator, l.pos+1)
		return
	}
	if p := l.place(); p == inBrackets {
		l.closed = l.pop().after
	}
	l.emit(operator, l.pos+1)
}

// templatePart adds the part of a template that begins with a backquote or a brace
// at the current position.
func (l *jsLexer) templatePart() {
	for i := l.pos + 1; i < len(l.text); i++ {
		switch {
		case l.text[i] == '\\':
			i++
		case l.text[i] == '`':
			l.emit(stringLiteral, i+1)
			return
		case strings.HasPrefix(l.text[i:], "${"):
			l.emit(stringLiteral, i+2)
			l.push(inPlaceholder, false)
			return
		}
	}
	l.emit(stringLiteral, len(l.text))
}

// regularExpression adds a regular expression, or an operator if the line has no end of
// a regular expression.
func (l *jsLexer) regularExpression() {
	class := false
	for i := l.pos + 1; i < len(l.text) && l.text[i] != '\n'; i++ {
		switch c := l.text[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for i++; i < len(l.text) && isWordByte(l.text[i]); i++ {
			}
			l.emit(stringLiteral, i)
			return
		}
	}
	l.rest()
}

// tag adds the next token of a tag.
func (l *jsLexer) tag() {
	c := l.text[l.pos]
	switch c {
	case '"', '\'':
		l.emit(stringLiteral, l.behind(1, string(c)))
	case '{':
		l.push(inContainer, false)
		l.emit(operator, l.pos+1)
	case '>':
		closing := l.place() == inClosingTag
		selfClosing := l.lastText() == "/"
		start := l.pop().start
		l.closed = false
		l.emit(operator, l.pos+1)
		switch {
		case closing:
			if l.place() == inElement {
				start = l.pop().start
			}
			l.elements[start] = len(l.tokens)
		case selfClosing:
			l.elements[start] = len(l.tokens)
		default:
			l.push(inElement, false)
			l.open[len(l.open)-1].start = start
		}
	default:
		l.rest()
	}
}

// element adds the next token between tags.
func (l *jsLexer) element() {
	switch c := l.text[l.pos]; {
	case c == '<' && l.peek(1) == '/':
		l.push(inClosingTag, false)
		l.emit(operator, l.pos+1)
	case c == '<':
		l.push(inTag, false)
		l.emit(operator, l.pos+1)
	case c == '{':
		l.push(inContainer, false)
		l.emit(operator, l.pos+1)
	default:
		end := strings.IndexAny(l.text[l.pos:], "<{")
		if end < 0 {
			end = len(l.text) - l.pos
		}
		text := l.text[l.pos : l.pos+end]
		if trimmed := strings.TrimSpace(text); trimmed != "" {
			start := strings.Index(text, trimmed)
			l.skip(l.pos + start)
			l.emit(stringLiteral, l.pos+len(trimmed))
			end -= start + len(trimmed)
		}
		l.skip(l.pos + end)
	}
}
