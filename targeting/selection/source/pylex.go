package source

import "strings"

// A pyLexer splits a Python file into tokens. A statement that is nothing but a
// string, such as a docstring, is a comment, unless it may be a rule of a grammar.
type pyLexer struct {
	*lexer
	open      []pyBracket
	indents   []int // widths of the indentations around the current line
	statement int   // index of the first token of the current statement
	fresh     bool  // no token of the current line has been read
	docEnd    int32 // last line of the last docstring
}

// A pyBracket is an open bracket, or a placeholder in a formatted string.
type pyBracket struct {
	comma bool   // formatting may add a comma before the closing bracket
	quote string // of the formatted string around a placeholder; empty for a bracket
}

func lexPython(o *outline) {
	l := pyLexer{lexer: newLexer(o.file.text), fresh: true}
	for l.more() {
		l.next()
	}
	l.endStatement()
	l.dedent(0)
	o.tokens = l.tokens
}

// next adds the next token.
func (l *pyLexer) next() {
	c := l.text[l.pos]
	if l.fresh && len(l.open) == 0 {
		if l.indentation(); l.fresh {
			return
		}
		c = l.text[l.pos]
	}
	switch {
	case c == '\n':
		if len(l.open) == 0 {
			l.endStatement()
			l.fresh = true
		}
		l.rest()
	case c == '#' && !l.inPlaceholder():
		l.skip(l.lineEnd())
	case c == '\\' && (l.peek(1) == '\n' || l.peek(1) == '\r'):
		l.skip(l.lineEnd() + 1)
	case c == ';' && len(l.open) == 0:
		l.endStatement()
		l.pos++
	case c == '(' || c == '[' || c == '{':
		l.open = append(l.open, pyBracket{comma: l.optionalComma(c)})
		l.emit(operator, l.pos+1)
	case c == ')' || c == ']' || c == '}':
		l.closeBracket(c)
	case c == '"' || c == '\'' || isWordByte(c) && !isDigit(c):
		l.wordOrString()
	default:
		l.rest("**=", "//=", "**", "//", "@=", "<<=")
	}
}

// indentation compares the indentation of a line with the lines before it, unless
// the line is empty.
func (l *pyLexer) indentation() {
	width, i := 0, l.pos
	for ; i < len(l.text); i++ {
		switch l.text[i] {
		case ' ':
			width++
		case '\t':
			width += 8 - width%8
		case '\f':
			width = 0
		default:
			l.pos = i
			switch l.text[i] {
			case '\n':
				l.rest()
			case '\r':
				l.pos++
			case '#':
				l.skip(l.lineEnd())
			default:
				l.fresh = false
				l.indent(width)
			}
			return
		}
	}
	l.pos = i
}

// indent adds an indent token, or dedent tokens.
func (l *pyLexer) indent(width int) {
	if n := len(l.indents); width > 0 && (n == 0 || width > l.indents[n-1]) {
		l.indents = append(l.indents, width)
		l.between(indent)
	} else {
		l.dedent(width)
	}
	l.statement = len(l.tokens)
}

// dedent adds the ends of the blocks that are indented more than width.
func (l *pyLexer) dedent(width int) {
	for n := len(l.indents); n > 0 && l.indents[n-1] > width; n-- {
		l.indents = l.indents[:n-1]
		l.between(dedent)
	}
}

// between adds a token without text behind the last one.
func (l *pyLexer) between(kind tokenKind) {
	t := token{kind: kind, line: 1, last: 1}
	if n := len(l.tokens); n > 0 {
		last := l.tokens[n-1]
		t = token{kind, last.end, last.end, last.last, last.last}
	}
	if kind == dedent && t.last < l.docEnd { // the block ends with a docstring
		t.line, t.last = l.docEnd, l.docEnd
	}
	l.tokens = append(l.tokens, t)
}

// endStatement ends the statement before the current position.
func (l *pyLexer) endStatement() {
	if l.statement == len(l.tokens) {
		return
	}
	text := true
	for _, t := range l.tokens[l.statement:] {
		text = text && t.kind == stringLiteral && !isFormatted(t.text(l.text))
	}
	if text && !l.isRule() {
		l.docEnd = l.tokens[len(l.tokens)-1].last
		l.tokens = l.tokens[:l.statement]
		return
	}
	l.between(terminator)
	l.statement = len(l.tokens)
}

// isRule reports whether the current statement is the docstring of a function whose name
// begins with p_ or t_. Parser generators such as PLY read rules from these docstrings.
func (l *pyLexer) isRule() bool {
	i := l.statement - 3 // before the end of the head and the indentation
	if i < 0 || l.tokens[i+2].kind != indent {
		return false
	}
	for i > 0 && l.tokens[i-1].kind != terminator && l.tokens[i-1].kind != indent && l.tokens[i-1].kind != dedent {
		i--
	}
	name := l.tokens[i+1].text(l.text)
	return l.tokens[i].text(l.text) == "def" && (strings.HasPrefix(name, "p_") || strings.HasPrefix(name, "t_"))
}

// isFormatted reports whether a string literal is a formatted string or a part of one.
func isFormatted(text string) bool {
	prefix, _, _ := strings.Cut(text, text[len(text)-1:])
	return strings.ContainsAny(prefix, "fFtT{}")
}

func (l *pyLexer) inPlaceholder() bool {
	return len(l.open) > 0 && l.open[len(l.open)-1].quote != ""
}

// optionalComma reports whether a comma before the closing bracket of opening bracket c
// has no meaning: in a call, a list or a dictionary, but not in a tuple.
func (l *pyLexer) optionalComma(c byte) bool {
	value := false // an operand precedes
	if n := len(l.tokens); n > 0 {
		text := l.lastText()
		switch l.tokens[n-1].kind {
		case identifier:
			switch text {
			case "in", "not", "and", "or", "return", "yield", "is", "if", "else", "elif", "while", "for", "assert", "del", "lambda",
				"await", "from", "with", "except", "raise", "case", "match":
			default:
				value = true
			}
		case operator:
			value = text == ")" || text == "]"
		case stringLiteral:
			value = true
		}
	}
	switch c {
	case '(':
		return value
	case '[':
		return !value
	}
	return true
}

// closeBracket adds a closing bracket, or the part of a formatted string behind a
// placeholder.
func (l *pyLexer) closeBracket(c byte) {
	n := len(l.open)
	if n == 0 {
		l.emit(operator, l.pos+1)
		return
	}
	top := l.open[n-1]
	if top.quote != "" && c != '}' {
		l.emit(operator, l.pos+1)
		return
	}
	l.open = l.open[:n-1]
	if top.quote != "" {
		l.formatted(1, top.quote)
		return
	}
	if top.comma {
		l.dropComma()
	}
	l.emit(operator, l.pos+1)
}

// wordOrString adds an identifier, or a string with its prefix.
func (l *pyLexer) wordOrString() {
	length := 0
	for length < 3 && strings.IndexByte("rRbBuUfFtT", l.peek(length)) >= 0 && l.peek(length) != 0 {
		length++
	}
	quote := l.peek(length)
	if quote != '"' && quote != '\'' {
		l.wordOrRune()
		return
	}
	prefix := l.text[l.pos : l.pos+length]
	triple := strings.Repeat(string(quote), 3)
	isTriple := strings.HasPrefix(l.text[l.pos+length:], triple)
	switch {
	case strings.ContainsAny(prefix, "fFtT") && isTriple:
		l.formatted(length+3, triple)
	case strings.ContainsAny(prefix, "fFtT"):
		l.formatted(length+1, triple[:1])
	case isTriple:
		l.emit(stringLiteral, l.tripleQuoted(length+3))
	default:
		l.emit(stringLiteral, l.quoted(length+1, false))
	}
}

// formatted adds a part of a formatted string, whose text begins at an offset
// behind the current position, up to the next placeholder or the end.
func (l *pyLexer) formatted(offset int, quote string) {
	for i := l.pos + offset; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case strings.HasPrefix(l.text[i:], `\N{`): // a character by name
			i += 2
		case c == '\\' && i+1 < len(l.text) && l.text[i+1] != '{':
			i++
		case strings.HasPrefix(l.text[i:], quote):
			l.emit(stringLiteral, i+len(quote))
			return
		case c == '\n' && len(quote) == 1:
			l.emit(stringLiteral, i)
			return
		case strings.HasPrefix(l.text[i:], "{{"):
			i++
		case c == '{':
			l.emit(stringLiteral, i+1)
			l.open = append(l.open, pyBracket{quote: quote})
			return
		}
	}
	l.emit(stringLiteral, len(l.text))
}
