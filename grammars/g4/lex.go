package g4

import (
	"slices"
	"strings"
	"unicode/utf8"
)

type tokenKind int

const (
	endOfFile  tokenKind = iota
	identifier           // the name of a rule, a token or anything else
	keyword
	integer
	quoted // a literal with its quotes
	symbol // punctuation
)

// A token is a lexical element of the notation. The text alone identifies
// keywords and symbols: no name or literal has the same text.
type token struct {
	Pos
	kind     tokenKind
	text     string
	unclosed bool // a literal without its closing quote
}

var keywords = []string{ //nolint:gochecknoglobals // a table, never changed
	"import", "fragment", "lexer", "parser", "grammar", "returns",
	"locals", "throws", "catch", "finally", "mode",
}

// pairs lists the symbols of two characters.
var pairs = []string{"->", "::", "+=", ".."} //nolint:gochecknoglobals // a table, never changed

const symbols = "{}[]():;,<>=?*+|$.@#~"

// A scanner splits a file into tokens.
//
// How to scan the text after a bracket or a brace depends on the context, which
// only the parser knows. So scan returns the opening bracket alone; the parser
// continues with set, arguments or action, or with scan if the brace opens a
// block of declarations.
type scanner struct {
	text   string
	off    int // offset of the next character
	pos    Pos // of that character
	report func(Pos, Severity, string, ...any)
	notes  []Note // read, but not yet assigned to a rule

	// quotesEndWithLine is set once an unbalanced quote has kept an action from
	// ending. From then on, quotes in actions end with their line. This also
	// prevents repeated scans to the end of the file.
	quotesEndWithLine bool
}

// peek returns the byte n bytes ahead, or 0 at the end.
func (s *scanner) peek(n int) byte {
	if s.off+n < len(s.text) {
		return s.text[s.off+n]
	}
	return 0
}

// advance consumes n bytes, which must end at a character boundary.
func (s *scanner) advance(n int) {
	read := s.text[s.off : s.off+n]
	s.off += n
	if lines := strings.Count(read, "\n"); lines > 0 {
		s.pos.Line += lines
		s.pos.Column = 1
		read = read[strings.LastIndexByte(read, '\n')+1:]
	}
	s.pos.Column += utf8.RuneCountInString(read)
}

// scan returns the next token.
func (s *scanner) scan() token {
	for {
		s.skipBlanks()
		t := token{Pos: s.pos}
		n := s.measure(&t)
		t.text = s.text[s.off : s.off+n]
		s.advance(n)
		if n > 0 || t.kind == endOfFile {
			if t.kind == identifier && slices.Contains(keywords, t.text) {
				t.kind = keyword
			}
			return t
		}
		if quoted := doubleQuoted(s.text[s.off:]); quoted != "" {
			s.report(t.Pos, Error, "%s: a literal must be in single quotes", quoted)
			s.advance(len(quoted))
			continue
		}
		r, size := utf8.DecodeRuneInString(s.text[s.off:])
		s.report(t.Pos, Error, "unexpected character %q", r)
		s.advance(size)
	}
}

// measure sets the kind of the token that begins here and returns its length,
// or 0 if no token begins here.
func (s *scanner) measure(t *token) int {
	rest := s.text[s.off:]
	if rest == "" {
		t.kind = endOfFile
		return 0
	}
	switch c := rest[0]; {
	case c == '\'':
		t.kind = quoted
		n, closed := literalLength(rest)
		if t.unclosed = !closed; t.unclosed {
			s.report(s.pos, Error, "literal is not closed")
		}
		return n
	case '0' <= c && c <= '9':
		t.kind = integer
		return prefix(rest, func(r rune) bool { return '0' <= r && r <= '9' })
	case len(rest) > 1 && slices.Contains(pairs, rest[:2]):
		t.kind = symbol
		return 2
	case strings.IndexByte(symbols, c) >= 0:
		t.kind = symbol
		return 1
	}
	t.kind = identifier
	if r, _ := utf8.DecodeRuneInString(rest); !startsName(r) {
		return 0
	}
	return prefix(rest, continuesName)
}

// literalLength returns the length of the literal at the start of text. A
// literal without its closing quote ends with its line.
func literalLength(text string) (n int, closed bool) {
	n = delimitedLength(text[1:], '\'')
	if closed = 1+n < len(text) && text[1+n] == '\''; closed {
		return 1 + n + 1, true
	}
	return 1 + n, false
}

// delimitedLength returns the index of the first unescaped end in text, or the
// length of its first line.
func delimitedLength(text string, end byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case end, '\r', '\n':
			return i
		case '\\':
			if i+1 < len(text) && text[i+1] != '\r' && text[i+1] != '\n' {
				i++
			}
		}
	}
	return len(text)
}

// prefix returns the length of the longest prefix of text whose characters all
// satisfy in.
func prefix(text string, in func(rune) bool) int {
	if end := strings.IndexFunc(text, func(r rune) bool { return !in(r) }); end >= 0 {
		return end
	}
	return len(text)
}

const byteOrderMark = '\uFEFF'

// skipBlanks consumes white space, comments and byte order marks.
func (s *scanner) skipBlanks() {
	for {
		s.advance(prefix(s.text[s.off:], isBlank))
		if s.peek(0) != '/' {
			return
		}
		n, closed := commentLength(s.text[s.off:])
		switch {
		case n == 1:
			s.report(s.pos, Warning, "stray / is ignored")
		case !closed:
			s.report(s.pos, Warning, "comment is not closed")
		}
		s.takeNote(s.text[s.off : s.off+n])
		s.advance(n)
	}
}

// takeNote records a comment that is a note.
func (s *scanner) takeNote(comment string) {
	line, ok := strings.CutPrefix(comment, "//")
	if !ok {
		return
	}
	if text, ok := strings.CutPrefix(strings.TrimSpace(line), notePrefix); ok {
		text, _, _ = strings.Cut(text, "//")
		s.notes = append(s.notes, Note{s.pos, strings.Join(strings.Fields(text), " ")})
	}
}

// notePrefix begins the comments that are notes.
const notePrefix = "inroad:"

func isBlank(r rune) bool {
	return r == ' ' || r == '\t' || r == '\r' || r == '\n' || r == '\f' || r == byteOrderMark
}

// commentLength returns the length of the comment at the start of text, which
// begins with a slash, and whether it is closed. Like ANTLR, it treats a lone
// slash as a comment.
func commentLength(text string) (n int, closed bool) {
	switch {
	case strings.HasPrefix(text, "//"):
		if end := strings.IndexAny(text, "\r\n"); end >= 0 {
			return end, true
		}
		return len(text), true
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text[2:], "*/"); end >= 0 {
			return 2 + end + 2, true
		}
		return len(text), false
	}
	return 1, true
}

// set reads the body of a [...] set after its opening bracket. A set ends with
// its line.
func (s *scanner) set() (body string, closed bool) {
	body = s.text[s.off:][:delimitedLength(s.text[s.off:], ']')]
	s.advance(len(body))
	if s.peek(0) != ']' {
		return body, false
	}
	s.advance(1)
	return body, true
}

// arguments reads the body of target-language code in [...] after its opening
// bracket.
func (s *scanner) arguments() (body string, closed bool) { return s.code('[', ']') }

// action reads the body of target-language code in {...} after its opening
// brace.
func (s *scanner) action() (body string, closed bool) { return s.code('{', '}') }

func (s *scanner) code(open, end byte) (body string, closed bool) {
	rest := s.text[s.off:]
	n := codeLength(rest, open, end, s.quotesEndWithLine)
	if n < 0 && !s.quotesEndWithLine {
		s.quotesEndWithLine = true
		if n = codeLength(rest, open, end, true); n >= 0 {
			s.report(s.pos, Warning, "unbalanced quotes between %c and %c", open, end)
		}
	}
	if n < 0 {
		s.advance(len(rest))
		return rest, false
	}
	s.advance(n + 1)
	return rest[:n], true
}

// codeLength returns the index of the bracket that closes a piece of
// target-language code, or -1. It ignores brackets in strings and, in actions,
// brackets in comments. Like ANTLR, it assumes Java's syntax for both.
func codeLength(text string, open, end byte, quotesEndWithLine bool) int {
	action := open == '{'
	depth := 1
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == open:
			depth++
		case c == end:
			if depth--; depth == 0 {
				return i
			}
		case c == '\\' && (action || quotesEndWithLine):
			i++
		case c == '/' && action:
			n, _ := commentLength(text[i:])
			i += n
			continue
		case c == '"' || c == '\'':
			i += stringLength(text[i:], quotesEndWithLine)
			continue
		}
		i++
	}
	return -1
}

// stringLength returns the length of the target-language string at the start of
// text. With endWithLine, a quote that is not closed on its line counts as a
// single character.
func stringLength(text string, endWithLine bool) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case text[0]:
			return i + 1
		case '\\':
			i++
		case '\n':
			if endWithLine {
				return 1
			}
		}
	}
	if endWithLine {
		return 1
	}
	return len(text)
}

// startsName reports whether ANTLR allows r at the start of a name. Its set of
// characters is not that of Unicode letters.
func startsName(r rune) bool {
	switch {
	case r < 0x80:
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
	case r == byteOrderMark:
		return false
	}
	_, found := slices.BinarySearchFunc(nameStarts, r, func(in RuneRange, r rune) int {
		if in.Hi < r {
			return -1
		}
		if in.Lo > r {
			return 1
		}
		return 0
	})
	return found
}

func continuesName(r rune) bool {
	return startsName(r) || '0' <= r && r <= '9' || r == '_' || r == 0xB7 ||
		0x300 <= r && r <= 0x36F || 0x203F <= r && r <= 0x2040
}

var nameStarts = []RuneRange{ //nolint:gochecknoglobals // a table, never changed
	{0xC0, 0xD6},
	{0xD8, 0xF6},
	{0xF8, 0x2FF},
	{0x370, 0x37D},
	{0x37F, 0x1FFF},
	{0x200C, 0x200D},
	{0x2070, 0x218F},
	{0x2C00, 0x2FEF},
	{0x3001, 0xD7FF},
	{0xF900, 0xFDCF},
	{0xFDF0, 0xFEFE},
	{0xFF00, 0xFFFD},
}

// doubleQuoted returns the text in double quotes that text begins with, or "".
func doubleQuoted(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return ""
	}
	end := strings.IndexAny(text[1:], "\"\r\n")
	if end < 0 || text[1+end] != '"' {
		return ""
	}
	return text[:end+2]
}
