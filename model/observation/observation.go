// Package observation defines what is known of one run of a program: the input,
// the outcome, and the methods that the run reached.
//
// A [Reader] and a [Writer] stream observations from and to files. The format is
// described in docs/observations.md.
package observation

import (
	"slices"
	"time"
)

// A Unit is a part of a program that is executed or not: a method, or what
// else its Kind says.
type Unit struct {
	ID    string // file#name, with @line behind it where two would be the same
	Kind  string // KindMethod and so on
	Name  string // as people know it
	File  string // relative to the subject's root, with slashes
	Start int    // the first line, from 1; 0 if it is not known
	End   int    // the last line
}

// Kinds of units. Others may come; they are methods to those who do not know them.
const (
	KindMethod      = "method"
	KindConstructor = "constructor"
	KindInitializer = "initializer" // what runs when a class or package is first used
	KindSynthetic   = "synthetic"   // in no source: a compiler added it
	KindBlock       = "block"       // statements that are always executed together
	KindLine        = "line"
)

// A Header says which program was observed.
type Header struct {
	Subject string // the name of the program
	Commit  string // which version of it
	Units   []Unit // what could have been executed; observations may name more
}

// An Outcome says how a run ended.
type Outcome string

// Outcomes. The words are part of the format.
const (
	OK       Outcome = "ok"
	Failed   Outcome = "failure" // the program said that something is wrong
	Crashed  Outcome = "crash"   // the program, or the process it was in, ended
	TimedOut Outcome = "timeout"
)

// A Failure says what went wrong.
type Failure struct {
	Type    string // the class of an exception, the Go type of an error
	Message string
	Stack   string // a digest of where it happened: the same for the same place
}

// An Observation is what a program did with one input.
type Observation struct {
	Name     string // of the input, such as that of its file; may be empty
	Input    []byte
	Methods  []string // the IDs of the units that were entered, sorted; nil if that is not known
	Counts   []int    // how often each of Methods was; nil if that is not known
	Outcome  Outcome
	Failure  *Failure      // nil unless it is known what went wrong
	Duration time.Duration // 0 if it is not known
	Weight   float64       // how many such inputs it stands for
}

// normalize sorts the methods and merges those that are there twice.
func (o *Observation) normalize() {
	if strictlySorted(o.Methods) {
		return
	}
	if o.Counts == nil {
		slices.Sort(o.Methods)
		o.Methods = slices.Compact(o.Methods)
		return
	}
	sum := make(map[string]int, len(o.Methods))
	for i, id := range o.Methods {
		sum[id] += o.Counts[i]
	}
	slices.Sort(o.Methods)
	o.Methods = slices.Compact(o.Methods)
	o.Counts = o.Counts[:0]
	for _, id := range o.Methods {
		o.Counts = append(o.Counts, sum[id])
	}
}

func strictlySorted(ids []string) bool {
	for i := 1; i < len(ids); i++ {
		if ids[i-1] >= ids[i] {
			return false
		}
	}
	return true
}
