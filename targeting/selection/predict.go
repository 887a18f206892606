package selection

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// A Chance is a probability in steps of 1/65535.
type Chance uint16

// Certain is the chance of what is sure.
const Certain Chance = math.MaxUint16

func chanceOf(p float64) Chance {
	return Chance(math.Round(min(max(p, 0), 1) * float64(Certain)))
}

// Float returns the chance as a number from 0 to 1.
func (c Chance) Float() float64 { return float64(c) / float64(Certain) }

// Covered tells whether what is predicted is more likely than not.
func (c Chance) Covered() bool { return c > Certain/2 }

// How much is known of what an input reaches.
type knowledge uint8

const (
	predicted knowledge = iota // by the model
	outside                    // it is not in the grammar: it may do what others did that were not
	unknown                    // nothing
	observed                   // it was run before
)

// Predictions are what is known of a corpus: which units each input reaches.
type Predictions struct {
	Inputs []Input
	Units  int
	rows   []*row // inputs that are alike share one
	of     []int32
	// How many answers came from the cache, and how many from observations.
	Cached, Observed int
}

// A row is what is known of inputs that are alike.
type row struct {
	known   knowledge
	chances []Chance // by unit; nil if nothing is known
}

// At returns the chance that an input reaches a unit.
func (p *Predictions) At(input, unit int) Chance {
	if r := p.rows[p.of[input]]; r.chances != nil {
		return r.chances[unit]
	}
	return Certain
}

// A Source is a corpus to be read: a path for each input, and its content.
type Source struct {
	Paths []string
	Read  func(path string) ([]byte, error)
}

// PredictOptions say how a corpus is predicted. All may be zero.
type PredictOptions struct {
	Cache    *Cache                 // of answers; what is new is added to it
	Observed map[Digest]Observation // what is known from runs of the same program
	Workers  int
	Limits   grammars.Limits
	Progress func(done int)
}

// An Observation is what is known of an input that was run.
type Observation struct {
	Units []int // that it reached
}

// An Item is an input of a corpus that is to be predicted.
type Item struct {
	Path string
	Read func() ([]byte, error) // its content; nil if that is not to be had
	// What is known without its content, or instead of what the model says.
	Digest  Digest
	Size    int
	Reached *Observation
}

// Predict asks a model about all inputs of a corpus.
func Predict(ctx context.Context, m *model.Model, source Source, opt PredictOptions) (*Predictions, error) {
	return PredictEach(ctx, m, func(yield func(Item, error) bool) {
		for _, path := range source.Paths {
			if !yield(Item{Path: path, Read: func() ([]byte, error) { return source.Read(path) }}, nil) {
				return
			}
		}
	}, opt)
}

// PredictEach asks a model about inputs as they come. No more of them are read
// than there are workers.
func PredictEach(ctx context.Context, m *model.Model, items iter.Seq2[Item, error], opt PredictOptions) (*Predictions, error) {
	k := &predictTask{model: m, opt: opt, alike: map[string]*row{}}
	group, ctx := errgroup.WithContext(ctx)
	work := make(chan *predicting)
	for range max(1, opt.Workers) {
		group.Go(func() error {
			for p := range work {
				if err := k.answer(ctx, p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		defer close(work)
		return k.hand(ctx, items, work)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return k.collect(), nil
}

// A predicting is an input on its way to an answer.
type predicting struct {
	item   Item
	input  Input
	answer *row
}

type predictTask struct {
	model *model.Model
	opt   PredictOptions
	all   []*predicting

	mu    sync.Mutex
	alike map[string]*row
}

// hand hands out the inputs.
func (k *predictTask) hand(ctx context.Context, items iter.Seq2[Item, error], work chan<- *predicting) error {
	for item, err := range items {
		if err != nil {
			return err
		}
		p := &predicting{item: item}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case work <- p:
		}
		k.all = append(k.all, p)
		if k.opt.Progress != nil {
			k.opt.Progress(len(k.all))
		}
	}
	return nil
}

func (k *predictTask) answer(ctx context.Context, p *predicting) (err error) {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	var text []byte
	if p.item.Read != nil {
		if text, err = p.item.Read(); err != nil {
			return err
		}
		p.item.Digest, p.item.Size = DigestOf(text), len(text)
	}
	p.input = Input{p.item.Path, p.item.Digest, p.item.Size}
	read := p.item.Read != nil
	p.item = Item{Reached: p.item.Reached} // the content is not needed any more
	switch o, ok := k.opt.Observed[p.input.Digest]; {
	case p.item.Reached != nil:
		p.answer = k.shared(k.observed(*p.item.Reached))
		return nil
	case ok:
		p.answer = k.shared(k.observed(o))
		return nil
	case !read:
		p.answer = k.shared(row{known: unknown})
		return nil
	}
	if r, ok := k.opt.Cache.get(p.input.Digest); ok {
		p.answer = r
		return nil
	}
	r, err := k.ask(ctx, text)
	if err == nil {
		p.answer = k.shared(r)
	}
	return err
}

// shared returns the row that inputs like this one have.
func (k *predictTask) shared(r row) *row {
	key := string(appendRow(nil, r))
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.alike[key] == nil {
		k.alike[key] = &r
	}
	return k.alike[key]
}

func (k *predictTask) observed(o Observation) row {
	r := row{observed, make([]Chance, len(k.model.Units))}
	for _, u := range o.Units {
		r.chances[u] = Certain
	}
	return r
}

// ask asks the model. An input that is too large or takes too long may reach
// anything.
func (k *predictTask) ask(ctx context.Context, text []byte) (row, error) {
	if len(text) > observation.MaxInput {
		return row{known: unknown}, nil
	}
	a, err := k.model.Predict(ctx, text, k.opt.Limits)
	if _, ok := errors.AsType[*limit.Error](err); ok && ctx.Err() == nil {
		return row{known: unknown}, nil
	}
	if err != nil {
		return row{}, err
	}
	if a.Syntax != nil {
		return k.beyond(), nil
	}
	r := row{predicted, make([]Chance, len(a.Methods))}
	for u, p := range a.Methods {
		r.chances[u] = chanceOf(p.Probability)
	}
	return r, nil
}

// beyond returns what is known of inputs outside the grammar.
func (k *predictTask) beyond() row {
	o := k.model.Outside
	if o.Rows == 0 {
		return row{known: unknown}
	}
	r := row{outside, make([]Chance, len(o.Reached))}
	for u, n := range o.Reached {
		r.chances[u] = chanceOf((float64(n) + 0.5) / (float64(o.Rows) + 1))
	}
	return r
}

// collect numbers the rows in the order of the inputs.
func (k *predictTask) collect() *Predictions {
	p := &Predictions{Inputs: make([]Input, len(k.all)), Units: len(k.model.Units), of: make([]int32, len(k.all))}
	places := map[*row]int32{}
	for i, done := range k.all {
		p.Inputs[i] = done.input
		r := done.answer
		at, ok := places[r]
		if !ok {
			at = int32(len(p.rows))
			places[r] = at
			p.rows = append(p.rows, r)
		}
		p.of[i] = at
		switch {
		case r.known == observed:
			p.Observed++
		case k.opt.Cache.put(done.input.Digest, r):
			p.Cached++
		}
	}
	return p
}

func appendRow(key []byte, r row) []byte {
	key = append(key, byte(r.known))
	for _, c := range r.chances {
		key = binary.LittleEndian.AppendUint16(key, uint16(c))
	}
	return key
}
