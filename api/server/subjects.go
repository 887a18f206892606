package server

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/model/observation"
)

// ListSubjects lists the programs with observations.
func (s *Server) ListSubjects(ctx context.Context, req openapi.ListSubjectsRequestObject) (openapi.ListSubjectsResponseObject, error) {
	found, err := s.Store.Subjects(ctx)
	if err != nil {
		return nil, err
	}
	found, next, err := api.PageAfter(found, "subjects", req.Params.Cursor, req.Params.Limit, func(s store.Subject) string { return s.Name })
	return openapi.ListSubjects200JSONResponse{Subjects: convert(found, subjectOf), Next: next}, err
}

// GetSubject returns a program with observations.
func (s *Server) GetSubject(ctx context.Context, req openapi.GetSubjectRequestObject) (openapi.GetSubjectResponseObject, error) {
	subject, err := s.Store.Subject(ctx, req.Subject)
	return openapi.GetSubject200JSONResponse(subjectOf(subject)), err
}

func subjectOf(s store.Subject) openapi.Subject {
	return openapi.Subject{Name: s.Name, Commits: convert(s.Commits, func(c store.Commit) openapi.CommitItem {
		out := openapi.CommitItem{Commit: c.Name, Observations: c.Observations, Contradictory: c.Contradictory, Units: c.Units, Updated: c.Updated}
		if counts, all := api.OutcomesOf(c.Outcomes); all == c.Observations {
			out.Outcomes = &counts
		}
		return out
	})}
}

// commit returns the commit that a request names, or the latest observed commit of the
// program if it names none.
func (s *Server) commit(ctx context.Context, subject, named string) (string, error) {
	if named != "" {
		c, err := s.Store.Commit(ctx, subject, named)
		return c.Name, err
	}
	found, err := s.Store.Subject(ctx, subject)
	if err != nil {
		return "", err
	}
	return found.Commits[0].Name, nil
}

// observationsOf returns the observations in the body of a request.
func observationsOf(ctx context.Context, body io.Reader, strict openapi.StrictLines) observation.Sources {
	metered := &lineMeter{Reader: bodyReader{body}, lease: leaseOf(ctx)}
	return observation.Sources{Files: []observation.File{{Reader: metered}}, Strict: strict}
}

// A bodyReader reports errors of the connection as errors of the body.
type bodyReader struct{ io.Reader }

func (r bodyReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	return n, wrapBodyError(err)
}

// AddObservations stores observations while they are received.
func (s *Server) AddObservations(ctx context.Context, req openapi.AddObservationsRequestObject) (openapi.AddObservationsResponseObject, error) {
	if err := cmp.Or(checkUTF8("subject", req.Subject), checkUTF8("commit", req.Params.Commit)); err != nil {
		return nil, err
	}
	sent := observationsOf(ctx, req.Body, req.Params.Strict)
	invalid := api.CountInvalid(&sent)
	u := &upload{store: s.Store, commit: req.Params.Commit, report: openapi.UploadReport{Subject: req.Subject}}
	for block, err := range sent.Blocks() {
		if err == nil {
			err = u.add(ctx, block)
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	u.report.Invalid, u.report.Errors = int64(invalid.Count), invalid.Errors
	return openapi.AddObservations200JSONResponse(u.report), nil
}

// checkUTF8 rejects a name that is not UTF-8.
func checkUTF8(field, name string) error {
	if utf8.ValidString(name) {
		return nil
	}
	return openapi.FieldErrorf(field, "must be valid UTF-8")
}

// An upload stores observations block by block.
type upload struct {
	store  store.Store
	commit string // of the request; may be empty
	report openapi.UploadReport
}

// add stores a block under the name of the program in the URL. The name in the header,
// which the harness chose, is ignored. Observations that were received are stored even if
// the request has ended.
func (u *upload) add(ctx context.Context, block observation.Block) error {
	h := block.Header
	u.report.Commit = cmp.Or(u.commit, h.Commit)
	if h.Commit != "" && h.Commit != u.report.Commit {
		return fmt.Errorf("%w: the header has commit %q, the request %q", observation.ErrIncompatible, h.Commit, u.commit)
	}
	if len(block.Observations) == 0 && len(h.Units) == 0 {
		return nil
	}
	ctx, cancel := store.Finish(ctx)
	defer cancel()
	added, err := u.store.AddObservations(ctx, u.report.Subject, u.report.Commit, h.Units, block.Observations)
	u.report.Stored += added.Stored
	u.report.Duplicates += added.Duplicates
	u.report.Contradictory += added.Contradictory
	return err
}

// GetObservations sends the observations of a program.
func (s *Server) GetObservations(ctx context.Context, req openapi.GetObservationsRequestObject) (openapi.GetObservationsResponseObject, error) {
	commit, err := s.commit(ctx, req.Subject, req.Params.Commit)
	if err != nil {
		return nil, err
	}
	header, err := s.Store.Header(ctx, req.Subject, commit)
	if err != nil {
		return nil, err
	}
	return streamResponse(func(w http.ResponseWriter) error {
		out := stream(ctx, w, ndjson)
		return out.end(s.writeObservations(ctx, out, header))
	}), nil
}

// writeObservations writes a header and the stored observations of its commit.
func (s *Server) writeObservations(ctx context.Context, w io.Writer, header observation.Header) error {
	lines, err := observation.NewWriter(w, header)
	if err != nil {
		return err
	}
	turn := exchangeOf(ctx).turn.Load()
	for block, err := range s.Store.Observations(ctx, header.Subject, header.Commit) {
		err = cmp.Or(err, turn.take(ctx))
		if err != nil {
			return err
		}
		for _, o := range block {
			if err := lines.Write(o); err != nil {
				return err
			}
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
	return nil
}
