package source

import "strings"

// A rustOutline outlines the tokens of a Rust file.
type rustOutline struct{ *outline }

func outlineRust(o *outline) {
	lexRust(o)
	o.matchBrackets(true)
	rustOutline{o}.items(0, len(o.tokens), scope{})
}

// items outlines the items of a file or a block.
func (r rustOutline) items(i, end int, in scope) {
	for i < end {
		i = max(r.item(i, end, in), i+1)
	}
}

// item outlines the item at an index and returns the index behind it.
func (r rustOutline) item(from, end int, in scope) int {
	if r.is(from, '#') && r.is(from+1, '!') && r.is(from+2, '[') { // an attribute of the file
		return r.behindBracket(from+2, end)
	}
	i, test := r.behindAttributes(from, end)
	in.test = in.test || test
	i = r.behindQualifiers(i, end)
	switch r.text(i) {
	case "fn":
		return r.function(from, i, end, in)
	case "struct", "enum", "union":
		if r.kind(i+1) == identifier {
			to := r.itemEnd(i, end)
			r.named(from, i+1, to, Type, in)
			return to
		}
	case "trait":
		return r.trait(from, i, end, in)
	case "impl":
		return r.impl(from, i, end, in)
	case "mod":
		return r.module(from, i, end, in)
	case "use":
		return r.use(from, i, end, in)
	case "extern":
		return r.foreign(from, i, end, in)
	case "const", "static":
		name := i + 1
		for r.text(name) == "mut" || r.text(name) == "ref" {
			name++
		}
		to := min(r.find(i, end, ";}")+1, end)
		r.named(from, name, to, Value, in)
		r.inner(name, to, in)
		return to
	case "type":
		to := min(r.find(i, end, ";}")+1, end)
		r.named(from, i+1, to, Type, in)
		return to
	case "macro_rules":
		if r.is(i+1, '!') {
			to := r.itemEnd(i+2, end)
			r.named(from, i+2, to, Value, in)
			return to
		}
	}
	if r.kind(i) == identifier {
		return r.invocation(from, i, end, in)
	}
	if i < end && r.nesting(i) > 0 {
		return r.behindBracket(i, end)
	}
	return i + 1
}

// behindAttributes returns the index behind the attributes of an item, and whether they
// restrict the item to tests.
func (r rustOutline) behindAttributes(i, end int) (int, bool) {
	test := false
	for i < end && r.is(i, '#') && r.is(i+1, '[') {
		next := r.behindBracket(i+1, end)
		text := r.text(i + 2)
		test = test || text == "test" || text == "bench" || text == "cfg" && r.text(i+4) == "test" && r.is(i+5, ')')
		i = next
	}
	return i, test
}

// behindQualifiers returns the index behind the visibility and the qualifiers of
// an item.
func (r rustOutline) behindQualifiers(i, end int) int {
	for i < end {
		switch r.text(i) {
		case "pub":
			if i++; r.is(i, '(') {
				i = r.behindBracket(i, end)
			}
		case "default", "async", "unsafe", "safe", "auto", "gen":
			if r.kind(i+1) != identifier && r.kind(i+1) != stringLiteral {
				return i
			}
			i++
		case "const":
			switch r.text(i + 1) {
			case "fn", "unsafe", "async", "extern", "trait", "impl":
				i++
			default:
				return i
			}
		case "extern":
			if r.text(i+1) == "fn" {
				return i + 1
			}
			if r.kind(i+1) == stringLiteral && r.text(i+2) == "fn" {
				return i + 2
			}
			return i
		default:
			return i
		}
	}
	return end
}

// itemEnd returns the index behind an item that ends with braces or a semicolon.
func (r rustOutline) itemEnd(i, end int) int {
	stop := r.find(i, end, "{;}")
	if r.is(stop, '{') {
		return r.behindBracket(stop, end)
	}
	if r.is(stop, ';') {
		return stop + 1
	}
	return stop
}

// headEnd returns the index of the brace or semicolon behind the head of an item,
// whose type arguments may contain braces.
func (r rustOutline) headEnd(i, end int) int {
	for i < end {
		switch {
		case r.is(i, '{') || r.is(i, ';') || r.is(i, '}'):
			return i
		case r.is(i, '<'):
			i = r.behindAngles(i, end)
		case r.nesting(i) > 0:
			i = r.behindBracket(i, end)
		default:
			i++
		}
	}
	return end
}

// named declares an item whose name is token name.
func (r rustOutline) named(from, name, to int, kind Kind, in scope) {
	d := Decl{Kind: kind, Name: in.prefix + r.text(name), Owner: in.owner, Test: in.test}
	if r.kind(name) == identifier {
		d.name = r.offset(name)
		if d.Short = r.text(name); d.Short == "_" {
			d.Short = ""
		}
	}
	r.declare(from, to, d)
}

// function outlines a function whose keyword has index i.
func (r rustOutline) function(from, i, end int, in scope) int {
	if r.kind(i+1) != identifier {
		return i + 1
	}
	body := r.headEnd(i, end)
	name := r.text(i + 1)
	d := Decl{Kind: Function, Name: in.prefix + name, Short: name, Owner: in.owner, Test: in.test, name: r.offset(i + 1)}
	if in.owner != "" {
		d.self = "self"
	}
	if !r.is(body, '{') { // no body
		to := body
		if r.is(body, ';') {
			to++
		}
		d.Kind = Value
		d.Name += ";"
		r.declare(from, max(to, i+2), d)
		return to
	}
	to := r.behindBracket(body, end)
	r.declare(from, to, d)
	if in.depth < maxNesting {
		r.inner(body+1, to, scope{d.Name + "::", "", in.depth + 1, in.test})
	}
	return to
}

// inner outlines the functions in the body of another one, or in a value.
func (r rustOutline) inner(i, end int, in scope) {
	start := i // of the statement
	for i < end {
		switch {
		case r.is(i, '{') || r.is(i, '}') || r.is(i, ';'):
			start = i + 1
		case r.kind(i) == identifier && r.text(i) == "fn" && r.kind(i+1) == identifier && (r.is(i+2, '(') || r.is(i+2, '<')):
			from := i
			if first, _ := r.behindAttributes(start, i); r.behindQualifiers(first, i) == i {
				from = start
			}
			i = max(r.function(from, i, end, in), i+1)
			start = i
			continue
		}
		i++
	}
}

// trait outlines a trait whose keyword has index i.
func (r rustOutline) trait(from, i, end int, in scope) int {
	to := r.itemEnd(i, end)
	r.named(from, i+1, to, Type, in)
	if open := r.find(i, end, "{;"); r.is(open, '{') && in.depth < maxNesting {
		r.items(open+1, r.beforeClose(open, to), in.inside(r.text(i+1), "::"))
	}
	return to
}

// impl outlines an implementation whose keyword has index i.
func (r rustOutline) impl(from, i, end int, in scope) int {
	open := r.headEnd(i, end)
	if !r.is(open, '{') {
		return open + 1
	}
	to := r.behindBracket(open, end)
	first := i + 1
	if r.is(first, '<') {
		first = r.behindAngles(first, open)
	}
	name, separator := r.typeName(first, open)
	trait := ""
	if r.text(separator) == "for" {
		trait = name
		name, _ = r.typeName(separator+1, open)
	}
	d := Decl{Kind: Type, Name: in.prefix + "impl " + name, Short: name, Owner: name, Test: in.test}
	prefix := in.prefix + name + "::"
	if trait != "" {
		d.Name = in.prefix + "impl " + trait + " for " + name
		prefix = in.prefix + "<" + name + " as " + trait + ">::"
	}
	r.declare(from, to, d)
	if in.depth < maxNesting {
		r.items(open+1, r.beforeClose(open, to), scope{prefix, name, in.depth + 1, in.test})
	}
	return to
}

// typeName returns the last identifier of the type at an index, and the index of
// the word behind the type: for, where, or end.
func (r rustOutline) typeName(i, end int) (string, int) {
	name := ""
	for i < end {
		switch text := r.text(i); {
		case r.is(i, '<'):
			i = r.behindAngles(i, end)
			continue
		case r.nesting(i) > 0:
			if name == "" { // a tuple or a slice
				name, _ = r.typeName(i+1, r.beforeClose(i, end))
			}
			i = r.behindBracket(i, end)
			continue
		case text == "for" && !r.is(i+1, '<'), text == "where":
			return name, i
		case r.kind(i) == identifier && text != "dyn" && text != "mut" && text != "const" && text != "for":
			name = text
		}
		i++
	}
	return name, end
}

// module outlines a module whose keyword has index i.
func (r rustOutline) module(from, i, end int, in scope) int {
	to := r.itemEnd(i, end)
	name := r.text(i + 1)
	if !r.is(i+2, '{') {
		r.file.Imports = append(r.file.Imports, "self::"+name)
		r.declare(from, to, Decl{Kind: Import, Name: in.prefix + "mod " + name, Short: name, Test: in.test})
		return to
	}
	r.declare(from, to, Decl{Kind: Type, Name: in.prefix + "mod " + name, Short: name, Test: in.test})
	if in.depth < maxNesting {
		r.items(i+3, r.beforeClose(i+2, to), scope{in.prefix + name + "::", "", in.depth + 1, in.test})
	}
	return to
}

// use outlines a use declaration whose keyword has index i.
func (r rustOutline) use(from, i, end int, in scope) int {
	to := min(r.find(i, end, ";")+1, end)
	var text strings.Builder
	d := Decl{Kind: Import, Test: in.test}
	for k := i + 1; k < to; k++ {
		if r.is(k, ';') {
			break
		}
		if r.text(k) == "as" {
			text.WriteByte(' ')
		}
		if r.text(k-1) == "as" {
			text.WriteByte(' ')
		}
		text.WriteString(r.text(k))
		if r.kind(k) == identifier && r.text(k+1) != "::" && r.text(k+1) != "as" && r.text(k) != "as" {
			d.Names = append(d.Names, r.text(k))
		}
	}
	if len(d.Names) > 0 {
		d.Short = d.Names[0]
	}
	r.file.Imports = append(r.file.Imports, text.String())
	d.Name = in.prefix + "use " + text.String()
	r.declare(from, to, d)
	return to
}

// foreign outlines an extern block or an extern crate.
func (r rustOutline) foreign(from, i, end int, in scope) int {
	if r.text(i+1) == "crate" {
		to := min(r.find(i, end, ";}")+1, end)
		name := r.text(i + 2)
		r.file.Imports = append(r.file.Imports, name)
		r.declare(from, to, Decl{Kind: Import, Name: in.prefix + "extern crate " + name, Short: name, Test: in.test})
		return to
	}
	open := i + 1
	if r.kind(open) == stringLiteral {
		open++
	}
	if !r.is(open, '{') {
		return i + 1
	}
	to := r.behindBracket(open, end)
	if in.depth < maxNesting {
		in.depth++
		r.items(open+1, r.beforeClose(open, to), in)
	}
	return to
}

// invocation outlines a macro at item level, which may contain items.
func (r rustOutline) invocation(from, i, end int, in scope) int {
	k := i + 1
	for r.text(k) == "::" {
		k += 2
	}
	if !r.is(k, '!') {
		return k
	}
	for k++; k < end && r.kind(k) == identifier; k++ {
	}
	if k >= end || r.nesting(k) <= 0 {
		return k
	}
	to := r.behindBracket(k, end)
	before := len(r.spans)
	if r.is(k, '{') && in.depth < maxNesting {
		in.depth++
		r.items(k+1, r.beforeClose(k, to), in)
		in.depth--
	}
	if r.is(to, ';') {
		to++
	}
	if len(r.spans) > before {
		r.separate(from, k+1)
		r.separate(r.beforeClose(k, to), to)
		return to
	}
	r.declare(from, to, Decl{Kind: Statement, Name: in.prefix + r.text(i) + "!", Test: in.test})
	return to
}
