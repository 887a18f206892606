package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/golearn"
	"github.com/inroad/inroad/model/observation"
)

func TestTrain(t *testing.T) {
	s := start(t)
	s.upload(t, 2000)
	var j openapi.Job
	var events []openapi.Job
	var last openapi.Job
	learned := false
	for try := 0; try < 20 && !learned; try++ { // a training with few folds may end before its progress is seen
		request := fmt.Sprintf(`{"subject":"calc","grammar":"expr","options":{"k":3,"seed":7,"folds":%d,"trivia":false}}`, 2+try)
		s.post(t, "/v1/models", request, http.StatusAccepted, &j)
		events = s.follow(t, j.ID)
		last = events[len(events)-1]
		if last.State != openapi.Done || last.Attempts != 1 || last.Ended.Before(last.Started) || last.Error != "" {
			t.Fatalf("the last event is %+v", last)
		}
		learned = !s.isFile() || slices.ContainsFunc(events, func(e openapi.Job) bool { // a database gets few of the events
			return e.Progress.Stage == "learning" && e.Progress.Total > 0 && e.Progress.Done > 0
		})
	}
	if !learned {
		t.Errorf("no event tells how many trees were grown: %+v", events)
	}
	var job openapi.Job
	s.get(t, fmt.Sprintf("/v1/jobs/%d", j.ID), &job)
	if diff := cmp.Diff(last, job); diff != "" {
		t.Errorf("the job differs from the last event:\n%s", diff)
	}
	for _, name := range []string{last.Model, "latest", "calc@latest"} {
		var m openapi.Model
		s.get(t, "/v1/models/"+name, &m)
		if m.ID != last.Model || m.Observations.Used != 2000 || m.Methods.All != 4 || m.Methods.Learned != 2 || m.K != 3 || m.Seed != 7 || m.HeldOut == nil || m.HeldOut.Pooled.F1 < .99 {
			t.Errorf("model %s is %+v", name, m)
		}
	}
	resp, file := s.send(t, http.MethodGet, "/v1/models/latest/file", "", nil)
	m, err := model.ReadModel(t.Context(), bytes.NewReader(file))
	if err != nil || m.Digest != last.Model || resp.Header.Get("Content-Length") != fmt.Sprint(len(file)) {
		t.Errorf("the file of %d bytes: %v", len(file), err)
	}
}

// The same observations, options and seed make the same model.
func TestTrainAgain(t *testing.T) {
	s := start(t)
	first, second := s.trained(t), s.trained(t)
	if first != second {
		t.Errorf("two models: %s and %s", first, second)
	}
	var list openapi.ModelList
	s.get(t, "/v1/models", &list)
	if len(list.Models) != 1 {
		t.Errorf("models are %+v", list)
	}
}

// The list of models has the quality of each, as the model itself has it; models of
// earlier versions have none.
func TestListedQuality(t *testing.T) {
	s := start(t)
	var m openapi.Model
	s.get(t, "/v1/models/"+s.trained(t), &m)
	if _, err := s.store.PutModel(t.Context(), store.Model{ID: "old", Subject: "calc"}, []byte("of another time")); err != nil {
		t.Fatal(err)
	}
	var list openapi.ModelList
	s.get(t, "/v1/models?subject=calc", &list)
	if list.Models[0].Quality != nil {
		t.Errorf("the quality of an old model is %+v", list.Models[0].Quality)
	}
	want := &openapi.ModelQuality{Observations: m.Observations.Used, Methods: m.Methods, F1: &m.HeldOut.Mean.F1}
	if m.Rare != nil {
		want.RareF1 = &m.Rare.Mean.F1
	}
	if diff := cmp.Diff(want, list.Models[1].Quality); diff != "" {
		t.Errorf("quality (-want +got):\n%s", diff)
	}
	var jobs openapi.JobList
	s.get(t, "/v1/jobs?subject=calc", &jobs)
	if len(jobs.Jobs) != 1 || jobs.Jobs[0].Model != m.ID {
		t.Errorf("jobs of the program are %+v", jobs)
	}
	s.get(t, "/v1/jobs?subject=other", &jobs)
	if len(jobs.Jobs) != 0 {
		t.Errorf("jobs of another program are %+v", jobs)
	}
}

// Options that are absent are those that commands use.
func TestTrainDefaults(t *testing.T) {
	sources, err := bundled.Sources("expr")
	if err != nil {
		t.Fatal(err)
	}
	header := observation.NewReader(strings.NewReader(calc(100))).Header()
	want, err := model.Train(t.Context(), "", sources, header, read(t, calc(100)), model.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if got := start(t).trained(t); got != want.Digest {
		t.Errorf("the service made %s, want %s", got, want.Digest)
	}
}

// A training request has all options of the command: another start rule, a subset
// of features, another learner, and a model to take trees from.
func TestTrainOptions(t *testing.T) {
	s := start(t)
	s.upload(t, 100)
	sources, err := bundled.Sources("expr")
	if err != nil {
		t.Fatal(err)
	}
	header := observation.NewReader(strings.NewReader(calc(100))).Header()
	rule, other := model.Defaults(), model.Defaults()
	early := model.Defaults()
	early.Extras = features.Of(features.Early)
	other.Balance, other.Folds = dtree.None, 2
	other.Learner = model.Learner{Name: "golearn", New: func(t *dtree.Table, rows []int32, opt dtree.Options) model.TreeLearner {
		return golearn.New(t, rows, opt)
	}}
	for _, c := range []struct {
		name, request, start string
		options              model.Options
	}{
		{"a start rule", `"start":"addExpr"`, "addExpr", rule},
		{"early features", `"options":{"features":["early"]}`, "", early},
		{"trees of a model", `"from":"latest","options":{"features":["early"]}`, "", early},
		{"golearn", `"options":{"learner":"golearn","folds":2}`, "", other},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "golearn" && !golearn.Available {
				t.Skip("built without golearn")
			}
			want, err := model.Train(t.Context(), c.start, sources, header, read(t, calc(100)), c.options)
			if err != nil {
				t.Fatal(err)
			}
			var j openapi.Job
			s.post(t, "/v1/models", `{"subject":"calc","grammar":"expr",`+c.request+`}`, http.StatusAccepted, &j)
			events := s.follow(t, j.ID)
			if last := events[len(events)-1]; last.Model != want.Digest {
				t.Errorf("the service trained %q, want %s: %+v", last.Model, want.Digest, last)
			}
		})
	}
}

// A training with a drawn seed says which one was drawn.
func TestTrainDrawsSeed(t *testing.T) {
	s := start(t)
	s.upload(t, 50)
	var j openapi.Job
	s.post(t, "/v1/models", `{"subject":"calc","grammar":"expr","options":{"seed":0}}`, http.StatusAccepted, &j)
	s.follow(t, j.ID)
	var m openapi.Model
	s.get(t, "/v1/models/latest", &m)
	if m.Seed == 0 {
		t.Error("the model has the seed 0")
	}
}

func TestEvaluate(t *testing.T) {
	s := start(t)
	id := s.trained(t)
	body := calc(100) + "what?\n" + `{"input":"1+1","methods":["new"]}` + "\n" + `{"input":"+","methods":[]}` + "\n" + `{"input":"1"}` + "\n"
	resp, text := s.send(t, http.MethodPost, "/v1/models/latest/evaluations", ndjson, strings.NewReader(body))
	var got openapi.Evaluation
	if err := json.Unmarshal(text, &got); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", resp.Status, text)
	}
	if got.Model != id || got.Observations != 101 || got.Outside != 1 || got.Unlabelled != 1 || got.Learned.Methods != 2 || got.Learned.Pooled.F1 < .98 || len(got.Methods) != 4 {
		t.Errorf("got %+v", got)
	}
	if got.Invalid != 1 || len(got.Errors) != 1 || got.Errors[0].Line != strings.Count(calc(100), "\n")+1 {
		t.Errorf("invalid lines: %d, %+v", got.Invalid, got.Errors)
	}
	if diff := cmp.Diff([]string{"new"}, got.UnknownMethods); diff != "" {
		t.Error(diff)
	}
}

// A learning curve has a point for 1/8, 1/4, 1/2 and all of three quarters of the
// observations. It needs 100 observations.
func TestEvaluateCurve(t *testing.T) {
	s := start(t)
	s.trained(t)
	resp, text := s.send(t, http.MethodPost, "/v1/models/latest/evaluations?curve=true", ndjson, strings.NewReader(calc(320)))
	var got openapi.Evaluation
	if err := json.Unmarshal(text, &got); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s", resp.Status, text)
	}
	var sizes []int
	for _, p := range got.Curve {
		sizes = append(sizes, p.Observations)
	}
	if diff := cmp.Diff([]int{30, 60, 120, 240}, sizes); diff != "" {
		t.Fatal(diff)
	}
	if last := got.Curve[3]; last.F1 < .95 || last.OutcomeAccuracy < .95 {
		t.Errorf("got %+v", last)
	}
	p := s.problem(t, http.MethodPost, "/v1/models/latest/evaluations?curve=true", ndjson, strings.NewReader(calc(20)))
	if p.Status != http.StatusUnprocessableEntity || p.Type != "urn:inroad:problem:observations" || p.Detail != model.ErrFewObservations.Error() {
		t.Errorf("got %+v", p)
	}
}

// An evaluation that would take too much memory is refused.
func TestEvaluateMemory(t *testing.T) {
	s := start(t)
	s.trained(t)
	s.stop()
	s = startOn(t, s.path, func(c *server.Config) { c.MaxMemory = 1 << 10 })
	p := s.problem(t, http.MethodPost, "/v1/models/latest/evaluations", ndjson, strings.NewReader(calc(100)))
	if p.Status != http.StatusUnprocessableEntity || p.Type != "urn:inroad:problem:limit" || !strings.HasPrefix(p.Detail, "memory of evaluation: limit of ") {
		t.Errorf("got %+v", p)
	}
}

func TestListModels(t *testing.T) {
	s := start(t)
	s.upload(t, 50)
	for seed := range 5 {
		var j openapi.Job
		s.post(t, "/v1/models", fmt.Sprintf(`{"subject":"calc","grammar":"expr","options":{"seed":%d}}`, seed+1), http.StatusAccepted, &j)
		s.follow(t, j.ID)
	}
	var numbers []int64
	query := "?limit=2"
	for range 10 {
		var list openapi.ModelList
		s.get(t, "/v1/models"+query, &list)
		for _, m := range list.Models {
			numbers = append(numbers, m.Number)
		}
		if list.Next == "" {
			break
		}
		query = "?limit=2&cursor=" + list.Next
	}
	if diff := cmp.Diff([]int64{5, 4, 3, 2, 1}, numbers); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	var jobs openapi.JobList
	s.get(t, "/v1/jobs?limit=3", &jobs)
	if len(jobs.Jobs) != 3 || jobs.Jobs[0].ID != 5 || jobs.Next == "" {
		t.Errorf("jobs are %+v", jobs)
	}
	var none openapi.ModelList
	s.get(t, "/v1/models?subject=other", &none)
	if len(none.Models) != 0 {
		t.Errorf("models of another subject: %+v", none)
	}
}

// oddities are observations of a program that fails now and then, and whose
// methods have names that need care.
func oddities(n int) string {
	var out strings.Builder
	names := []string{"a \"quoted\"\\ name", "<b>&amp;</b>", "tab\tand\x01\u2028\u202e", "日本", "always"}
	for i := range n {
		o := map[string]any{"input": fmt.Sprint(i, "+", i), "outcome": "ok"}
		methods := []string{names[4]}
		if i%3 == 0 {
			o["input"] = fmt.Sprint(i, "*", i)
			methods = append(methods, names[0], names[1])
		}
		if i%7 == 0 { // it fails
			o["input"], o["outcome"] = fmt.Sprint("(", o["input"], ")"), "failure"
		} else {
			methods = append(methods, names[2])
		}
		if i%2 == 0 {
			methods = append(methods, names[3])
		}
		o["methods"] = methods
		line, _ := json.Marshal(o)
		out.Write(append(line, '\n'))
	}
	return out.String()
}

// oddTrained trains a model of oddities.
func (s *service) oddTrained(t *testing.T) {
	t.Helper()
	s.send(t, http.MethodPost, observations, ndjson, strings.NewReader(oddities(300)))
	var j openapi.Job
	s.post(t, "/v1/models", `{"subject":"calc","grammar":"expr"}`, http.StatusAccepted, &j)
	s.follow(t, j.ID)
}

// The service predicts what the model's file predicts, in parts and when asked
// again.
func TestPredict(t *testing.T) {
	s := start(t)
	s.oddTrained(t)
	_, file := s.send(t, http.MethodGet, "/v1/models/latest/file", "", nil)
	m, err := model.ReadModel(t.Context(), bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var inputs []string
	for i := range 200 {
		inputs = append(inputs, fmt.Sprintf([]string{"%d", "%d+1", "2*%d", "(1+2*%d)", "(%d)", "x+%d"}[i%6], i))
	}
	for _, query := range []string{"", "?reasons=true", "", "?reasons=true"} {
		for _, inputs := range [][]string{inputs[:1], inputs[:64], inputs[:65], inputs} {
			s.predicted(t, m, query, inputs)
		}
	}
}

// predicted asks about inputs, and compares with what the model says itself.
func (s *service) predicted(t *testing.T, m *model.Model, query string, inputs []string) {
	t.Helper()
	var request openapi.InputList
	for i := range inputs {
		request.Inputs = append(request.Inputs, openapi.Input{Name: fmt.Sprintf("%d <\"日\x01", i), Input: &inputs[i]})
	}
	body, _ := json.Marshal(request)
	var got openapi.PredictAnswer
	s.post(t, "/v1/models/latest/predictions"+query, string(body), http.StatusOK, &got)
	want := openapi.PredictAnswer{Model: m.Digest, Exact: true}
	for i, input := range inputs {
		said, err := m.Predict(t.Context(), []byte(input), grammars.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		a := openapi.Answer{Name: request.Inputs[i].Name, Unseen: &said.Unseen, Reaches: new(int)}
		for _, c := range said.Outcomes {
			a.Outcomes = append(a.Outcomes, openapi.Outcome{Outcome: c.Outcome, Probability: c.Probability})
		}
		if r := said.Refusal; r != nil {
			a.Refusal = &openapi.Refusal{
				Construct: m.Describe(r.Feature), Line: said.Stop.Line, Column: said.Stop.Column, Offset: said.Stop.Offset,
				Outcome: r.Outcome, Observations: r.Rows, Failed: r.Failed,
			}
		}
		for unit, p := range said.Methods {
			if p.Reached {
				*a.Reaches++
			}
			g := openapi.Prediction{
				Method: m.Units[unit].ID, Reached: p.Reached, Probability: p.Probability, Low: p.Low, High: p.High,
				Support: int(p.Rows), SupportReached: int(p.Positives), Unknown: p.Unknown, Overruled: p.Overruled,
			}
			add := func(f *model.Feature, present bool, weight float64) {
				reason := openapi.Reason{Feature: m.Describe(*f), Present: present, Weight: weight}
				for _, occurrence := range f.Path {
					reason.Path = append(reason.Path, int(occurrence))
				}
				g.Reasons = append(g.Reasons, reason)
			}
			switch {
			case query == "":
			case p.Overruled:
				votes := m.Votes(p)
				for _, v := range votes[:min(len(votes), 5)] {
					add(v.Feature, true, v.Weight)
				}
			default:
				for _, test := range m.Reasons(unit, p) {
					add(test.Feature, test.Present, 0)
				}
			}
			a.Methods = append(a.Methods, g)
		}
		want.Answers = append(want.Answers, a)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("predictions%s of %d inputs differ from the model's (-model +service):\n%s", query, len(inputs), diff)
	}
	if len(got.Answers[0].Outcomes) != 2 {
		t.Errorf("outcomes are %+v", got.Answers[0].Outcomes)
	}
}

// A prediction has the place where the program refuses the input, in a streamed
// answer too.
func TestPredictRefusal(t *testing.T) {
	s := start(t)
	s.oddTrained(t)
	var got openapi.PredictAnswer
	s.post(t, "/v1/models/latest/predictions", `{"inputs":[{"input":"\n(3*3)"},{"input":"3*3"}]}`, http.StatusOK, &got)
	want := &openapi.Refusal{Construct: "'(' addExpr ')'", Line: 2, Column: 1, Offset: 1, Outcome: "failure", Observations: 43, Failed: 43}
	if diff := cmp.Diff(want, got.Answers[0].Refusal); diff != "" {
		t.Errorf("refusal (-want +got):\n%s", diff)
	}
	if r := got.Answers[1].Refusal; r != nil {
		t.Errorf("an input that the program accepts is refused: %+v", r)
	}
	_, text := s.send(t, http.MethodPost, "/v1/models/latest/predictions", ndjson, strings.NewReader(`{"input":"\n(3*3)"}`))
	var answer openapi.Answer
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, answer.Refusal); diff != "" {
		t.Errorf("refusal in a stream (-want +got):\n%s", diff)
	}
}

func TestExplainOutcome(t *testing.T) {
	s := start(t)
	s.oddTrained(t)
	const path = "/v1/models/latest/outcomes/"
	var e openapi.Explanation
	s.get(t, path+"failure", &e)
	if e.Outcome != "failure" || e.Method != "" || e.Reached != 43 || e.Observations != 300 || e.HeldOut.F1 < .99 || len(e.Conditions) == 0 ||
		!slices.Equal(e.Refusals, []string{"'(' addExpr ')'"}) {
		t.Errorf("explained as %+v", e)
	}
	for format, want := range map[string]struct{ kind, begins string }{
		"text": {"text/plain", "outcome failure: 43 of 300 observations"}, "dot": {"text/vnd.graphviz", "digraph"}, "svg": {"image/svg+xml", "<svg"},
	} {
		resp, text := s.send(t, http.MethodGet, path+"failure?format="+format, "", nil)
		if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), want.kind) || !bytes.HasPrefix(text, []byte(want.begins)) {
			t.Errorf("%s: %s %s %.100s", format, resp.Status, resp.Header.Get("Content-Type"), text)
		}
	}
	for outcome, want := range map[string]string{
		"failures":       "outcome failures: not found; did you mean failure?",
		"crash%3A%20%2F": "outcome crash: /: not found; outcomes of the model: failure, ok",
	} {
		p := s.problem(t, http.MethodGet, path+outcome, "", nil)
		if p.Status != http.StatusNotFound || p.Detail != want || !slices.Equal(p.Near, []string{"failure", "ok"}) {
			t.Errorf("an unknown outcome: %+v", p)
		}
	}
}

// A model of observations with the same outcome predicts no outcomes.
func TestExplainOutcomeOfNone(t *testing.T) {
	s := start(t)
	s.trained(t)
	p := s.problem(t, http.MethodGet, "/v1/models/latest/outcomes/ok", "", nil)
	if p.Status != http.StatusNotFound || p.Detail != "outcome ok: not found; the model predicts no outcomes" {
		t.Errorf("got %+v", p)
	}
}

func TestPredictOneMethod(t *testing.T) {
	s := start(t)
	s.trained(t)
	var got openapi.PredictAnswer
	s.post(t, "/v1/models/latest/predictions?method=add&method=calc.go%23mul", `{"inputs":[{"input":"5+5"}]}`, http.StatusOK, &got)
	var said []string
	for _, m := range got.Answers[0].Methods {
		said = append(said, fmt.Sprint(m.Method, " ", m.Reached))
	}
	if diff := cmp.Diff([]string{"calc.go#add true", "calc.go#mul false"}, said); diff != "" {
		t.Error(diff)
	}
}

// What is wrong with one input does not keep the others from their answers.
func TestPredictWrongInputs(t *testing.T) {
	s := start(t)
	s.trained(t)
	var got openapi.PredictAnswer
	s.post(t, "/v1/models/latest/predictions", `{"inputs":[{},{"input":"1","input_base64":"MQ=="},{"input_base64":"M"},{"input":"+"},{"input":"1"}]}`, http.StatusOK, &got)
	for i, want := range []string{"one of input and input_base64", "one of input and input_base64", "illegal base64 data"} {
		if a := got.Answers[i]; !strings.Contains(a.Error, want) || a.Methods != nil {
			t.Errorf("input %d: %+v, want %s", i, a, want)
		}
	}
	if a := got.Answers[3]; a.Outside.Syntax.Offset != 1 || a.Methods != nil {
		t.Errorf("an input outside the grammar: %+v", a)
	}
	if a := got.Answers[4]; len(a.Methods) != 4 {
		t.Errorf("the last input: %+v", a)
	}
}

// Each line of a stream is answered before the next is sent.
func TestPredictStream(t *testing.T) { predictStream(t, start(t)) }

func predictStream(t *testing.T, s *service) {
	t.Helper()
	s.trained(t)
	lines, client := io.Pipe()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/v1/models/latest/predictions?method=add", lines)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", ndjson)
	answered := make(chan *json.Decoder)
	go func() {
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Error(err)
			close(answered)
			return
		}
		answered <- json.NewDecoder(resp.Body)
	}()
	var answers *json.Decoder
	for _, c := range []struct{ line, want string }{
		{`{"name":"a","input":"1+1"}`, "a true "},
		{`{"name":"b","input":"1"}`, "b false "},
		{``, ""},
		{`{"input":1}`, " false inpu"},
		{`{"name":"c","input":"2+2"}`, "c true "},
	} {
		fmt.Fprintln(client, c.line)
		if c.want == "" {
			continue
		}
		if answers == nil {
			if answers = <-answered; answers == nil {
				t.FailNow()
			}
		}
		var a openapi.Answer
		if err := answers.Decode(&a); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%s %v %.4s", a.Name, len(a.Methods) > 0 && a.Methods[0].Reached, a.Error)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
	client.Close()
	var last openapi.StreamEnd
	if err := answers.Decode(&last); err != nil || last != (openapi.StreamEnd{Count: 4}) {
		t.Errorf("the last line: %+v, %v", last, err)
	}
	if err := answers.Decode(new(any)); err != io.EOF {
		t.Errorf("after the last line: %v", err)
	}
}

// A training that cannot be done fails, says why, and is there after a restart.
func TestTrainFails(t *testing.T) {
	s := start(t)
	s.send(t, http.MethodPost, observations, ndjson, strings.NewReader(`{"input":"no expression","methods":["m"]}`))
	var j openapi.Job
	s.post(t, "/v1/models", `{"subject":"calc","grammar":"expr"}`, http.StatusAccepted, &j)
	events := s.follow(t, j.ID)
	last := events[len(events)-1]
	if last.State != openapi.Failed || !strings.HasPrefix(last.Error, model.ErrNoObservations.Error()+": 1 of 1 inputs are outside grammar expr") || last.Problem != "urn:inroad:problem:observations" || last.Model != "" {
		t.Errorf("it ended as %+v", last)
	}
	s.stop()
	var again openapi.Job
	startOn(t, s.path).get(t, fmt.Sprintf("/v1/jobs/%d", j.ID), &again)
	if diff := cmp.Diff(last, again); diff != "" {
		t.Errorf("after a restart:\n%s", diff)
	}
}

// A stream goes on for longer than its client may take to send or receive a part.
func TestLongStream(t *testing.T) {
	s := start(t, func(c *server.Config) { c.Stall = 100 * time.Millisecond })
	if _, err := s.store.AddObservations(t.Context(), "calc", "", nil, read(t, calc(20_000))); err != nil {
		t.Fatal(err)
	}
	var j openapi.Job
	s.post(t, "/v1/models", `{"subject":"calc","grammar":"expr"}`, http.StatusAccepted, &j)
	events := s.follow(t, j.ID)
	if last := events[len(events)-1]; last.State != openapi.Done {
		t.Errorf("the last event of %d is %+v", len(events), last)
	}
}

// A model that cannot be read any more is told as such.
func TestUnreadableModel(t *testing.T) {
	s := start(t)
	if _, err := s.store.PutModel(t.Context(), store.Model{ID: "old", Subject: "calc"}, []byte("of another time")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ method, path, body string }{
		{http.MethodGet, "/v1/models/old", ""},
		{http.MethodGet, "/v1/models/old/methods", ""},
		{http.MethodGet, "/v1/models/old/methods/add", ""},
		{http.MethodGet, "/v1/models/old/outcomes/ok", ""},
		{http.MethodPost, "/v1/models/old/predictions", `{"inputs":[{"input":"1"}]}`},
		{http.MethodPost, "/v1/models/old/inputs", `{"methods":["add"]}`},
		{http.MethodPost, "/v1/comparisons", `{"before":"old","after":"old"}`},
	} {
		p := s.problem(t, c.method, c.path, "application/json", strings.NewReader(c.body))
		if p.Status != http.StatusUnprocessableEntity || p.Type != "urn:inroad:problem:model" || p.Detail == "" {
			t.Errorf("%s: %+v", c.path, p)
		}
	}
}

// Stored grammars and models of another version that cannot be read any more are
// problems of the request.
func TestUnusable(t *testing.T) {
	s := start(t)
	s.upload(t, 10)
	g, _, err := s.store.PutGrammar(t.Context(), store.Grammar{Name: "old", Sources: []grammars.Source{{Name: "old.g4", Text: "grammar old; a : b ;"}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.store.PutModel(t.Context(), store.Model{ID: "old", Subject: "calc", Grammar: g.ID}, []byte("not a model")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, body, kind string }{
		{"/v1/models", fmt.Sprintf(`{"subject":"calc","grammar":%q}`, g.ID), "grammar"},
		{"/v1/grammars/" + g.ID + "/fit", `{"inputs":[{"input":"1"}]}`, "grammar"},
		{"/v1/grammars/" + g.ID + "/probabilities", `{"inputs":[{"input":"1"}]}`, "grammar"},
		{"/v1/selections", `{"model":"old"}`, "model"},
	} {
		p := s.problem(t, http.MethodPost, c.path, "application/json", strings.NewReader(c.body))
		if p.Status != http.StatusUnprocessableEntity || p.Type != "urn:inroad:problem:"+c.kind || (len(p.Findings) == 1) != (c.kind == "grammar") {
			t.Errorf("%s: got %+v, want the problem %s", c.path, p, c.kind)
		}
	}
}

// A training that would take too much memory is refused: at once if there are too
// many observations, and else when it is seen what is in them.
func TestTrainMemory(t *testing.T) {
	s := start(t, func(c *server.Config) { c.MaxMemory = 1 << 20 })
	s.upload(t, 10_000)
	train := `{"subject":"calc","grammar":"expr","options":{"k":8}}`
	p := s.problem(t, http.MethodPost, "/v1/models", "application/json", strings.NewReader(train))
	if p.Status != http.StatusUnprocessableEntity || p.Type != "urn:inroad:problem:limit" || p.Detail != "memory of training: limit of 1 MiB reached" {
		t.Errorf("many observations: %+v", p)
	}
	s = start(t, func(c *server.Config) { c.MaxMemory = 1 << 20 })
	s.upload(t, 1000)
	var j openapi.Job
	s.post(t, "/v1/models", train, http.StatusAccepted, &j)
	events := s.follow(t, j.ID)
	if last := events[len(events)-1]; last.State != openapi.Failed || last.Problem != "urn:inroad:problem:limit" || last.Error != "memory of training: limit of 1 MiB reached" {
		t.Errorf("large observations: %+v", last)
	}
}

// Jobs are cancelled over HTTP, and refused when too many wait.
func TestManyJobs(t *testing.T) {
	s := start(t, func(c *server.Config) { c.MaxQueue = 4 })
	s.upload(t, 2000)
	var ids []int64
	for {
		resp, text := s.send(t, http.MethodPost, "/v1/models", "application/json", strings.NewReader(fmt.Sprintf(`{"subject":"calc","grammar":"expr","options":{"seed":%d}}`, len(ids))))
		if resp.StatusCode == http.StatusTooManyRequests {
			if resp.Header.Get("Retry-After") != "1" || !strings.Contains(string(text), "2 jobs are queued, the most allowed") {
				t.Errorf("Retry-After %s, %s", resp.Header.Get("Retry-After"), text)
			}
			break
		}
		var j openapi.Job
		if err := json.Unmarshal(text, &j); err != nil || resp.StatusCode != http.StatusAccepted || resp.Header.Get("Location") != fmt.Sprintf("/v1/jobs/%d", j.ID) {
			t.Fatalf("%s %s", resp.Status, text)
		}
		ids = append(ids, j.ID)
	}
	last := ids[len(ids)-1] // it waits
	resp, text := s.send(t, http.MethodDelete, fmt.Sprintf("/v1/jobs/%d", last), "", nil)
	var j openapi.Job
	if err := json.Unmarshal(text, &j); err != nil || resp.StatusCode != http.StatusAccepted || j.State != openapi.Cancelled {
		t.Errorf("%s %s", resp.Status, text)
	}
	for _, id := range ids[:len(ids)-1] {
		s.send(t, http.MethodDelete, fmt.Sprintf("/v1/jobs/%d", id), "", nil)
	}
}
