package source

import (
	"maps"
	"slices"
	"strings"
)

// Size returns the size of the file in bytes.
func (f *File) Size() int { return len(f.text) }

// ContainsText reports whether the file contains a text anywhere.
func (f *File) ContainsText(text string) bool { return strings.Contains(f.text, text) }

// Calls reports whether the declaration calls a function of the given name, or
// creates a value of a type with that name.
func (d *Decl) Calls(name string) bool {
	for i, t := range d.tokens {
		if t.kind == identifier && d.text(t) == name && i+1 < len(d.tokens) && d.text(d.tokens[i+1]) == "(" {
			return true
		}
	}
	return false
}

// LoadsComputedModule reports whether the declaration loads a module of JavaScript whose
// name is no literal.
func (d *Decl) LoadsComputedModule() bool {
	for i, t := range d.tokens {
		if t.kind != identifier || i+2 >= len(d.tokens) || d.text(d.tokens[i+1]) != "(" {
			continue
		}
		if text := d.text(t); (text == "require" || text == "import") && d.tokens[i+2].kind != stringLiteral && d.file.Language == "javascript" {
			return true
		}
	}
	return false
}

// Selects reports whether the declaration mentions a name as a member of something, or
// takes it out of an object.
func (d *Decl) Selects(name string) bool {
	at := func(i int) string {
		if i < 0 || i >= len(d.tokens) {
			return ""
		}
		return d.text(d.tokens[i])
	}
	for i, t := range d.tokens {
		if t.kind != identifier || d.text(t) != name {
			continue
		}
		before, next := at(i-1), at(i+1)
		if isQualifier(before) || (before == "{" || before == ",") && (next == "," || next == "}" || next == "=" || next == ":") {
			return true
		}
	}
	return false
}

// Bases returns the names of the classes and interfaces that a class of Java, JavaScript
// or Python extends, without their qualifiers.
func (d *Decl) Bases() []string {
	var out []string
	inside := false
	for i, t := range d.tokens {
		text := d.text(t)
		switch {
		case text == "{" || text == ":" && d.file.Language == "python":
			return out
		case text == "extends" || text == "implements" || text == "(" && d.file.Language == "python" && i > 0:
			inside = true
		case inside && t.kind == identifier && text != "object" && text != "metaclass" && (i+1 >= len(d.tokens) || !isQualifier(d.text(d.tokens[i+1]))):
			out = append(out, text)
		}
	}
	return out
}

// CallsNoOthers reports whether a class or interface of the standard library is known to
// call no methods of classes that extend it but those that [IsImplicit] knows.
func CallsNoOthers(class string) bool {
	switch class {
	case "Iterable", "Iterator", "Serializable", "Comparable", "Cloneable", "Closeable", "AutoCloseable", "CharSequence", "Enum", "IntEnum", "StrEnum",
		"Flag", "IntFlag", "ABC", "Generic", "Protocol", "NamedTuple", "TypedDict", "dict", "list", "str", "int", "float", "tuple", "set":
		return true
	}
	return strings.HasSuffix(class, "Error") || strings.HasSuffix(class, "Exception") || strings.HasSuffix(class, "Warning")
}

// Decorators returns the names that the decorators of a function of Python mention.
func (d *Decl) Decorators() []string {
	var out []string
	for _, t := range d.tokens {
		switch text := d.text(t); {
		case d.file.Language != "python" || text == "def" || text == "class":
			return out
		case t.kind == identifier:
			out = append(out, text)
		}
	}
	return out
}

// NamesBeside returns the identifiers on the lines on which the declaration mentions a
// name.
func (d *Decl) NamesBeside(name string) []string {
	lines := map[int32]bool{}
	for _, t := range d.tokens {
		if t.kind == identifier && d.text(t) == name {
			lines[t.line] = true
		}
	}
	var out []string
	for _, t := range d.tokens {
		if t.kind == identifier && lines[t.line] && d.text(t) != name {
			out = append(out, d.text(t))
		}
	}
	return out
}

// Imported returns the names that import statements of JavaScript give to a module whose
// path contains a text.
func (d *Decl) Imported(module string) []string {
	var out []string
	for i, t := range d.tokens {
		if t.kind != stringLiteral || !strings.Contains(d.text(t), module) || i < 2 || d.text(d.tokens[i-1]) != "from" {
			continue
		}
		for k := i - 2; k >= 0 && d.text(d.tokens[k]) != "import" && !d.terminates(d.tokens[k]); k-- {
			if d.tokens[k].kind == identifier && d.text(d.tokens[k]) != "as" {
				out = append(out, d.text(d.tokens[k]))
			}
		}
	}
	return out
}

// isDefault reports whether a token is behind "export default", which is part of no
// declaration.
func (d *Decl) isDefault(t token) bool {
	before := strings.Fields(d.file.text[max(0, int(t.start)-40):t.start])
	n := len(before)
	return n > 1 && before[n-1] == "default" && before[n-2] == "export"
}

// ExportsWhole reports whether code of JavaScript makes a value that mentions a name the
// module itself, or its default export. The empty name stands for any value.
func (d *Decl) ExportsWhole(name string) bool {
	if d.file.Language != "javascript" {
		return false
	}
	at := func(i int) string {
		if i < 0 || i >= len(d.tokens) {
			return ""
		}
		return d.text(d.tokens[i])
	}
	exports := false
	for i, t := range d.tokens {
		text := d.text(t)
		switch {
		case d.terminates(t):
			exports = false
		case text == "exports" && at(i-1) == "." && at(i-2) == "module" && at(i+1) == "=", d.isDefault(t):
			exports = true
		}
		if exports && (name == "" || t.kind == identifier && text == name) {
			return true
		}
	}
	return false
}

// RunsAtLoad reports whether a function runs when the program is loaded, before any
// input: an init function of Go.
func (d *Decl) RunsAtLoad() bool {
	return d.file.Language == "go" && d.Kind == Function && d.Short == "init" && d.Owner == ""
}

// MayCaptureLoop reports whether a function of Go may keep a variable of a loop beyond
// an iteration: it has a loop, and takes an address or has a function literal.
func (d *Decl) MayCaptureLoop() bool {
	loop, literals, address := false, 0, false
	for _, t := range d.tokens {
		switch text := d.text(t); {
		case t.kind == identifier && text == "for":
			loop = true
		case t.kind == identifier && text == "func":
			literals++
		case t.kind == operator && text == "&":
			address = true
		}
	}
	return loop && (literals > btoi(d.Kind == Function) || address)
}

func btoi(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// ChangedNames returns the identifiers on the lines on which two versions of a
// declaration differ, sorted.
func ChangedNames(a, b *Decl) []string {
	names := map[string]bool{}
	note := func(d *Decl, from, to int) {
		lines := map[int32]bool{}
		for _, t := range d.tokens[from:to] {
			lines[t.line] = true
		}
		for _, t := range d.tokens {
			if t.kind == identifier && lines[t.line] {
				names[d.text(t)] = true
			}
		}
	}
	for _, e := range diffTokens(a, b) {
		note(a, e.a, e.aEnd)
		note(b, e.b, e.bEnd)
	}
	return slices.Sorted(maps.Keys(names))
}

// ChangedMembers compares two versions of a type with members, such as a struct. It
// returns the identifiers of members that both versions have and that differ, sorted.
// whole reports that the type differs otherwise: its header does, or a member without a
// name of its own was added or deleted.
func ChangedMembers(a, b *Decl) (names []string, whole bool) {
	x, y := a.members(), b.members()
	for _, m := range x {
		other, ok := find(y, m.name)
		switch {
		case ok && other.text == m.text:
		case ok && m.name != "":
			names = append(names, m.name)
		case m.name == "" || m.embedded:
			whole = true
		}
	}
	for _, m := range y {
		if _, ok := find(x, m.name); !ok && m.embedded {
			whole = true
		}
	}
	slices.Sort(names)
	return slices.Compact(names), whole
}

// A member is a part of a type. The header of the type has no name.
type member struct {
	name, text string
	embedded   bool // nothing but a name or a qualified name
}

func find(members []member, name string) (member, bool) {
	i := slices.IndexFunc(members, func(m member) bool { return m.name == name })
	if i < 0 {
		return member{}, false
	}
	return members[i], true
}

// members splits the declaration at the terminators and commas directly inside its
// first braces.
func (d *Decl) members() []member {
	var out []member
	var current []token
	add := func() {
		if len(current) > 0 {
			out = append(out, d.member(current, len(out) == 0))
		}
		current = nil
	}
	depth := 0
	for _, t := range d.tokens {
		text := d.text(t)
		switch {
		case t.kind == operator && (text == "{" || text == "(" || text == "["):
			if depth++; depth == 1 && text == "{" {
				current = append(current, t)
				add()
				continue
			}
		case t.kind == operator && (text == "}" || text == ")" || text == "]"):
			if depth--; depth == 0 && text == "}" {
				add()
				continue
			}
		case depth == 1 && len(out) > 0 && (t.kind == terminator || text == "," || text == ";"):
			add()
			continue
		}
		if depth == 0 && len(out) > 0 {
			out[0].text += text + "\x00" // behind the members
			continue
		}
		current = append(current, t)
	}
	add()
	return out
}

// member returns the member that consists of tokens. Its name is the first identifier;
// in C, where the type comes first, it is the last one outside brackets.
func (d *Decl) member(tokens []token, header bool) member {
	m := member{embedded: true}
	var text []byte
	depth, last := 0, ""
	for _, t := range tokens {
		word, before := d.text(t), last
		last = word
		text = append(append(text, word...), 0)
		switch {
		case t.kind == operator && (word == "[" || word == "("):
			depth++
		case t.kind == operator && (word == "]" || word == ")"):
			depth--
		case t.kind == identifier && !header && depth == 0 && (m.name == "" || d.file.Language == "c"):
			m.embedded = m.name == ""
			m.name = word
			continue
		}
		if word != "." && word != "*" && before != "." {
			m.embedded = m.embedded && m.name == ""
		}
	}
	m.text = string(text)
	return m
}

// HasSameTokens reports whether two versions of a declaration differ in their context
// alone, such as the order of the constants of an enumeration.
func HasSameTokens(a, b *Decl) bool { return len(diffTokens(a, b)) == 0 }

// ChangedFields returns the identifiers of members that were added, deleted, moved or
// given another type, sorted.
func ChangedFields(a, b *Decl) []string {
	x, y := a.members(), b.members()
	isIn := func(members []member) func(member) bool {
		return func(m member) bool { return slices.Contains(members, m) }
	}
	var out []string
	common := [2][]member{}
	for i, members := range [][]member{x, y} {
		other := isIn([][]member{y, x}[i])
		for _, m := range members {
			if other(m) {
				common[i] = append(common[i], m)
			} else if m.name != "" {
				out = append(out, m.name)
			}
		}
	}
	if !slices.Equal(common[0], common[1]) {
		for _, m := range common[0] {
			out = append(out, m.name)
		}
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(name string) bool { return name == "" })
}

// Aliases returns the names under which an import, an export or other code outside
// functions makes a name known: "X as ALIAS", "ALIAS: X" in an object, ".ALIAS = X".
func (d *Decl) Aliases(name string) []string {
	at := func(i int) string {
		if i < 0 || i >= len(d.tokens) {
			return ""
		}
		return d.text(d.tokens[i])
	}
	var out []string
	add := func(i int) {
		if i >= 0 && i < len(d.tokens) && d.tokens[i].kind == identifier && at(i) != name {
			out = append(out, at(i))
		}
	}
	for i, t := range d.tokens {
		if t.kind != identifier || d.text(t) != name {
			continue
		}
		next := at(i + 1)
		ends := next == "," || next == "}" || next == ";" || next == ""
		switch {
		case next == "as":
			add(i + 2)
		case at(i-1) == ":" && ends:
			add(i - 2)
		case at(i-1) == "=" && at(i-3) == "." && ends:
			add(i - 2)
		}
	}
	return out
}

// Pastes returns the parts of names that a macro of C joins with its arguments.
func (d *Decl) Pastes() []string {
	var out []string
	parameters := map[string]bool{}
	for i, t := range d.tokens {
		text := d.text(t)
		if t.kind == identifier && len(out) == 0 && !d.joins(i) {
			parameters[text] = true // or another name of the head
		}
		if t.kind == identifier && d.joins(i) && !parameters[text] {
			out = append(out, text)
		}
	}
	return out
}

// joins reports whether a token is next to ##.
func (d *Decl) joins(i int) bool {
	isPaste := func(i int) bool { return i >= 0 && i < len(d.tokens) && d.text(d.tokens[i]) == "##" }
	return isPaste(i-1) || isPaste(i+1)
}

// NamesPart reports whether a string literal has the begin or the end of a name, with at
// least three characters.
func (d *Decl) NamesPart(name string) bool {
	for t := range d.allTokens() {
		if t.kind != stringLiteral {
			continue
		}
		text := d.text(t)
		if i := strings.IndexAny(text, "\"'`"); i >= 0 {
			text = text[i:]
		}
		text = strings.NewReplacer("%s", "%", "%d", "%", "%r", "%").Replace(text)
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\"'`{}$%", r) }) {
			if len(part) >= 3 && part != name && (strings.HasPrefix(name, part) || strings.HasSuffix(name, part)) {
				return true
			}
		}
	}
	return false
}

// Similarity returns the share of tokens that two declarations have in common, in any
// order.
func Similarity(a, b *Decl) float64 {
	counts := map[string]int{}
	for _, t := range a.tokens {
		counts[a.text(t)]++
	}
	common := 0
	for _, t := range b.tokens {
		if text := b.text(t); counts[text] > 0 {
			counts[text]--
			common++
		}
	}
	if total := len(a.tokens) + len(b.tokens) - common; total > 0 {
		return float64(common) / float64(total)
	}
	return 0
}

// IsPrivate reports whether only code of the same file can mention the declaration.
func (d *Decl) IsPrivate() bool {
	switch d.file.Language {
	case "java":
		return d.Mentions("private")
	case "c":
		return d.Owner == "" && d.Kind != Type && len(d.tokens) > 0 && d.text(d.tokens[0]) == "static"
	}
	return false
}

// DiffersInText reports whether two versions of a declaration differ in a string
// literal, such as the tag of a field.
func DiffersInText(a, b *Decl) bool {
	literals := func(d *Decl) []string {
		var out []string
		for _, t := range d.tokens {
			if t.kind == stringLiteral {
				out = append(out, d.text(t))
			}
		}
		return out
	}
	return !slices.Equal(literals(a), literals(b))
}

// IsImplicit reports whether code calls methods of a name without mentioning it: the
// standard library, an operator or the end of a scope does.
func IsImplicit(language, name string) bool {
	switch language {
	case "go":
		switch name {
		case "String", "GoString", "Error", "Format", "Unwrap", "Is", "As", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText",
			"MarshalXML", "UnmarshalXML", "MarshalBinary", "UnmarshalBinary", "Len", "Less", "Swap", "Read", "Write", "WriteTo", "ReadFrom":
			return true
		}
	case "java":
		switch name {
		case "equals", "hashCode", "toString", "compareTo", "close", "iterator", "clone", "readObject", "writeObject":
			return true
		}
	case "javascript":
		return name == "toString" || name == "toJSON" || name == "valueOf" || name == "constructor"
	case "python":
		return strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
	case "rust":
		switch name {
		case "drop", "fmt", "eq", "ne", "cmp", "partial_cmp", "hash", "deref", "deref_mut", "index", "from", "into", "try_from", "next", "clone",
			"default", "add", "sub", "mul", "div", "neg", "not", "from_str", "as_ref", "borrow":
			return true
		}
	case "c":
		return strings.HasPrefix(name, "operator") || strings.HasPrefix(name, "~")
	}
	return false
}

// IsPredeclared reports whether a name is a keyword of a language, or one that its
// programs mention everywhere without declaring it, such as a type of numbers.
func IsPredeclared(language, name string) bool {
	if isCommon(name) {
		return true
	}
	switch language {
	case "go":
		return isGoName(name)
	case "java":
		return isJavaName(name)
	case "c":
		return isCName(name)
	case "javascript":
		return isJavaScriptName(name)
	case "python":
		return isPythonName(name)
	case "rust":
		return isRustName(name)
	}
	return false
}

// isCommon reports whether most languages have a keyword or type of the name.
func isCommon(name string) bool {
	switch name {
	case "break", "case", "const", "continue", "default", "do", "else", "enum", "false", "for", "if", "return", "static", "struct", "switch",
		"true", "while", "int", "char", "float", "double", "long", "short", "void", "bool", "null", "this", "self", "import", "public",
		"private", "protected", "class", "new", "try", "catch", "throw", "throws", "finally", "final", "interface":
		return true
	}
	return false
}

func isGoName(name string) bool {
	switch name {
	case "any", "byte", "chan", "comparable", "complex128", "complex64", "defer", "error", "fallthrough", "float32", "float64", "func", "go",
		"goto", "int16", "int32", "int64", "int8", "interface", "iota", "len", "make", "map", "nil", "package", "range", "rune", "select",
		"string", "type", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr", "var", "append", "cap", "copy", "panic", "_":
		return true
	}
	return false
}

func isJavaName(name string) bool {
	switch name {
	case "String", "Object", "Integer", "Long", "Boolean", "Character", "List", "Map", "Set", "extends", "implements", "abstract", "boolean",
		"byte", "instanceof", "super", "synchronized", "transient", "volatile", "Override", "package", "var", "record", "native":
		return true
	}
	return false
}

func isCName(name string) bool {
	switch name {
	case "unsigned", "signed", "size_t", "extern", "inline", "sizeof", "typedef", "union", "volatile", "uint8_t", "uint16_t", "uint32_t",
		"uint64_t", "int8_t", "int16_t", "int32_t", "int64_t", "NULL", "nullptr", "auto", "template", "typename", "namespace", "using", "std",
		"string", "virtual", "override", "operator", "register", "define", "include", "ifdef", "ifndef", "endif", "elif", "defined":
		return true
	}
	return false
}

func isJavaScriptName(name string) bool {
	switch name {
	case "async", "await", "delete", "export", "exports", "extends", "from", "function", "in", "instanceof", "let", "module", "of", "require",
		"super", "typeof", "undefined", "var", "yield", "Object", "Array", "String", "Number", "Boolean", "prototype", "any", "string", "number",
		"boolean", "type", "Error", "Math", "JSON":
		return true
	}
	return false
}

func isPythonName(name string) bool {
	switch name {
	case "and", "as", "assert", "async", "await", "cls", "def", "del", "elif", "except", "False", "from", "global", "in", "is", "lambda", "None",
		"nonlocal", "not", "or", "pass", "raise", "True", "with", "yield", "str", "bytes", "dict", "list", "object", "set", "tuple", "len",
		"range", "type", "isinstance", "super", "property", "staticmethod", "classmethod", "__all__":
		return true
	}
	return false
}

func isRustName(name string) bool {
	switch name {
	case "as", "async", "await", "crate", "dyn", "extern", "fn", "i128", "i16", "i32", "i64", "i8", "impl", "in", "isize", "let", "loop", "match",
		"mod", "move", "mut", "pub", "ref", "Self", "str", "String", "super", "trait", "type", "u128", "u16", "u32", "u64", "u8", "unsafe",
		"use", "usize", "where", "Vec", "Option", "Some", "None", "Result", "Ok", "Err", "Box", "derive", "f32", "f64":
		return true
	}
	return false
}
