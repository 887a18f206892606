package source

import (
	"maps"
	"slices"
)

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
// returns the names of members that both versions have and that differ, sorted. whole
// reports whether the type differs in its header, or an embedded member was added or
// deleted.
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
// first braces. Fields that share a type, as in "a, b int" of Go and "int a, b" of C, are
// members of their own.
func (d *Decl) members() []member {
	var out []member
	var current []token
	shared := "" // C: text before a comma, which contains the type of the member behind it
	add := func() {
		if len(current) == 0 {
			return
		}
		names := 1
		for d.file.Language == "go" && len(out) > 0 && 2*names < len(current) && d.text(current[2*names-1]) == "," {
			names++
		}
		for n := range names {
			m := d.member(slices.Concat(current[2*n:2*n+1], current[2*names-1:]), len(out) == 0)
			m.text, m.embedded = shared+m.text, m.embedded && shared == ""
			out = append(out, m)
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
		case depth == 1 && len(out) > 0 && (t.kind == terminator || text == "," && d.file.Language != "go" || text == ";"):
			add()
			if shared = ""; text == "," && d.file.Language == "c" {
				shared = out[len(out)-1].text
			}
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

// member returns the member that consists of tokens. Its name is the first identifier, in
// Rust behind its visibility; in C, where the type comes first, it is the last one outside
// brackets and before an initial value.
func (d *Decl) member(tokens []token, header bool) member {
	m := member{embedded: true}
	var text []byte
	language, depth, last := d.file.Language, 0, ""
	initial := false // C: the tokens are part of an initial value
	for _, t := range tokens {
		word, before := d.text(t), last
		last = word
		text = append(append(text, word...), 0)
		switch {
		case t.kind == operator && (word == "[" || word == "("):
			depth++
		case t.kind == operator && (word == "]" || word == ")"):
			depth--
		case language == "c" && depth == 0 && (word == "=" || word == "{" && before != "union" && before != "struct"):
			initial = true
		case word == ";": // inside an anonymous union
			initial = false
		case language == "rust" && word == "pub":
		case t.kind == identifier && !header && depth == 0 && !initial && (m.name == "" || language == "c"):
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

// HasSameTokens reports whether two versions of a declaration have the same tokens, so
// that only their context can differ, such as the order of an enum's constants.
func HasSameTokens(a, b *Decl) bool { return len(diffTokens(a, b)) == 0 }

// ChangedFields returns the names of members that were added, deleted, changed or moved,
// sorted.
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

// Similarity returns the share of tokens that two declarations have in common, in any
// order, between 0 and 1.
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
