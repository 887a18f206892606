package selection

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/inroad/inroad/model/observation"
)

// historyVersion names the file format of a History.
const historyVersion = "selections/1"

// A History holds the results of earlier selections: their recall, and the
// durations and failures of inputs.
type History struct {
	Version string                  `json:"inroad"`
	Runs    []Run                   `json:"runs"`
	Inputs  map[Digest]InputHistory `json:"inputs"`
	Next    int                     `json:"next"` // number of the next run
}

// A Run summarizes the results of one selection.
type Run struct {
	Number     int     `json:"number"`
	Base       string  `json:"base,omitempty"`
	Changed    int     `json:"changed"` // number of changed units
	Everything bool    `json:"everything"`
	Cause      Cause   `json:"cause,omitempty"`
	Corpus     int     `json:"corpus"`
	Selected   int     `json:"selected"` // inputs, without the random sample
	Sample     int     `json:"sample"`
	CostMS     float64 `json:"cost_ms"`  // of the inputs that were run
	TotalMS    float64 `json:"total_ms"` // of the whole corpus, estimated
	// Failed and Reached count the selected inputs that failed, and that reached a changed
	// unit according to results with methods. FailedInSample and ReachedInSample count
	// inputs of the random sample.
	Failed          int `json:"failed"`
	FailedInSample  int `json:"failed_in_sample"`
	Reached         int `json:"reached"`
	ReachedInSample int `json:"reached_in_sample"`
	Labelled        int `json:"labelled"` // results with methods
}

// InputHistory holds the results of one input.
type InputHistory struct {
	Size       int     `json:"size"`
	DurationMS float64 `json:"duration_ms,omitempty"`
	Failed     int     `json:"failed,omitempty"` // number of the last run in which it failed; 0 for none
	Seen       int     `json:"seen"`             // number of the last run that included it
}

// Limits of a history.
const (
	maxHistory = 512 << 20
	maxRuns    = 1000
	recentRuns = 10   // a failure in these last runs counts as recent
	keptRuns   = 1000 // inputs that were in none of these last runs are dropped
)

// ErrHistory means that a file is not a history, or has another version.
var ErrHistory = errors.New("not a selection history")

// NewHistory returns an empty history.
func NewHistory() *History {
	return &History{Version: historyVersion, Inputs: map[Digest]InputHistory{}, Next: 1}
}

// ReadHistory reads a history that [History.Write] wrote.
func ReadHistory(r io.Reader) (*History, error) {
	h := NewHistory()
	h.Version = ""
	if err := json.NewDecoder(io.LimitReader(r, maxHistory)).Decode(h); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHistory, err)
	}
	if h.Version != historyVersion || h.Inputs == nil || h.Next < 1 {
		return nil, fmt.Errorf("%w: version %.40q: must be %q", ErrHistory, h.Version, historyVersion)
	}
	return h, nil
}

// Write writes the history as JSON.
func (h *History) Write(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", " ")
	return out.Encode(h)
}

// Failed returns the inputs that failed recently.
func (h *History) Failed() map[Digest]bool {
	out := map[Digest]bool{}
	for d, past := range h.Inputs {
		if past.Failed > 0 && past.Failed >= h.Next-recentRuns {
			out[d] = true
		}
	}
	return out
}

// Timings returns the last known durations of inputs.
func (h *History) Timings() map[Digest]Timing {
	out := map[Digest]Timing{}
	for d, past := range h.Inputs {
		if past.DurationMS > 0 {
			out[d] = Timing{past.Size, time.Duration(past.DurationMS * float64(time.Millisecond))}
		}
	}
	return out
}

// A Result is the result of running one input.
type Result struct {
	Path     string
	Failed   bool
	Duration time.Duration // 0 if unknown
	Methods  []string      // IDs of the units it reached; nil if unknown
}

// ReadResults reads results as NDJSON. An error about a line includes its
// number.
func ReadResults(r io.Reader) ([]Result, error) {
	var out []Result
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var line struct {
			Path       string              `json:"path"`
			Name       string              `json:"name"`
			Outcome    observation.Outcome `json:"outcome"`
			DurationMS float64             `json:"duration_ms"`
			Methods    []string            `json:"methods"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		known := []observation.Outcome{"", observation.OK, observation.Failed, observation.Crashed, observation.TimedOut}
		switch {
		case line.Path == "" && line.Name == "":
			return nil, fmt.Errorf("line %d: missing path", n)
		case !slices.Contains(known, line.Outcome):
			return nil, fmt.Errorf("line %d: outcome %.40q: must be ok, failure, crash or timeout", n, line.Outcome)
		case !(line.DurationMS >= 0 && line.DurationMS < 1e12):
			return nil, fmt.Errorf("line %d: duration_ms %v: must be between 0 and 1e12", n, line.DurationMS)
		case line.Path == "":
			line.Path = line.Name
		}
		out = append(out, Result{
			line.Path, line.Outcome != "" && line.Outcome != observation.OK,
			time.Duration(line.DurationMS * float64(time.Millisecond)), line.Methods,
		})
	}
	return out, lines.Err()
}

// A PastSelection is a selection whose inputs were run.
type PastSelection struct {
	Base    string
	Changed []string // IDs of the changed units
	Cause   Cause    // of the first fallback; empty if there was none
	Corpus  int      // number of inputs in the corpus
	TotalMS float64  // of the whole corpus, estimated
	Inputs  []PastInput
}

// A PastInput is an input that was selected.
type PastInput struct {
	Input
	Sampled bool // drawn at random
}

// Learn adds the results of a selection. Results of inputs that were not selected
// are ignored; Learn returns their number.
func (h *History) Learn(s PastSelection, results []Result) (ignored int) {
	run := Run{
		Number: h.Next, Base: s.Base, Changed: len(s.Changed), Everything: s.Cause != "", Cause: s.Cause,
		Corpus: s.Corpus, TotalMS: s.TotalMS,
	}
	selected := map[string]PastInput{}
	for _, in := range s.Inputs {
		selected[in.Path] = in
		if in.Sampled {
			run.Sample++
		} else {
			run.Selected++
		}
	}
	for _, r := range results {
		in, ok := selected[r.Path]
		if !ok {
			ignored++
			continue
		}
		run.count(in.Sampled, r, s.Changed)
		past := h.Inputs[in.Digest]
		past.Size, past.Seen = in.Size, run.Number
		if r.Duration > 0 {
			past.DurationMS = milliseconds(r.Duration)
		}
		if r.Failed {
			past.Failed = run.Number
		}
		h.Inputs[in.Digest] = past
	}
	h.Runs = append(h.Runs, run)
	h.Next++
	h.prune()
	return ignored
}

// milliseconds converts a duration to milliseconds, as in files, rounded to
// microseconds.
func milliseconds(d time.Duration) float64 {
	return float64(d.Round(time.Microsecond)) / float64(time.Millisecond)
}

func (run *Run) count(sampled bool, r Result, changed []string) {
	run.CostMS += milliseconds(r.Duration)
	reached := slices.ContainsFunc(r.Methods, func(m string) bool { return slices.Contains(changed, m) })
	add := func(to *int, yes bool) {
		if yes {
			*to++
		}
	}
	add(&run.Labelled, r.Methods != nil)
	if sampled {
		add(&run.FailedInSample, r.Failed)
		add(&run.ReachedInSample, reached)
	} else {
		add(&run.Failed, r.Failed)
		add(&run.Reached, reached)
	}
}

func (h *History) prune() {
	h.Runs = h.Runs[max(0, len(h.Runs)-maxRuns):]
	for d, past := range h.Inputs {
		if past.Seen < h.Next-keptRuns {
			delete(h.Inputs, d)
		}
	}
}

// Recall estimates the share of the inputs reaching a changed unit that were
// selected. The random sample stands for all inputs that were left out. Without
// results with methods, it is the share of the failing inputs that were selected.
// It is unknown if no input reached a changed unit, or none failed.
func (run Run) Recall() (recall float64, known bool) {
	found := run.Failed
	if run.Labelled > 0 {
		found = run.Reached
	}
	missed := 0.0
	if run.Sample > 0 {
		missed = float64(run.Missed()) * float64(run.Corpus-run.Selected) / float64(run.Sample)
	}
	if found == 0 && missed == 0 {
		return 0, false
	}
	return float64(found) / (float64(found) + missed), true
}

// Missed returns the number of inputs in the random sample that reached a changed
// unit. Without results with methods, it is the number that failed.
func (run Run) Missed() int {
	if run.Labelled > 0 {
		return run.ReachedInSample
	}
	return run.FailedInSample
}

// Share returns the share of the corpus that was run.
func (run Run) Share() float64 {
	return float64(run.Selected+run.Sample) / float64(max(1, run.Corpus))
}

// A HistorySummary sums up the runs of a history.
type HistorySummary struct {
	Runs    []Run    `json:"runs"`
	Share   float64  `json:"share"`            // of the inputs that were run
	Recall  *float64 `json:"recall,omitempty"` // mean of the runs whose recall is known
	SavedMS float64  `json:"saved_ms"`
}

// Summarize sums up the runs.
func (h *History) Summarize() *HistorySummary {
	s := &HistorySummary{Runs: append([]Run{}, h.Runs...)}
	var inputs, corpus, known, recall float64
	for _, run := range h.Runs {
		inputs += float64(run.Selected + run.Sample)
		corpus += float64(run.Corpus)
		s.SavedMS += max(0, run.TotalMS-run.CostMS)
		if share, ok := run.Recall(); ok {
			recall += share
			known++
		}
	}
	s.Share = inputs / max(1, corpus)
	if known > 0 {
		s.Recall = new(recall / known)
	}
	return s
}
