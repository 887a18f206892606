package campaign

import (
	"time"

	"github.com/inroad/inroad/grammars/derivation"
)

// An effort limits the work for which [Guided] is more expensive than a generator: covering
// paths, choosing among candidates, aiming, and training. Each has a share of what the
// campaign grants. Work is counted in symbols of trees and converted to time at fixed
// rates, so that the same observations give the same inputs on every machine.
type effort struct {
	factor  float64       // of what is granted
	granted time.Duration // to all together
	inputs  int           // that were granted effort
	spent   [accounts]time.Duration
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

// share returns the share of an account in what is granted.
func (a account) share() float64 {
	return [accounts]float64{covering: 0.15, choosing: 0.35, aiming: 0.2, training: 0.3}[a]
}

// What is granted. A campaign begins with an allowance, so that short ones are thorough;
// then the effort is a small part of the program's run time.
const (
	firstInputs  = 1000                 // inputs with an allowance
	firstEffort  = 4 * time.Millisecond // for each of them
	effortShare  = 0.03                 // of the run time of all inputs
	shortRun     = time.Millisecond
	shortRunFrom = 4 * time.Millisecond // runs that take less count as short
)

// Rates of work.
const (
	symbolMade      = 4 * time.Microsecond // a symbol of a tree that is generated or mutated
	symbolCovered   = 30 * time.Microsecond
	symbolPredicted = 3 * time.Microsecond
	symbolTrained   = 4 * time.Microsecond // of an observation, each time the model is trained
	searchStart     = 5 * time.Millisecond
	searchSymbol    = 30 * time.Microsecond // of the grammar, in each search
)

// newEffort returns an effort that has the allowance of some inputs in advance.
func newEffort(factor float64, inputs int) *effort {
	return &effort{factor: factor, granted: time.Duration(factor * float64(inputs) * float64(firstEffort))}
}

// grant adds what a run of the program grants. Short runs count alike, and others by the
// order of magnitude, so that small differences of run times do not matter.
func (e *effort) grant(run time.Duration) {
	counted := shortRun
	for at := shortRunFrom; at <= run; at *= 2 {
		counted = at
	}
	more := time.Duration(effortShare * float64(counted))
	if e.inputs < firstInputs {
		more += firstEffort
	}
	e.inputs++
	e.granted += time.Duration(e.factor * float64(more))
}

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
