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

// historyVersion names the format of a history.
const historyVersion = "selections/1"

// A History is what came of selections: how good they were, how long inputs
// take, and which failed.
type History struct {
	Version string          `json:"inroad"`
	Runs    []Run           `json:"runs"`
	Inputs  map[Digest]Past `json:"inputs"`
	Next    int             `json:"next"` // the number of the next run
}

// A Run is what came of one selection.
type Run struct {
	Number     int     `json:"number"`
	Base       string  `json:"base,omitempty"`
	Changed    int     `json:"changed"` // units
	Everything bool    `json:"everything"`
	Cause      Cause   `json:"cause,omitempty"`
	Corpus     int     `json:"corpus"`
	Chosen     int     `json:"chosen"` // without the sample
	Sample     int     `json:"sample"`
	CostMS     float64 `json:"cost_ms"`  // of what was run
	TotalMS    float64 `json:"total_ms"` // of the whole corpus, estimated
	// Of the chosen and of the sample, how many failed, and how many reached a
	// changed unit, where results say so.
	Failed          int `json:"failed"`
	FailedInSample  int `json:"failed_in_sample"`
	Reached         int `json:"reached"`
	ReachedInSample int `json:"reached_in_sample"`
	Labelled        int `json:"labelled"` // results that say which units were reached
}

// Past is what is known of an input.
type Past struct {
	Size       int     `json:"size"`
	DurationMS float64 `json:"duration_ms,omitempty"`
	Failed     int     `json:"failed,omitempty"` // the number of the last run in which it failed; 0 for none
	Seen       int     `json:"seen"`             // the number of the last run that it was in
}

// Bounds of a history.
const (
	maxHistory    = 512 << 20
	maxRuns       = 1000
	recentRuns    = 10   // a failure in the last so many counts
	forgottenRuns = 1000 // inputs that were in none of so many are forgotten
)

// ErrHistory tells that a file is no history that can be read.
var ErrHistory = errors.New("not a history of selections")

// NewHistory returns an empty history.
func NewHistory() *History {
	return &History{Version: historyVersion, Inputs: map[Digest]Past{}, Next: 1}
}

// ReadHistory reads a history that was written as JSON.
func ReadHistory(r io.Reader) (*History, error) {
	h := NewHistory()
	h.Version = ""
	if err := json.NewDecoder(io.LimitReader(r, maxHistory)).Decode(h); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrHistory, err)
	}
	if h.Version != historyVersion || h.Inputs == nil || h.Next < 1 {
		return nil, fmt.Errorf("%w: its version is %.40q, not %q", ErrHistory, h.Version, historyVersion)
	}
	return h, nil
}

// Write writes the history as JSON.
func (h *History) Write(w io.Writer) error {
	out := json.NewEncoder(w)
	out.SetIndent("", " ")
	return out.Encode(h)
}

// Failed returns the inputs that failed lately.
func (h *History) Failed() map[Digest]bool {
	out := map[Digest]bool{}
	for d, past := range h.Inputs {
		if past.Failed > 0 && past.Failed >= h.Next-recentRuns {
			out[d] = true
		}
	}
	return out
}

// Timings returns how long inputs took.
func (h *History) Timings() map[Digest]Timing {
	out := map[Digest]Timing{}
	for d, past := range h.Inputs {
		if past.DurationMS > 0 {
			out[d] = Timing{past.Size, time.Duration(past.DurationMS * float64(time.Millisecond))}
		}
	}
	return out
}

// A Result is what came of one input.
type Result struct {
	Path     string
	Failed   bool
	Duration time.Duration // 0 if it is not known
	Methods  []string      // nil if they are not known
}

// ReadResults reads a JSON object a line. Whatever is wrong with a line, the
// error names it.
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
			return nil, fmt.Errorf("line %d: there is no path", n)
		case !slices.Contains(known, line.Outcome):
			return nil, fmt.Errorf("line %d: the outcome %.40q is none of ok, failure, crash and timeout", n, line.Outcome)
		case !(line.DurationMS >= 0 && line.DurationMS < 1e12):
			return nil, fmt.Errorf("line %d: the duration %v is none", n, line.DurationMS)
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

// Learn adds what came of a selection. It returns how many results are of
// inputs that were not chosen; they tell nothing.
func (h *History) Learn(report *Report, results []Result) (others int) {
	run := Run{
		Number: h.Next, Base: report.Base, Changed: len(report.Changed), Everything: report.Everything,
		Corpus: report.Corpus, TotalMS: report.TotalMS,
	}
	if len(report.Fallbacks) > 0 {
		run.Cause = report.Fallbacks[0].Cause
	}
	chosen := map[string]*Entry{}
	for i, e := range report.Inputs {
		chosen[e.Path] = &report.Inputs[i]
		if sampled(e) {
			run.Sample++
		} else {
			run.Chosen++
		}
	}
	for _, r := range results {
		e := chosen[r.Path]
		if e == nil {
			others++
			continue
		}
		run.count(e, r, report.Changed)
		past := h.Inputs[e.Digest]
		past.Size, past.Seen = e.Size, run.Number
		if r.Duration > 0 {
			past.DurationMS = milliseconds(r.Duration)
		}
		if r.Failed {
			past.Failed = run.Number
		}
		h.Inputs[e.Digest] = past
	}
	h.Runs = append(h.Runs, run)
	h.Next++
	h.forget()
	return others
}

func sampled(e Entry) bool { return len(e.Reasons) > 0 && e.Reasons[0].Kind == Sampled }

func (run *Run) count(e *Entry, r Result, changed []string) {
	run.CostMS += milliseconds(r.Duration)
	reached := slices.ContainsFunc(r.Methods, func(m string) bool { return slices.Contains(changed, m) })
	add := func(to *int, yes bool) {
		if yes {
			*to++
		}
	}
	add(&run.Labelled, r.Methods != nil)
	if sampled(*e) {
		add(&run.FailedInSample, r.Failed)
		add(&run.ReachedInSample, reached)
	} else {
		add(&run.Failed, r.Failed)
		add(&run.Reached, reached)
	}
}

func (h *History) forget() {
	h.Runs = h.Runs[max(0, len(h.Runs)-maxRuns):]
	for d, past := range h.Inputs {
		if past.Seen < h.Next-forgottenRuns {
			delete(h.Inputs, d)
		}
	}
}

// Recall estimates which share of the inputs that reached a changed unit was
// chosen. What the sample found stands for all that was left out. Without the
// methods of results, it is the share of the inputs that failed. It is not known
// if none did.
func (run Run) Recall() (recall float64, known bool) {
	found, drawn := run.Failed, run.FailedInSample
	if run.Labelled > 0 {
		found, drawn = run.Reached, run.ReachedInSample
	}
	missed := 0.0
	if run.Sample > 0 {
		missed = float64(drawn) * float64(run.Corpus-run.Chosen) / float64(run.Sample)
	}
	if found == 0 && missed == 0 {
		return 0, false
	}
	return float64(found) / (float64(found) + missed), true
}

// Share returns which share of the corpus was run.
func (run Run) Share() float64 {
	return float64(run.Chosen+run.Sample) / float64(max(1, run.Corpus))
}
