package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/model/observation"
)

// ListSubjects lists the programs that were observed.
func (s *Server) ListSubjects(context.Context, openapi.ListSubjectsRequestObject) (openapi.ListSubjectsResponseObject, error) {
	found, err := s.Store.Subjects()
	out := openapi.ListSubjects200JSONResponse{Subjects: []openapi.Subject{}}
	for _, subject := range found {
		out.Subjects = append(out.Subjects, subjectOf(subject))
	}
	return out, err
}

// GetSubject returns a program that was observed.
func (s *Server) GetSubject(_ context.Context, req openapi.GetSubjectRequestObject) (openapi.GetSubjectResponseObject, error) {
	subject, err := s.Store.Subject(req.Subject)
	return openapi.GetSubject200JSONResponse(subjectOf(subject)), err
}

func subjectOf(s store.Subject) openapi.Subject {
	out := openapi.Subject{Name: s.Name, Commits: []openapi.CommitItem{}}
	for _, c := range s.Commits {
		out.Commits = append(out.Commits, openapi.CommitItem{
			Commit: c.Name, Observations: c.Observations, Contradictory: c.Contradictory, Units: c.Units, Updated: c.Updated,
		})
	}
	return out
}

// commit returns the version of a program that is meant: the one that was observed
// last unless one is named.
func (s *Server) commit(subject, named string) (string, error) {
	if named != "" {
		c, err := s.Store.Commit(subject, named)
		return c.Name, err
	}
	found, err := s.Store.Subject(subject)
	if err != nil {
		return "", err
	}
	return found.Commits[0].Name, nil
}

// Bounds of a block of observations.
const (
	blockRows  = 512
	blockBytes = 1 << 20
)

// maxLineErrors bounds how many lines that are wrong are told of.
const maxLineErrors = 100

// AddObservations stores observations as they come in.
func (s *Server) AddObservations(ctx context.Context, req openapi.AddObservationsRequestObject) (openapi.AddObservationsResponseObject, error) {
	u := &upload{
		store: s.Store, reader: observation.NewReader(req.Body), strict: req.Params.Strict, commit: req.Params.Commit,
		report: openapi.UploadReport{Subject: req.Subject, Errors: []openapi.LineError{}},
	}
	if err := u.run(ctx); err != nil {
		return nil, err
	}
	return openapi.AddObservations200JSONResponse(u.report), nil
}

// An upload stores observations a block at a time.
type upload struct {
	store  *store.Store
	reader *observation.Reader
	strict bool
	commit string // that was asked for
	report openapi.UploadReport

	begun  bool // report.Commit is known
	block  []observation.Observation
	bytes  int
	headed int // units that are stored
}

func (u *upload) run(ctx context.Context) error {
	for {
		o, err := u.reader.Next()
		line, wrong := errors.AsType[*observation.LineError](err)
		switch {
		case errors.Is(err, io.EOF):
			return u.flush()
		case wrong && u.strict:
			return errors.Join(line, u.flush())
		case wrong:
			u.note(line)
			continue
		case errors.Is(err, observation.ErrIncompatible):
			return errors.Join(err, u.flush())
		case err != nil:
			return errors.Join(broken(err), u.flush())
		}
		u.block = append(u.block, o)
		u.bytes += len(o.Input) + 16*len(o.Methods)
		if len(u.block) < blockRows && u.bytes < blockBytes {
			continue
		}
		if err := u.flush(); err != nil {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
}

func (u *upload) note(line *observation.LineError) {
	u.report.Wrong++
	if len(u.report.Errors) < maxLineErrors {
		u.report.Errors = append(u.report.Errors, openapi.LineError{Line: line.Line, Message: excerpt(line.Err.Error())})
	}
}

// flush stores what was read.
func (u *upload) flush() error {
	h := u.reader.Header() // its subject is what a harness calls the program; here it goes by the name in the path
	commit := cmp.Or(u.commit, h.Commit)
	if h.Commit != "" && h.Commit != commit || u.begun && commit != u.report.Commit {
		return fmt.Errorf("%w: they are of commit %q, not of %q", observation.ErrIncompatible, h.Commit, cmp.Or(u.report.Commit, u.commit))
	}
	u.begun, u.report.Commit = true, commit
	if len(u.block) == 0 && u.headed == len(h.Units) {
		return nil
	}
	added, err := u.store.AddObservations(u.report.Subject, commit, h.Units[u.headed:], u.block)
	if err != nil {
		return err
	}
	u.report.Stored += added.Stored
	u.report.Duplicates += added.Duplicates
	u.report.Contradictory += added.Contradictory
	u.headed, u.block, u.bytes = len(h.Units), nil, 0
	return nil
}

// GetObservations sends observations as they are stored.
func (s *Server) GetObservations(ctx context.Context, req openapi.GetObservationsRequestObject) (openapi.GetObservationsResponseObject, error) {
	commit, err := s.commit(req.Subject, req.Params.Commit)
	if err != nil {
		return nil, err
	}
	header, err := s.Store.Header(req.Subject, commit)
	if err != nil {
		return nil, err
	}
	return streamed{ctx, func(ctx context.Context, w http.ResponseWriter) error {
		out := s.stream(w, ndjson)
		lines, err := observation.NewWriter(out, header)
		if err != nil {
			return err
		}
		for block, err := range s.Store.Observations(req.Subject, commit) {
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
		return out.flush()
	}}, nil
}
