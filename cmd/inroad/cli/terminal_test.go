package cli_test

import (
	"io"
	"strings"
	"testing"

	"github.com/inroad/inroad/cmd/inroad/cli"
)

func TestTerminalWriter(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"printable text and lines", "für 日本\nb\n", "für 日本\nb\n"},
		{"an escape sequence", "\x1b[31mred\x07\n", `\x1b[31mred\a` + "\n"},
		{"text that runs backwards", "a\u202eb\n", `a\u202eb` + "\n"},
		{"carriage return and tab", "a\r\tb\n", `a\r\tb` + "\n"},
		{"no UTF-8", "\xff\xc3\n", `\xff\xc3` + "\n"},
		{"the replacement character itself", "\uFFFD\n", "\uFFFD\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var whole, bytewise strings.Builder
			io.WriteString(&cli.TerminalWriter{W: &whole}, tc.in)
			w := &cli.TerminalWriter{W: &bytewise}
			for i := range len(tc.in) {
				w.Write([]byte{tc.in[i]})
			}
			if whole.String() != tc.want || bytewise.String() != tc.want {
				t.Errorf("%q: got %q at once and %q byte by byte, want %q", tc.in, &whole, &bytewise, tc.want)
			}
		})
	}
}
