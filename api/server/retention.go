package server

import (
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/retention"
)

// prunePeriod is the time between applications of the retention policies.
const prunePeriod = time.Hour

// maxSubject is the maximum number of characters in the name of a program, as in the
// contract.
const maxSubject = 200

// Retention deletes data of a store, and applies its retention policies.
type Retention struct {
	Store store.Store
	Now   func() time.Time
}

// errBundled is returned when a bundled grammar is to be deleted.
var errBundled = errors.New("bundled grammars cannot be deleted")

// DeleteGrammar deletes an uploaded grammar.
func (r Retention) DeleteGrammar(ctx context.Context, id string) error {
	if isBundled(id) {
		return errBundled
	}
	return r.Store.DeleteGrammar(ctx, id)
}

// DeleteSubject deletes the observations of a program: those of one commit, or all if
// req.Commit is nil.
func (r Retention) DeleteSubject(ctx context.Context, name string, req openapi.DeleteSubjectParams) error {
	if req.Commit != nil {
		return r.Store.DeleteCommit(ctx, name, *req.Commit, 0)
	}
	return r.Store.DeleteSubject(ctx, name)
}

// DeleteModel deletes the model with a name, as requests give it.
func (r Retention) DeleteModel(ctx context.Context, name string) error {
	m, err := (&library{store: r.Store}).find(ctx, name)
	if err != nil {
		return err
	}
	return r.Store.DeleteModel(ctx, m.ID)
}

// DeleteKeyEvents deletes old entries of the key log.
func (r Retention) DeleteKeyEvents(ctx context.Context, req openapi.DeleteKeyEventsParams) (openapi.DeletedEvents, error) {
	n, err := r.Store.DeleteEvents(ctx, req.Until)
	return openapi.DeletedEvents{Deleted: n}, err
}

// Policies lists the retention policies.
func (r Retention) Policies(ctx context.Context, req openapi.ListPoliciesParams) (openapi.PolicyList, error) {
	found, err := r.Store.Policies(ctx)
	if err != nil {
		return openapi.PolicyList{}, err
	}
	found, next, err := api.PageAfter(found, "policies", req.Cursor, req.Limit, func(p store.Policy) string { return p.Subject })
	return openapi.PolicyList{Policies: convert(found, policyOf), Next: next}, err
}

// PutPolicy sets the retention policy of a program, or of all programs without their own.
func (r Retention) PutPolicy(ctx context.Context, subject string, req openapi.PolicyRequest) (openapi.Policy, error) {
	if n := utf8.RuneCountInString(subject); n == 0 || n > maxSubject {
		return openapi.Policy{}, openapi.FieldErrorf("subject", "must have between 1 and %d characters", maxSubject)
	}
	if err := checkUTF8("subject", subject); err != nil {
		return openapi.Policy{}, err
	}
	p := store.Policy{Subject: subject, Commits: req.Commits, Models: req.Models, Days: req.Days}
	return policyOf(p), r.Store.PutPolicy(ctx, p)
}

func policyOf(p store.Policy) openapi.Policy {
	return openapi.Policy{Subject: p.Subject, Commits: p.Commits, Models: p.Models, Days: p.Days}
}

// DeletePolicy deletes a retention policy.
func (r Retention) DeletePolicy(ctx context.Context, subject string) error {
	return r.Store.DeletePolicy(ctx, subject)
}

// Prune applies the retention policies, or only reports the data that they would delete.
func (r Retention) Prune(ctx context.Context, req openapi.PruneRequest) (openapi.Pruning, error) {
	plan, err := retention.Plan(ctx, r.Store, r.Now())
	if err == nil && !req.DryRun {
		plan, err = retention.Apply(ctx, r.Store, plan)
	}
	return openapi.Pruning{DryRun: req.DryRun, Deleted: convert(plan, func(d retention.Deletion) openapi.Deletion {
		return openapi.Deletion{Subject: d.Subject, Commit: d.Commit, Model: d.Model, Observations: d.Observations, Bytes: d.Bytes, Reason: d.Reason}
	})}, err
}

func (s *Server) retention() Retention { return Retention{s.Store, s.Clock} }

// pruneAlways applies the retention policies at intervals until ctx ends. Several replicas
// may do so at the same time.
func (s *Server) pruneAlways(ctx context.Context) {
	ticker := time.NewTicker(prunePeriod)
	defer ticker.Stop()
	for {
		done, err := s.retention().Prune(ctx, openapi.PruneRequest{})
		for _, d := range done.Deleted {
			s.Log.InfoContext(ctx, "deleted", "subject", d.Subject, "commit", d.Commit, "model", d.Model, "reason", d.Reason)
		}
		if err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "retention policies not applied", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// DeleteGrammar deletes an uploaded grammar.
func (s *Server) DeleteGrammar(ctx context.Context, req openapi.DeleteGrammarRequestObject) (openapi.DeleteGrammarResponseObject, error) {
	err := s.retention().DeleteGrammar(ctx, req.Grammar)
	if err == nil {
		s.library.grammars.remove(req.Grammar)
	}
	return openapi.DeleteGrammar204Response{}, err
}

// DeleteSubject deletes observations of a program.
func (s *Server) DeleteSubject(ctx context.Context, req openapi.DeleteSubjectRequestObject) (openapi.DeleteSubjectResponseObject, error) {
	return openapi.DeleteSubject204Response{}, s.retention().DeleteSubject(ctx, req.Subject, req.Params)
}

// DeleteModel deletes a model.
func (s *Server) DeleteModel(ctx context.Context, req openapi.DeleteModelRequestObject) (openapi.DeleteModelResponseObject, error) {
	return openapi.DeleteModel204Response{}, s.retention().DeleteModel(ctx, req.Model)
}

// DeleteKeyEvents deletes old entries of the key log.
func (s *Server) DeleteKeyEvents(ctx context.Context, req openapi.DeleteKeyEventsRequestObject) (openapi.DeleteKeyEventsResponseObject, error) {
	s.keyLog.flush(ctx)
	out, err := s.retention().DeleteKeyEvents(ctx, req.Params)
	return openapi.DeleteKeyEvents200JSONResponse(out), err
}

// ListPolicies lists the retention policies.
func (s *Server) ListPolicies(ctx context.Context, req openapi.ListPoliciesRequestObject) (openapi.ListPoliciesResponseObject, error) {
	out, err := s.retention().Policies(ctx, req.Params)
	return openapi.ListPolicies200JSONResponse(out), err
}

// PutPolicy sets a retention policy.
func (s *Server) PutPolicy(ctx context.Context, req openapi.PutPolicyRequestObject) (openapi.PutPolicyResponseObject, error) {
	out, err := s.retention().PutPolicy(ctx, req.Subject, *req.Body)
	return openapi.PutPolicy200JSONResponse(out), err
}

// DeletePolicy deletes a retention policy.
func (s *Server) DeletePolicy(ctx context.Context, req openapi.DeletePolicyRequestObject) (openapi.DeletePolicyResponseObject, error) {
	return openapi.DeletePolicy204Response{}, s.retention().DeletePolicy(ctx, req.Subject)
}

// Prune applies the retention policies.
func (s *Server) Prune(ctx context.Context, req openapi.PruneRequestObject) (openapi.PruneResponseObject, error) {
	out, err := s.retention().Prune(ctx, *req.Body)
	return openapi.Prune200JSONResponse(out), err
}
