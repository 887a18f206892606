package model

import (
	"context"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// An extractor extracts the features of inputs. It is not safe for concurrent
// use.
type extractor struct {
	grammar        *grammars.Grammar
	parse          grammars.ParseOptions
	k              int
	spaces         []*features.Space // with parser tokens, and with trivia
	pathExtractors []*features.Extractor
	extraExtractor *features.ExtraExtractor // nil if no extra features are needed
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

// eachPath calls found for each path of the tree, including repetitions.
func (l *extractor) eachPath(tree *derivation.Tree, found func(length int, id uint64, at features.Position)) error {
	for _, x := range l.pathExtractors {
		if err := x.Each(tree, found); err != nil {
			return err
		}
	}
	return nil
}

// A trainingExtractor extracts the features of inputs and remembers the path of
// every ID.
type trainingExtractor struct {
	extractor
	seen  map[uint64]int32 // by path ID: index into the paths of the current input
	paths map[uint64]features.Path
}

// extracted holds the features of an input, with their first positions.
type extracted struct {
	paths   []uint64
	pathAt  []int32
	extras  []features.Extra
	extraAt []int32
	listed  []int32 // decoded features, as indices into Extracted.list; pathAt has their first positions
	err     error   // why the input has no features
}

func (s *trainingExtractor) extract(ctx context.Context, input []byte) extracted {
	tree, err := s.grammar.Parse(ctx, input, s.parse)
	if err != nil {
		return extracted{err: err}
	}
	var f extracted
	clear(s.seen)
	unknown := false
	if f.err = s.eachPath(tree, func(_ int, id uint64, at features.Position) {
		if i, ok := s.seen[id]; ok {
			f.pathAt[i] = min(f.pathAt[i], int32(at))
			return
		}
		s.seen[id] = int32(len(f.paths))
		f.paths, f.pathAt = append(f.paths, id), append(f.pathAt, int32(at))
		unknown = unknown || s.paths[id] == nil
	}); f.err != nil {
		return f
	}
	if unknown {
		f.err = s.learnPaths(tree)
	}
	if s.extraExtractor != nil && f.err == nil {
		f.err = s.extraExtractor.Each(tree, func(e features.Extra, at features.Position) {
			f.extras, f.extraAt = append(f.extras, e), append(f.extraAt, int32(at))
		})
	}
	return f
}

// learnPaths remembers the paths of the tree.
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
