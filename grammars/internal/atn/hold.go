package atn

import "slices"

// A Hold is the states in which the lexer, past the end of a token, looks for a longer
// match. No text makes it give up: every text continues or completes a longer match.
type Hold struct{ states []*lexState }

// Limits of holds.
const (
	maxHold      = 500   // states
	maxHeld      = 5_000 // pairs of states that Prevents visits
	maxHoldDepth = 1     // calls of lexer rules: recursive rules, as of nested comments, have unlimited states
)

// Hold returns the hold that begins at the end of the given matches. It returns nil if
// some text makes the lexer give up looking for a longer match, so that any token can
// follow, or if the hold has too many states.
func (s *Speller) Hold(matches []Match) *Hold {
	h := &Hold{}
	seen := map[*lexState]bool{}
	add := func(n *lexState) {
		if n = s.shallow(n); n != nil && !seen[n] {
			seen[n] = true
			h.states = append(h.states, n)
		}
	}
	for _, m := range matches {
		add(m.state)
	}
	for i := 0; i < len(h.states); i++ {
		for j := range s.symbols {
			class, char := s.symbols[j].first(s.lexer.classes)
			next := s.next(h.states[i], class, char)
			if next == nil || len(h.states) > maxHold {
				return nil
			}
			if next.rule < 0 {
				add(next)
			}
		}
	}
	return h
}

// shallow returns a state without the configurations inside nested calls of rules. If
// the shallow state can still lead to a longer match, so can the state itself: lexers
// discard configurations only when a match ends.
func (s *Speller) shallow(n *lexState) *lexState {
	return s.without(n, func(g lexConfig) bool { return g.context != nil && g.context.depth > maxHoldDepth })
}

// without returns a state without the configurations for which some returns true.
func (s *Speller) without(n *lexState, some func(lexConfig) bool) *lexState {
	if !slices.ContainsFunc(n.configs, some) {
		return n
	}
	return s.extend(func() *lexState {
		s.cache.lock.acquire(s.run)
		defer s.cache.lock.release()
		return s.lexer.intern(s.cache, slices.DeleteFunc(slices.Clone(n.configs), some))
	})
}

// Prevents reports whether no token of a goal can begin in a mode anywhere after the
// token of a hold, because each of its texts completes the longer match. It considers
// the last match of the token.
func (s *Speller) Prevents(h *Hold, mode int, goal *Goal) bool {
	type pair struct{ hold, token *lexState }
	ends := func(n *lexState) bool {
		return n != nil && n.makes(goal.kind) && (goal.last < 0 || n.rule == goal.last)
	}
	first := s.start(string(rune(mode)))
	if first == nil || ends(first) || ends(s.atEnd(first)) { // the last match can be empty at the end of the input
		return false
	}
	seen := map[pair]bool{}
	var queue []pair
	for _, n := range h.states {
		queue = append(queue, pair{n, first})
	}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, i := range s.taken(at.token, goal.rules[mode]) {
			class, char := s.symbols[i].first(s.lexer.classes)
			to, hold := s.next(at.token, class, char), s.next(at.hold, class, char)
			if to == nil || hold != nil && hold.rule >= 0 {
				continue
			}
			if hold == nil || ends(to) || ends(s.atEnd(to)) || len(seen) > maxHeld {
				return false
			}
			if next := (pair{s.shallow(hold), to}); next.hold != nil && !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			} else if next.hold == nil {
				return false
			}
		}
	}
	return !s.over
}
