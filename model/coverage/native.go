package coverage

import (
	"bytes"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// FunctionName returns the name of a function of C, C++ or Rust in the sources for
// its symbol: without parameters and type arguments, so that overloads and the
// instances of a template have one name.
func FunctionName(symbol string) string {
	name := demangle.Filter(symbol, demangle.NoParams, demangle.NoTemplateParams, demangle.NoEnclosingParams)
	if strings.HasPrefix(symbol, "_R") {
		return withoutTypeArguments(name)
	}
	return name
}

// withoutTypeArguments removes the type arguments from a name in Rust. The brackets
// of <Type as Trait>::method stay.
func withoutTypeArguments(name string) string {
	var out []byte
	depth := 0 // of type arguments
	for i := range len(name) {
		switch c := name[i]; {
		case c == '<' && (depth > 0 || i > 0 && (name[i-1] == ':' || isIdentifier(name[i-1]))):
			if depth == 0 {
				out = bytes.TrimSuffix(out, []byte("::"))
			}
			depth++
		case c == '>' && depth > 0:
			if name[i-1] != '-' { // not an arrow
				depth--
			}
		case depth == 0:
			out = append(out, c)
		}
	}
	return string(out)
}

func isIdentifier(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// staticName removes the file from the name of a static function, kv.c:exponent.
func staticName(name string) string {
	if i := strings.LastIndexByte(name, ':'); i > 0 && name[i-1] != ':' && strings.ContainsRune(name[:i], '.') {
		return name[i+1:]
	}
	return name
}
