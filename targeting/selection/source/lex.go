package source

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A lexer splits a text into tokens. The lexers of all languages share its methods.
type lexer struct {
	text   string
	pos    int
	line   int32
	tokens []token
	// directive is the index of the first token of the last preprocessor directive.
	directive int
}

func newLexer(text string) *lexer {
	l := &lexer{text: text, line: 1, tokens: make([]token, 0, len(text)/5+8)}
	l.pos = len(text) - len(strings.TrimPrefix(text, "\uFEFF"))
	if l.has("#!") && !l.has("#![") {
		l.skip(l.lineEnd())
	}
	return l
}

// more reports whether there is text left.
func (l *lexer) more() bool { return l.pos < len(l.text) }

// peek returns a byte behind the current position, or 0 behind the text.
func (l *lexer) peek(offset int) byte {
	if i := l.pos + offset; i < len(l.text) {
		return l.text[i]
	}
	return 0
}

// has reports whether the text continues with a prefix.
func (l *lexer) has(prefix string) bool { return strings.HasPrefix(l.text[l.pos:], prefix) }

// skip moves to an offset and counts lines.
func (l *lexer) skip(to int) {
	to = min(to, len(l.text))
	l.line += int32(strings.Count(l.text[l.pos:to], "\n"))
	l.pos = to
}

// emit adds a token that ends before an offset, and moves there.
func (l *lexer) emit(kind tokenKind, to int) {
	t := token{kind: kind, start: int32(l.pos), end: int32(min(to, len(l.text))), line: l.line}
	if kind == identifier || kind == operator || kind == number {
		l.pos = int(t.end) // no line ends inside
	} else {
		l.skip(int(t.end))
	}
	t.last = l.line
	l.tokens = append(l.tokens, t)
}

// lastText returns the text of the last token.
func (l *lexer) lastText() string {
	if len(l.tokens) == 0 {
		return ""
	}
	return l.tokens[len(l.tokens)-1].text(l.text)
}

// lineEnd returns the offset of the end of the line.
func (l *lexer) lineEnd() int {
	if i := strings.IndexByte(l.text[l.pos:], '\n'); i >= 0 {
		return l.pos + i
	}
	return len(l.text)
}

// behind returns the offset behind the next occurrence of a mark; the end of the text if
// there is none. The search begins from bytes behind the current position.
func (l *lexer) behind(from int, mark string) int {
	start := min(l.pos+from, len(l.text))
	if i := strings.Index(l.text[start:], mark); i >= 0 {
		return start + i + len(mark)
	}
	return len(l.text)
}

// quoted returns the offset behind a literal in quotes with backslash escapes. length is
// the length of its prefix and opening quote. Without multiline, the literal ends with
// its line at the latest.
func (l *lexer) quoted(length int, multiline bool) int {
	quote := l.text[l.pos+length-1]
	for i := l.pos + length; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case c == quote:
			return i + 1
		case c == '\\':
			i++
			if i < len(l.text)-1 && l.text[i] == '\r' && l.text[i+1] == '\n' {
				i++
			}
		case c == '\n' && !multiline:
			return i
		}
	}
	return len(l.text)
}

// tripleQuoted returns the offset behind a literal in triple quotes with backslash
// escapes. length is the length of its prefix and opening quotes.
func (l *lexer) tripleQuoted(length int) int {
	mark := l.text[l.pos+length-3 : l.pos+length]
	for i := l.pos + length; i < len(l.text); i++ {
		if l.text[i] == '\\' {
			i++
		} else if strings.HasPrefix(l.text[i:], mark) {
			return i + len(mark)
		}
	}
	return len(l.text)
}

// word returns the offset behind an identifier at the current position: the
// position itself if there is none.
func (l *lexer) word() int {
	i := l.pos
	for i < len(l.text) {
		c := l.text[i]
		if c < utf8.RuneSelf {
			if !isWordByte(c) {
				break
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(l.text[i:])
		if !isLetter(r) {
			break
		}
		i += size
	}
	return i
}

func isLetter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.Pc, r) || unicode.Is(unicode.Nl, r)
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || '0' <= c && c <= '9' || c == '$'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// numeral returns the offset behind a numeric literal at the current position.
// A quote or an underscore may separate digits.
func (l *lexer) numeral() int {
	i := l.pos
	hex := l.has("0x") || l.has("0X")
	for ; i < len(l.text); i++ {
		switch c := l.text[i]; {
		case isWordByte(c):
		case c == '.':
			if i+1 < len(l.text) && (l.text[i+1] == '.' || isWordByte(l.text[i+1]) && !isDigit(l.text[i+1]) && !isExponent(l.text[i+1:])) {
				return i // a range, or a method of a number
			}
		case c == '+' || c == '-':
			if before := l.text[i-1] | 0x20; i == l.pos || before != 'p' && (before != 'e' || hex) {
				return i
			}
		case c == '\'':
			if i+1 >= len(l.text) || !isWordByte(l.text[i+1]) || i == l.pos {
				return i
			}
		default:
			return i
		}
	}
	return i
}

// isExponent reports whether a text behind a period begins with the exponent or
// the type of a number.
func isExponent(text string) bool {
	c := text[0] | 0x20
	if c == 'f' || c == 'd' || c == 'l' || c == 'j' || c == 'm' || c == 'p' {
		return len(text) == 1 || !isWordByte(text[1]) || c == 'p'
	}
	return c == 'e' && len(text) > 1 && (isDigit(text[1]) || text[1] == '-' || text[1] == '+')
}

// rest adds a token that all languages share: an identifier, a number, or an operator.
// extra lists further operators of the language; the first that matches is taken. White
// space is skipped.
func (l *lexer) rest(extra ...string) {
	if !l.more() {
		return
	}
	c := l.text[l.pos]
	switch {
	case c == '\n':
		l.line++
		l.pos++
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
		l.pos++
	case isDigit(c) || c == '.' && isDigit(l.peek(1)):
		l.emit(number, l.numeral())
	case c >= utf8.RuneSelf || isWordByte(c):
		l.wordOrRune()
	default:
		l.emit(operator, l.pos+l.operatorLength(extra))
	}
}

// wordOrRune adds an identifier, or the rune at the current position.
func (l *lexer) wordOrRune() {
	if to := l.word(); to > l.pos {
		l.emit(identifier, to)
		return
	}
	r, size := utf8.DecodeRuneInString(l.text[l.pos:])
	if unicode.IsSpace(r) {
		l.pos += size
		return
	}
	l.emit(operator, l.pos+size)
}

// operatorLength returns the length of the operator at the current position.
// Closing angle brackets are single, because they may close type parameters.
func (l *lexer) operatorLength(extra []string) int {
	for _, op := range extra {
		if l.has(op) {
			return len(op)
		}
	}
	c, d := l.text[l.pos], l.peek(1)
	if d == '=' && strings.IndexByte("+-*/%&|^=!<:", c) >= 0 {
		return 2
	}
	switch c {
	case '+', '&', '|', ':', '<':
		if d == c {
			return 2
		}
	case '-':
		if d == '-' || d == '>' {
			return 2
		}
	case '.':
		if d == '.' && l.peek(2) == '.' {
			return 3
		}
	}
	return 1
}

// dropComma removes the last token if it is a comma.
func (l *lexer) dropComma() {
	if n := len(l.tokens); n > 0 && l.tokens[n-1].kind == operator && l.lastText() == "," {
		l.tokens = l.tokens[:n-1]
	}
}
