package openapi

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A JSONError reports text that is not JSON.
type JSONError struct {
	Offset  int64 // in bytes from the start of the body or line; negative if it does not matter
	Problem string
}

func (e *JSONError) Error() string {
	if e.Offset < 0 {
		return e.Problem
	}
	return fmt.Sprintf("invalid JSON at byte %d: %s", e.Offset+1, e.Problem)
}

// A scanner reads the tokens of JSON text (RFC 8259). It needs memory for the value
// of one string, however long the string is in the text.
type scanner struct {
	r       *bufio.Reader
	lines   bool // the text ends with the line
	offset  int64
	scratch []byte
	reserve func(bytes int) error
}

const (
	maxNumber = 1000 // bytes of a number
	maxName   = 1000 // characters of the name of a field
)

// errTooLong reports a string with more characters than allowed. The scanner stops
// inside the string.
var errTooLong = errors.New("too long")

func (s *scanner) fail(format string, args ...any) error {
	return &JSONError{s.offset, fmt.Sprintf(format, args...)}
}

// unexpected reports the next character, or the end of the text.
func (s *scanner) unexpected(expected string) error {
	c, err := s.peek()
	if errors.Is(err, io.EOF) {
		return s.fail("unexpected end, expected %s", expected)
	}
	if err != nil {
		return err
	}
	return s.fail("unexpected %q, expected %s", c, expected)
}

// peek returns the next byte, or io.EOF at the end of the text.
func (s *scanner) peek() (byte, error) {
	next, err := s.r.Peek(1)
	if err != nil {
		return 0, err
	}
	if s.lines && next[0] == '\n' {
		return 0, io.EOF
	}
	return next[0], nil
}

func (s *scanner) skip(n int) {
	_, _ = s.r.Discard(n) // buffered bytes
	s.offset += int64(n)
}

// byte reads a byte inside a string.
func (s *scanner) byte() (byte, error) {
	c, err := s.peek()
	if err == nil && c >= ' ' {
		s.skip(1)
		return c, nil
	}
	return 0, s.inString(c, err)
}

// inString returns the error for a byte that cannot be in a string.
func (s *scanner) inString(c byte, err error) error {
	if errors.Is(err, io.EOF) {
		return s.fail("unexpected end of a string")
	}
	if err != nil {
		return err
	}
	return s.fail("control character %q in a string: must be escaped", c)
}

// token skips white space and returns the first byte of the next token.
func (s *scanner) token() (byte, error) {
	for {
		c, err := s.peek()
		if err != nil {
			return 0, err
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return c, nil
		}
		s.skip(1)
	}
}

// expect reads a token of one byte.
func (s *scanner) expect(c byte, expected string) error {
	next, err := s.token()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err != nil || next != c {
		return s.unexpected(expected)
	}
	s.skip(1)
	return nil
}

// literal reads true, false or null.
func (s *scanner) literal(text string) error {
	for i := range len(text) {
		if c, err := s.peek(); err != nil && !errors.Is(err, io.EOF) {
			return err
		} else if err != nil || c != text[i] {
			return s.unexpected(text)
		}
		s.skip(1)
	}
	return nil
}

// number reads a number. The text is valid until the next token.
func (s *scanner) number() ([]byte, error) {
	s.scratch = s.scratch[:0]
	for {
		c, err := s.peek()
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if err != nil || (c < '0' || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		if len(s.scratch) == maxNumber {
			return nil, s.fail("number too long: must have at most %d characters", maxNumber)
		}
		s.scratch = append(s.scratch, c)
		s.skip(1)
	}
	if !isNumber(s.scratch) {
		return nil, s.fail("%q is not a number", s.scratch)
	}
	return s.scratch, nil
}

// isNumber reports whether a text is a number as JSON writes it.
func isNumber(text []byte) bool {
	digits := func() bool {
		n := 0
		for n < len(text) && '0' <= text[n] && text[n] <= '9' {
			n++
		}
		text = text[n:]
		return n > 0
	}
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	if len(text) > 1 && text[0] == '0' {
		text = text[1:]
	} else if !digits() {
		return false
	}
	if len(text) > 0 && text[0] == '.' {
		if text = text[1:]; !digits() {
			return false
		}
	}
	if len(text) > 0 && (text[0] == 'e' || text[0] == 'E') {
		if text = text[1:]; len(text) > 0 && (text[0] == '+' || text[0] == '-') {
			text = text[1:]
		}
		if !digits() {
			return false
		}
	}
	return len(text) == 0
}

// text reads a string whose quote is next. If it has more than maxChars characters,
// text returns the first of them and errTooLong; 0 means no limit.
func (s *scanner) text(maxChars int) (string, error) {
	s.skip(1)
	if part, closed, err := s.run(); closed && (maxChars == 0 || len(part) <= maxChars) {
		out := string(part)
		s.skip(len(part) + 1)
		return out, s.reserveBytes(len(out))
	} else if err != nil {
		return "", err
	}
	b, chars := &pieces{reserve: s.reserveBytes}, 0
	for {
		part, closed, err := s.run()
		if err != nil {
			return "", err
		}
		if chars += utf8.RuneCount(part); maxChars > 0 && chars > maxChars {
			return b.start() + string(part), errTooLong
		}
		if err := b.write(part); err != nil {
			return "", err
		}
		s.skip(len(part))
		if closed {
			s.skip(1)
			return b.join()
		}
		if c, err := s.peek(); err == nil && c == '\\' {
			r, err := s.escape()
			if err != nil {
				return "", err
			}
			b.last.WriteRune(r)
			chars++
		}
	}
}

// pieces collect a string. A long string is kept in pieces until it is complete: a
// buffer that grows would leave as much garbage as the string is long.
type pieces struct {
	whole   []string
	last    strings.Builder
	reserve func(bytes int) error
}

// pieceSize is the size from which a piece does not grow.
const pieceSize = 64 << 10

// write adds text, and leaves room for one more character.
func (b *pieces) write(text []byte) error {
	need := len(text) + utf8.UTFMax
	if b.last.Cap()-b.last.Len() < need {
		if b.last.Cap() >= pieceSize {
			b.whole = append(b.whole, b.last.String())
			b.last.Reset()
			need = max(need, pieceSize)
		}
		if err := b.reserve(b.last.Cap() + need); err != nil { // Grow doubles the capacity
			return err
		}
		b.last.Grow(need)
	}
	b.last.Write(text)
	return nil
}

// start returns the first piece.
func (b *pieces) start() string {
	if len(b.whole) > 0 {
		return b.whole[0]
	}
	return b.last.String()
}

// join returns the whole string.
func (b *pieces) join() (string, error) {
	if len(b.whole) == 0 {
		return b.last.String(), nil
	}
	b.whole = append(b.whole, b.last.String())
	size := 0
	for _, piece := range b.whole {
		size += len(piece)
	}
	if err := b.reserve(size); err != nil {
		return "", err
	}
	return strings.Join(b.whole, ""), nil
}

func (s *scanner) reserveBytes(n int) error {
	if s.reserve == nil {
		return nil
	}
	return s.reserve(n)
}

// run returns the next characters of a string, up to an escape, the closing quote or
// the end of the buffer. It does not skip them.
func (s *scanner) run() (part []byte, closed bool, err error) {
	for wanted := 1; ; wanted++ { // more than a byte if a character is cut off
		if _, err := s.r.Peek(wanted); errors.Is(err, io.EOF) && wanted > 1 {
			return nil, false, s.fail("not UTF-8")
		} else if err != nil {
			return nil, false, s.inString(0, err)
		}
		part, _ = s.r.Peek(s.r.Buffered())
		n := 0
		for n < len(part) && part[n] != '"' && part[n] != '\\' && part[n] >= ' ' {
			n++
		}
		if n == 0 && part[0] < ' ' {
			return nil, false, s.inString(s.peek())
		}
		if n == len(part) {
			n -= cutOff(part)
		} else {
			closed = part[n] == '"'
		}
		if !utf8.Valid(part[:n]) {
			// The valid characters come first, so that the error does not depend on
			// the size of the buffer.
			if n = validPrefix(part[:n]); n == 0 {
				return nil, false, s.fail("not UTF-8")
			}
			closed = false
		}
		if n > 0 || part[0] == '"' || part[0] == '\\' {
			return part[:n], closed, nil
		}
	}
}

// validPrefix returns the number of bytes before the first that is not UTF-8.
func validPrefix(text []byte) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// cutOff returns the number of bytes of an incomplete character at the end of a text.
func cutOff(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// escape reads an escape sequence.
func (s *scanner) escape() (rune, error) {
	s.skip(1)
	c, err := s.byte()
	if err != nil {
		return 0, err
	}
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
	default:
		return 0, s.fail(`unknown escape \%c`, c)
	}
	r, err := s.hex()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	for _, want := range []byte(`\u`) {
		if c, err := s.byte(); err != nil {
			return 0, err
		} else if c != want {
			return 0, s.fail("unpaired surrogate")
		}
	}
	low, err := s.hex()
	if r = utf16.DecodeRune(r, low); err == nil && r == utf8.RuneError {
		err = s.fail("unpaired surrogate")
	}
	return r, err
}

func (s *scanner) hex() (rune, error) {
	var r rune
	for range 4 {
		c, err := s.byte()
		switch {
		case err != nil:
			return 0, err
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, s.fail("%q is not a hexadecimal digit", c)
		}
		r = r<<4 | rune(c)
	}
	return r, nil
}
