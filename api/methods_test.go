package api_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
)

// trainedOnMethods returns an engine and the ID of a model with methods of every
// status. No feature tells when odd is reached, and rare is reached by 4 of 100
// inputs.
func trainedOnMethods(t *testing.T, folds int) (engine *api.Engine, model string) {
	t.Helper()
	var file strings.Builder
	fmt.Fprintln(&file, `{"inroad":"observations/1","units":[{"id":"calc.go#add","name":"add","file":"calc.go","start":3,"end":9},`+
		`{"id":"calc.go#main"},{"id":"io.go#close"},{"id":"io.go#fail"},{"id":"io.go#odd"},{"id":"io.go#rare"}]}`)
	for i, random := range rand.New(rand.NewPCG(1, 2)).Perm(100) {
		input, methods := fmt.Sprintf("%d*x", 100+i), []string{`"calc.go#main"`}
		if i%2 == 0 {
			input, methods = fmt.Sprintf("%d+x", 100+i), append(methods, `"calc.go#add"`)
		}
		if random < 50 {
			methods = append(methods, `"io.go#odd"`)
		}
		if i%25 == 1 {
			input, methods = "("+input+")", append(methods, `"io.go#rare"`)
		}
		fmt.Fprintf(&file, `{"input":"%s","methods":[%s]}`+"\n", input, strings.Join(methods, ","))
	}
	fmt.Fprintln(&file, `{"input":"1+*","methods":["calc.go#main","io.go#fail"]}`)
	engine = &api.Engine{Library: &api.Files{}}
	m, err := engine.Train(t.Context(), api.Training{
		Grammar: "expr", Options: openapi.TrainOptions{Folds: folds},
		Observations: observation.Sources{Files: []observation.File{{Name: "seen.ndjson", Reader: strings.NewReader(file.String())}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return engine, m.ID
}

// TestMethods checks that every method of a model is listed, with its support and its
// scores on held-out observations.
func TestMethods(t *testing.T) {
	engine, model := trainedOnMethods(t, 5)
	list, err := engine.Methods(t.Context(), model, openapi.ListMethodsParams{})
	if err != nil {
		t.Fatal(err)
	}
	odd := list.Methods[4].HeldOut
	if odd == nil || odd.Observations != 100 || odd.F1 > .9 {
		t.Errorf("scores of a method that no feature predicts: %+v", odd)
	}
	perfect := &openapi.Scores{Observations: 100, Accuracy: 1, Precision: 1, Recall: 1, F1: 1}
	want := openapi.MethodList{Total: 6, Methods: []openapi.Method{
		{ID: "calc.go#add", Name: "add", File: "calc.go", Start: 3, End: 9, Kind: "method", Status: openapi.MethodLearned, Reached: 50, Observations: 100, HeldOut: perfect},
		{ID: "calc.go#main", Kind: "method", Status: openapi.MethodAlways, Reached: 100, Observations: 100, ReachedOutside: 1},
		{ID: "io.go#close", Kind: "method", Status: openapi.MethodNever, Observations: 100},
		{ID: "io.go#fail", Kind: "method", Status: openapi.MethodNever, Observations: 100, ReachedOutside: 1},
		{ID: "io.go#odd", Kind: "method", Status: openapi.MethodLearned, Reached: 50, Observations: 100, HeldOut: odd},
		{ID: "io.go#rare", Kind: "method", Status: openapi.MethodLearned, Rare: true, Reached: 4, Observations: 100, HeldOut: perfect},
	}}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("methods (-want +got):\n%s", diff)
	}
}

// TestMethodsOfRequest checks the methods that a request asks for, and their order.
func TestMethodsOfRequest(t *testing.T) {
	engine, model := trainedOnMethods(t, 5)
	unscored, unscoredModel := trainedOnMethods(t, 1)
	described, err := engine.Model(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	cursor := func(offset int) string { return api.NewCursor("methods", strconv.Itoa(offset), described.ID) }
	for _, test := range []struct {
		name string
		req  openapi.ListMethodsParams
		want string
		next int
	}{
		{"by ID", openapi.ListMethodsParams{}, "add main close fail odd rare", 0},
		{"by ID, descending", openapi.ListMethodsParams{Descending: true}, "rare odd fail close main add", 0},
		{"least reached first, equal ones by ID", openapi.ListMethodsParams{Sort: openapi.SortByReached}, "close fail rare add odd main", 0},
		{"most reached first, equal ones by ID", openapi.ListMethodsParams{Sort: openapi.SortByReached, Descending: true}, "main add odd rare close fail", 0},
		{"lowest F1 first, unscored ones last", openapi.ListMethodsParams{Sort: openapi.SortByF1}, "odd add rare main close fail", 0},
		{"highest F1 first, unscored ones last", openapi.ListMethodsParams{Sort: openapi.SortByF1, Descending: true}, "add rare odd main close fail", 0},
		{"lowest precision first", openapi.ListMethodsParams{Sort: openapi.SortByPrecision, Limit: 1}, "odd", 1},
		{"lowest recall first", openapi.ListMethodsParams{Sort: openapi.SortByRecall, Limit: 1}, "odd", 1},
		{"never reached", openapi.ListMethodsParams{Status: []openapi.MethodStatus{openapi.MethodNever}}, "close fail", 0},
		{"always or never reached", openapi.ListMethodsParams{Status: []openapi.MethodStatus{openapi.MethodNever, openapi.MethodAlways}}, "main close fail", 0},
		{"rare", openapi.ListMethodsParams{Rare: true}, "rare", 0},
		{"rare and never reached", openapi.ListMethodsParams{Rare: true, Status: []openapi.MethodStatus{openapi.MethodNever}}, "", 0},
		{"by a part of the ID", openapi.ListMethodsParams{Contains: "io.go#"}, "close fail odd rare", 0},
		{"by a part of no ID", openapi.ListMethodsParams{Contains: "IO.go"}, "", 0},
		{"first page", openapi.ListMethodsParams{Limit: 4}, "add main close fail", 4},
		{"last page", openapi.ListMethodsParams{Limit: 4, Cursor: cursor(4)}, "odd rare", 0},
		{"after the last page", openapi.ListMethodsParams{Limit: 4, Cursor: cursor(9)}, "", 0},
		{"a page that ends at the last method", openapi.ListMethodsParams{Limit: 6}, "add main close fail odd rare", 0},
	} {
		list, err := engine.Methods(t.Context(), model, test.req)
		if err != nil {
			t.Fatal(err)
		}
		next := ""
		if test.next > 0 {
			next = cursor(test.next)
		}
		if got := names(list); got != test.want || list.Next != next {
			t.Errorf("%s: got %q and next %q, want %q and %q", test.name, got, list.Next, test.want, next)
		}
	}
	if _, err := engine.Methods(t.Context(), model, openapi.ListMethodsParams{Cursor: api.NewCursor("methods", "4", "other")}); err == nil || err.Error() != "cursor: is of another model: list again from the first page" {
		t.Errorf("a cursor of another model: %v", err)
	}
	list, err := unscored.Methods(t.Context(), unscoredModel, openapi.ListMethodsParams{Sort: openapi.SortByF1})
	if got := names(list); err != nil || got != "add main close fail odd rare" || list.Methods[0].HeldOut != nil {
		t.Errorf("without cross-validation: got %q and scores %v, %v", got, list.Methods[0].HeldOut, err)
	}
}

func names(list openapi.MethodList) string {
	var out []string
	for _, m := range list.Methods {
		_, name, _ := strings.Cut(m.ID, "#")
		out = append(out, name)
	}
	return strings.Join(out, " ")
}
