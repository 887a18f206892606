package selection

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"math"
	"sync"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/parallel"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// A Chance is a probability in steps of 1/65535.
type Chance uint16

// Certain is the probability 1.
const Certain Chance = math.MaxUint16

func chanceOf(p float64) Chance {
	return Chance(math.Round(min(max(p, 0), 1) * float64(Certain)))
}

// Float returns the probability as a number between 0 and 1.
func (c Chance) Float() float64 { return float64(c) / float64(Certain) }

// Likely reports whether the probability is above one half.
func (c Chance) Likely() bool { return c > Certain/2 }

// knowledge is the source of an input's chances.
type knowledge uint8

const (
	predicted knowledge = iota // the model predicts them
	outside                    // the input is outside the grammar; the chances are shares of training inputs outside it
	unknown                    // there are no chances: the input may reach any unit
	observed                   // the input was run before
)

// Predictions holds the chance of each input of a corpus to reach each unit.
type Predictions struct {
	Inputs []Input
	Units  int
	rows   []*row  // inputs with equal chances share a row
	rowOf  []int32 // by input: index in rows
}

// A row holds the chances of inputs to reach each unit.
type row struct {
	known   knowledge
	chances []Chance // by unit; nil if unknown
}

func (p *Predictions) row(input int) *row { return p.rows[p.rowOf[input]] }

// At returns the chance that an input reaches a unit; it is [Certain] if nothing
// is known about the input.
func (p *Predictions) At(input, unit int) Chance {
	if r := p.row(input); r.chances != nil {
		return r.chances[unit]
	}
	return Certain
}

// A Corpus is a list of inputs to read.
type Corpus struct {
	Paths []string
	Read  func(path string) ([]byte, error)
}

// PredictOptions are options of [Predict]; the zero value is valid.
type PredictOptions struct {
	Cache    *Cache                 // predictions are read from and added to it
	Observed map[Digest]Observation // inputs that were run at the model's commit
	Workers  int
	Limits   grammars.Limits
	Progress func(done int)
}

// An Observation holds the units that an input reached when it was run.
type Observation struct {
	Units []int
}

// An Item is an input to predict.
type Item struct {
	Path string
	Read func() ([]byte, error) // returns the content; nil if it is not available
	// Digest and Size are set if Read is nil. Reached, if not nil, replaces a prediction.
	Digest  Digest
	Size    int
	Reached *Observation
}

// Predict predicts which units the inputs of a corpus reach.
func Predict(ctx context.Context, m *model.Model, corpus Corpus, opt PredictOptions) (*Predictions, error) {
	return PredictEach(ctx, m, func(yield func(Item, error) bool) {
		for _, path := range corpus.Paths {
			if !yield(Item{Path: path, Read: func() ([]byte, error) { return corpus.Read(path) }}, nil) {
				return
			}
		}
	}, opt)
}

// PredictEach predicts which units inputs reach while it receives them. It holds
// the content of at most one input per worker.
func PredictEach(ctx context.Context, m *model.Model, items iter.Seq2[Item, error], opt PredictOptions) (*Predictions, error) {
	k := &predictTask{model: m, opt: opt, rows: map[string]*row{}}
	group, ctx := parallel.WithContext(ctx)
	work := make(chan *prediction)
	for range max(1, opt.Workers) {
		group.Go(func() error {
			for p := range work {
				if err := k.predict(ctx, p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		defer close(work)
		return k.feed(ctx, items, work)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return k.collect(), nil
}

// A prediction is an input with its row, which is set when the worker is done.
type prediction struct {
	item   Item
	input  Input
	answer *row
}

type predictTask struct {
	model *model.Model
	opt   PredictOptions
	all   []*prediction

	mu   sync.Mutex
	rows map[string]*row
}

// feed sends the inputs to the workers.
func (k *predictTask) feed(ctx context.Context, items iter.Seq2[Item, error], work chan<- *prediction) error {
	for item, err := range items {
		if err != nil {
			return err
		}
		p := &prediction{item: item}
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

func (k *predictTask) predict(ctx context.Context, p *prediction) (err error) {
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
	p.item = Item{Reached: p.item.Reached} // release the content
	switch o, ok := k.opt.Observed[p.input.Digest]; {
	case p.item.Reached != nil:
		p.answer = k.shared(k.observed(*p.item.Reached))
		return nil
	case ok:
		p.answer = k.shared(k.observed(o))
		return nil
	}
	switch units, ok, err := k.model.ReachedBy(p.input.Digest); {
	case err != nil:
		return err
	case ok:
		p.answer = k.shared(k.observed(Observation{units}))
		return nil
	case !read:
		p.answer = k.shared(row{known: unknown})
		return nil
	}
	if r, ok := k.opt.Cache.get(p.input.Digest); ok {
		p.answer = r
		return nil
	}
	r, err := k.askModel(ctx, text)
	if err == nil {
		p.answer = k.shared(r)
	}
	return err
}

// shared returns the unique row with these chances.
func (k *predictTask) shared(r row) *row {
	key := string(appendRow(nil, r))
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.rows[key] == nil {
		k.rows[key] = &r
	}
	return k.rows[key]
}

func (k *predictTask) observed(o Observation) row {
	r := row{observed, make([]Chance, len(k.model.Units))}
	for _, u := range o.Units {
		r.chances[u] = Certain
	}
	return r
}

// askModel returns the model's prediction. It returns an unknown row for an input that
// is too large or exceeds a limit.
func (k *predictTask) askModel(ctx context.Context, text []byte) (row, error) {
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
		return k.outsideGrammar(), nil
	}
	r := row{predicted, make([]Chance, len(a.Methods))}
	for u, p := range a.Methods {
		r.chances[u] = chanceOf(p.Probability)
	}
	return r, nil
}

// outsideGrammar returns the chances of inputs outside the grammar: for each unit, the
// share of training inputs outside the grammar that reached it.
func (k *predictTask) outsideGrammar() row {
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

// collect returns the predictions, with rows numbered in the order of inputs.
func (k *predictTask) collect() *Predictions {
	p := &Predictions{Inputs: make([]Input, len(k.all)), Units: len(k.model.Units), rowOf: make([]int32, len(k.all))}
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
		p.rowOf[i] = at
		if r.known != observed {
			k.opt.Cache.put(done.input.Digest, r)
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
