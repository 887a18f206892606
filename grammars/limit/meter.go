package limit

import "context"

// A Meter counts the steps of a computation, and ends the computation when its
// context ends or when it takes too many steps. A nil Meter counts nothing. A
// Meter is not safe for concurrent use.
//
// A function that uses a Meter defers [Catch]:
//
//	func Analyse(ctx context.Context, g *Grammar) (out *Analysis, err error) {
//		defer limit.Catch(&err)
//		m := limit.NewMeter(ctx, 1_000_000, &limit.Error{What: "steps to analyse a grammar"})
//		...
//		m.Step(1)
//	}
type Meter struct {
	ctx   context.Context
	most  int
	over  *Error
	steps int
	next  int // the number of steps at which to check the context again
}

// stepsPerPoll is the number of steps between two checks of the context.
const stepsPerPoll = 1 << 12

// NewMeter returns a meter for a computation of at most most steps. More steps end
// the computation with the error over.
func NewMeter(ctx context.Context, most int, over *Error) *Meter {
	m := &Meter{ctx: ctx, most: most, over: over}
	m.check()
	return m
}

// stopped is the panic value that ends a computation.
type stopped struct{ err error }

// Step counts n steps.
func (m *Meter) Step(n int) {
	if m == nil {
		return
	}
	if m.steps += n; m.steps >= m.next {
		m.check()
	}
}

// Poll checks the context at once, before a long step.
func (m *Meter) Poll() {
	if m != nil {
		m.check()
	}
}

func (m *Meter) check() {
	if m.steps > m.most {
		Stop(m.over)
	}
	if m.ctx.Err() != nil {
		Stop(context.Cause(m.ctx))
	}
	m.next = min(m.steps+stepsPerPoll, m.most+1)
}

// Stop ends the computation with an error, which [Catch] returns.
func Stop(err error) { panic(stopped{err}) }

// Catch sets err if a meter, or [Stop], ended the computation. It must be
// deferred.
func Catch(err *error) {
	switch e := recover().(type) {
	case nil:
	case stopped:
		*err = e.err
	default:
		panic(e)
	}
}
