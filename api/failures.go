package api

import (
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
)

// FailureOf returns a distinct failure with its smallest input.
func FailureOf(g observation.OutcomeGroup) openapi.ProgramFailure {
	f := g.Failure()
	out := openapi.ProgramFailure{
		Count: int64(g.Count), Outcome: openapi.FailureOutcome(g.Example.Outcome), Type: f.Type, Message: f.Message, Stack: f.Stack, Name: g.Example.Name,
	}
	out.Input, out.InputBase64 = Encode(g.Example.Input)
	return out
}

// OutcomesOf converts numbers of observations by outcome, and returns their sum.
func OutcomesOf(counts map[observation.Outcome]int64) (openapi.OutcomeCounts, int64) {
	out := openapi.OutcomeCounts{
		Ok: counts[observation.OK], Failure: counts[observation.Failed], Crash: counts[observation.Crashed], Timeout: counts[observation.TimedOut],
	}
	return out, out.Ok + out.Failure + out.Crash + out.Timeout
}
