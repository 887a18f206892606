// Package retention deletes the data that retention policies do not keep.
package retention

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/inroad/inroad/api/store"
)

// A Deletion is a model, or the observations of a commit, that a policy does not keep.
type Deletion struct {
	Subject, Commit string
	Model           string // empty for observations
	Observations    int64  // of the commit; 0 for a model
	Sequence        uint64 // of the commit; 0 for a model
	Bytes           int64  // of the model's file; 0 for observations
	Reason          string
}

// Plan returns the deletions that policies require at a time: observations first, then
// models, each sorted by program, newest first. It keeps data that is in use according to
// [store.Usage], and the most recently updated commit of each program.
func Plan(ctx context.Context, s store.Store, now time.Time) ([]Deletion, error) {
	found, err := s.Policies(ctx)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	policies := map[string]store.Policy{}
	for _, p := range found {
		policies[p.Subject] = p
	}
	policy := func(subject string) store.Policy {
		p, own := policies[subject]
		if !own {
			p = policies[store.AllSubjects]
		}
		return p
	}
	usage, err := s.Usage(ctx)
	if err != nil {
		return nil, err
	}
	subjects, err := s.Subjects(ctx)
	if err != nil {
		return nil, err
	}
	var out []Deletion
	for _, subject := range subjects {
		p := policy(subject.Name)
		for i, c := range subject.Commits {
			reason := exceeds(i, p.Commits, "commit", "commits", c.Updated, p.Days, now)
			if i > 0 && reason != "" && usage.CheckCommit(subject.Name, c.Name) == nil {
				out = append(out, Deletion{Subject: subject.Name, Commit: c.Name, Observations: c.Observations, Sequence: c.Sequence, Reason: reason})
			}
		}
	}
	models := slices.SortedFunc(slices.Values(usage.Models), func(a, b store.Model) int {
		return cmp.Or(cmp.Compare(a.Subject, b.Subject), cmp.Compare(b.Number, a.Number))
	})
	newer := map[string]int{}
	for _, m := range models {
		p := policy(m.Subject)
		reason := exceeds(newer[m.Subject], p.Models, "model", "models", m.Created, p.Days, now)
		newer[m.Subject]++
		if reason != "" && usage.CheckModel(m) == nil {
			out = append(out, Deletion{Subject: m.Subject, Commit: m.Commit, Model: m.ID, Bytes: m.Size, Reason: reason})
		}
	}
	return out, nil
}

// exceeds returns why a policy does not keep a commit or model, given the number of newer
// ones, or "" if the policy keeps it.
func exceeds(newer int, keep *int, one, many string, updated time.Time, days *int, now time.Time) string {
	switch {
	case keep != nil && newer >= *keep && *keep == 0:
		return fmt.Sprintf("keep only %s with an alias", many)
	case keep != nil && newer >= *keep && *keep == 1:
		return "keep 1 " + one
	case keep != nil && newer >= *keep:
		return fmt.Sprintf("keep %d %s", *keep, many)
	case days != nil && updated.Before(now.AddDate(0, 0, -*days)):
		return fmt.Sprintf("older than %d days", *days)
	}
	return ""
}

// Apply deletes the data in a plan, and returns the deletions that were made. It skips
// data that has been used, deleted or updated since the plan was made.
func Apply(ctx context.Context, s store.Store, plan []Deletion) ([]Deletion, error) {
	var out []Deletion
	for _, d := range plan {
		var err error
		if d.Model == "" {
			err = s.DeleteCommit(ctx, d.Subject, d.Commit, d.Sequence)
		} else {
			err = s.DeleteModel(ctx, d.Model)
		}
		_, inUse := errors.AsType[*store.InUseError](err)
		_, gone := errors.AsType[*store.NotFoundError](err)
		switch {
		case inUse || gone:
		case err != nil:
			return out, err
		default:
			out = append(out, d)
		}
	}
	return out, nil
}
