// Package selection chooses the inputs of a corpus that a change calls for.
//
// [ParseDiff] reads what changed, and a [Table] maps it to units of the program.
// [Predict] asks a model about the whole corpus, and [Choose] decides which
// inputs to run, in which order, and says why for each.
//
// When it is not sure what a change affects, everything is chosen: a [Fallback]
// tells why. The same change, model, corpus and seed give the same choice.
package selection

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// A Digest names the content of an input.
type Digest [sha256.Size]byte

// DigestOf returns the digest of an input.
func DigestOf(input []byte) Digest { return sha256.Sum256(input) }

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText returns the digest in hexadecimal digits.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads what [Digest.MarshalText] wrote.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) {
		return fmt.Errorf("a digest has %d digits, not %d", 2*len(d), len(text))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// An Input is one of a corpus.
type Input struct {
	Path   string // relative, with slashes
	Digest Digest
	Size   int
}

// A Cause says why everything is to be run.
type Cause string

// The causes of a fallback.
const (
	NoModel       Cause = "no model"
	StaleModel    Cause = "stale model"
	ShallowClone  Cause = "shallow clone"
	Unmapped      Cause = "unmapped change"
	NewMethod     Cause = "new method"
	NeverObserved Cause = "method never observed"
	PoorRecall    Cause = "poor recall"
	FullOn        Cause = "file that affects everything"
	Unreachable   Cause = "unreachable service"
	Trouble       Cause = "error"
)

// A Fallback is a reason to run everything.
type Fallback struct {
	Cause  Cause  `json:"cause"`
	Detail string `json:"detail"`
}

func (f Fallback) String() string { return string(f.Cause) + ": " + f.Detail }

// A ReasonKind says why an input was chosen.
type ReasonKind string

// The kinds of reasons.
const (
	Everything ReasonKind = "everything" // a fallback asks for all inputs
	Always     ReasonKind = "always"     // someone asked for it
	New        ReasonKind = "new"        // the change adds it
	Edited     ReasonKind = "changed"    // the change is to the input itself
	Failing    ReasonKind = "failed"     // it failed not long ago
	Reaches    ReasonKind = "reaches"    // it will reach a changed unit, as far as the model can tell
	Reached    ReasonKind = "reached"    // it reached a changed unit when it was observed
	Unknown    ReasonKind = "unknown"    // nothing can be said of it
	Sampled    ReasonKind = "sample"     // drawn to see what the choice misses
	Generated  ReasonKind = "generated"  // made to reach a changed unit
	Needed     ReasonKind = "needed"     // no other input of a smallest corpus reaches what it does
)

// A Reason says why an input was chosen.
type Reason struct {
	Kind   ReasonKind `json:"kind"`
	Unit   string     `json:"unit,omitempty"`   // the ID of the unit that counts
	Chance float64    `json:"chance,omitempty"` // that the input reaches it
}

func (r Reason) String() string {
	switch r.Kind {
	case Everything:
		return "everything is run"
	case Always:
		return "it is always run"
	case New:
		return "it is new"
	case Edited:
		return "it was changed"
	case Failing:
		return "it failed lately"
	case Reaches:
		return fmt.Sprintf("it reaches %s, probability %.2f", r.Unit, r.Chance)
	case Reached:
		return fmt.Sprintf("it reached %s before", r.Unit)
	case Unknown:
		return "nothing is known of what it reaches"
	case Sampled:
		return "it was drawn to see what is missed"
	case Generated:
		return "it was made to reach " + r.Unit
	case Needed:
		return "no other reaches what it does"
	}
	return string(r.Kind)
}
