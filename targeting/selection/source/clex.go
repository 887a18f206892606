package source

import (
	"strconv"
	"strings"
)

// lexC splits a C or C++ file into tokens. A preprocessor directive begins with
// '#' and ends with a terminator. Code between #if 0 and its end is a comment.
func lexC(o *outline) {
	l := newLexer(o.file.text)
	inDirective := false
	for l.more() {
		c, d := l.text[l.pos], l.peek(1)
		switch {
		case c == '\n':
			if inDirective {
				l.emit(terminator, l.pos)
				inDirective = false
				endDirective(o, l)
			}
			l.rest()
		case c == '\\' && (d == '\n' || d == '\r'):
			l.skip(l.lineEnd() + 1)
		case c == '/' && d == '/':
			l.skip(l.splicedLineEnd())
		case c == '/' && d == '*':
			l.skip(l.behind(2, "*/"))
		case c == '#' && !inDirective && l.atLineStart():
			inDirective = true
			l.directive = len(l.tokens)
			l.emit(operator, l.pos+1)
		case c == '#' && !inDirective: // a stray one
			l.emit(number, l.pos+1)
		case c == '"':
			l.emit(stringLiteral, l.stringC())
		case c == '\'':
			l.emit(number, l.quoted(1, false))
		case c == '<' && inDirective && l.lastText() == "include":
			l.emit(stringLiteral, min(l.behind(0, ">"), l.lineEnd()))
		case c == '}' && !inDirective:
			l.dropComma()
			l.emit(operator, l.pos+1)
		default:
			l.rest("##")
		}
	}
	if inDirective {
		l.emit(terminator, l.pos)
	}
	o.tokens = l.tokens
	o.endOrigin(int(l.line) + 1)
}

// atLineStart reports whether only white space precedes the current position on its line.
func (l *lexer) atLineStart() bool {
	n := len(l.tokens)
	if n == 0 || l.tokens[n-1].last < l.line {
		return true
	}
	return l.tokens[n-1].kind == terminator
}

// splicedLineEnd returns the offset of the end of a line that backslashes may
// continue.
func (l *lexer) splicedLineEnd() int {
	end := l.lineEnd()
	for end < len(l.text) && strings.HasSuffix(strings.TrimRight(l.text[l.pos:end], "\r"), "\\") {
		next := strings.IndexByte(l.text[end+1:], '\n')
		if next < 0 {
			return len(l.text)
		}
		end += 1 + next
	}
	return end
}

// stringC returns the offset behind a string literal, which may be a raw one.
func (l *lexer) stringC() int {
	n := len(l.tokens)
	if n == 0 || int(l.tokens[n-1].end) != l.pos {
		return l.quoted(1, false)
	}
	switch l.lastText() {
	case "R", "LR", "uR", "UR", "u8R":
		open := strings.IndexByte(l.text[l.pos:], '(')
		if open > 0 && open <= 17 {
			return l.behind(open, ")"+l.text[l.pos+1:l.pos+open]+`"`)
		}
	}
	return l.quoted(1, false)
}

// endDirective applies the directive that ends at the current position: it skips code
// after #if 0, and records the origin in a line directive.
func endDirective(o *outline, l *lexer) {
	tokens := l.tokens[l.directive:]
	text := func(i int) string {
		if i >= len(tokens) {
			return ""
		}
		return tokens[i].text(l.text)
	}
	first, second := text(1), text(2)
	switch {
	case first == "if" && (second == "0" || second == "false") && len(tokens) == 4:
		l.skip(l.inactiveEnd())
	case first == "line" || first != "" && isDigit(first[0]): // #line 10 "file", or # 10 "file"
		if first == "line" {
			first, second = second, text(3)
		}
		line, err := strconv.Atoi(first)
		if err != nil || line < 1 {
			return
		}
		file := o.file.Name
		if name, err := strconv.Unquote(second); err == nil {
			file = relative(file, name)
		}
		o.originates(int(tokens[0].line), file, line)
		l.tokens = l.tokens[:l.directive] // it says nothing else
	}
}

// inactiveEnd returns the offset of the end of the line before the directive that
// ends the inactive code at the current position.
func (l *lexer) inactiveEnd() int {
	depth := 0
	for pos := l.pos; pos < len(l.text); {
		line := l.text[pos+1:]
		if end := strings.IndexByte(line, '\n'); end >= 0 {
			line = line[:end]
		}
		if rest, ok := strings.CutPrefix(strings.TrimLeft(line, " \t"), "#"); ok {
			switch word := strings.TrimLeft(rest, " \t"); {
			case strings.HasPrefix(word, "if"):
				depth++
			case strings.HasPrefix(word, "endif"):
				if depth--; depth < 0 {
					return pos
				}
			case strings.HasPrefix(word, "el") && depth == 0:
				return pos
			}
		}
		pos += 1 + len(line)
	}
	return len(l.text)
}
