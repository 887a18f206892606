package atn

import "slices"

// Kinds of matches besides token types.
const (
	TriviaMatch = 0  // a token that the parser does not see
	MoreMatch   = -2 // the beginning of a token that a later match ends
)

// A Match is the end of a text that a lexer rule matches.
type Match struct {
	Kind  int  // a token type, [TriviaMatch] or [MoreMatch]
	AtEnd bool // whether the rule matches only at the end of the input
	state *lexState
}

// Modes returns the modes that replace the current mode after the match, and the number
// of modes below it that they replace as well.
func (m Match) Modes(mode int) (modes []int, pops int) {
	modes = []int{mode}
	for _, a := range m.state.modeActions {
		if len(modes) == 0 && a.kind != actPushMode { // it changes the mode below
			pops++
			modes = append(modes, mode)
		}
		switch a.kind {
		case actMode:
			modes[len(modes)-1] = a.a
		case actPushMode:
			modes = append(modes, a.a)
		case actPopMode:
			modes = modes[:len(modes)-1]
		}
	}
	return modes, pops
}

// maxMatchSteps limits the steps to find the matches of a rule, or the text of a token.
// Recursive rules, as of nested comments, need ever more steps for each character.
const maxMatchSteps = 500_000

// Matches calls visit for each match of a rule in a mode, short texts first, until
// visit returns false. Matches that lead to the same state of the lexer count as one.
// It reports whether it visited all matches: it gives up after more than most states or
// maxMatchSteps steps.
func (s *Speller) Matches(mode, rule, most int, visit func(Match) bool) (complete bool) {
	s.over = false
	maxSteps := s.steps + maxMatchSteps
	only := make(tokenSet, len(s.lexer.net.modes[mode].edges)/64+1)
	for i, e := range s.lexer.net.modes[mode].edges {
		if e.target.rule == rule {
			only.add(int32(i))
		}
	}
	first := s.start(string(rune(mode)))
	if first == nil {
		return false
	}
	report := func(at *lexState, atEnd bool) bool {
		if at == nil || int(at.rule) != rule {
			return true
		}
		m := Match{Kind: int(at.kind), AtEnd: atEnd, state: at}
		if at.makes(TriviaMatch) {
			m.Kind = TriviaMatch
		}
		return visit(m)
	}
	if !report(first, true) || !report(s.atEnd(first), true) { // an empty input
		return false
	}
	seen := map[*lexState]bool{} // after some text: the lexer can be in the first state again
	for queue := []*lexState{first}; len(queue) > 0; queue = queue[1:] {
		for _, i := range s.taken(queue[0], only) {
			class, char := s.symbols[i].first(s.lexer.classes)
			next := s.next(queue[0], class, char)
			if next == nil || seen[next] {
				continue
			}
			seen[next] = true
			if !report(next, false) || !report(s.atEnd(next), true) {
				return false
			}
			if len(seen) > most || s.steps > maxSteps {
				return false
			}
			if slices.ContainsFunc(next.configs, func(c lexConfig) bool { return only.has(c.alt - 1) }) {
				queue = append(queue, next)
			}
		}
	}
	return !s.over
}

// After returns the lexer after a match, in a mode that can be popped.
func (s *Speller) After(m Match, mode int) Lexed {
	return Lexed{modes: string([]rune{0, rune(mode)}), guards: []*lexState{m.state}}
}

// Live reports whether a match can continue after its end as a longer match, so that
// the text after it matters.
func (s *Speller) Live(m Match) bool {
	return slices.ContainsFunc(m.state.configs, func(c lexConfig) bool { return slices.ContainsFunc(c.state.edges, (*edge).consumes) })
}

// Since returns the modes that have replaced the mode given to [Speller.After] or
// [Speller.Above], the current mode last.
func (at Lexed) Since() []int {
	var out []int
	for _, mode := range at.modes {
		out = append(out, int(mode))
	}
	return out[1:]
}
