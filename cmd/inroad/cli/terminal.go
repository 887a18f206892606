package cli

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A TerminalWriter escapes text on its way to a terminal. Grammars, inputs and file
// names are not trusted, so every character that is neither printable nor a line end is
// written as in a Go string: \x1b, \u202e. Text must end in a line end.
type TerminalWriter struct {
	W    io.Writer
	rest []byte // an incomplete character
}

// Write escapes and writes text.
func (t *TerminalWriter) Write(p []byte) (int, error) {
	text := append(t.rest, p...)
	out := make([]byte, 0, len(text))
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		if r == '\n' {
			out = append(out, '\n')
		} else {
			out = appendPrintable(out, text[:size])
		}
		text = text[size:]
	}
	t.rest = text
	if _, err := t.W.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Printable escapes a text of one line for a terminal.
func Printable(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		_, size := utf8.DecodeRuneInString(s)
		b.Write(appendPrintable(nil, []byte(s[:size])))
		s = s[size:]
	}
	return b.String()
}

func appendPrintable(out, char []byte) []byte {
	if r, size := utf8.DecodeRune(char); strconv.IsPrint(r) && (r != utf8.RuneError || size > 1) {
		return append(out, char...)
	}
	quoted := strconv.Quote(string(char))
	return append(out, quoted[1:len(quoted)-1]...)
}
