package model

import (
	"context"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// A looker finds the features of inputs. It is not safe for concurrent use.
type extractor struct {
	grammar        *grammars.Grammar
	parse          grammars.ParseOptions
	k              int
	spaces         []*features.Space // of what the parser sees, and of trivia
	pathExtractors []*features.Extractor
	extraExtractor *features.ExtraExtractor // nil for none
}

func newExtractor(g *grammars.Grammar, opt Options, extras features.Kinds, wanted ...features.Extra) *extractor {
	l := &extractor{grammar: g, parse: grammars.ParseOptions{Limits: opt.Limits}, k: opt.K}
	l.spaces = append(l.spaces, features.NewSpace(g, features.Options{}))
	if opt.Trivia {
		l.spaces = append(l.spaces, features.NewSpace(g, features.Options{Trivia: true}))
	}
	for _, s := range l.spaces {
		l.pathExtractors = append(l.pathExtractors, features.NewExtractor(s, opt.K))
	}
	if extras != 0 {
		l.extraExtractor = features.NewExtraExtractor(g, extras, wanted...)
	}
	return l
}

// eachPath calls found for each path of a tree, as often as it is in there.
func (l *extractor) eachPath(tree *derivation.Tree, found func(length int, id uint64)) error {
	for _, x := range l.pathExtractors {
		if err := x.Each(tree, found); err != nil {
			return err
		}
	}
	return nil
}

// A scout finds the features of inputs, and remembers which paths their IDs
// stand for.
type trainingExtractor struct {
	extractor
	seen  map[uint64]struct{} // the paths of one input
	paths map[uint64]features.Path
}

// A finding is what a scout found in an input.
type extracted struct {
	paths  []uint64
	extras []features.Extra
	err    error // why the input has no features
}

func (s *trainingExtractor) extract(ctx context.Context, input []byte) extracted {
	tree, err := s.grammar.Parse(ctx, input, s.parse)
	if err != nil {
		return extracted{err: err}
	}
	var f extracted
	clear(s.seen)
	unknown := false
	if f.err = s.eachPath(tree, func(_ int, id uint64) {
		if _, ok := s.seen[id]; !ok {
			s.seen[id] = struct{}{}
			f.paths = append(f.paths, id)
			unknown = unknown || s.paths[id] == nil
		}
	}); f.err != nil {
		return f
	}
	if unknown {
		f.err = s.learnPaths(tree)
	}
	if s.extraExtractor != nil && f.err == nil {
		f.err = s.extraExtractor.Each(tree, func(e features.Extra) { f.extras = append(f.extras, e) })
	}
	return f
}

// learnPaths remembers the paths of a tree that it does not know.
func (s *trainingExtractor) learnPaths(tree *derivation.Tree) error {
	for _, space := range s.spaces {
		if err := space.Locate(tree, s.k, func(id uint64, p features.Path) {
			if s.paths[id] == nil {
				s.paths[id] = slices.Clone(p)
			}
		}); err != nil {
			return err
		}
	}
	return nil
}
