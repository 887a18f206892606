package source

import "strings"

// nesting returns 1 for an opening bracket, -1 for a closing one, and 0 otherwise.
func (o *outline) nesting(i int) int {
	if o.tokens[i].kind != operator {
		return 0
	}
	switch o.file.text[o.tokens[i].start] {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}

// is reports whether token i is the operator or bracket c.
func (o *outline) is(i int, c byte) bool {
	if i < 0 || i >= len(o.tokens) {
		return false
	}
	t := o.tokens[i]
	return t.kind == operator && t.end == t.start+1 && o.file.text[t.start] == c
}

// matchBrackets computes the partner of each opening bracket: its closing bracket or,
// if that is missing, the closing bracket of the brackets around it. The partner of an
// angle bracket without a closing one is the angle bracket itself. bracesInAngles says
// whether type parameters may contain braces.
func (o *outline) matchBrackets(bracesInAngles bool) {
	o.partners = make([]int32, len(o.tokens))
	m := matcher{outline: o, top: -1, bracesInAngles: bracesInAngles}
	for i := range o.tokens {
		m.token(i)
	}
	m.finish()
}

// A matcher matches brackets. Its stack of open brackets is a linked list of immutable
// nodes, so that earlier stacks stay valid.
type matcher struct {
	*outline
	nodes []openBracket
	top   int32 // node of the innermost open bracket, or -1

	bracesInAngles bool
}

// An openBracket is an opening bracket inside another one.
type openBracket struct {
	token  int32
	parent int32 // node around it, or -1
}

// maxUnclosed limits how many unclosed brackets a closing one may close.
const maxUnclosed = 64

// bracket returns the opening bracket of a node, or 0 if the node is -1.
func (m *matcher) bracket(node int32) byte {
	if node < 0 {
		return 0
	}
	return m.file.text[m.tokens[m.nodes[node].token].start]
}

// token takes the next token.
func (m *matcher) token(i int) {
	t := m.tokens[i]
	if t.kind != operator || t.end != t.start+1 {
		return
	}
	switch c := m.file.text[t.start]; c {
	case ';':
		m.dropAngles()
	case '{':
		if !m.bracesInAngles {
			m.dropAngles()
		}
		m.push(i)
	case '(', '[':
		m.push(i)
	case '<':
		m.partners[i] = int32(i)
		m.push(i)
	case '>':
		if m.bracket(m.top) == '<' {
			m.pop(m.top, i)
		}
	case ')', ']', '}':
		m.close(opening(c), i)
	}
}

// dropAngles removes angle brackets that cannot be closed any more.
func (m *matcher) dropAngles() {
	for m.bracket(m.top) == '<' {
		m.top = m.nodes[m.top].parent
	}
}

func (m *matcher) push(i int) {
	m.nodes = append(m.nodes, openBracket{int32(i), m.top})
	m.top = int32(len(m.nodes) - 1)
}

// pop closes the brackets on the stack up to a node; token i closes them.
func (m *matcher) pop(node int32, i int) {
	for n := m.top; ; n = m.nodes[n].parent {
		if m.bracket(n) != '<' || n == node {
			m.partners[m.nodes[n].token] = int32(i)
		}
		if n == node {
			break
		}
	}
	m.top = m.nodes[node].parent
}

// close closes the innermost bracket of a kind, and the unclosed brackets inside it.
// A closing bracket without a partner is ignored, and only a brace closes brackets
// inside braces.
func (m *matcher) close(want byte, i int) {
	m.dropAngles()
	n := m.top
	for range maxUnclosed {
		switch m.bracket(n) {
		case want:
			m.pop(n, i)
			return
		case '{', 0:
			return
		}
		n = m.nodes[n].parent
	}
}

// finish closes the remaining brackets behind the last token.
func (m *matcher) finish() {
	for n := m.top; n >= 0; n = m.nodes[n].parent {
		if m.bracket(n) != '<' {
			m.partners[m.nodes[n].token] = int32(len(m.tokens))
		}
	}
}

// opening returns the opening bracket of a closing one.
func opening(c byte) byte {
	switch c {
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}

// behindBracket returns the index behind the closing bracket of opening bracket i, at
// most end.
func (o *outline) behindBracket(i, end int) int {
	return min(max(int(o.partners[i]), i)+1, end)
}

// find returns the index of the first one-byte operator from index i on that is in set
// and outside brackets, or end.
func (o *outline) find(i, end int, set string) int {
	for i < end {
		if t := o.tokens[i]; t.kind == operator && t.end == t.start+1 {
			if strings.IndexByte(set, o.file.text[t.start]) >= 0 {
				return i
			}
			if o.nesting(i) > 0 {
				i = o.behindBracket(i, end)
				continue
			}
		}
		i++
	}
	return end
}

// behindAngles returns the index behind the type parameters that angle bracket i opens,
// or i+1 if the bracket has no closing one before end.
func (o *outline) behindAngles(i, end int) int {
	if p := int(o.partners[i]); p < end {
		return p + 1
	}
	return i + 1
}
