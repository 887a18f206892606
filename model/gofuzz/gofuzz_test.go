package gofuzz

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

func TestDecode(t *testing.T) {
	for _, tc := range []struct{ name, text, want, err string }{
		{"bytes", "go test fuzz v1\n[]byte(\"a\\n\\xff\")\n", "a\n\xff", ""},
		{"string", "go test fuzz v1\nstring(\"{\\\"a\\\": 1}\")\n", `{"a": 1}`, ""},
		{"raw string", "go test fuzz v1\nstring(`a\"`)", `a"`, ""},
		{"empty input", "go test fuzz v1\n[]byte(\"\")\n", "", ""},
		{"line ends of Windows", "go test fuzz v1\r\nstring(\"a\")\r\n\r\n", "a", ""},
		{"a number", "go test fuzz v1\nint(7)\n", "", "Go fuzz input for the parameters (int): must be for one []byte or string"},
		{"not a number", "go test fuzz v1\nmath.Float64frombits(0x7ff8000000000001)\n", "", "Go fuzz input for the parameters (float64): must be for one []byte or string"},
		{"several", "go test fuzz v1\nstring(\"a\")\nrune('b')\n[]byte(\"c\")\n", "", "Go fuzz input for the parameters (string, rune, []byte): must be for one []byte or string"},
		{"another text", "{}", "{}", ""},
		{"nothing", "", "", ""},
		{"only the header", "go test fuzz v1\n", "go test fuzz v1\n", ""},
		{"the header without an end", "go test fuzz v1", "go test fuzz v1", ""},
		{"another version", "go test fuzz v2\nstring(\"a\")\n", "go test fuzz v2\nstring(\"a\")\n", ""},
		{"not values", "go test fuzz v1\nand so on\n", "go test fuzz v1\nand so on\n", ""},
		{"a call of something", "go test fuzz v1\nstring(f())\n", "go test fuzz v1\nstring(f())\n", ""},
		{"numbers", "go test fuzz v1\n[]int(\"a\")\n", "go test fuzz v1\n[]int(\"a\")\n", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Decode([]byte(tc.text))
			message := ""
			if err != nil {
				message = err.Error()
			}
			if string(got) != tc.want || message != tc.err {
				t.Errorf("Decode(%q) = %q, %q; want %q, %q", tc.text, got, message, tc.want, tc.err)
			}
		})
	}
}

// TestDecodeQuoted decodes every input as go test writes it.
func TestDecodeQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := rapid.SliceOf(rapid.Byte()).Draw(t, "input")
		for _, format := range []string{"go test fuzz v1\n[]byte(%q)\n", "go test fuzz v1\nstring(%q)\n"} {
			got, err := Decode(fmt.Appendf(nil, format, input))
			if err != nil || string(got) != string(input) {
				t.Fatalf("got %q, %v; want %q", got, err, input)
			}
		}
	})
}

// Decode returns what Encode was given.
func TestEncode(t *testing.T) {
	for _, input := range []string{"", "a", "a\nb\"c\\", "\xff\x00é", "go test fuzz v1\n"} {
		if got, err := Decode(Encode([]byte(input))); err != nil || string(got) != input {
			t.Errorf("%q becomes %q, error %v", input, got, err)
		}
	}
}
