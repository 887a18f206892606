package campaign

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/model/observation"
)

// A Runner runs a program on one input at a time.
type Runner interface {
	Run(ctx context.Context, input []byte) (observation.Observation, error)
}

// A Log keeps the observations of a campaign, so that it can be continued.
type Log interface {
	// Lookup returns the observation of an input that an earlier run of the campaign
	// appended.
	Lookup(input []byte) (observation.Observation, bool)
	// Append adds an observation. It is told afterwards.
	Append(o observation.Observation) error
}

// Run asks a campaign for inputs, runs them and tells their observations, until the
// campaign ends or ctx is done. Inputs that the log has are not run. The runners run
// inputs at the same time; how many there are does not change the inputs. told, if not
// nil, is called after each observation that is told.
func Run(ctx context.Context, c *Campaign, runners []Runner, log Log, told func(o observation.Observation, logged bool)) error {
	group, ctx := errgroup.WithContext(ctx)
	inputs, results := make(chan Input), make(chan finished)
	for _, r := range runners {
		group.Go(func() error {
			for in := range inputs {
				o, err := r.Run(ctx, in.Text)
				if err != nil {
					return err
				}
				o.Input = in.Text
				select {
				case results <- finished{in.Number, o}:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
			return nil
		})
	}
	group.Go(func() error {
		defer close(inputs)
		d := &driver{Campaign: c, log: log, told: told, runners: len(runners)}
		return d.drive(ctx, inputs, results)
	})
	return group.Wait()
}

// A finished run has the number of its input and its observation.
type finished struct {
	number int
	observation.Observation
}

// A driver hands out the inputs of a campaign.
type driver struct {
	*Campaign
	log     Log
	told    func(o observation.Observation, logged bool)
	runners int
	queue   []Input // to run
	running int
	ended   bool
}

func (d *driver) drive(ctx context.Context, inputs chan<- Input, results <-chan finished) error {
	for {
		if err := d.refill(ctx); err != nil {
			return err
		}
		if d.ended && len(d.queue) == 0 && d.running == 0 {
			return nil
		}
		to, first := inputs, Input{}
		if len(d.queue) > 0 {
			first = d.queue[0]
		} else {
			to = nil
		}
		select {
		case to <- first:
			d.queue = d.queue[1:]
			d.running++
		case r := <-results:
			d.running--
			if err := d.log.Append(r.Observation); err != nil {
				return err
			}
			if err := d.tell(r.number, r.Observation, false); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// refill asks for inputs until there is one to run for each runner, or no more are
// to be had at present.
func (d *driver) refill(ctx context.Context) error {
	for !d.ended && len(d.queue) < d.runners {
		asked, err := d.Ask(ctx, d.runners)
		if errors.Is(err, ErrEnded) {
			d.ended = true
			return nil
		}
		if err != nil || len(asked) == 0 {
			return err
		}
		for _, in := range asked {
			o, ok := d.log.Lookup(in.Text)
			if !ok {
				d.queue = append(d.queue, in)
				continue
			}
			if err := d.tell(in.Number, o, true); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *driver) tell(number int, o observation.Observation, logged bool) error {
	err := d.Tell(number, o)
	if err == nil && d.told != nil {
		d.told(o, logged)
	}
	return err
}
