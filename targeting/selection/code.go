package selection

import (
	"github.com/inroad/inroad/targeting/selection/source"
)

// A CodeChange is a change to one declaration of the program, with the methods that it
// affects.
type CodeChange struct {
	Name     string // file#name of the declaration, in the newest version that has it
	Kind     source.Kind
	How      How
	Affected []Region // methods at the commit of the model
	// AtLoad holds the methods that are affected as well if no observation reached the
	// methods in Affected: the declaration may run when the program is loaded, before any
	// input, and compute values that the methods in AtLoad use.
	AtLoad []Region
}

// How says how a declaration changed.
type How string

// The ways in which a declaration changes.
const (
	Changed How = "changed"
	Added   How = "added"
	Deleted How = "deleted"
)

// A Region is a declaration in the sources at the commit of the model, as a rule a
// method.
type Region struct {
	File   string // path in the repository
	Name   string // of the method in the file
	First  int    // first line, from 1
	Last   int
	Places []source.Place // of the method that are affected; nil for all
}

// A SourceChange is the change between two versions of a program, in terms of the
// version at which a model was trained.
type SourceChange struct {
	Changes   []CodeChange
	Fallbacks []Fallback // reasons to run all inputs
	Ignored   []string   // changed files that affect no method
	Methods   int        // methods at the commit of the model; 0 if it is the base
	Stale     int        // methods among them that differ between that commit and the base
}

// Staleness returns the share of the methods that changed since the model was trained.
func (s *SourceChange) Staleness() float64 {
	if s.Methods == 0 {
		return 0
	}
	return float64(s.Stale) / float64(s.Methods)
}
