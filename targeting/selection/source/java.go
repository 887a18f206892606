package source

import "strings"

// maxNesting limits how deep the types are nested whose members are outlined.
const maxNesting = 50

// lexJava splits a Java file into tokens. A comma before a closing brace is left
// out, because formatting may add it.
func lexJava(o *outline) {
	l := newLexer(o.file.text)
	for l.more() {
		c, d := l.text[l.pos], l.peek(1)
		switch {
		case c == '/' && d == '/':
			l.skip(l.lineEnd())
		case c == '/' && d == '*':
			l.skip(l.behind(2, "*/"))
		case c == '"' && l.has(`"""`):
			l.emit(stringLiteral, l.tripleQuoted(3))
		case c == '"':
			l.emit(stringLiteral, l.quoted(1, false))
		case c == '\'':
			l.emit(number, l.quoted(1, false))
		case c == '}':
			l.dropComma()
			l.emit(operator, l.pos+1)
		default:
			l.rest()
		}
	}
	o.tokens = l.tokens
}

// A javaOutline outlines the tokens of a Java file.
type javaOutline struct{ *outline }

// A scope is the file, namespace or type in which members are declared.
type scope struct {
	prefix string // of qualified names, with a separator at the end
	owner  string // simple name of the type
	depth  int
	test   bool // its members are compiled for tests only
}

// inside returns the scope of the members of a type.
func (s scope) inside(name, separator string) scope {
	return scope{s.prefix + name + separator, name, s.depth + 1, s.test}
}

func outlineJava(o *outline) {
	lexJava(o)
	o.matchBrackets(false)
	j := javaOutline{o}
	j.members(0, len(o.tokens), scope{})
}

// members outlines the members of a type, or the types of a file.
func (j javaOutline) members(i, end int, in scope) {
	for i < end {
		if j.is(i, ';') || j.is(i, '}') {
			i++
			continue
		}
		i = j.member(i, end, in)
	}
}

// member outlines the member at an index and returns the index behind it.
func (j javaOutline) member(from, end int, in scope) int {
	i := j.behindModifiers(from, end)
	switch text := j.text(i); {
	case i >= end:
		return end
	case (text == "package" || text == "import") && in.owner == "":
		return j.clause(from, i, end)
	case text == "{":
		to := j.behindBracket(i, end)
		name := "<init>"
		if j.text(i-1) == "static" && i > from {
			name = "<clinit>"
		}
		if in.owner != "" {
			j.declare(from, to, Decl{Kind: Statement, Name: in.prefix + name, Owner: in.owner})
		}
		return to
	case j.isTypeKeyword(i):
		return j.typeDecl(from, i, end, in)
	}
	if j.is(i, '<') {
		i = j.behindAngles(i, end)
	}
	head := j.headEnd(i, end)
	switch {
	case j.is(head, '('):
		return j.method(from, head, end, in)
	case j.is(head, '{') && j.text(head-1) == in.owner: // constructor of a record, without parameters
		to := j.behindBracket(head, end)
		j.declare(from, to, Decl{Kind: Function, Name: in.prefix + in.owner, Short: in.owner, Owner: in.owner, name: j.offset(head - 1)})
		return to
	}
	return j.field(from, i, end, in)
}

// behindModifiers returns the index behind annotations and modifiers.
func (j javaOutline) behindModifiers(i, end int) int {
	for i < end {
		switch text := j.text(i); text {
		case "@":
			if j.text(i+1) == "interface" {
				return i
			}
			for i += 2; j.is(i, '.'); i += 2 {
			}
			if j.is(i, '(') {
				i = j.behindBracket(i, end)
			}
		case "public", "protected", "private", "static", "final", "abstract", "native", "synchronized",
			"transient", "volatile", "strictfp", "default":
			i++
		case "sealed":
			if j.kind(i+1) != identifier {
				return i
			}
			i++
		case "non":
			if !j.is(i+1, '-') || j.text(i+2) != "sealed" {
				return i
			}
			i += 3
		default:
			return i
		}
	}
	return min(i, end)
}

// isTypeKeyword reports whether a type declaration begins at an index, behind its
// modifiers.
func (j javaOutline) isTypeKeyword(i int) bool {
	switch j.text(i) {
	case "class", "interface", "enum":
		return j.kind(i+1) == identifier
	case "@":
		return j.text(i+1) == "interface"
	case "record":
		return j.kind(i+1) == identifier && (j.is(i+2, '(') || j.is(i+2, '<'))
	}
	return false
}

// clause outlines a package or import clause.
func (j javaOutline) clause(from, i, end int) int {
	to := j.find(i, end, ";{")
	first := i + 1
	if j.text(first) == "static" {
		first++
	}
	var name strings.Builder
	for k := first; k < to; k++ {
		name.WriteString(j.text(k))
	}
	if j.is(to, ';') {
		to++
	}
	if j.text(i) == "package" {
		j.file.Package = name.String()
		return to
	}
	j.file.Imports = append(j.file.Imports, name.String())
	d := Decl{Kind: Import, Name: "import " + name.String()}
	if last := j.text(to - 2); last != "*" {
		d.Short = last
	}
	j.declare(from, to, d)
	return to
}

// typeDecl outlines a type whose keyword has index i.
func (j javaOutline) typeDecl(from, i, end int, in scope) int {
	keyword := j.text(i)
	if keyword == "@" {
		i++
	}
	name := j.text(i + 1)
	body := j.find(i+2, end, "{;")
	to := min(body+1, end)
	if j.is(body, '{') {
		to = j.behindBracket(body, end)
	}
	j.declare(from, to, Decl{Kind: Type, Name: in.prefix + name, Short: name, Owner: in.owner, name: j.offset(i + 1), ordered: keyword == "enum"})
	if !j.is(body, '{') || in.depth >= maxNesting {
		return to
	}
	first, last := body+1, j.beforeClose(body, to)
	inside := in.inside(name, ".")
	if keyword == "enum" {
		first = j.constants(first, last, inside)
	}
	j.members(first, last, inside)
	return to
}

// beforeClose returns the index of the closing brace that ends before to, or to if
// it is missing.
func (o *outline) beforeClose(open, to int) int {
	if int(o.partners[open]) < to {
		return int(o.partners[open])
	}
	return to
}

// constants outlines the constants of an enum and returns the index behind them.
func (j javaOutline) constants(i, end int, in scope) int {
	for i < end {
		from := i
		i = j.behindModifiers(i, end)
		if j.kind(i) != identifier {
			return min(i+1, end)
		}
		name := i
		i++
		if j.is(i, '(') {
			i = j.behindBracket(i, end)
		}
		short := j.text(name)
		if j.is(i, '{') {
			to := j.behindBracket(i, end)
			if in.depth < maxNesting {
				j.members(i+1, j.beforeClose(i, to), scope{in.prefix + short + ".", in.owner, in.depth + 1, false})
			}
			i = to
		}
		j.declare(from, i, Decl{Kind: Value, Name: in.prefix + short, Short: short, Owner: in.owner, name: j.offset(name)})
		if !j.is(i, ',') {
			break
		}
		j.separate(i, i+1)
		i++
	}
	if j.is(i, ';') {
		i++
	}
	return min(i, end)
}

// headEnd returns the index of the operator that ends the head of a method or
// field: a parenthesis, an equals sign, a comma, a semicolon or a brace.
func (j javaOutline) headEnd(i, end int) int {
	for i < end {
		switch {
		case j.is(i, '<'):
			i = j.behindAngles(i, end)
			continue
		case j.is(i, '@'):
			i = max(j.behindModifiers(i, end), i+1)
			continue
		case j.is(i, '['):
			i = j.behindBracket(i, end)
			continue
		case j.is(i, '(') || j.is(i, '=') || j.is(i, ',') || j.is(i, ';') || j.is(i, '{') || j.is(i, '}'):
			return i
		}
		i++
	}
	return end
}

// method outlines a method or constructor whose parameters begin at index open.
func (j javaOutline) method(from, open, end int, in scope) int {
	name := j.text(open - 1)
	closed := j.behindBracket(open, end)
	body := j.find(closed, end, "{;}")
	to := body
	switch {
	case j.text(closed) == "default" || j.is(body, ';'): // value of an annotation, or no body
		if body = j.find(closed, end, ";"); body < end {
			to = body + 1
		}
	case j.is(body, '{'):
		to = j.behindBracket(body, end)
	}
	to = max(to, from+1)
	j.declare(from, to, Decl{
		Kind: Function, Name: in.prefix + name + "(" + j.parameters(open+1, closed-1) + ")", Short: name, Owner: in.owner,
		name: j.offset(open - 1),
	})
	return to
}

// parameters returns the types of parameters without type arguments.
func (j javaOutline) parameters(i, end int) string {
	var out strings.Builder
	for i < end {
		next := j.parameterEnd(i, end)
		i = j.behindModifiers(i, next)
		last := next - 1 // its name, and brackets
		for last > i && j.kind(last) != identifier {
			last--
		}
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		for k := i; k < next; k++ {
			switch {
			case j.is(k, '<'):
				k = j.behindAngles(k, next) - 1
			case j.is(k, '@'):
				k = max(j.behindModifiers(k, next), k+1) - 1
			case j.is(k, '.'):
				// only the last part of a qualified name counts
			case k != last && (j.kind(k) != identifier || !j.is(k+1, '.')):
				out.WriteString(j.text(k))
			}
		}
		i = next + 1
	}
	return out.String()
}

// parameterEnd returns the index of the comma behind a parameter, or end.
func (j javaOutline) parameterEnd(i, end int) int {
	for i < end {
		switch {
		case j.is(i, '<'):
			i = j.behindAngles(i, end)
			continue
		case j.is(i, ','):
			return i
		case j.nesting(i) > 0:
			i = j.behindBracket(i, end)
			continue
		}
		i++
	}
	return end
}

// field outlines a field declaration, which may have several names.
func (j javaOutline) field(from, i, end int, in scope) int {
	to := j.find(i, end, ";}")
	d := Decl{Kind: Value, Owner: in.owner}
	for k := i; k < to; {
		head := j.headEnd(k, to)
		name := head - 1
		for name > k && j.is(name, ']') {
			for name--; name > k && !j.is(name, '['); name-- {
			}
			name--
		}
		if name >= i && j.kind(name) == identifier {
			if len(d.Names) == 0 {
				d.name = j.offset(name)
			}
			d.Names = append(d.Names, j.text(name))
		}
		k = j.nextDeclarator(head, to) + 1
	}
	if j.is(to, ';') {
		to++
	}
	to = max(to, from+1)
	if len(d.Names) > 0 && in.owner != "" {
		d.Short = d.Names[0]
		d.Name = in.prefix + d.Short
		j.declare(from, to, d)
	}
	return to
}

// nextDeclarator returns the index of the comma behind an initializer, or end. It skips
// commas in type arguments: only a name and '=', ',' or ';' can follow the comma before a
// declarator.
func (j javaOutline) nextDeclarator(i, end int) int {
	for i < end {
		i = j.find(i, end, ",")
		if j.kind(i+1) == identifier {
			next := i + 2
			for j.is(next, '[') {
				next = j.behindBracket(next, end)
			}
			if next >= end || j.is(next, '=') || j.is(next, ',') {
				return i
			}
		}
		i++
	}
	return end
}
