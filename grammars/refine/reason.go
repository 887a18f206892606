package refine

import (
	"context"
	"strconv"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
)

// A Reason says why the parser returns no tree with a path.
type Reason string

// The reasons.
const (
	// A symbol of the path, or one that is required beside it, has no finite derivation.
	Unproductive Reason = "unproductive"
	// The derivation of a token always prefers another alternative of the lexer rule.
	InToken Reason = "token"
	// An operator would be an operand of one with higher precedence, or on the wrong side of
	// one with the same precedence.
	Precedence Reason = "precedence"
	// The parser always prefers another alternative, or another number of repetitions, that
	// derives the same text.
	Preferred Reason = "preferred"
	// The lexer never reads the token there: its rule belongs to another mode, or its text is
	// read as another or a longer token.
	Lexer Reason = "lexer"
)

// A Layer is the graph of the derivations that remain after those of its own reason and
// of all reasons before it are excluded.
type Layer struct {
	Reason Reason
	Graph  *Graph
}

// Layers returns graphs that exclude derivations for one more reason each. The last graph
// is that of the refinement. Graphs that are too large to build are left out. The error is
// a [*limit.Error], or the cause of ctx's cancellation.
func (r *Refinement) Layers(ctx context.Context) (_ []Layer, err error) {
	defer limit.Catch(&err)
	m := limit.NewMeter(ctx, maxSteps, &limit.Error{What: "steps to find the reasons for impossible paths", Value: strconv.Itoa(maxSteps)})
	out := []Layer{{Unproductive, Plain(r.grammar, r.start.Name)}}
	for _, coarser := range []struct {
		reason Reason
		*Refinement
	}{
		{InToken, &Refinement{grammar: r.grammar, start: r.start, bindings: map[*grammars.Rule]*Bindings{}}},
		{Precedence, &Refinement{grammar: r.grammar, start: r.start, bindings: r.bindings}},
		{Preferred, &Refinement{grammar: r.grammar, start: r.start, bindings: r.bindings, preferences: r.preferences}},
	} {
		if graph, ok := build(m, coarser.Refinement); ok {
			out = append(out, Layer{coarser.reason, graph})
		}
	}
	return append(out, Layer{Lexer, r.Graph()}), nil
}
