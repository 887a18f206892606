package campaign

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/model/observation"
)

// GCPercent is a value for [debug.SetGCPercent] that suits programs that only run
// campaigns: their heap is small, and they allocate a lot of garbage.
const GCPercent = 400

// A Runner runs a program on one input at a time.
type Runner interface {
	Run(ctx context.Context, input []byte) (observation.Observation, error)
}

// A Log keeps the observations of a campaign, so that the campaign can be continued.
type Log interface {
	// Lookup returns the observation of an input that an earlier run of the campaign
	// appended.
	Lookup(input []byte) (observation.Observation, bool)
	// Append adds an observation, before the campaign is told of it.
	Append(o observation.Observation) error
}

// An Extra is an input from elsewhere, such as another fuzzer.
type Extra struct {
	Name string // of its observation; must not be empty
	Text []byte
}

// A Past is an observation of an extra input that an earlier run of the campaign
// appended to the log.
type Past struct {
	observation.Observation
	After int // number of observations of asked inputs that were appended before
}

// Extras are inputs that a campaign does not ask for, but includes.
type Extras struct {
	Past   []Past       // in the order in which they were appended
	Inputs <-chan Extra // to run, as long as the campaign goes on; may be nil
}

// Run asks a campaign for inputs, runs them and tells their observations, until the
// campaign ends or ctx is done. Inputs that the log has are not run. The runners work
// concurrently; their number does not change the inputs. told, if not nil, is called after
// each observation that is told.
func Run(ctx context.Context, c *Campaign, runners []Runner, log Log, told func(o observation.Observation, logged bool)) error {
	return RunWith(ctx, c, runners, log, told, Extras{})
}

// RunWith is like [Run], and also runs extra inputs and includes their observations. Extra
// inputs take turns with the inputs of the campaign. It skips extra inputs that the
// campaign knows or the log has. Past observations are included at the same point as in
// the earlier run, so that the campaign continues as it would have without interruption.
func RunWith(ctx context.Context, c *Campaign, runners []Runner, log Log, told func(o observation.Observation, logged bool), extras Extras) error {
	group, ctx := errgroup.WithContext(ctx)
	inputs, results := make(chan job), make(chan finished)
	for _, r := range runners {
		group.Go(func() error {
			for in := range inputs {
				o, err := r.Run(ctx, in.Text)
				if err != nil {
					return err
				}
				o.Input, o.Name = in.Text, in.name
				select {
				case results <- finished{in, o}:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		defer close(inputs)
		d := &driver{Campaign: c, log: log, told: told, runners: len(runners), extras: extras, open: map[string]bool{}}
		return d.drive(ctx, inputs, results)
	})
	return group.Wait()
}

// A job is an input to run.
type job struct {
	Input
	name string // of an extra input; "" for one that was asked for
}

// A finished job has its observation.
type finished struct {
	job
	observation observation.Observation
}

// A driver hands out the inputs of a campaign.
type driver struct {
	*Campaign
	log     Log
	told    func(o observation.Observation, logged bool)
	runners int
	queue   []job // inputs that were asked for, to run
	running int
	ended   bool

	extras   Extras
	extra    []job           // extra inputs to run, at most one
	open     map[string]bool // texts of extra inputs to run and of those that run
	answered int             // observations of asked inputs that were told
	live     bool            // the campaign has caught up with the log
	turn     bool            // an extra input comes next
}

func (d *driver) drive(ctx context.Context, inputs chan<- job, results <-chan finished) error {
	for {
		if err := d.refill(ctx); err != nil {
			return err
		}
		if d.ended && len(d.queue) == 0 && d.running == 0 {
			return nil
		}
		to, from := inputs, d.pick()
		first := job{}
		if from != nil {
			first = (*from)[0]
		} else {
			to = nil
		}
		select {
		case to <- first:
			*from = (*from)[1:]
			d.turn = first.name == ""
			d.running++
		case r := <-results:
			d.running--
			if err := d.finish(r); err != nil {
				return err
			}
		case in := <-d.extraInputs():
			if _, logged := d.log.Lookup(in.Text); !logged && !d.Knows(in.Text) && !d.open[string(in.Text)] {
				d.extra = append(d.extra, job{Input{Text: in.Text}, in.Name})
				d.open[string(in.Text)] = true
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// pick returns the queue of the next input to run, or nil if there is none.
func (d *driver) pick() *[]job {
	switch {
	case len(d.extra) > 0 && (d.turn || len(d.queue) == 0) && !d.ended:
		return &d.extra
	case len(d.queue) > 0:
		return &d.queue
	default:
		return nil
	}
}

// extraInputs returns the channel of extra inputs, or nil if none is wanted at present:
// before the campaign has caught up with its log, an extra input would be included too
// early.
func (d *driver) extraInputs() <-chan Extra {
	if !d.live || d.ended || len(d.extra) > 0 {
		return nil
	}
	return d.extras.Inputs
}

// finish appends and tells the observation of a job.
func (d *driver) finish(r finished) error {
	if err := d.log.Append(r.observation); err != nil {
		return err
	}
	if r.name == "" {
		return d.tell(r.Number, r.observation, false)
	}
	delete(d.open, string(r.Text))
	d.include(r.observation, false)
	return nil
}

// refill asks for inputs until there is one to run for each runner, or none is available
// at present.
func (d *driver) refill(ctx context.Context) error {
	for !d.ended && len(d.queue) < d.runners {
		d.includePast()
		asked, err := d.Ask(ctx, d.runners)
		if errors.Is(err, ErrEnded) {
			d.ended, d.live = true, true
			d.includePast()
			return nil
		}
		if err != nil || len(asked) == 0 {
			return err
		}
		for _, in := range asked {
			o, ok := d.log.Lookup(in.Text)
			if !ok {
				d.live = true
				d.queue = append(d.queue, job{Input: in})
				continue
			}
			if err := d.tell(in.Number, o, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// includePast includes each past observation once more observations of asked inputs were
// told than preceded it in the earlier run. When the campaign has caught up with its log,
// it includes all of them.
func (d *driver) includePast() {
	for ; len(d.extras.Past) > 0 && (d.live || d.extras.Past[0].After < d.answered); d.extras.Past = d.extras.Past[1:] {
		d.include(d.extras.Past[0].Observation, true)
	}
}

func (d *driver) include(o observation.Observation, logged bool) {
	known := d.Knows(o.Input) // it was also asked for in the meantime
	d.Include(o)
	if !known && d.told != nil {
		d.told(o, logged)
	}
}

func (d *driver) tell(number int, o observation.Observation, logged bool) error {
	d.answered++
	err := d.Tell(number, o)
	if err == nil && d.told != nil {
		d.told(o, logged)
	}
	return err
}
