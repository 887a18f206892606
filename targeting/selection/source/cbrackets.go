package source

// matchBracketsC computes the partners of brackets in C. Brackets in directives have
// none. Only the first branch of an #if counts for the code behind its #endif, because
// each branch may open or close the same bracket.
func (o *outline) matchBracketsC() {
	o.partners = make([]int32, len(o.tokens))
	m := matcher{outline: o, top: -1}
	var conditions []condition
	for i := 0; i < len(o.tokens); i++ {
		if !o.is(i, '#') {
			m.token(i)
			continue
		}
		conditions = m.directive(i, conditions)
		i = o.behindDirective(i) - 1
	}
	m.finish()
}

// A condition is the state of brackets around an #if.
type condition struct {
	before int32 // stack of open brackets before #if
	after  int32 // stack behind the first branch
	branch int
}

// directive follows the directive at an index.
func (m *matcher) directive(i int, conditions []condition) []condition {
	n := len(conditions) - 1
	switch m.text(i + 1) {
	case "if", "ifdef", "ifndef":
		return append(conditions, condition{before: m.top})
	case "else", "elif", "elifdef", "elifndef":
		if n >= 0 {
			conditions[n].endBranch(m, i)
			m.top = conditions[n].before
		}
	case "endif":
		if n >= 0 {
			conditions[n].endBranch(m, i)
			m.top = conditions[n].after
			return conditions[:n]
		}
	}
	return conditions
}

// endBranch ends a branch of a condition at directive i. Brackets that a later branch
// leaves open end there.
func (c *condition) endBranch(m *matcher, i int) {
	if c.branch++; c.branch == 1 {
		c.after = m.top
		return
	}
	for n := m.top; n >= 0 && n > c.before; n = m.nodes[n].parent {
		if m.bracket(n) != '<' {
			m.partners[m.nodes[n].token] = int32(i)
		}
	}
}

// behindDirective returns the index behind the directive at an index.
func (o *outline) behindDirective(i int) int {
	for i < len(o.tokens) && o.tokens[i].kind != terminator {
		i++
	}
	return min(i+1, len(o.tokens))
}
