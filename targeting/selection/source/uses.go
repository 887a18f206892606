package source

import (
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

// Pastes returns the parts of names that a C macro joins with its arguments by ##.
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

// NamesPart reports whether a string literal contains a proper prefix or suffix of a name,
// with at least three characters.
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
