package atn

import (
	"slices"

	"github.com/inroad/inroad/grammars/derivation"
)

// maxExpect bounds the configurations that are followed to find out what was
// expected. Past it the answer is incomplete, and the error still in place.
const maxExpect = 200_000

// A pending is a rule yet to be finished, on a stack shared between configurations.
type pending struct {
	up         *pending
	follow     int32
	precedence int32 // of the rule that is returned to
}

type expectation struct {
	state      int32
	precedence int32
	stack      *pending
}

// expecter follows all ways at once that the input can be read from the last
// token that was taken.
type expecter struct {
	run     *run
	interns map[pending]*pending
	now     []expectation
}

// syntaxError finds the first token that no way takes, and what could have
// stood there instead.
func (r *run) syntaxError() *SyntaxError {
	stack := append(slices.Clone(r.stack[:r.lastBase]), reversed(r.popped)...)
	x := &expecter{run: r, interns: map[pending]*pending{}}
	var rest *pending
	for i := 1; i < len(stack); i++ {
		rest = x.push(pending{rest, stack[i].follow, stack[i-1].precedence})
	}
	x.now = []expectation{{r.last, stack[len(stack)-1].precedence, rest}}
	for pos := r.pos; ; pos++ {
		token := r.tokens[r.visible[pos]]
		takers, expected := x.look()
		if token.Type == derivation.EOF || !expected.has(token.Type) {
			return r.errorAt(token, expected)
		}
		x.take(takers, token.Type)
	}
}

func reversed(frames []frame) []frame {
	frames = slices.Clone(frames)
	slices.Reverse(frames)
	return frames
}

// look follows everything that takes no token. It returns the configurations
// that take one, and which types they take.
func (x *expecter) look() (takers []expectation, expected tokenSet) {
	w := x.run.predictor.walk
	expected = make(tokenSet, (w.maxToken+1)>>6+1)
	seen := map[expectation]bool{}
	for work := x.now; len(work) > 0 && len(seen) < maxExpect; {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[c] {
			continue
		}
		seen[c] = true
		x.run.step(1)
		p := &w.states[c.state]
		if p.kind == ruleStop {
			if c.stack == nil {
				expected.add(derivation.EOF)
				continue
			}
			work = append(work, expectation{c.stack.follow, c.stack.precedence, c.stack.up})
			continue
		}
		for i := range p.arcs {
			switch a := &p.arcs[i]; {
			case a.consumes():
				takers = append(takers, c)
				if a.kind == atom {
					expected.add(a.symbol)
				}
				expected.addAll(a.set)
			case a.kind == ruleCall:
				up := x.push(pending{c.stack, a.follow, c.precedence})
				work = append(work, expectation{a.target, a.precedence, up})
			case a.kind != precedence || a.precedence >= c.precedence:
				work = append(work, expectation{a.target, c.precedence, c.stack})
			}
		}
	}
	return takers, expected
}

// take moves the takers on over a token.
func (x *expecter) take(takers []expectation, t int32) {
	x.now = nil
	for _, c := range takers {
		arcs := x.run.predictor.walk.states[c.state].arcs
		for i := range arcs {
			if a := &arcs[i]; a.consumes() && a.takes(t) {
				x.now = append(x.now, expectation{a.target, c.precedence, c.stack})
			}
		}
	}
}

func (x *expecter) push(p pending) *pending {
	known, ok := x.interns[p]
	if !ok {
		known = &p
		x.interns[p] = known
	}
	return known
}

func (r *run) errorAt(token derivation.Token, expected tokenSet) *SyntaxError {
	e := &SyntaxError{Offset: int(token.Start), Token: token.Type}
	if token.Type == 0 {
		*e = *r.lexError
	} else {
		e.Text = string(r.input[token.Start:token.End])
	}
	for t := int32(derivation.EOF); t <= r.predictor.walk.maxToken; t++ {
		if expected.has(t) {
			e.Expected = append(e.Expected, t)
		}
	}
	return e
}
