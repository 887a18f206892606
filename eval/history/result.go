package main

import (
	"math"
	"slices"
)

// The variants of a selection: the model learned from the corpus and knows what its
// inputs reach, or it learned from other inputs.
const (
	recorded = "recorded"
	unseen   = "unseen"
)

var variants = []string{recorded, unseen}

// A result says what a selection for a commit is worth.
type result struct {
	Library string `json:"library"`
	Commit  string `json:"commit"`
	Parent  string `json:"parent"`
	Age     int    `json:"age"`   // commits between the model and the parent
	Model   string `json:"model"` // commit whose observations the model learned from
	Variant string `json:"variant"`
	Failed  string `json:"failed,omitempty"` // why a state could not be built

	Inputs     int      `json:"inputs"`
	Selected   int      `json:"selected"`
	Everything bool     `json:"everything,omitempty"`
	Causes     []string `json:"causes,omitempty"`
	Details    []string `json:"details,omitempty"` // one for each cause
	Changed    int      `json:"changed"`           // methods that were found to be changed
	Seconds    float64  `json:"seconds"`           // processor time of the selection

	Affected counts   `json:"affected"`
	Differ   counts   `json:"differ"`
	File     fileOnly `json:"file"`
	Missed   []int    `json:"missed,omitempty"` // inputs whose behaviour changes and that were not selected
}

// counts are inputs of a kind, and those of them that were selected.
type counts struct {
	All      int `json:"all"`
	Selected int `json:"selected"`
}

// recall returns the share that was selected. It is 1 if there is nothing to select.
func (c counts) recall() float64 {
	if c.All == 0 {
		return 1
	}
	return float64(c.Selected) / float64(c.All)
}

// fileOnly is the selection of all inputs that reach a method of a changed file.
type fileOnly struct {
	Selected int `json:"selected"`
	Affected int `json:"affected"`
	Differ   int `json:"differ"`
}

// An effect says what a commit does to each input of the corpus.
type effect struct {
	affected []bool // it reaches a changed method, or behaves differently
	differs  []bool // it behaves differently
	file     []bool // before the commit, it reaches a method of a changed file
}

// effectOf compares the states before and after a commit that changed files.
func effectOf(before, after *state, files []string) effect {
	removed, added := changedFunctions(before.functions, after.functions)
	inFiles := map[string]bool{}
	for _, u := range before.units {
		if slices.Contains(files, u.File) {
			inFiles[u.ID] = true
		}
	}
	n := len(before.behaviour)
	e := effect{make([]bool, n), make([]bool, n), make([]bool, n)}
	for i := range n {
		e.differs[i] = before.behaviour[i] != "" && after.behaviour[i] != "" && before.behaviour[i] != after.behaviour[i]
		e.affected[i] = e.differs[i] || meet(before.reached[i], removed) || meet(after.reached[i], added)
		e.file[i] = meet(before.reached[i], inFiles)
	}
	return e
}

func meet(a, b map[string]bool) bool {
	for id := range b {
		if a[id] {
			return true
		}
	}
	return false
}

// judge compares selected inputs with the effect of the commit.
func (r *result) judge(e effect, selected []bool) {
	r.Inputs = len(selected)
	for i, in := range selected {
		r.Selected += number(in)
		r.Affected.All += number(e.affected[i])
		r.Affected.Selected += number(e.affected[i] && in)
		r.Differ.All += number(e.differs[i])
		r.Differ.Selected += number(e.differs[i] && in)
		r.File.Selected += number(e.file[i])
		r.File.Affected += number(e.file[i] && e.affected[i])
		r.File.Differ += number(e.file[i] && e.differs[i])
		if e.differs[i] && !in {
			r.Missed = append(r.Missed, i)
		}
	}
}

// byChance returns the probability that as many random inputs contain one whose
// behaviour changes.
func (r *result) byChance() float64 {
	rest := r.Inputs - r.Differ.All
	if r.Selected > rest {
		return 1
	}
	missed := 0.0 // logarithm of the probability that all selected inputs behave the same
	for i := range r.Selected {
		missed += math.Log(float64(rest-i)) - math.Log(float64(r.Inputs-i))
	}
	return 1 - math.Exp(missed)
}

func number(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
