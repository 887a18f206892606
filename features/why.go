package features

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// Exclusions are the paths of the grammar graph that no tree contains, with the
// reasons. They are the paths that [Options.Possible] leaves out.
type Exclusions struct {
	all    *Space
	layers []layer
	unread map[int]bool // the tokens that the lexer never reads
}

// A layer is the space of the paths that remain after a reason and all reasons before
// it have excluded theirs.
type layer struct {
	reason refine.Reason
	space  *Space
}

// NewExclusions returns the paths that the options select but no tree contains. The
// error is a [*limit.Error], or the cause of ctx's cancellation.
func NewExclusions(ctx context.Context, g *grammars.Grammar, opt Options) (*Exclusions, error) {
	opt.Possible = false
	e := &Exclusions{all: NewSpace(g, opt)}
	layers, err := refine.Of(g, e.all.start()).Layers(ctx)
	opt.Possible = true
	for _, l := range layers {
		e.layers = append(e.layers, layer{l.Reason, newSpace(g, opt, l.Graph)})
	}
	e.unread = map[int]bool{}
	if lexicon := g.Lexicon(); lexicon != nil && g.Exact() && !g.Scannerless {
		for t := range g.Tokens()[1:] {
			e.unread[t+1] = true
		}
		for _, r := range lexicon.Readings {
			delete(e.unread, r.Type)
		}
	}
	return e, err
}

// Reason returns the first reason why no tree contains a path, or "" if nothing
// excludes the path.
func (e *Exclusions) Reason(p Path) refine.Reason {
	if e.layers[len(e.layers)-1].space.Has(p) {
		return ""
	}
	i := slices.IndexFunc(e.layers, func(l layer) bool { return !l.space.Has(p) })
	if e.layers[i].reason == refine.Preferred && slices.ContainsFunc(p, func(o grammars.Occurrence) bool { return e.unread[e.all.Node(o).Token] }) {
		return refine.Lexer // the parser never sees the token
	}
	return e.layers[i].reason
}

// All yields the paths of length k that no tree contains, ordered by the numbers of
// their symbols, with the reasons. The yielded path is overwritten by the next one.
func (e *Exclusions) All(k int) iter.Seq2[Path, refine.Reason] {
	return func(yield func(Path, refine.Reason) bool) {
		for p := range e.all.All(k) {
			if why := e.Reason(p); why != "" && !yield(p, why) {
				return
			}
		}
	}
}

// Has reports whether a path is in the space.
func (s *Space) Has(p Path) bool {
	next := s.first
	for _, o := range p {
		i, ok := slices.BinarySearchFunc(next, o, func(state int32, o grammars.Occurrence) int {
			return cmp.Compare(s.states[state].node.ID, o)
		})
		if !ok {
			return false
		}
		next = s.nexts[s.states[next[i]].next]
	}
	return true
}
