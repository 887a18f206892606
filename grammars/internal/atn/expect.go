package atn

import (
	"slices"

	"github.com/inroad/inroad/grammars/derivation"
)

// maxExpect limits the configurations followed to find the expected tokens.
// Beyond it, the list is incomplete, but the position of the error is still
// right.
const maxExpect = 200_000

// A callStack is a stack of unfinished rules, shared between configurations.
type callStack struct {
	up         *callStack
	follow     int32
	precedence int32 // of the calling rule
}

// An expectConfig is a configuration of an [expecter].
type expectConfig struct {
	state      int32
	precedence int32
	stack      *callStack
}

// An expecter follows all possible parses from the last consumed token in
// parallel.
type expecter struct {
	run     *run
	interns map[callStack]*callStack
	configs []expectConfig
}

// syntaxError finds the first token that no parse accepts, and the tokens
// expected instead.
func (r *run) syntaxError() *SyntaxError {
	stack := append(slices.Clone(r.stack[:r.lastBase]), reversed(r.popped)...)
	x := &expecter{run: r, interns: map[callStack]*callStack{}}
	var rest *callStack
	for i := 1; i < len(stack); i++ {
		rest = x.push(callStack{rest, stack[i].follow, stack[i-1].precedence})
	}
	x.configs = []expectConfig{{r.last, stack[len(stack)-1].precedence, rest}}
	for pos := r.pos; ; pos++ {
		token := r.tokens[r.visible[pos]]
		consumers, expected := x.look()
		if token.Type == derivation.EOF || !expected.has(token.Type) {
			return r.errorAt(token, expected)
		}
		x.take(consumers, token.Type)
	}
}

func reversed(frames []frame) []frame {
	frames = slices.Clone(frames)
	slices.Reverse(frames)
	return frames
}

// look computes the closure of the configurations. It returns those that
// consume a token, and the token types they consume.
func (x *expecter) look() (consumers []expectConfig, expected tokenSet) {
	w := x.run.predictor.net
	expected = make(tokenSet, (w.maxToken+1)>>6+1)
	seen := map[expectConfig]bool{}
	for work := x.configs; len(work) > 0 && len(seen) < maxExpect; {
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
			work = append(work, expectConfig{c.stack.follow, c.stack.precedence, c.stack.up})
			continue
		}
		for i := range p.arcs {
			switch a := &p.arcs[i]; {
			case a.consumes():
				consumers = append(consumers, c)
				if a.kind == atom {
					expected.add(a.symbol)
				}
				expected.addAll(a.set)
			case a.kind == ruleCall:
				up := x.push(callStack{c.stack, a.follow, c.precedence})
				work = append(work, expectConfig{a.target, a.precedence, up})
			case a.kind != precedence || a.precedence >= c.precedence:
				work = append(work, expectConfig{a.target, c.precedence, c.stack})
			}
		}
	}
	return consumers, expected
}

// take advances the consumers over a token.
func (x *expecter) take(consumers []expectConfig, t int32) {
	x.configs = nil
	for _, c := range consumers {
		arcs := x.run.predictor.net.states[c.state].arcs
		for i := range arcs {
			if a := &arcs[i]; a.consumes() && a.takes(t) {
				x.configs = append(x.configs, expectConfig{a.target, c.precedence, c.stack})
			}
		}
	}
}

func (x *expecter) push(p callStack) *callStack {
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
	for t := int32(derivation.EOF); t <= r.predictor.net.maxToken; t++ {
		if expected.has(t) {
			e.Expected = append(e.Expected, t)
		}
	}
	return e
}
