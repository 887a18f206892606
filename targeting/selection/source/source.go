// Package source outlines source files: it finds the declarations of a file with
// their names, lines and content, so that two versions of the file can be
// compared by syntax instead of by lines.
//
// [Parse] outlines a file in any of the languages that [LanguageOf] knows. It
// reads tokens, not a grammar, and tolerates code that does not compile: a file
// is never lost because of a syntax error.
//
// Comments and formatting never count: two declarations with the same [Digest]
// consist of the same tokens. The outline depends on nothing but the name and
// the text of the file.
package source

import (
	"bytes"
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// A File is the outline of a source file.
type File struct {
	Name     string // as given to Parse
	Language string // as returned by LanguageOf
	Package  string // Go and Java: name of the package
	// Imports are the imported packages or modules: in Go import paths, in Java
	// qualified names, in JavaScript modules, in Python modules and the qualified
	// names imported from them, which may be modules as well, in C included files,
	// and in Rust paths of use declarations.
	Imports []string
	Embeds  []string // Go: patterns of go:embed directives
	// Generated reports whether a tool generated the file: its first comment says so, or
	// its lines originate in another file.
	Generated bool
	Origins   []Origin // of lines after //line and #line directives, in order of lines
	// Decls are ordered by first line, outer ones first. Every token that is no
	// comment belongs to the innermost declaration around it. Separators between
	// declarations, such as the parentheses of a group in Go, belong to none.
	Decls []Decl

	text string
}

// A Kind is the kind of a declaration.
type Kind uint8

// The kinds of declarations.
const (
	Function  Kind = iota + 1 // function, method, constructor
	Value                     // constant, variable, field of a class, macro, enum constant
	Type                      // type with its fields, but without its methods
	Import                    // import of other packages; Names are the names that it binds
	Statement                 // other code: package clause, module code, conditional compilation, static initializer
)

func (k Kind) String() string {
	switch k {
	case Function:
		return "function"
	case Value:
		return "value"
	case Type:
		return "type"
	case Import:
		return "import"
	case Statement:
		return "statement"
	}
	return "kind " + strconv.Itoa(int(k))
}

// FileStatement is the name of the [Statement] that holds all code of a file
// outside other declarations.
const FileStatement = "<file>"

// A Decl is a declaration.
type Decl struct {
	Kind Kind
	// Name is the qualified name, unique in the file: "(*T).M" in Go,
	// "Outer.Inner.f(int,String)" in Java, "ns::C::f(int)" in C++, "C.f" elsewhere.
	// Further declarations of the same name get "#2", "#3" and so on.
	Name string
	// Short is the identifier by which other code mentions the declaration; empty
	// if none can.
	Short string
	// Names holds all identifiers of the declaration, Short first: a variable
	// declaration may have several.
	Names []string
	Owner string // type that the declaration is a method, field or constant of; empty for none
	Test  bool   // Rust: compiled for tests only
	// Start and End are the first and last line, from 1, without the doc comment.
	Start, End int
	// Digest identifies the tokens, and directives that compilers obey.
	Digest Digest
	// Body is a Digest without the name of the declaration: it stays the same if
	// the declaration is renamed or moved.
	Body Digest

	file   *File
	tokens []token
	// implied holds tokens of another declaration that count for this one: the repeated
	// expression of a constant.
	implied []token
	// context holds what the meaning depends on besides tokens, such as the keyword of a
	// group or the position in an enum.
	context string
	ordered bool   // a type whose meaning depends on the order of its constants or fields
	name    int32  // offset of its name
	self    string // name by which a method mentions its own object: "this", or a receiver
}

// A Range is a range of lines, from 1, last included.
type Range struct{ First, Last int }

// An Origin says that lines of a file were generated from another file.
type Origin struct {
	Range
	File string // relative to the same folder as the name of the generated file
	Line int    // origin of the first line; further lines follow one by one
}

// Limits of files.
const (
	maxText  = 16 << 20 // bytes
	maxDecls = 500_000  // further ones are part of the declarations around them
)

// Parse outlines a file. It returns false if the language is unknown, and for
// text that is no source code: binary data, or more than 16 MiB.
func Parse(name string, text []byte) (*File, bool) {
	o, ok := parse(name, text)
	if !ok {
		return nil, false
	}
	return o.file, true
}

func parse(name string, text []byte) (*outline, bool) {
	language := LanguageOf(name)
	if language == "" || len(text) > maxText || bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
		return nil, false
	}
	o := &outline{file: &File{Name: name, Language: language, text: string(text)}}
	switch language {
	case "go":
		outlineGo(o)
	case "java":
		outlineJava(o)
	case "c":
		outlineC(o)
	case "javascript":
		outlineJavaScript(o)
	case "python":
		outlinePython(o)
	case "rust":
		outlineRust(o)
	}
	o.finish()
	return o, true
}

// Origin returns the file and line that a line originates in: the line itself, if
// no directive says otherwise.
func (f *File) Origin(line int) (string, int) {
	i, _ := slices.BinarySearchFunc(f.Origins, line, func(o Origin, line int) int { return cmp.Compare(o.Last, line) })
	if i < len(f.Origins) && f.Origins[i].First <= line {
		return f.Origins[i].File, f.Origins[i].Line + line - f.Origins[i].First
	}
	return f.Name, line
}

// Find returns the declaration with a qualified name, or nil.
func (f *File) Find(name string) *Decl {
	for i := range f.Decls {
		if f.Decls[i].Name == name {
			return &f.Decls[i]
		}
	}
	return nil
}

// Origins returns the origins of the declaration's lines in other files.
func (d *Decl) Origins() []Origin {
	var out []Origin
	for _, o := range d.file.Origins {
		first, last := max(o.First, d.Start), min(o.Last, d.End)
		if first <= last {
			out = append(out, Origin{Range{first, last}, o.File, o.Line + first - o.First})
		}
	}
	return out
}

// Lines returns the lines with tokens of the declaration itself, without tokens of
// declarations inside it.
func (d *Decl) Lines() []Range {
	var out []Range
	for _, t := range d.tokens {
		out = addRange(out, Range{int(t.line), int(t.last)})
	}
	return out
}

// addRange appends a range, or extends the last one if they touch.
func addRange(ranges []Range, r Range) []Range {
	if n := len(ranges); n > 0 && r.First <= ranges[n-1].Last+1 {
		ranges[n-1].Last = max(ranges[n-1].Last, r.Last)
		return ranges
	}
	return append(ranges, r)
}

// Identifiers yields the identifiers among the tokens, with repetitions. Keywords
// may be among them.
func (d *Decl) Identifiers() iter.Seq[string] {
	return func(yield func(string) bool) {
		for t := range d.allTokens() {
			if t.kind == identifier && !yield(d.text(t)) {
				return
			}
		}
	}
}

// Mentions reports whether an identifier is among the tokens.
func (d *Decl) Mentions(name string) bool {
	for id := range d.Identifiers() {
		if id == name {
			return true
		}
	}
	return false
}

// MentionsText reports whether a string literal or a directive contains a text,
// such as the name of a file.
func (d *Decl) MentionsText(text string) bool {
	for t := range d.allTokens() {
		if (t.kind == stringLiteral || t.kind == directive) && strings.Contains(d.text(t), text) {
			return true
		}
	}
	return false
}

// allTokens yields the tokens and the implied ones.
func (d *Decl) allTokens() iter.Seq[token] {
	return func(yield func(token) bool) {
		for _, tokens := range [][]token{d.tokens, d.implied} {
			for _, t := range tokens {
				if !yield(t) {
					return
				}
			}
		}
	}
}

func (d *Decl) text(t token) string { return t.text(d.file.text) }

// at returns the text of token i, or "" if there is none.
func (d *Decl) at(i int) string {
	if i < 0 || i >= len(d.tokens) {
		return ""
	}
	return d.text(d.tokens[i])
}
