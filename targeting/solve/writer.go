package solve

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/targeting/generate"
)

// A writer writes witnesses as inputs.
type writer struct {
	*Solution
	rand  *rand.Rand
	text  *generate.Generator
	check *checker
	fails UnrealisedError

	written int      // inputs that were accepted
	bad     []int    // the places of the tokens that made the last tree fail
	broken  []broken // witnesses to repair
}

// A broken is a witness that failed because of some of its tokens.
type broken struct {
	tree witness
	bad  []int
}

// Limits on the texts that are tried.
const (
	maxTexts  = 4  // for a tree
	maxSpells = 20 // for a token
)

func (s *Solution) writer(r *rand.Rand) (*writer, error) {
	opt := generate.Options{Start: s.solver.start.Name}
	text, err := generate.New(s.solver.grammar, r, opt)
	if err != nil {
		return nil, err
	}
	w := s.writerWith(text, r)
	if s.separators != nil {
		opt.Separators = w.allowedSeparators()
		w.text, err = generate.New(s.solver.grammar, r, opt)
	}
	return w, err
}

// writerWith returns a writer that writes texts with a generator.
func (s *Solution) writerWith(text *generate.Generator, r *rand.Rand) *writer {
	return &writer{Solution: s, rand: r, text: text, check: s.newChecker()}
}

func (w *writer) unrealised() error {
	w.fails.Least = w.Least()
	return &w.fails
}

// hopeless reports whether so many inputs were refused that another one is
// unlikely to be accepted.
func (w *writer) hopeless() bool {
	return w.fails.Refused >= maxRefused && w.fails.Refused >= w.written*maxRefused
}

// write returns an input for a tree; nil if none is found. Texts are drawn several
// times: other characters may succeed where the first failed.
func (w *writer) write(ctx context.Context, tree witness) (*generate.Input, error) {
	if w.maxTries > 0 && w.fails.Tried >= w.maxTries {
		return nil, &limit.Error{What: "trees tried", Value: strconv.Itoa(w.maxTries)}
	}
	w.fails.Tried++
	w.bad = w.bad[:0]
	tree = w.arrange(tree)
	var failed *int
	for range maxTexts {
		draft, free := w.draft(tree)
		if draft == nil {
			failed = &w.fails.NoTokenText
			break
		}
		var input *generate.Input
		var err error
		if input, failed, err = w.realise(ctx, tree, draft); input != nil || err != nil {
			return input, err
		}
		if !free {
			break
		}
	}
	*failed++
	if len(w.bad) > 0 && len(w.broken) < maxBroken {
		w.broken = append(w.broken, broken{tree, slices.Clone(w.bad)})
	}
	return nil, nil
}

// realise writes a draft, preferably with texts that agree. It returns the input, or
// the counter of failures to increment.
func (w *writer) realise(ctx context.Context, tree witness, draft *generate.Draft) (*generate.Input, *int, error) {
	var failed *int
	for agreed := range w.text.Agreed(draft) {
		input, err := w.text.Write(ctx, agreed)
		switch {
		case errors.Is(err, generate.ErrUnwritten):
			failed = &w.fails.Misread
			continue
		case err != nil:
			return nil, nil, err
		}
		if failed, err = w.refused(ctx, input); err != nil {
			return nil, nil, err
		}
		if failed == nil {
			w.written++
			return input, nil, nil
		}
		if failed == &w.fails.TokenMismatch && agreed == draft {
			if err := w.findBad(tree, input.Tree); err != nil {
				return nil, nil, err
			}
		}
	}
	return nil, failed, nil
}

// repair draws the bad tokens of broken witnesses anew, within a budget. A token
// is often read with another derivation because it is too small.
func (w *writer) repair(ctx context.Context, budget int32, done func(*generate.Input) bool) error {
	all := len(w.broken)
	defer func() { w.broken = w.broken[:all] }() // a repair that fails is not repaired itself
	for _, b := range w.broken[:all] {
		more := min(budget-b.tree.cost(), w.span(variedSpan))
		for range maxRepairs {
			tree := b.tree
			for _, at := range slices.Backward(b.bad) {
				tree = w.main.redraw(tree, at, more, randomChooser{w.rand})
			}
			if tree.cost() > budget || tree.equal(b.tree) {
				continue
			}
			input, err := w.write(ctx, tree)
			if err != nil || done(input) {
				return err
			}
		}
	}
	return nil
}

// refused returns the counter of failures to increment for an input; nil if the input
// is accepted.
func (w *writer) refused(ctx context.Context, input *generate.Input) (*int, error) {
	if ok, err := w.check.holds(input.Tree); !ok || err != nil {
		return &w.fails.TokenMismatch, err
	}
	w.bad = w.bad[:0]
	if w.accept != nil {
		if ok, err := w.accept(ctx, input); !ok || err != nil {
			return &w.fails.Refused, err
		}
	}
	return nil, nil
}

// allowedSeparators returns texts of trivia that satisfy the constraint, the
// shortest first.
func (w *writer) allowedSeparators() [][]byte {
	out := [][]byte{}
	p := w.separators
	if p.cheapest() >= impossible {
		return out
	}
	for range 30 {
		text := w.spell(p.draw(p.cheapest()+w.rand.Int32N(4), randomChooser{w.rand}), nil)
		if !slices.ContainsFunc(out, func(s []byte) bool { return string(s) == string(text) }) {
			out = append(out, text)
		}
	}
	slices.SortStableFunc(out, func(a, b []byte) int { return len(a) - len(b) })
	return out
}
