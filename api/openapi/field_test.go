package openapi_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/openapi/contract"
)

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name string
		req  any
		want string
	}{
		{"nothing given", &openapi.GenerateRequest{}, ""},
		{"a number over its maximum", &openapi.GenerateRequest{K: 12}, "k 12: must be between 1 and 8"},
		{"a number below its minimum", &openapi.SolveRequest{MaxNodes: -1}, "max_nodes -1: must be at least 1"},
		{"a fraction out of range", &openapi.GenerateRequest{Cooldown: 1.5}, "cooldown 1.5: must be between 0.000001 and 1"},
		{"not a number", &openapi.GenerateRequest{Cooldown: math.NaN()}, "cooldown NaN: must be between 0.000001 and 1"},
		{"a word that is not in the list", &openapi.SolveRequest{Style: "pretty"}, "style pretty: must be smallest, varied or natural"},
		{"a required field that is absent", &openapi.CompareRequest{}, "after: required"},
		{"a field of a field", &openapi.TrainRequest{Subject: "p", Grammar: "g", Options: openapi.TrainOptions{KeepInputs: new(50_000)}}, "options.keep_inputs 50000: must be between 0 and 10000"},
		{"an item of a list", &openapi.SolveRequest{Require: []string{"a", ""}}, "require.1: must have between 1 and 1000 characters"},
		{"too many items", &openapi.SolveRequest{Require: make([]string, 13)}, "require: must have at most 12 items"},
		{"an item's field", &openapi.SolveRequest{Counts: []openapi.CountedPath{{Path: "a", Min: 2000}}}, "counts.0.min 2000: must be between 0 and 1000"},
		{"a query parameter", &openapi.CountPathsParams{K: 9}, "k 9: must be between 1 and 8"},
		{"a long text", &openapi.CountPathsParams{Start: strings.Repeat("x", 201)}, "start " + strings.Repeat("x", 100) + "…: must have at most 200 characters"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			err := openapi.Validate(c.req)
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if field, ok := errors.AsType[*openapi.FieldError](err); err != nil && (!ok || !strings.HasPrefix(c.want, field.Field)) {
				t.Errorf("got %#v, want a FieldError of %q", err, c.want)
			}
		})
	}
}

// Validate sets the defaults of the contract, and leaves alone what is given.
func TestDefaults(t *testing.T) {
	got := openapi.TrainRequest{Subject: "p", Grammar: "g", Options: openapi.TrainOptions{Folds: 3, Outcome: new(false), Seed: new(openapi.Seed(0))}}
	if err := openapi.Validate(&got); err != nil {
		t.Fatal(err)
	}
	want := openapi.TrainRequest{Subject: "p", Grammar: "g", Options: openapi.TrainOptions{
		K: 4, Folds: 3, MaxDepth: 12, Learner: openapi.NativeLearner, Outcome: new(false), Refusals: new(true), Regressions: new(true), Trivia: new(true), Margin: new(0.1),
		KeepInputs: new(256), Seed: new(openapi.Seed(0)),
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	untouched := openapi.TrainRequest{Subject: "p", Grammar: "g"}
	if err := openapi.Validate(&untouched); err != nil || untouched.Options.K != 4 {
		t.Errorf("without options: %+v, %v", untouched, err)
	}
}

// Validate and a validator that reads the contract itself agree on every request.
func TestValidateAgrees(t *testing.T) {
	doc, err := contract.Load(openapi.Document)
	if err != nil {
		t.Fatal(err)
	}
	numbers := []int{-1, 1, 2, 8, 9, 12, 13, 20, 21, 100, 101, 1000, 1001, 10_000, 10_001, 100_000, 100_001, 1_000_000, 1_000_001, 1 << 30}
	texts := []string{"a", "smallest", "random", "kpath", "native", "golearn", "sqrt", "json", strings.Repeat("x", 201), strings.Repeat("é", 200), strings.Repeat("x", 1001)}
	rapid.Check(t, func(t *rapid.T) {
		req := rapid.SampledFrom([]any{
			&openapi.GenerateRequest{}, &openapi.SolveRequest{}, &openapi.TargetRequest{}, &openapi.TrainOptions{},
			&openapi.ParseRequest{}, &openapi.CompareRequest{Before: "a", After: "b"}, &openapi.SelectRequest{Model: "m"}, &openapi.KeyRequest{Name: "n", Scopes: []openapi.Scope{"read"}},
		}).Draw(t, "type")
		v := reflect.New(reflect.TypeOf(req).Elem())
		v.Elem().Set(reflect.ValueOf(req).Elem())
		for _, field := range v.Elem().Fields() {
			if !rapid.Bool().Draw(t, "set") {
				continue
			}
			if field.Kind() == reflect.Pointer {
				field.Set(reflect.New(field.Type().Elem()))
				field = field.Elem()
			}
			switch field.Kind() {
			case reflect.Int, reflect.Int64:
				field.SetInt(int64(rapid.SampledFrom(numbers).Draw(t, "number")))
			case reflect.Float64:
				field.SetFloat(float64(rapid.SampledFrom(numbers).Draw(t, "number")) / 10)
			case reflect.String:
				field.SetString(rapid.SampledFrom(texts).Draw(t, "text"))
			case reflect.Bool:
				field.SetBool(true)
			case reflect.Slice:
				if field.Type().Elem().Kind() == reflect.String {
					field.Set(reflect.Append(reflect.MakeSlice(field.Type(), 0, 1), reflect.ValueOf(rapid.SampledFrom(texts).Draw(t, "item")).Convert(field.Type().Elem())))
				}
			default: // objects have tests of their own
			}
		}
		text, err := json.Marshal(v.Interface())
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		theirs := doc.Components.Schemas[v.Elem().Type().Name()].Value.VisitJSON(value)
		ours := openapi.Validate(v.Interface())
		if (ours == nil) != (theirs == nil) {
			t.Errorf("%s: Validate says %v, the contract says %v", text, ours, theirs)
		}
	})
}

func TestTypeError(t *testing.T) {
	for _, c := range []struct {
		schema openapi.Schema
		value  any
		want   string
	}{
		{openapi.Schema{Type: "integer", Min: new(1.0), Max: new(8.0)}, "x", "f x: must be a whole number between 1 and 8"},
		{openapi.Schema{Type: "integer"}, "x", "f x: must be a whole number"},
		{openapi.Schema{Type: "number", Min: new(0.0)}, true, "f true: must be a number at least 0"},
		{openapi.Schema{Type: "boolean"}, "maybe", "f maybe: must be true or false"},
		{openapi.Schema{Type: "string", Enum: []string{"a", "b"}}, 3.0, "f 3: must be a or b"},
		{openapi.Schema{Type: "string", MaxSize: 9}, 3.0, "f 3: must be a string"},
		{openapi.Schema{Type: "array", MaxSize: 9}, "x", "f x: must be a list"},
		{openapi.Schema{Type: "object"}, "x", "f x: must be an object"},
	} {
		if got := c.schema.TypeError("f", c.value).Error(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
