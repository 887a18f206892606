package coverage

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// nativeName returns the name of a function of C, C++ or Rust for people: without
// parameters and type arguments, so that the instances of a template have one name.
func nativeName(symbol string) string {
	return demangle.Filter(symbol, demangle.NoParams, demangle.NoTemplateParams, demangle.NoEnclosingParams)
}

// staticName removes the file from the name of a static function, kv.c:exponent.
func staticName(name string) string {
	if i := strings.LastIndexByte(name, ':'); i > 0 && name[i-1] != ':' && strings.ContainsRune(name[:i], '.') {
		return name[i+1:]
	}
	return name
}
