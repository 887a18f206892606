package api_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
)

// trained returns an engine and the ID of a model of a calculator, whose runs end
// in different ways.
func trained(t *testing.T) (engine *api.Engine, model string) {
	t.Helper()
	var file strings.Builder
	fmt.Fprintln(&file, `{"inroad":"observations/1","subject":"calculator","units":[{"id":"never"}]}`)
	for i := range 30 {
		fmt.Fprintf(&file, `{"input":"%d+x","methods":["main","<add>"]}`+"\n", i)
		fmt.Fprintf(&file, `{"input":"%d*y","methods":["main","multiply\u2028"]}`+"\n", i)
		fmt.Fprintf(&file, `{"input":"(%d-z)","methods":["main","<add>"],"outcome":"failure"}`+"\n", i)
		fmt.Fprintf(&file, `{"input":"%d+*","methods":["main"],"outcome":"failure"}`+"\n", i)
	}
	engine = &api.Engine{Library: &api.Files{}}
	m, err := engine.Train(t.Context(), api.Training{
		Grammar:      "expr",
		Options:      openapi.TrainOptions{K: 2},
		Observations: observation.Sources{Files: []observation.File{{Name: "seen.ndjson", Reader: strings.NewReader(file.String())}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return engine, m.ID
}

// TestAppendAnswer checks that an answer made of cached parts is the encoding of the
// answer, the first time and from the cache.
func TestAppendAnswer(t *testing.T) {
	engine, model := trained(t)
	rapid.Check(t, func(t *rapid.T) {
		p, err := engine.Predictor(t.Context(), model, openapi.PredictParams{
			Reasons: rapid.Bool().Draw(t, "reasons"),
			Method:  rapid.SliceOfN(rapid.SampledFrom([]string{"main", "<add>", "multiply\u2028", "never"}), 0, 3).Draw(t, "methods"),
		})
		if err != nil {
			t.Fatal(err)
		}
		in := openapi.Input{Name: rapid.String().Draw(t, "name")}
		text := rapid.OneOf(rapid.StringMatching(`(\(?[0-9x]{1,3}\)?[-+*/]?){1,4}`), rapid.String()).Draw(t, "input")
		in.Input, in.InputBase64 = api.Encode([]byte(text))
		if rapid.IntRange(0, 9).Draw(t, "wrong") == 0 {
			in.Input, in.InputBase64 = nil, new("!")
		}
		before := []byte("before")
		got := p.AppendAnswer(t.Context(), before, in)
		if diff := cmp.Diff(decoded(t, api.AppendJSON(nil, p.Answer(t.Context(), in))), decoded(t, got[len(before):])); diff != "" {
			t.Errorf("-answer +appended:\n%s", diff)
		}
	})
}

func decoded(t *rapid.T, text []byte) (out any) {
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return out
}

// TestEngineConcurrent uses an engine and its files from several goroutines, which
// the race detector watches.
func TestEngineConcurrent(t *testing.T) {
	engine, model := trained(t)
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			ctx := t.Context()
			p, err := engine.Predictor(ctx, model, openapi.PredictParams{Reasons: i%2 == 0})
			if err != nil {
				t.Error(err)
				return
			}
			for n := range 20 {
				p.AppendAnswer(ctx, nil, openapi.Input{Input: new(fmt.Sprintf("%d+x*(%d-y)", n, i))})
			}
			if _, err := engine.Explain(ctx, model, "main", openapi.ExplainMethodParams{}); err != nil {
				t.Error(err)
			}
			for _, name := range []string{"expr", "json", "ini"} {
				if _, err := engine.CountPaths(ctx, name, openapi.CountPathsParams{K: 2}); err != nil {
					t.Error(err)
				}
				for _, err := range engine.Generate(ctx, name, openapi.GenerateRequest{N: 3}) {
					if err != nil {
						t.Error(err)
					}
				}
			}
			if _, err := engine.Compare(ctx, openapi.CompareRequest{Before: model, After: model}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// TestReasonPath looks up the path of a reason in the derivation of an input that has it.
func TestReasonPath(t *testing.T) {
	engine, model := trained(t)
	const input = "7+x"
	p, err := engine.Predictor(t.Context(), model, openapi.PredictParams{Reasons: true, Method: []string{"<add>"}})
	if err != nil {
		t.Fatal(err)
	}
	answer := p.Answer(t.Context(), openapi.Input{Input: new(input)})
	parsed, err := engine.Parse(t.Context(), "expr", openapi.ParseRequest{Input: new(input), Format: openapi.JSONTree})
	if err != nil {
		t.Fatal(err)
	}
	symbols := 0
	for _, r := range answer.Methods[0].Reasons {
		for _, occurrence := range r.Path {
			if !r.Present {
				continue
			}
			symbols++
			if !strings.Contains(string(parsed.Derivation), fmt.Sprintf(`"occurrence":%d,`, occurrence)) {
				t.Errorf("%s: occurrence %d of path %v is not in the derivation:\n%s", r.Feature, occurrence, r.Path, parsed.Derivation)
			}
		}
	}
	if symbols == 0 {
		t.Errorf("got no path that the input has: %+v", answer.Methods)
	}
}
