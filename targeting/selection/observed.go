package selection

import (
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// Observed holds the methods that inputs of a corpus were observed to reach, and the
// durations of their runs.
type Observed struct {
	Reached map[Digest][]string // IDs of the units that inputs reach in the program of the model
	Timings map[Digest]Timing

	commit string
}

// NewObserved returns an Observed without observations, for a model that was trained
// at a commit.
func NewObserved(commit string) *Observed {
	return &Observed{map[Digest][]string{}, map[Digest]Timing{}, commit}
}

// Add adds an observation of the program at a commit. If the commit is not the model's,
// inputs may reach other units, so Add uses only the duration.
func (k *Observed) Add(commit string, o observation.Observation) {
	d := DigestOf(o.Input)
	if o.Duration > 0 {
		k.Timings[d] = Timing{len(o.Input), max(o.Duration, k.Timings[d].Duration)}
	}
	if o.Methods != nil && k.Mismatch(commit) == "" {
		k.Reached[d] = append(k.Reached[d], o.Methods...)
	}
}

// dirty is the suffix of a commit with uncommitted changes.
const dirty = "-dirty"

// Mismatch returns the reason why the units in observations at a commit are not used, or
// "" if they are used. A program with uncommitted changes never matches.
func (k *Observed) Mismatch(commit string) string {
	switch {
	case strings.HasSuffix(commit, dirty):
		return "observed with uncommitted changes"
	case commit != k.commit:
		return "observed at another commit than the model's"
	}
	return ""
}
