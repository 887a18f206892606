package api

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
)

// Methods implements [Service].
func (e *Engine) Methods(ctx context.Context, name string, req openapi.ListMethodsParams) (openapi.MethodList, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.MethodList{}, err
	}
	m, err := e.Library.Model(ctx, name)
	if err != nil {
		return openapi.MethodList{}, err
	}
	list := []openapi.Method{}
	for unit, score := range m.HeldOutScores().Methods {
		method := methodOf(score)
		method.ReachedOutside = m.Outside.Reached[unit]
		if selected(&method, &req) {
			list = append(list, method)
		}
	}
	sortMethods(list, req.Sort, req.Descending)
	first, of, err := ReadOffset("methods", req.Cursor)
	if err == nil && of != "" && of != m.Digest {
		err = openapi.FieldErrorf("cursor", "is of another model: list again from the first page")
	}
	if err != nil {
		return openapi.MethodList{}, err
	}
	out := openapi.MethodList{Total: len(list), Methods: list[min(first, len(list)):]}
	if req.Limit > 0 && req.Limit < len(out.Methods) {
		out.Methods, out.Next = out.Methods[:req.Limit], NewCursor("methods", strconv.Itoa(first+req.Limit), m.Digest)
	}
	return out, nil
}

func methodOf(s model.MethodScore) openapi.Method {
	u := s.Unit
	out := openapi.Method{
		ID: u.ID, Kind: u.Kind, Name: u.Name, File: u.File, Start: u.Start, End: u.End,
		Status: openapi.MethodLearned, Rare: s.Rare(), Reached: s.Reached, Observations: s.Trained, HeldOut: scores(s.Confusion),
	}
	switch {
	case s.Trainable():
	case s.Reached > 0:
		out.Status = openapi.MethodAlways
	default:
		out.Status = openapi.MethodNever
	}
	return out
}

// selected reports whether a request asks for a method.
func selected(m *openapi.Method, req *openapi.ListMethodsParams) bool {
	return (len(req.Status) == 0 || slices.Contains(req.Status, m.Status)) && (m.Rare || !req.Rare) &&
		(strings.Contains(m.ID, req.Contains) || strings.Contains(m.Name, req.Contains) || strings.Contains(m.File, req.Contains))
}

// sortMethods sorts methods. Methods without the score to sort by come last in either
// direction, and equal ones are in the order of their IDs.
func sortMethods(list []openapi.Method, by openapi.ListMethodsParamsSort, descending bool) {
	direction := 1
	if descending {
		direction = -1
	}
	slices.SortFunc(list, func(a, b openapi.Method) int {
		x, y := sortKey(&a, by), sortKey(&b, by)
		switch {
		case by == openapi.SortByID:
			return direction * strings.Compare(a.ID, b.ID)
		case math.IsNaN(x) && !math.IsNaN(y):
			return 1
		case math.IsNaN(y) && !math.IsNaN(x):
			return -1
		default:
			return cmp.Or(direction*cmp.Compare(x, y), strings.Compare(a.ID, b.ID))
		}
	})
}

// sortKey returns the number to sort a method by; NaN if it was not measured.
func sortKey(m *openapi.Method, by openapi.ListMethodsParamsSort) float64 {
	switch h := m.HeldOut; {
	case by == openapi.SortByReached:
		return float64(m.Reached)
	case h == nil:
		return math.NaN()
	case by == openapi.SortByF1:
		return h.F1
	case by == openapi.SortByPrecision:
		return h.Precision
	default:
		return h.Recall
	}
}
