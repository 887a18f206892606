package source

import (
	"strings"
)

// LoadsComputedModule reports whether the declaration loads a JavaScript module by a name
// that is not a literal.
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

// Selects reports whether the declaration mentions a name as a member, such as x.name, or
// in a destructuring pattern.
func (d *Decl) Selects(name string) bool {
	for i, t := range d.tokens {
		if t.kind != identifier || d.text(t) != name {
			continue
		}
		before, next := d.at(i-1), d.at(i+1)
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

// Imported returns the names that JavaScript import statements bind for modules whose path
// contains a text.
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

// isDefault reports whether a token follows "export default", which is part of no
// declaration.
func (d *Decl) isDefault(t token) bool {
	before := strings.Fields(d.file.text[max(0, int(t.start)-40):t.start])
	n := len(before)
	return n > 1 && before[n-1] == "default" && before[n-2] == "export"
}

// ExportsWhole reports whether JavaScript code exports a value that mentions a name as the
// whole module, or as its default export. The empty name stands for any value.
func (d *Decl) ExportsWhole(name string) bool {
	if d.file.Language != "javascript" {
		return false
	}
	exports := false
	for i, t := range d.tokens {
		text := d.text(t)
		switch {
		case d.terminates(t):
			exports = false
		case text == "exports" && d.at(i-1) == "." && d.at(i-2) == "module" && d.at(i+1) == "=", d.isDefault(t):
			exports = true
		}
		if exports && (name == "" || t.kind == identifier && text == name) {
			return true
		}
	}
	return false
}

// Aliases returns the other names that an import, an export or other code outside
// functions gives to a name: "X as ALIAS", "ALIAS: X" in an object, ".ALIAS = X".
func (d *Decl) Aliases(name string) []string {
	var out []string
	add := func(i int) {
		if i >= 0 && i < len(d.tokens) && d.tokens[i].kind == identifier && d.at(i) != name {
			out = append(out, d.at(i))
		}
	}
	for i, t := range d.tokens {
		if t.kind != identifier || d.text(t) != name {
			continue
		}
		next := d.at(i + 1)
		ends := next == "," || next == "}" || next == ";" || next == ""
		switch {
		case next == "as":
			add(i + 2)
		case d.at(i-1) == ":" && ends:
			add(i - 2)
		case d.at(i-1) == "=" && d.at(i-3) == "." && ends:
			add(i - 2)
		}
	}
	return out
}
