package source

// A tokenKind is the kind of a token.
type tokenKind uint8

const (
	identifier    tokenKind = iota + 1 // or keyword
	number                             // numeric or character literal
	stringLiteral                      // string literal, or a part of one between placeholders
	operator                           // operator or bracket
	directive                          // comment that compilers obey
	terminator                         // end of a statement, written or implied by the end of a line
	indent                             // beginning of an indented block
	dedent                             // end of an indented block
)

// A token is a token in the text of a file.
type token struct {
	kind       tokenKind
	start, end int32 // offsets in the text
	line, last int32 // lines, from 1; a literal may have several
}

// text returns the token in source code, in a form that does not depend on
// formatting.
func (t token) text(source string) string {
	if t.kind == terminator {
		return ";"
	}
	return source[t.start:t.end]
}
