package store

import (
	"time"

	"github.com/inroad/inroad/model/observation"
)

// A Subject is a program with observations.
type Subject struct {
	Name    string
	Commits []Commit // most recently updated first
}

// A Commit counts the observations of one version of a program.
type Commit struct {
	Name          string    `cbor:"1,keyasint"`
	Observations  int64     `cbor:"2,keyasint"`
	Contradictory int64     `cbor:"3,keyasint"` // observations that contradict an earlier one of the same input
	Units         int       `cbor:"4,keyasint"`
	Updated       time.Time `cbor:"5,keyasint"`
	Sequence      uint64    `cbor:"6,keyasint"` // increases with each update

	// Outcomes counts observations by outcome, except those that earlier versions stored.
	Outcomes map[observation.Outcome]int64 `cbor:"7,keyasint,omitempty"`
}

// Added counts the results of [Store.AddObservations]. Contradictory observations
// are stored too.
type Added struct{ Stored, Duplicates, Contradictory int64 }
