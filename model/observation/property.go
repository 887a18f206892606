package observation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Property is a property of observations that a smaller input can preserve: the outcome
// of a run, or a method that it reached.
type Property struct {
	method  string // reached, if not empty
	outcome Outcome
	failure string // type of the failure; any if empty
	stack   string // digest of the stack; any if empty

	// Shape of the message, and the same with placeholders for words of the input; any
	// message if empty.
	shape, folded string
}

// ParseProperty parses a property: reaches:METHOD, outcome:OUTCOME or
// outcome:OUTCOME:TYPE. METHOD is the ID of a method, or a part of it that
// [Property.Resolve] completes.
func ParseProperty(text string) (Property, error) {
	kind, value, _ := strings.Cut(text, ":")
	switch {
	case kind == "reaches" && value != "":
		return Property{method: value}, nil
	case kind == "outcome":
		name, failure, _ := strings.Cut(value, ":")
		if outcome := Outcome(name); slices.Contains(Outcomes(), outcome) {
			return Property{outcome: outcome, failure: strings.TrimSpace(failure)}, nil
		}
		return Property{}, fmt.Errorf("outcome %q: must be ok, failure, crash or timeout", name)
	default:
		return Property{}, errors.New("must be reaches:METHOD, outcome:OUTCOME or outcome:OUTCOME:TYPE")
	}
}

// OutcomeOf returns the property that a run has the same outcome, type of failure and
// stack as an observation.
func OutcomeOf(o Observation) Property {
	p := Property{outcome: o.Outcome}
	if o.Failure != nil {
		p.failure, p.stack = o.Failure.Type, o.Failure.Stack
	}
	return p
}

// FailureOf returns the property that a run fails like an observation: with the same
// outcome, type of failure and stack or, without a stack, with a message of the same
// shape. Quoted parts, numbers and names from the inputs do not matter.
func FailureOf(o Observation) Property {
	p := OutcomeOf(o)
	s := failureShape(o)
	p.shape, p.folded = s.String(), s.folded().String()
	return p
}

// failureShape returns the shape of the message of a failure without a stack.
func failureShape(o Observation) shape {
	if o.Failure == nil || o.Failure.Stack != "" {
		return nil
	}
	return shapeOf(o.Failure.Message, o.Input)
}

// Holds reports whether an observation has the property.
func (p Property) Holds(o Observation) bool {
	if p.method != "" {
		return slices.Contains(o.Methods, p.method)
	}
	failure := Failure{}
	if o.Failure != nil {
		failure = *o.Failure
	}
	return o.Outcome == p.outcome && (p.failure == "" || p.failure == failure.Type) && (p.stack == "" || p.stack == failure.Stack) && p.hasShape(o)
}

func (p Property) hasShape(o Observation) bool {
	if p.shape == "" {
		return true
	}
	s := failureShape(o)
	return p.shape == s.String() || p.folded == s.folded().String()
}

func (p Property) String() string {
	if p.method != "" {
		return "reaches " + p.method
	}
	text := "outcome " + string(p.outcome)
	if p.failure != "" {
		text += ": " + p.failure
	}
	if p.shape != "" {
		text += ": " + p.shape
	}
	return text
}
