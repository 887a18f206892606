package source

import (
	"slices"
	"strings"
)

// A Place is a token of source code. An execution reaches the code of a change only if it
// reaches one of the change's places.
type Place struct {
	Line, Column int // from 1, the column in bytes

	// Straight is set if the line consists of statements that are known not to branch, so
	// that all its code is executed together.
	Straight bool
}

// maxPlaces limits the places of a change. Beyond the limit, the whole declaration is
// affected.
const maxPlaces = 10_000

// Places compares two versions of a declaration by tokens. It returns the places of a at
// which executions of a and b may differ, or nil if the whole declaration is affected. An
// execution of a that reaches none of the places is also an execution of b.
func Places(a, b *Decl) []Place {
	edits := diffTokens(a, b)
	if len(edits) == 0 || len(a.tokens) == 0 {
		return nil // only the context differs, such as the position in an enumeration
	}
	edits, ok := balance(a, b, slide(a, b, edits))
	if !ok || bindsOthers(a, b) {
		return nil
	}
	p := placer{Decl: a}
	for _, e := range wholeStatements(a, b, edits) {
		if a.hasArm(e.a, e.aEnd) || b.hasArm(e.b, e.bEnd) {
			return nil
		}
		p.add(e)
	}
	if len(p.found) > maxPlaces || slices.ContainsFunc(p.found, p.inArmHead) {
		return nil
	}
	if language := a.file.Language; language == "java" || language == "c" || language == "rust" { // operands may be blocks of their own
		for _, i := range p.found {
			p.found = append(p.found, p.statementBegin(i))
		}
	}
	if a.file.Language == "java" && p.inFinally() {
		return nil // compilers copy such code, and the copies have the same lines
	}
	return p.places()
}

// nesting returns 1 for a token that opens a list of statements, -1 for a token that
// closes one, and 0 for others. Braces of literals count as well.
func (d *Decl) nesting(t token) int {
	switch {
	case t.kind == indent || t.kind == operator && d.text(t) == "{":
		return 1
	case t.kind == dedent || t.kind == operator && d.text(t) == "}":
		return -1
	}
	return 0
}

// separates reports whether a statement may begin behind a token.
func (d *Decl) separates(t token) bool { return d.terminates(t) || d.nesting(t) != 0 }

// terminates reports whether a token ends a statement.
func (d *Decl) terminates(t token) bool {
	return t.kind == terminator || t.kind == operator && d.text(t) == ";"
}

// slide moves insertions and deletions that fit at several positions among equal tokens
// to the beginning of a statement.
func slide(a, b *Decl, edits []edit) []edit {
	out := slices.Clone(edits)
	for i := range out {
		e := &out[i]
		d, from, to := a, &e.a, &e.aEnd
		if e.a == e.aEnd {
			d, from, to = b, &e.b, &e.bEnd
		} else if e.b != e.bEnd {
			continue
		}
		least := 0
		if i > 0 {
			least = out[i-1].aEnd
		}
		same := func(i, j int) bool {
			return d.tokens[i].kind == d.tokens[j].kind && d.text(d.tokens[i]) == d.text(d.tokens[j])
		}
		for steps := 0; e.a-steps > least && *from-steps > 0; steps++ {
			if d.separates(d.tokens[*from-steps-1]) {
				e.a, e.aEnd, e.b, e.bEnd = e.a-steps, e.aEnd-steps, e.b-steps, e.bEnd-steps
				break
			}
			if !same(*from-steps-1, *to-steps-1) {
				break
			}
		}
	}
	return out
}

// wholeStatements extends edits that contain the end of a statement back to the beginning
// of their first statement: a branch in front of it may have no braces.
func wholeStatements(a, b *Decl, edits []edit) []edit {
	var out []edit
	for _, e := range edits {
		if slices.ContainsFunc(a.tokens[e.a:e.aEnd], a.separates) || slices.ContainsFunc(b.tokens[e.b:e.bEnd], b.separates) {
			for e.a > 0 && !a.separates(a.tokens[e.a-1]) {
				if n := len(out); n > 0 && out[n-1].aEnd == e.a {
					e.a, e.b = out[n-1].a, out[n-1].b
					out = out[:n-1]
				} else {
					e.a, e.b = e.a-1, e.b-1
				}
			}
		}
		out = append(out, e)
	}
	return out
}

// opensArm reports whether a word begins a case or a handler: a part of a statement that
// executions can reach from any place in another part of the statement.
func opensArm(word string) bool {
	switch word {
	case "case", "default", "catch", "except", "finally":
		return true
	}
	return false
}

// hasArm reports whether an arm begins in the tokens [from, to) outside braces.
func (d *Decl) hasArm(from, to int) bool {
	depth := 0
	for _, t := range d.tokens[from:to] {
		depth += d.nesting(t)
		if depth == 0 && t.kind == identifier && opensArm(d.text(t)) {
			return true
		}
	}
	return false
}

// balance joins edits, and extends them over equal tokens, until both sides of each edit
// have balanced braces: only then is code around an edit in the same lists of statements
// before and after. It reports whether it succeeded.
func balance(a, b *Decl, edits []edit) ([]edit, bool) {
	var out []edit
	for i := 0; i < len(edits); {
		e := edits[i]
		i++
		x, y := newBalance(a, e.a, e.aEnd), newBalance(b, e.b, e.bEnd)
		for !x.balanced() || !y.balanced() {
			switch {
			case x.low < 0 || y.low < 0:
				if e.a == 0 || e.b == 0 {
					return nil, false
				}
				if n := len(out); n > 0 && out[n-1].aEnd == e.a && out[n-1].bEnd == e.b {
					e.a, e.b = out[n-1].a, out[n-1].b
					out = out[:n-1]
					x, y = newBalance(a, e.a, e.aEnd), newBalance(b, e.b, e.bEnd)
					continue
				}
				e.a, e.b = e.a-1, e.b-1
				x.prepend(a.nesting(a.tokens[e.a]))
				y.prepend(b.nesting(b.tokens[e.b]))
			case i < len(edits) && edits[i].a == e.aEnd && edits[i].b == e.bEnd:
				next := edits[i]
				i++
				for ; e.aEnd < next.aEnd; e.aEnd++ {
					x.append(a.nesting(a.tokens[e.aEnd]))
				}
				for ; e.bEnd < next.bEnd; e.bEnd++ {
					y.append(b.nesting(b.tokens[e.bEnd]))
				}
			default:
				if e.aEnd == len(a.tokens) || e.bEnd == len(b.tokens) {
					return nil, false
				}
				x.append(a.nesting(a.tokens[e.aEnd]))
				y.append(b.nesting(b.tokens[e.bEnd]))
				e.aEnd, e.bEnd = e.aEnd+1, e.bEnd+1
			}
		}
		out = append(out, e)
	}
	return out, true
}

// A nestingBalance is the depth at the end of some tokens, and the lowest depth in them.
type nestingBalance struct{ depth, low int }

func newBalance(d *Decl, from, to int) nestingBalance {
	var n nestingBalance
	for _, t := range d.tokens[from:to] {
		n.append(d.nesting(t))
	}
	return n
}

func (n *nestingBalance) balanced() bool { return n.depth == 0 && n.low == 0 }

func (n *nestingBalance) append(by int) {
	n.depth += by
	n.low = min(n.low, n.depth)
}

func (n *nestingBalance) prepend(by int) {
	n.depth += by
	n.low = min(0, n.low+by)
}

// A placer finds the places of edits in a declaration.
type placer struct {
	*Decl

	found []int // indexes of tokens
}

// separates reports whether a statement may begin behind token i.
func (p *placer) separates(i int) bool {
	return i >= 0 && p.Decl.separates(p.tokens[i])
}

// inArmHead reports whether a token is in the head of a case or a handler.
func (p *placer) inArmHead(i int) bool {
	for ; i >= 0 && !p.separates(i) && p.at(i) != ":"; i-- {
		if p.tokens[i].kind == identifier && opensArm(p.at(i)) {
			return true
		}
	}
	return false
}

// statementBegin returns the first token of the statement that contains token i.
func (p *placer) statementBegin(i int) int {
	for i > 0 && !p.separates(i-1) {
		i--
	}
	return i
}

// add adds the places of an edit.
func (p *placer) add(e edit) {
	if e.a == e.aEnd {
		p.insertion(e.a)
		return
	}
	before := len(p.found)
	if !p.separates(e.a-1) || p.nesting(p.tokens[e.a]) > 0 { // the head of a branch may end before the edit
		p.found = append(p.found, p.headEnd(e.a-1))
	}
	depth := 0
	for i := e.a; i < e.aEnd; i++ {
		t := p.tokens[i]
		switch by := p.nesting(t); {
		case by != 0:
			depth += by
		case p.terminates(t), i > e.a && p.text(t) == "else":
		case depth > 0 && p.file.Language != "c": // executions reach it through the tokens around the braces
		default:
			p.found = append(p.found, i)
		}
	}
	if len(p.found) == before { // only terminators
		p.found = append(p.found, max(e.a-1, 0), min(e.aEnd, len(p.tokens)-1))
	}
}

// headEnd returns the last token up to index i that is part of an expression: the end of
// the head of a branch, if there is one.
func (p *placer) headEnd(i int) int {
	for i > 0 && (p.terminates(p.tokens[i]) || p.at(i) == ":" && p.file.Language == "python") {
		i--
	}
	return max(i, 0)
}

// insertion adds the places of an insertion before token next.
func (p *placer) insertion(next int) {
	last := next - 1
	switch {
	case p.separates(last) && p.begins(next):
		p.found = append(p.found, next) // executions that reach the insertion also reach the next statement
	case p.closes(next) && p.isSimple(last):
		p.found = append(p.found, last-1)
	default:
		p.found = append(p.found, max(last, 0), min(next, len(p.tokens)-1))
	}
}

func (p *placer) closes(i int) bool { return i < len(p.tokens) && p.nesting(p.tokens[i]) < 0 }

// begins reports whether a statement begins with token i.
func (p *placer) begins(i int) bool {
	if i >= len(p.tokens) || p.terminates(p.tokens[i]) || p.nesting(p.tokens[i]) != 0 {
		return false
	}
	switch p.at(i) {
	case "else", "elif", "case", "default", "catch", "except", "finally", "while":
		return false
	}
	return true
}

// isSimple reports whether token end ends a statement without branches.
func (p *placer) isSimple(end int) bool {
	if end < 1 || !p.terminates(p.tokens[end]) || p.separates(end-1) {
		return false
	}
	for i := end - 1; i >= 0 && !p.separates(i); i-- {
		if p.branches(i) {
			return false
		}
	}
	return true
}

// branches reports whether token i is part of the syntax of a branch.
func (p *placer) branches(i int) bool {
	switch p.at(i) {
	case "if", "else", "elif", "for", "while", "do", "switch", "select", "match", "case", "default", "try", "catch", "except", "finally", "with",
		"loop", "unless", "?", ":", "&&", "||", "??", "?.", "->", "=>", "and", "or":
		return true
	}
	return false
}

// inFinally reports whether a place is in a finally block.
func (p *placer) inFinally() bool {
	var open []bool
	inside := 0
	next := map[int]bool{}
	for _, i := range p.found {
		next[i] = true
	}
	for i, t := range p.tokens {
		switch p.nesting(t) {
		case 1:
			is := p.at(i-1) == "finally"
			if open = append(open, is); is {
				inside++
			}
		case -1:
			if n := len(open); n > 0 {
				if open[n-1] {
					inside--
				}
				open = open[:n-1]
			}
		}
		if inside > 0 && next[i] {
			return true
		}
	}
	return false
}

// places returns the places that were found.
func (p *placer) places() []Place {
	out := make([]Place, 0, len(p.found))
	straight := map[int32]bool{}
	for _, i := range p.found {
		t := p.tokens[i]
		is, ok := straight[t.line]
		if !ok {
			is = p.isStraight(i)
			straight[t.line] = is
		}
		start := int(t.start)
		out = append(out, Place{int(t.line), start - strings.LastIndexByte(p.file.text[:start], '\n'), is})
	}
	return out
}

// isStraight reports whether the line of token i consists of statements that compile
// without branches. This is known for Java only: lines of C may contain macros.
func (p *placer) isStraight(i int) bool {
	if p.file.Language != "java" {
		return false
	}
	line := p.tokens[i].line
	first := i
	for first > 0 && p.tokens[first-1].line == line {
		first--
	}
	if !p.separates(first - 1) {
		return false
	}
	for i = first; i < len(p.tokens) && p.tokens[i].line == line; i++ {
		if p.branches(i) || p.nesting(p.tokens[i]) != 0 {
			return false
		}
		switch p.at(i) {
		case "!", "==", "!=", "<", ">", "<=", ">=", "instanceof":
			return false
		}
	}
	return p.terminates(p.tokens[i-1])
}

// bindsOthers reports whether two versions of a declaration differ in the local names
// that they declare, for languages in which a local declaration also affects code that
// runs without reaching it.
func bindsOthers(a, b *Decl) bool {
	var bound func(*Decl) map[string]bool
	switch a.file.Language {
	case "python":
		bound = pythonBindings
	case "javascript":
		bound = scriptBindings
	default:
		return false
	}
	before, after := bound(a), bound(b)
	differs := func(x, y map[string]bool) bool {
		for name := range x {
			if !y[name] && (name == "yield" || a.Mentions(name) && b.Mentions(name)) {
				return true
			}
		}
		return false
	}
	return differs(before, after) || differs(after, before)
}

// scriptBindings returns a superset of the names that var and function declare for a whole
// function.
func scriptBindings(d *Decl) map[string]bool {
	out := map[string]bool{}
	declares := false
	for i, t := range d.tokens {
		switch text := d.text(t); {
		case d.terminates(t):
			declares = false
		case text == "var":
			declares = true
		case text == "yield":
			out[text] = true
		case t.kind == identifier && (declares || i > 0 && d.text(d.tokens[i-1]) == "function"):
			out[text] = true
		}
	}
	return out
}

// pythonBindings returns a superset of the names that a function assigns or declares.
func pythonBindings(d *Decl) map[string]bool {
	out := map[string]bool{}
	start, depth := 0, 0
	bind := func(tokens []token) {
		for _, t := range tokens {
			if t.kind == identifier {
				out[d.text(t)] = true
			}
		}
	}
	declares := false
	for i, t := range d.tokens {
		text := d.text(t)
		switch {
		case d.terminates(t) || t.kind == indent || t.kind == dedent:
			start, depth, declares = i+1, 0, false
			continue
		case text == "(" || text == "[" || text == "{":
			depth++
		case text == ")" || text == "]" || text == "}":
			depth--
		case text == ":=":
			bind(d.tokens[max(i-1, 0):i])
		case t.kind == operator && depth == 0 && strings.HasSuffix(text, "=") && !isComparison(text), text == ":" && i == start+1:
			bind(d.tokens[start:i])
		case text == "for" || text == "import" || text == "as" || text == "global" || text == "nonlocal" || text == "del" || text == "def" ||
			text == "class" || text == "case":
			declares = true
			continue
		case text == "in":
			declares = false
		case text == "yield":
			out[text] = true
		}
		if declares && t.kind == identifier {
			out[text] = true
		}
	}
	return out
}

func isComparison(operator string) bool {
	return operator == "==" || operator == "!=" || operator == "<=" || operator == ">="
}
