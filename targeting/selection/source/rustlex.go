package source

import (
	"strings"
	"unicode/utf8"
)

// lexRust splits a Rust file into tokens. Commas that formatting may add before a
// closing bracket are left out.
func lexRust(o *outline) {
	l := newLexer(o.file.text)
	var calls []bool // open brackets: a comma before the closing one has no meaning
	for l.more() {
		c, d := l.text[l.pos], l.peek(1)
		switch {
		case c == '/' && d == '/':
			l.skip(l.lineEnd())
		case c == '/' && d == '*':
			l.skip(l.nestedComment())
		case c == '"':
			l.emit(stringLiteral, l.quoted(1, true))
		case c == '\'':
			l.charOrLifetime()
		case (c == 'r' || c == 'b' || c == 'c') && l.prefixedString():
		case c == '(' || c == '[' || c == '{':
			calls = append(calls, c != '(' || isRustCall(l))
			l.emit(operator, l.pos+1)
		case c == ')' || c == ']' || c == '}':
			if n := len(calls); n > 0 {
				if calls[n-1] {
					l.dropComma()
				}
				calls = calls[:n-1]
			}
			l.emit(operator, l.pos+1)
		default:
			l.rest("=>", "..=", "..", "<<=")
		}
	}
	o.tokens = l.tokens
}

// nestedComment returns the offset behind a comment, which may contain others.
func (l *lexer) nestedComment() int {
	depth := 0
	for i := l.pos; i < len(l.text)-1; i++ {
		switch {
		case l.text[i] == '/' && l.text[i+1] == '*':
			depth++
			i++
		case l.text[i] == '*' && l.text[i+1] == '/':
			if depth--; depth == 0 {
				return i + 2
			}
			i++
		}
	}
	return len(l.text)
}

// charOrLifetime adds a character literal or a lifetime.
func (l *lexer) charOrLifetime() {
	if l.peek(1) == '\\' {
		l.emit(number, l.quoted(1, false))
		return
	}
	_, size := utf8.DecodeRuneInString(l.text[min(l.pos+1, len(l.text)):])
	if l.peek(1+size) == '\'' && size > 0 && l.peek(1) != '\n' {
		l.emit(number, l.pos+size+2)
		return
	}
	l.pos++
	end := l.word()
	l.pos--
	l.emit(number, max(end, l.pos+1))
}

// prefixedString adds a string or character with a prefix, or a raw identifier. It
// returns false for anything else.
func (l *lexer) prefixedString() bool {
	length := 1
	if l.peek(1) == 'r' && l.peek(0) != 'r' {
		length = 2
	}
	raw := l.peek(length-1) == 'r'
	hashes := 0
	for raw && l.peek(length+hashes) == '#' {
		hashes++
	}
	switch next := l.peek(length + hashes); {
	case next == '"' && raw:
		l.emit(stringLiteral, l.behind(length+hashes+1, `"`+strings.Repeat("#", hashes)))
	case next == '"':
		l.emit(stringLiteral, l.quoted(length+1, true))
	case next == '\'' && length == 1 && l.peek(0) == 'b' && (l.peek(2) == '\\' || l.peek(3) == '\''):
		l.emit(number, l.quoted(length+1, false))
	case hashes == 1 && length == 1 && isWordByte(next):
		l.pos += 2
		l.emit(identifier, l.word())
	default:
		return false
	}
	return true
}

// isRustCall reports whether a parenthesis behind the last token is no tuple.
func isRustCall(l *lexer) bool {
	n := len(l.tokens)
	if n == 0 || l.tokens[n-1].kind != identifier {
		return false
	}
	switch l.lastText() {
	case "in", "return", "let", "if", "match", "while", "else", "mut", "move", "ref", "for", "as", "impl", "dyn", "break", "yield":
		return false
	}
	return true
}
