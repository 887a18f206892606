package source

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
)

// An outline collects the declarations of a file.
type outline struct {
	file   *File
	tokens []token
	spans  []span
	decls  []Decl
	// partners holds, by index of an opening bracket, the index of its closing bracket;
	// see matchBrackets.
	partners []int32
}

// A span is a declaration with its tokens: the tokens in [from, to) that are in no span
// inside it.
type span struct {
	from, to int
	decl     int // index of the declaration, or separator
}

// separator is the declaration index of tokens that belong to no declaration.
const separator = -1

// text returns the text of token i, or "" if there is none.
func (o *outline) text(i int) string {
	if i < 0 || i >= len(o.tokens) {
		return ""
	}
	return o.tokens[i].text(o.file.text)
}

// kind returns the kind of token i, or 0 if there is none.
func (o *outline) kind(i int) tokenKind {
	if i < 0 || i >= len(o.tokens) {
		return 0
	}
	return o.tokens[i].kind
}

// offset returns the offset of token i, or 0 if there is none.
func (o *outline) offset(i int) int32 {
	if i < 0 || i >= len(o.tokens) {
		return 0
	}
	return o.tokens[i].start
}

// declare adds a declaration that consists of the tokens in [from, to). If two
// declarations have the same tokens, the first is the outer one.
func (o *outline) declare(from, to int, d Decl) {
	if len(o.decls) < maxDecls {
		o.spans = append(o.spans, span{from, to, len(o.decls)})
		o.decls = append(o.decls, d)
	}
}

// separate marks tokens as separators that belong to no declaration.
func (o *outline) separate(from, to int) {
	o.spans = append(o.spans, span{from, to, separator})
}

// finish computes the declarations of the file from the spans.
func (o *outline) finish() {
	o.spans = slices.Insert(o.spans, 0, span{0, len(o.tokens), len(o.decls)})
	o.decls = append(o.decls, Decl{Kind: Statement, Name: FileStatement})
	slices.SortStableFunc(o.spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to))
	})
	o.distribute()
	for _, s := range o.spans {
		if s.decl == separator || len(o.decls[s.decl].tokens) == 0 {
			continue
		}
		d := o.decls[s.decl]
		d.file = o.file
		if d.Name == "" {
			d.Name = "<anonymous>"
		}
		first := slices.IndexFunc(d.tokens, func(t token) bool { return t.kind != directive })
		d.Start = int(d.tokens[max(first, 0)].line)
		d.End = int(d.tokens[len(d.tokens)-1].last)
		if d.Name != FileStatement {
			d.End = max(d.End, int(o.tokens[s.to-1].last))
		}
		if len(d.Names) == 0 && d.Short != "" {
			d.Names = []string{d.Short}
		}
		o.file.Decls = append(o.file.Decls, d)
	}
	slices.SortStableFunc(o.file.Decls, func(a, b Decl) int { return cmp.Compare(a.Start, b.Start) })
	addOrder(o.file.Decls)
	makeUnique(o.file.Decls)
	digest(o.file.Decls)
	o.file.Generated = o.generated()
}

// distribute gives each declaration its tokens.
func (o *outline) distribute() {
	owners := make([]int32, len(o.tokens))
	sizes := make([]int, len(o.decls)+1) // the last one is that of separators
	stack := []int{}
	next := 0
	for i := range o.tokens {
		for len(stack) > 0 && o.spans[stack[len(stack)-1]].to <= i {
			stack = stack[:len(stack)-1]
		}
		for ; next < len(o.spans) && o.spans[next].from <= i; next++ {
			if s := &o.spans[next]; len(stack) > 0 {
				s.to = min(s.to, o.spans[stack[len(stack)-1]].to)
			}
			if o.spans[next].to > i {
				stack = append(stack, next)
			}
		}
		owner := o.spans[stack[len(stack)-1]].decl // the span of the file is around all others
		if owner == separator {
			owner = len(o.decls)
		}
		owners[i] = int32(owner)
		sizes[owner]++
	}
	all := make([]token, 0, len(o.tokens))
	for i := range o.decls {
		all = all[:len(all)+sizes[i]]
		o.decls[i].tokens = all[len(all)-sizes[i] : len(all)-sizes[i] : len(all)]
	}
	for i, owner := range owners {
		if int(owner) < len(o.decls) {
			tokens := &o.decls[owner].tokens
			*tokens = append(*tokens, o.tokens[i])
		}
	}
}

// addOrder adds the names of an ordered type's values to the context of the type.
func addOrder(decls []Decl) {
	types := map[string]*Decl{}
	for i := range decls {
		d := &decls[i]
		if d.ordered {
			types[d.Name] = d
		}
		if owner := types[strings.TrimSuffix(d.Name, "."+d.Short)]; owner != nil && d.Kind == Value {
			owner.context += " " + d.Short
		}
	}
}

// makeUnique numbers declarations of the same name.
func makeUnique(decls []Decl) {
	taken := map[string]bool{}
	counts := map[string]int{}
	for i := range decls {
		taken[decls[i].Name] = true
	}
	for i := range decls {
		d := &decls[i]
		plain := d.Name
		for counts[plain]++; counts[plain] > 1; counts[plain]++ {
			d.Name = plain + "#" + strconv.Itoa(counts[plain])
			if !taken[d.Name] {
				taken[d.Name] = true
				break
			}
		}
	}
}

// generated reports whether another tool wrote the file.
func (o *outline) generated() bool {
	for _, origin := range o.file.Origins {
		if origin.File != o.file.Name {
			return true
		}
	}
	head := o.file.text
	if first := slices.IndexFunc(o.tokens, func(t token) bool { return t.kind != directive }); first >= 0 {
		head = head[:o.tokens[first].start]
	}
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if o.file.Language == "go" {
			if strings.HasPrefix(line, "// Code generated ") && strings.HasSuffix(line, " DO NOT EDIT.") {
				return true
			}
			continue
		}
		if strings.Contains(line, "@generated") || strings.Contains(strings.ToUpper(line), "DO NOT EDIT") {
			return true
		}
	}
	return false
}

// originates records that the lines after a directive originate in another file,
// up to the next directive.
func (o *outline) originates(line int, file string, first int) {
	o.endOrigin(line)
	o.file.Origins = append(o.file.Origins, Origin{Range{line + 1, line + 1}, file, first})
}

// relative resolves the name of a file that the file from refers to.
func relative(from, name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join(path.Dir(from), name)
}

// endOrigin ends the last origin before a line.
func (o *outline) endOrigin(line int) {
	n := len(o.file.Origins)
	if n == 0 {
		return
	}
	last := &o.file.Origins[n-1]
	last.Last = line - 1
	if last.Last < last.First || last.File == o.file.Name && last.Line == last.First {
		o.file.Origins = o.file.Origins[:n-1]
	}
}
