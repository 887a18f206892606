package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model/observation"
)

// maxFailureInputs is the maximum number of bytes of the inputs in a page of failures,
// unless the page has one failure.
const maxFailureInputs = 8 << 20

// ListFailures lists the distinct failures of a program.
func (s *Server) ListFailures(ctx context.Context, req openapi.ListFailuresRequestObject) (openapi.ListFailuresResponseObject, error) {
	commit, err := s.commit(ctx, req.Subject, req.Params.Commit)
	if err != nil {
		return nil, err
	}
	const list = "failures"
	first, of, err := api.ReadOffset(list, req.Params.Cursor)
	if err != nil {
		return nil, err
	}
	seen := int64(0) // later pages use the same observations as the first
	out := openapi.ProgramFailureList{Subject: req.Subject, Commit: commit, Failures: []openapi.ProgramFailure{}}
	counts := map[observation.Outcome]int64{}
	wanted := func(o observation.Outcome) bool {
		return len(req.Params.Outcome) == 0 || slices.Contains(req.Params.Outcome, openapi.FailureOutcome(o))
	}
	groups, err := s.failures(ctx, req.Subject, commit, func(o observation.Observation) bool {
		if strconv.FormatInt(seen, 10) == of {
			return false
		}
		seen++
		counts[o.Outcome]++
		return wanted(o.Outcome)
	})
	if err != nil {
		return nil, err
	}
	out.Distinct = len(groups)
	out.Outcomes, out.Observations = api.OutcomesOf(counts)
	first = min(first, len(groups))
	bytes := 0
	for i, g := range groups[first:] {
		bytes += len(g.Example.Input)
		if i == cmp.Or(req.Params.Limit, defaultLimit) || i > 0 && bytes > maxFailureInputs {
			out.Next = api.NewCursor(list, strconv.Itoa(first+i), strconv.FormatInt(seen, 10))
			break
		}
		out.Failures = append(out.Failures, api.FailureOf(g))
	}
	return openapi.ListFailures200JSONResponse(out), nil
}

// failures groups the stored observations of a commit for which wanted is true. The
// examples have no methods.
func (s *Server) failures(ctx context.Context, subject, commit string, wanted func(o observation.Observation) bool) ([]observation.OutcomeGroup, error) {
	var groups observation.OutcomeGroups
	const overhead = 512 // bytes of a group besides its texts
	turn, lease, taken := exchangeOf(ctx).turn.Load(), leaseOf(ctx), 0
	for block, err := range s.Store.Observations(ctx, subject, commit) {
		if err := cmp.Or(err, turn.take(ctx), context.Cause(ctx)); err != nil {
			return nil, err
		}
		for _, o := range block {
			o.Methods, o.Counts = nil, nil
			if wanted(o) {
				groups.Add(o)
			}
		}
		number, bytes := groups.Size()
		err = lease.reserve(number*overhead + bytes - taken)
		if most, ok := errors.AsType[*memoryError](err); ok {
			err = &limit.Error{What: "distinct failures", Value: fmt.Sprintf("%d bytes", most.limit), Advice: "ask for one outcome"}
		}
		if err != nil {
			return nil, err
		}
		taken = number*overhead + bytes
	}
	return groups.All(), nil
}
