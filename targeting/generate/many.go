package generate

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/cespare/xxhash/v2"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/parallel"
)

// Each yields up to n inputs, generated on several workers. If the options ask for
// uniform choices, the sizes of the inputs vary widely within the limits, and
// alternatives that earlier inputs seldom took are preferred. Unless the options allow
// duplicates, no two inputs are the same, and there are fewer than n if no more are found.
//
// The randomness of an input depends only on the seed, the input's index and the
// inputs of earlier batches, so that the inputs are the same for any number of
// workers. They are yielded in order; an error is the last value.
func Each(ctx context.Context, g *grammars.Grammar, opt Options, seed uint64, n, workers int) iter.Seq2[*Input, error] {
	return func(yield func(*Input, error) bool) {
		s, err := NewStream(g, opt, seed, min(workers, n)) //nolint:contextcheck // reading one token back is bounded and takes no context
		if err != nil {
			yield(nil, err)
			return
		}
		for left := n; left > 0; {
			batch, err := s.Next(ctx, left)
			left -= len(batch)
			if err != nil {
				yield(nil, err)
				return
			}
			if len(batch) == 0 {
				return
			}
			for _, input := range batch {
				if !yield(input, nil) {
					return
				}
			}
		}
	}
}

// A Stream generates the inputs of [Each] in batches. It is not safe for concurrent use.
type Stream struct{ many }

// NewStream returns a stream of inputs that are generated on several workers.
func NewStream(g *grammars.Grammar, opt Options, seed uint64, workers int) (*Stream, error) {
	s := &Stream{many{seed: seed, seen: map[uint64]bool{}, generators: make([]*Generator, max(workers, 1))}}
	for i := range s.generators {
		x, err := New(g, rand.New(rand.NewPCG(seed, 0)), opt)
		if err != nil {
			return nil, err
		}
		s.generators[i] = x
	}
	s.usual = s.generators[0].chooser
	s.spread()
	if p := opt.Probabilities; p != nil && !opt.AllowDuplicates {
		opt := s.generators[0].opt
		growing := newLikely(g, opt)
		growing.grows = true
		opt.Probabilities = p.flatten()
		s.later = []*likely{newLikely(g, opt), growing}
	}
	return s, nil
}

// Next returns the next batch, of at most n inputs. It is empty if no more distinct
// inputs are found.
func (s *Stream) Next(ctx context.Context, n int) ([]*Input, error) {
	return s.next(ctx, min(max(s.done, minBatch), maxBatch, n))
}

// Limit sets the maximum number of symbols of the trees to come; see [Options].
func (s *Stream) Limit(nodes int) {
	for _, x := range s.generators {
		x.opt.MaxNodes = nodes
	}
}

// Limits on the number of inputs of a batch. Batches grow, because the first inputs say
// most about which alternatives are rare.
const (
	minBatch = 4
	maxBatch = 64
)

// A many generates inputs in batches.
type many struct {
	generators []*Generator
	seed       uint64
	done       int
	experience *experience     // nil if choices do not depend on other inputs
	seen       map[uint64]bool // hashes of the inputs
	from       int             // the round that a batch begins with
	usual      chooser         // of the options
	later      []*likely       // choosers by probability for later rounds
}

// spread prefers alternatives that were seldom taken, unless the options ask for
// other choices.
func (m *many) spread() {
	if _, ok := m.generators[0].chooser.(uniform); ok {
		m.experience = newExperience(m.generators[0].graph)
	}
}

// spreadRounds is the number of rounds in which rare alternatives are preferred. An
// alternative can be rare because it has few inputs, all of which were generated.
const spreadRounds = 12

// likelyRounds is the number of rounds after which choices by probability change, because
// the most probable inputs may be too frequent to find new ones. First the probabilities
// become more even, then the inputs grow.
const likelyRounds = 8

func (m *many) chooser(x *Generator, round int) chooser {
	switch {
	case m.experience != nil && round < spreadRounds:
		return &spread{uniform{x.opt}, m.experience}
	case m.later != nil && round >= likelyRounds:
		return m.later[min(round/likelyRounds, len(m.later))-1]
	default:
		return m.usual
	}
}

// maxRounds limits how often an input is generated that equals an earlier one.
const maxRounds = 24

// next generates a batch of at most n inputs. An input that equals an earlier one is
// generated again, with limits that rise with the rounds. If it still does after the last
// round, it is left out.
func (m *many) next(ctx context.Context, n int) ([]*Input, error) {
	batch, taken := make([]*Input, n), make([]*uses, n)
	var repeats []*uses // an alternative that leads to earlier inputs is not rare
	again := make([]int, n)
	for i := range again {
		again[i] = i
	}
	from := m.from
	for round := from; round < maxRounds && len(again) > 0; round++ {
		if err := m.fill(ctx, batch, taken, again, round); err != nil {
			return nil, err
		}
		again = m.repeated(batch, again)
		if round == from {
			m.adapt(n, len(again))
		}
		for _, i := range again {
			repeats = append(repeats, taken[i])
		}
	}
	if m.done += n; m.experience != nil {
		m.experience.learn(append(taken, repeats...)...)
	}
	for _, i := range again {
		batch[i] = nil
	}
	return slices.DeleteFunc(batch, func(input *Input) bool { return input == nil }), nil
}

// adapt chooses the round that the next batch begins with, given how many inputs of the
// first round equal an earlier input. A later round wastes less work if most of them do.
func (m *many) adapt(inputs, repeated int) {
	switch {
	case 4*repeated > 3*inputs:
		m.from = min(m.from+1, maxRounds/2)
	case 4*repeated < inputs:
		m.from = max(m.from-1, 0)
	}
}

// fill generates the inputs of a batch with the given indexes.
func (m *many) fill(ctx context.Context, batch []*Input, taken []*uses, indexes []int, round int) error {
	var next atomic.Int64
	group, ctx := parallel.WithContext(ctx)
	for _, x := range m.generators {
		group.Go(func() error {
			for {
				at := int(next.Add(1)) - 1
				if at >= len(indexes) {
					return nil
				}
				i := indexes[at]
				x.rand = rand.New(rand.NewPCG(m.seed, (uint64(m.done+i)+1)|uint64(round)<<56))
				if x.chooser = m.chooser(x, round); m.experience != nil {
					x.limit = x.anySize(round)
				}
				input, err := x.Next(ctx)
				if err != nil {
					return err
				}
				batch[i], taken[i] = input, x.uses
			}
		})
	}
	return group.Wait()
}

// repeated returns those of the indexes whose inputs equal an earlier input. It
// remembers the others.
func (m *many) repeated(batch []*Input, indexes []int) []int {
	if m.generators[0].opt.AllowDuplicates {
		return nil
	}
	var out []int
	for _, i := range indexes {
		text := xxhash.Sum64(batch[i].Text)
		if m.seen[text] {
			out = append(out, i)
		}
		m.seen[text] = true
	}
	return out
}
