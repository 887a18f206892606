package tribble

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/g4"
)

// advance consumes n bytes, which must end at a character boundary.
func (p *parser) advance(n int) {
	read := p.text[p.off : p.off+n]
	p.off += n
	if lines := strings.Count(read, "\n"); lines > 0 {
		p.pos.Line += lines
		p.pos.Column = 1
		read = read[strings.LastIndexByte(read, '\n')+1:]
	}
	p.pos.Column += utf8.RuneCountInString(read)
}

// blanks consumes white space and comments.
func (p *parser) blanks() {
	for {
		rest := p.text[p.off:]
		trimmed := strings.TrimLeft(rest, " \t\r\n\f\uFEFF")
		p.advance(len(rest) - len(trimmed))
		switch {
		case strings.HasPrefix(trimmed, "//"):
			line, _, _ := strings.Cut(trimmed, "\n")
			if strings.TrimSpace(line) == MergeLiterals {
				p.merges = true
			}
			p.advance(len(line))
		case strings.HasPrefix(trimmed, "/*"):
			end := strings.Index(trimmed[2:], "*/")
			if end < 0 {
				p.failf(p.pos, "comment is not closed")
			}
			p.advance(end + 4)
		default:
			return
		}
	}
}

func (p *parser) at(text string) bool { return strings.HasPrefix(p.text[p.off:], text) }

// accept consumes a symbol and the blanks after it, and reports whether it was there.
func (p *parser) accept(text string) bool {
	if !p.at(text) {
		return false
	}
	p.advance(len(text))
	p.blanks()
	return true
}

// word is like accept for a whole word.
func (p *parser) word(text string) bool {
	if c, _ := utf8.DecodeRuneInString(p.text[min(p.off+len(text), len(p.text)):]); continuesName(c) {
		return false
	}
	return p.accept(text)
}

// expect consumes a symbol, and fails if it is not there.
func (p *parser) expect(text, where string) {
	if !p.accept(text) {
		p.expected(fmt.Sprintf("%q %s", text, where))
	}
}

func (p *parser) expected(what string) { p.failf(p.pos, "expected %s, found %s", what, p.next()) }

// next describes the next character for an error.
func (p *parser) next() string {
	if p.off == len(p.text) {
		return "the end of the file"
	}
	c, _ := utf8.DecodeRuneInString(p.text[p.off:])
	return strconv.Quote(string(c))
}

// take consumes the characters that satisfy in, and the blanks after them.
func (p *parser) take(in func(rune) bool) string {
	rest := p.text[p.off:]
	end := strings.IndexFunc(rest, func(c rune) bool { return !in(c) })
	if end < 0 {
		end = len(rest)
	}
	p.advance(end)
	p.blanks()
	return rest[:end]
}

func continuesName(c rune) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '$'
}

// reference reads 'name.
func (p *parser) reference() string {
	at := p.pos
	if !p.at("'") {
		p.expected("the name of a rule, such as 'list")
	}
	p.advance(1)
	name := p.take(continuesName)
	if name == "" {
		p.failf(at, "expected the name of a rule after '")
	}
	return name
}

// str reads a string in quotes, or a raw string in triple quotes.
func (p *parser) str() string {
	at := p.pos
	if p.at(`"""`) {
		p.advance(3)
		end := strings.Index(p.text[p.off:], `"""`)
		if end < 0 {
			p.failf(at, "string is not closed")
		}
		for strings.HasPrefix(p.text[p.off+end+1:], `"""`) { // quotes before the closing ones are part of the string
			end++
		}
		raw := p.text[p.off : p.off+end]
		p.advance(end + 3)
		p.blanks()
		return p.unicodeEscapes(at, raw)
	}
	p.advance(1)
	var b strings.Builder
	for {
		c, width := utf8.DecodeRuneInString(p.text[p.off:])
		switch {
		case width == 0 || c == '\n':
			p.failf(at, "string is not closed")
		case c == '"':
			p.advance(1)
			p.blanks()
			return b.String()
		case c == '\\':
			b.WriteRune(p.escaped())
		default:
			b.WriteRune(c)
			p.advance(width)
		}
	}
}

// escaped reads an escape sequence of a string.
func (p *parser) escaped() rune {
	at := p.pos
	p.advance(1)
	c, width := utf8.DecodeRuneInString(p.text[p.off:])
	if c == 'u' {
		char, n := unicodeEscape(p.text[p.off:])
		if n == 0 {
			p.failf(at, `invalid escape: \u needs four hexadecimal digits`)
		}
		p.advance(n)
		return char
	}
	if value, n := octalEscape(p.text[p.off:]); n > 0 {
		p.advance(n)
		return value
	}
	p.advance(width)
	if i := strings.IndexRune(`nrtbf"'\`, c); width > 0 && i >= 0 {
		return []rune("\n\r\t\b\f\"'\\")[i]
	}
	p.failf(at, `invalid escape \%c`, c)
	return 0
}

// octalEscape reads one to three octal digits, up to 377. It returns 0 bytes if there are
// none.
func octalEscape(text string) (char rune, n int) {
	for n < 3 && n < len(text) && '0' <= text[n] && text[n] <= '7' && char*8 <= 0o377 {
		char = char*8 + rune(text[n]-'0')
		n++
	}
	return char, n
}

// unicodeEscape reads one or more u and four hexadecimal digits. It returns 0 bytes if
// they are not there.
func unicodeEscape(text string) (char rune, n int) {
	digits := strings.TrimLeft(text, "u")
	n = len(text) - len(digits)
	if n == 0 || len(digits) < 4 {
		return 0, 0
	}
	value, err := strconv.ParseUint(digits[:4], 16, 16)
	if err != nil {
		return 0, 0
	}
	return rune(value), n + 4
}

// unicodeEscapes replaces the Unicode escapes of a raw string.
func (p *parser) unicodeEscapes(at g4.Pos, raw string) string {
	var b strings.Builder
	for i := 0; i < len(raw); {
		if raw[i] == '\\' && i+1 < len(raw) && raw[i+1] == 'u' {
			char, n := unicodeEscape(raw[i+1:])
			if n == 0 {
				p.failf(at, `invalid escape: \u needs four hexadecimal digits`)
			}
			b.WriteRune(char)
			i += 1 + n
			continue
		}
		b.WriteByte(raw[i])
		i++
	}
	return b.String()
}
