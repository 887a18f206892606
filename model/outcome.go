package model

import (
	"cmp"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// OutcomeName returns the outcome of an observation as models name it: ok, failure,
// crash or timeout, followed by the type of the failure if there is one.
func OutcomeName(o observation.Observation) string {
	outcome := string(cmp.Or(o.Outcome, observation.OK))
	if o.Failure != nil && o.Failure.Type != "" && o.Outcome != observation.OK {
		return outcome + ": " + o.Failure.Type
	}
	return outcome
}

// IsOutcome reports whether a name stands for an outcome: it is the name of the
// outcome, or that of its kind, such as crash for every crash.
func IsOutcome(outcome, name string) bool {
	kind, _, _ := strings.Cut(outcome, ":")
	return outcome == name || kind == name
}

// OutcomesOf returns the outcomes of the model that a name stands for.
func (m *Model) OutcomesOf(name string) []string {
	var out []string
	for _, o := range m.Outcomes {
		if IsOutcome(o, name) {
			out = append(out, o)
		}
	}
	return out
}
