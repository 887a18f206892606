package selection

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testSelection returns a selection from ten inputs: a and b are selected, c is sampled.
func testSelection() PastSelection {
	input := func(path string, sampled bool) PastInput {
		return PastInput{Input{Path: path, Digest: DigestOf([]byte(path)), Size: 10}, sampled}
	}
	return PastSelection{
		Base: "c1", Changed: []string{"p.go#f"}, Corpus: 10, TotalMS: 1000,
		Inputs: []PastInput{input("a", false), input("b", false), input("c", true)},
	}
}

func TestLearn(t *testing.T) {
	results, err := ReadResults(strings.NewReader(`{"path":"a","outcome":"failure","duration_ms":5,"methods":["p.go#f"]}

{"name":"b","methods":["p.go#f","p.go#g"]}
{"path":"c","outcome":"ok","duration_ms":2.5,"methods":["p.go#f"]}
{"path":"z"}
`))
	if err != nil {
		t.Fatal(err)
	}
	h := NewHistory()
	if others := h.Learn(testSelection(), results); others != 1 {
		t.Errorf("%d others, want 1", others)
	}
	want := Run{
		Number: 1, Base: "c1", Changed: 1, Corpus: 10, Selected: 2, Sample: 1, CostMS: 7.5, TotalMS: 1000,
		Failed: 1, Labelled: 3, Reached: 2, ReachedInSample: 1,
	}
	if diff := cmp.Diff(want, h.Runs[0]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// One of one sampled from eight: eight were missed, two found.
	if recall, known := h.Runs[0].Recall(); recall != 0.2 || !known {
		t.Errorf("recall %v, %v", recall, known)
	}
	if diff := cmp.Diff(map[Digest]bool{DigestOf([]byte("a")): true}, h.Failed()); diff != "" {
		t.Errorf("failed (-want +got):\n%s", diff)
	}
	if got := h.Timings()[DigestOf([]byte("c"))]; got != (Timing{10, 2500 * time.Microsecond}) {
		t.Errorf("timing %v", got)
	}

	var file bytes.Buffer
	if err := h.Write(&file); err != nil {
		t.Fatal(err)
	}
	again, err := ReadHistory(&file)
	if diff := cmp.Diff(h, again); diff != "" || err != nil {
		t.Errorf("%v (-written +read):\n%s", err, diff)
	}
	for range recentRuns {
		h.Learn(testSelection(), nil)
	}
	if len(h.Failed()) != 0 {
		t.Error("a failure is never forgotten")
	}
}

// TestSummarize sums up runs with and without a known recall.
func TestSummarize(t *testing.T) {
	h := &History{Runs: []Run{
		{Corpus: 10, Selected: 2, Sample: 1, CostMS: 20, TotalMS: 100, Labelled: 3, Reached: 2, ReachedInSample: 1},
		{Corpus: 30, Selected: 20, Sample: 5, CostMS: 80, TotalMS: 50},
	}}
	want := &HistorySummary{Runs: h.Runs, Share: 28. / 40, Recall: new(0.2), SavedMS: 80}
	if diff := cmp.Diff(want, h.Summarize()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := NewHistory().Summarize(); got.Recall != nil || got.Share != 0 || got.Runs == nil {
		t.Errorf("no runs: %+v", got)
	}
}

// TestRecallOfFailures computes the recall from results without methods.
func TestRecallOfFailures(t *testing.T) {
	if recall, known := (Run{Corpus: 100, Selected: 20, Sample: 8, Failed: 10}).Recall(); recall != 1 || !known {
		t.Errorf("recall %v, %v, want 1", recall, known)
	}
	if recall, known := (Run{Corpus: 100, Selected: 20, Sample: 8, Failed: 10, FailedInSample: 1}).Recall(); recall != 0.5 || !known {
		t.Errorf("recall %v, %v, want 0.5", recall, known)
	}
	if _, known := (Run{Corpus: 100, Selected: 20, Sample: 8}).Recall(); known {
		t.Error("the recall of nothing is known")
	}
}

func TestReadResultsWrong(t *testing.T) {
	for line, want := range map[string]string{
		`{}`:                             "line 2: missing path",
		`{"path":"a","outcome":"maybe"}`: `line 2: outcome "maybe": must be ok, failure, crash or timeout`,
		`{"path":"a","duration_ms":-1}`:  "line 2: duration_ms -1: must be between 0 and 1e12",
		`x`:                              "line 2: invalid character 'x' looking for beginning of value",
	} {
		if _, err := ReadResults(strings.NewReader("{\"path\":\"a\"}\n" + line)); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", line, err, want)
		}
	}
}

func TestReadHistoryWrong(t *testing.T) {
	for _, text := range []string{"", "{", "[]", "{}", `{"inroad":"selections/2"}`, `{"inroad":"selections/1","inputs":null}`, `{"inroad":"selections/1","inputs":{"x":{}}}`} {
		if _, err := ReadHistory(strings.NewReader(text)); !errors.Is(err, ErrHistory) {
			t.Errorf("%s: error %v", text, err)
		}
	}
}
