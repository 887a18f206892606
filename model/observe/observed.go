package observe

import (
	"crypto/sha256"

	"github.com/inroad/inroad/model/observation"
)

// ObservedInputs is the set of inputs that have been observed, with the number of
// observations of each. The zero value is empty.
type ObservedInputs struct {
	byInput map[inputKey]observed
}

// observed describes the observations of an input.
type observed struct {
	left     int  // observations that Take has not taken
	accepted bool // the last outcome is ok
}

// Add adds the input of an observation.
func (s *ObservedInputs) Add(o observation.Observation, _ observation.Span) {
	if s.byInput == nil {
		s.byInput = map[inputKey]observed{}
	}
	key := keyOf(Input{o.Name, o.Input})
	s.byInput[key] = observed{s.byInput[key].left + 1, o.Outcome == observation.OK}
}

// Take removes an observation of the input, and reports whether there was one. So an
// input that occurs twice needs two observations.
func (s *ObservedInputs) Take(in Input) bool {
	key := keyOf(in)
	o := s.byInput[key]
	if o.left == 0 {
		return false
	}
	o.left--
	s.byInput[key] = o
	return true
}

// Accepted reports whether the program accepted the input.
func (s *ObservedInputs) Accepted(in Input) bool { return s.byInput[keyOf(in)].accepted }

// An inputKey is a digest of the name and the bytes of an input.
type inputKey [sha256.Size]byte

// keyOf returns the key of an input. Writing a name replaces invalid UTF-8, so keyOf
// does too.
func keyOf(in Input) inputKey {
	name := sha256.Sum256([]byte(string([]rune(in.Name))))
	return sha256.Sum256(append(name[:], in.Data...))
}
