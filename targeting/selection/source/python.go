package source

import "strings"

// A pyOutline outlines the tokens of a Python file.
type pyOutline struct {
	*outline
	frames []pyFrame
	depth  int // indentation
}

// A pyFrame is a function or a class whose body is being outlined.
type pyFrame struct {
	from  int
	depth int // indentation of its first line
	decl  Decl
}

func outlinePython(o *outline) {
	lexPython(o)
	o.matchBrackets(false)
	p := &pyOutline{outline: o}
	from := -1 // first token of decorators
	for i := 0; i < len(p.tokens); {
		switch p.kind(i) {
		case indent:
			p.depth++
			i++
		case dedent:
			p.depth--
			i++
			p.leave(i)
		default:
			next := p.lineEnd(i)
			if p.is(i, '@') {
				if from < 0 {
					from = i
				}
			} else {
				if from < 0 {
					from = i
				}
				p.statement(from, i, next)
				from = -1
			}
			i = next
		}
	}
	p.depth = 0
	p.leave(len(p.tokens))
}

// lineEnd returns the index behind the statement at an index.
func (p *pyOutline) lineEnd(i int) int {
	for i < len(p.tokens) && p.kind(i) != terminator && p.kind(i) != indent && p.kind(i) != dedent {
		i++
	}
	if p.kind(i) == terminator {
		i++
	}
	return i
}

// leave declares the functions and classes whose bodies end before an index.
func (p *pyOutline) leave(i int) {
	for n := len(p.frames) - 1; n >= 0 && p.frames[n].depth >= p.depth; n-- {
		p.declare(p.frames[n].from, i, p.frames[n].decl)
		p.frames = p.frames[:n]
	}
}

// prefix returns the prefix of names that are declared in the current frame, and the
// class that the names are members of, if any.
func (p *pyOutline) prefix() (prefix, owner string) {
	n := len(p.frames)
	if n == 0 {
		return "", ""
	}
	if d := p.frames[n-1].decl; d.Kind == Type {
		owner = d.Short
	}
	return p.frames[n-1].decl.Name + ".", owner
}

// inFunction reports whether the current statement belongs to a function.
func (p *pyOutline) inFunction() bool {
	n := len(p.frames)
	return n > 0 && p.frames[n-1].decl.Kind == Function
}

// statement outlines the statement in the tokens from i to before end. Decorators
// begin at index from.
func (p *pyOutline) statement(from, i, end int) {
	keyword := p.text(i)
	if keyword == "async" && p.text(i+1) == "def" {
		i++
		keyword = "def"
	}
	switch {
	case (keyword == "def" || keyword == "cdef" || keyword == "cpdef") && p.kind(i+1) == identifier:
		p.block(from, i, end, Function)
	case keyword == "class" && p.kind(i+1) == identifier:
		p.block(from, i, end, Type)
	case p.inFunction() && p.kind(i) == stringLiteral && p.kind(i+1) == terminator: // a rule, which affects all methods of a parser
		prefix, _ := p.prefix()
		p.declare(i, end, Decl{Kind: Statement, Name: prefix + "__doc__"})
	case p.inFunction():
	case keyword == "import" || keyword == "from":
		p.imports(i, end)
	case keyword == "type" && p.kind(i+1) == identifier && (p.is(i+2, '=') || p.is(i+2, '[')):
		prefix, owner := p.prefix()
		name := p.text(i + 1)
		p.declare(i, end, Decl{Kind: Type, Name: prefix + name, Short: name, Owner: owner, name: p.offset(i + 1)})
	default:
		p.assignment(i, end)
	}
}

// block outlines a function or a class whose keyword has index i.
func (p *pyOutline) block(from, i, end int, kind Kind) {
	name := p.text(i + 1)
	prefix, owner := p.prefix()
	d := Decl{Kind: kind, Name: prefix + name, Short: name, Owner: owner, name: p.offset(i + 1)}
	if kind == Type {
		d.ordered = p.isOrdered(from, end)
	}
	if kind == Function && owner != "" {
		d.self = "self"
		if name == "__init__" || name == "__new__" {
			d.Names = []string{name, owner}
		}
	}
	if p.kind(end) != indent || len(p.frames) >= maxNesting {
		p.declare(from, end, d) // on one line
		return
	}
	p.frames = append(p.frames, pyFrame{from, p.depth, d})
}

// isOrdered reports whether the decorators and bases of a class, in the tokens from i to
// before end, make the order of its attributes count.
func (p *pyOutline) isOrdered(i, end int) bool {
	for ; i < end; i++ {
		switch p.text(i) {
		case "Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "NamedTuple", "dataclass", "attrs", "define", "frozen", "BaseModel":
			return true
		}
	}
	return false
}

// imports outlines an import.
func (p *pyOutline) imports(i, end int) {
	last := end
	if p.kind(end-1) == terminator {
		last--
	}
	d := Decl{Kind: Import}
	module, k := "", i+1
	if p.text(i) == "from" {
		module, k = p.dotted(k, last)
		p.file.Imports = append(p.file.Imports, module)
		if !strings.HasSuffix(module, ".") {
			module += "."
		}
		d.Name = "import " + strings.TrimSuffix(module, ".")
		k++ // import
	}
	for k < last {
		if p.kind(k) != identifier {
			k++
			continue
		}
		name, next := p.dotted(k, last)
		if next == k { // a keyword
			k++
			continue
		}
		k = next
		p.file.Imports = append(p.file.Imports, module+name)
		if d.Name == "" {
			d.Name = "import " + name
		}
		bound, _, _ := strings.Cut(name, ".")
		if p.text(k) == "as" {
			bound = p.text(k + 1)
			k += 2
		}
		d.Names = append(d.Names, bound)
	}
	if len(d.Names) > 0 {
		d.Short = d.Names[0]
	}
	if d.Name == "" {
		d.Name = "import"
	}
	p.declare(i, end, d)
}

// dotted returns the dotted name at an index, and the index behind it.
func (p *pyOutline) dotted(i, end int) (string, int) {
	var out strings.Builder
	for ; i < end; i++ {
		text := p.text(i)
		if p.kind(i) == identifier && (text == "import" || text == "as") || p.kind(i) == identifier && p.kind(i-1) == identifier && out.Len() > 0 ||
			p.kind(i) != identifier && strings.Trim(text, ".") != "" {
			break
		}
		out.WriteString(text)
	}
	return out.String(), i
}

// assignment outlines an assignment: the targets are before equals signs, or
// before the colon of an annotation.
func (p *pyOutline) assignment(i, end int) {
	if isPyKeyword(p.text(i)) {
		return
	}
	d := Decl{Kind: Value}
	first := i
	for k := i; k < end; {
		stop := p.target(k, end)
		if stop >= end {
			break
		}
		d.Names = append(d.Names, p.targets(k, stop)...)
		if p.is(stop, ':') {
			break
		}
		k = stop + 1
	}
	if len(d.Names) == 0 {
		return
	}
	var path []string // a.b.c
	for k := first; p.kind(k) == identifier; k += 2 {
		path = append(path, p.text(k))
		d.name = p.offset(k)
		if !p.is(k+1, '.') {
			break
		}
	}
	prefix, owner := p.prefix()
	d.Short = d.Names[0]
	d.Owner = owner
	d.Name = prefix + d.Short
	if len(path) > 1 {
		d.Name = prefix + strings.Join(path, ".")
		d.Owner = path[len(path)-2]
	}
	p.declare(i, end, d)
}

// target returns the index of the operator that ends a target, or end if none
// follows.
func (p *pyOutline) target(i, end int) int {
	for i < end {
		switch text := p.text(i); {
		case p.kind(i) == operator && (text == "=" || text == ":" || len(text) > 1 && text[len(text)-1] == '=' && text != "==" && text != "!=" && text != "<="):
			return i
		case p.is(i, '>') && p.is(i+1, '>') && p.is(i+2, '='): // >>=
			return i + 2
		case p.kind(i) == identifier && isPyKeyword(text):
			return end
		case p.nesting(i) > 0:
			i = p.behindBracket(i, end)
		default:
			i++
		}
	}
	return end
}

// targets returns the names that the targets in the tokens from i to before end
// assign to.
func (p *pyOutline) targets(i, end int) []string {
	var out []string
	for ; i < end; i++ {
		switch {
		case p.kind(i) == identifier && !p.is(i+1, '.') && !p.is(i+1, '('):
			out = append(out, p.text(i))
		case p.is(i, '[') && (p.kind(i-1) == identifier || p.is(i-1, ')') || p.is(i-1, ']')): // a subscript
			i = p.behindBracket(i, end) - 1
		}
	}
	return out
}

// isPyKeyword reports whether no assignment begins with a word.
func isPyKeyword(word string) bool {
	switch word {
	case "if", "elif", "else", "for", "while", "try", "except", "finally", "with", "return", "raise", "pass", "del", "assert", "global",
		"nonlocal", "yield", "lambda", "async", "await", "print", "exec":
		return true
	}
	return false
}
