package api

import (
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
)

// maxLineErrors is the maximum number of invalid lines that an answer lists.
const maxLineErrors = 100

// InvalidLines counts lines that are not observations, and lists the first of them.
type InvalidLines struct {
	Count  int
	Errors []openapi.LineError
}

// CountInvalid counts the invalid lines of files while they are read.
func CountInvalid(s *observation.Sources) *InvalidLines {
	out := &InvalidLines{Errors: []openapi.LineError{}}
	report := s.Invalid
	s.Invalid = func(file string, line *observation.LineError) {
		if out.Count++; len(out.Errors) < maxLineErrors {
			out.Errors = append(out.Errors, openapi.LineError{Line: line.Line, Message: Excerpt(line.Err.Error())})
		}
		if report != nil {
			report(file, line)
		}
	}
	return out
}
