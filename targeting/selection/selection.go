// Package selection selects the inputs of a corpus to run for a change.
//
// [Repository.Change] compares two versions of the program by syntax, and
// [ParseDiff] parses a diff. A [Table] maps the change to units of the program.
// [Predict] predicts which units each input of the corpus reaches. [Select] decides
// which inputs to run and in which order, with the reasons for each input.
//
// If the effect of a change is unknown, all inputs are selected, and a [Fallback]
// says why. The same change, model, corpus and seed give the same selection.
package selection

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// A Digest is the SHA-256 digest of an input.
type Digest [sha256.Size]byte

// DigestOf returns the digest of an input.
func DigestOf(input []byte) Digest { return sha256.Sum256(input) }

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText returns the digest as hexadecimal digits.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText parses hexadecimal digits, as [Digest.MarshalText] returns them.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) {
		return fmt.Errorf("digest of %d digits: must have %d", len(text), 2*len(d))
	}
	_, err := hex.Decode(d[:], text)
	return err
}

// An Input is an input of a corpus, without its content.
type Input struct {
	Path   string // relative, with forward slashes
	Digest Digest
	Size   int
}

// A Cause is the kind of a [Fallback].
type Cause string

// The causes of a fallback.
const (
	NoModel      Cause = "no model"
	StaleModel   Cause = "stale model"
	ShallowClone Cause = "shallow clone"
	Unmapped     Cause = "unmapped change"
	NewMethod    Cause = "new method"
	RunAllOn     Cause = "file that affects everything"
	BuildFile    Cause = "build file"
	Unreachable  Cause = "unreachable service"
	OtherError   Cause = "error"
)

// A Fallback is a reason to run all inputs.
type Fallback struct {
	Cause  Cause
	Detail string
}

func (f Fallback) String() string { return string(f.Cause) + ": " + f.Detail }

// An Unobserved is a changed method that no observation reached. It selects no input.
type Unobserved struct {
	Method string
	Why    string
}

// A ReasonKind is the kind of a [Reason].
type ReasonKind string

// The kinds of reasons.
const (
	Everything ReasonKind = "everything" // all inputs are run, because of a fallback
	Always     ReasonKind = "always"     // the options always run it
	New        ReasonKind = "new"        // the change adds it
	Edited     ReasonKind = "changed"    // the change edits it
	Failing    ReasonKind = "failed"     // it failed in a recent run
	Reaches    ReasonKind = "reaches"    // it is predicted to reach a changed unit
	Reached    ReasonKind = "reached"    // it reached a changed unit when it was observed
	Unknown    ReasonKind = "unknown"    // the units that it reaches cannot be predicted
	Unsure     ReasonKind = "unsure"     // the model predicts a changed unit poorly
	Sampled    ReasonKind = "sample"     // drawn at random to measure the recall
	Generated  ReasonKind = "generated"  // generated to reach a changed unit
	Needed     ReasonKind = "needed"     // it reaches a unit that no other input of a minimized corpus reaches
)

// A Reason says why an input was selected.
type Reason struct {
	Kind   ReasonKind
	Unit   string  // ID of the changed unit
	Chance float64 // probability that the input reaches the unit
}

func (r Reason) String() string {
	switch r.Kind {
	case Everything:
		return "all inputs are run"
	case Always:
		return "always run"
	case New:
		return "added by the change"
	case Edited:
		return "edited by the change"
	case Failing:
		return "failed recently"
	case Reaches:
		return fmt.Sprintf("reaches %s with probability %.2f", r.Unit, r.Chance)
	case Reached:
		return fmt.Sprintf("reached %s when observed", r.Unit)
	case Unknown:
		return "unknown which methods it reaches"
	case Unsure:
		return fmt.Sprintf("may reach %s, which the model predicts poorly", r.Unit)
	case Sampled:
		return "random sample of the inputs left out"
	case Generated:
		return "generated to reach " + r.Unit
	case Needed:
		return "reaches a method that no other kept input reaches"
	}
	return string(r.Kind)
}
