package campaign

import (
	"time"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/refine"
	"github.com/inroad/inroad/targeting/generate"
)

// An effort limits the work that [Guided] does beyond plain generation: covering paths,
// choosing among candidates, aiming, and training. Each kind of work has a share of the
// granted time. Work is counted in symbols of trees and converted to time at fixed rates,
// so that the same observations give the same inputs on every machine.
type effort struct {
	rates
	factor  float64       // of each grant
	granted time.Duration // to all together
	inputs  int           // that were granted effort
	spent   [accounts]time.Duration

	ample     time.Duration // granted to generate large inputs
	generated time.Duration // spent to generate inputs
}

// An account is a kind of work.
type account int

const (
	covering account = iota
	choosing
	aiming
	training
	accounts
)

// share returns the share of an account in the granted time.
func (a account) share() float64 {
	return [accounts]float64{covering: 0.15, choosing: 0.35, aiming: 0.2, training: 0.3}[a]
}

// Granted times. The first inputs have an allowance, so that short campaigns are thorough;
// after that, the effort is a small part of the program's run time.
const (
	firstInputs  = 1000                    // inputs with an allowance
	firstEffort  = 1500 * time.Microsecond // for each of them
	effortShare  = 0.02                    // of the run time of all inputs
	firstAmple   = 100 * time.Microsecond  // for each of the first inputs, to generate large ones
	ampleShare   = 0.03                    // of the run time of all inputs, to generate large ones
	shortRun     = time.Millisecond
	shortRunFrom = 4 * time.Millisecond // runs that take less count as short
)

// rates are the times that work on a symbol of a tree takes.
type rates struct {
	candidate time.Duration // generating it as part of a candidate, and predicting
	drawn     time.Duration // generating it or a byte of its text at random
	mutated   time.Duration // generating it or a byte of its text as part of a mutant
	covered   time.Duration // generating it in an input that covers a path
	trained   time.Duration // learning from it, each time the model is trained
}

// ratesOf returns the rates of a grammar. They were measured on several grammars. Work takes
// two to three times as long if trees must respect the states of the lexer.
func ratesOf(g *grammars.Grammar, start string) rates {
	r := rates{candidate: 3 * time.Microsecond, drawn: 500 * time.Nanosecond, mutated: 200 * time.Nanosecond, covered: 20 * time.Microsecond, trained: 3 * time.Microsecond}
	if refine.Of(g, start).Modes() != nil {
		r.candidate, r.drawn, r.mutated, r.covered, r.trained = 2*r.candidate, 2*r.drawn, 2*r.mutated, 3*r.covered, 3*r.trained
	}
	return r
}

// A search takes some time, which depends on the size of the grammar.
const (
	searchStart  = 10 * time.Millisecond
	searchSymbol = 2 * time.Microsecond // of the grammar
)

// newEffort returns an effort that has the allowance of some inputs in advance.
func newEffort(factor float64, inputs int, r rates) *effort {
	advance := time.Duration(factor * float64(inputs) * float64(firstEffort))
	return &effort{rates: r, factor: factor, granted: advance, ample: advance}
}

// grant adds the time that a run of the program grants. Runs below 4 ms count as 1 ms, and
// others are rounded down to 4, 8, 16, … ms, so that small differences do not matter.
func (e *effort) grant(run time.Duration) {
	counted := shortRun
	for at := shortRunFrom; at <= run; at *= 2 {
		counted = at
	}
	more, ample := time.Duration(effortShare*float64(counted)), time.Duration(ampleShare*float64(counted))
	if e.inputs < firstInputs {
		more += firstEffort
		ample += firstAmple
	}
	e.inputs++
	e.granted += time.Duration(e.factor * float64(more))
	e.ample += time.Duration(e.factor * float64(ample))
}

// generate counts the work to generate an input in some attempts.
func (e *effort) generate(input *generate.Input, attempts int, each time.Duration) {
	e.generated += time.Duration(attempts*(input.Tree.Len()+len(input.Text))) * each
}

// frugal reports whether inputs should be small, because generating took more time than
// granted.
func (e *effort) frugal() bool { return e.generated > e.ample }

// allows reports whether an account may spend more.
func (e *effort) allows(a account, more time.Duration) bool {
	return float64(e.spent[a]+more) <= a.share()*float64(e.granted)
}

// spend counts work.
func (e *effort) spend(a account, work time.Duration) { e.spent[a] += work }

// symbols returns the work for the symbols of a tree; nil is like a small tree.
func symbols(tree *derivation.Tree, each time.Duration) time.Duration {
	if tree == nil {
		return 10 * each
	}
	return time.Duration(tree.Len()) * each
}
