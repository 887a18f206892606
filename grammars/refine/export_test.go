package refine

import (
	"context"

	"github.com/inroad/inroad/grammars"
)

// StatesOf returns the lexer states whose current mode is the given one.
func (m *Modes) StatesOf(mode int) []byte {
	var out []byte
	for i, s := range m.states {
		if !s.ended() && s.current() == mode {
			out = append(out, byte(i))
		}
	}
	return out
}

// ModeOf returns the current mode of a lexer state.
func (m *Modes) ModeOf(state byte) int { return m.states[state].current() }

// Unchosen reports whether the parser never makes a choice.
func (r *Refinement) Unchosen(n *grammars.Node, of int) bool {
	return r.preferences.unchosen[choice{n.ID, of}]
}

// NewBareProver returns a prover that is not given the choices that are never made, and
// that looks at few nodes for each path.
func (r *Refinement) NewBareProver(ctx context.Context) (*Prover, error) {
	bare := *r
	bare.preferences = preferences{unchosen{}, map[site]bool{}, map[grammars.Occurrence]bool{}}
	p, err := bare.NewProver(ctx)
	if err == nil && p.search != nil {
		p.search.mostVisits, p.search.mostWork = 100, 1000
	}
	return p, err
}
