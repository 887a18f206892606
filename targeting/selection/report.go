package selection

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// reportVersion names the format of a report.
const reportVersion = "selection/1"

// A Report is a selection in a form to keep.
type Report struct {
	Version    string     `json:"inroad"`
	Base       string     `json:"base,omitempty"`
	Model      string     `json:"model,omitempty"`
	Everything bool       `json:"everything"`
	Fallbacks  []Fallback `json:"fallbacks"`
	Changed    []string   `json:"changed"` // the IDs of units
	Ignored    []string   `json:"ignored,omitempty"`
	Corpus     int        `json:"corpus"`
	Classes    int        `json:"classes"`
	Affected   float64    `json:"affected"`
	Recall     float64    `json:"recall"`
	CostMS     float64    `json:"cost_ms"`
	TotalMS    float64    `json:"total_ms"`
	Cut        bool       `json:"cut,omitempty"`
	Inputs     []Entry    `json:"inputs"`
}

// An Entry is an input that was chosen.
type Entry struct {
	Path    string   `json:"path"`
	Digest  Digest   `json:"digest"`
	Size    int      `json:"size"`
	CostMS  float64  `json:"cost_ms"`
	Reasons []Reason `json:"reasons"`
}

// Report returns the selection in a form to keep. unitID names the units.
func (s *Selection) Report(unitID func(int) string) *Report {
	r := &Report{
		Version: reportVersion, Everything: s.Everything(), Fallbacks: append([]Fallback{}, s.Fallbacks...), Changed: []string{},
		Corpus: len(s.Inputs), Classes: s.Classes, Affected: round(s.Affected, 1), Recall: round(s.Recall, 4),
		CostMS: milliseconds(s.Cost), TotalMS: milliseconds(s.Total), Cut: s.Cut, Inputs: []Entry{},
	}
	for _, u := range s.Units {
		r.Changed = append(r.Changed, unitID(u))
	}
	for _, c := range s.Chosen {
		in := s.Inputs[c.Input]
		for i := range c.Reasons {
			c.Reasons[i].Chance = round(c.Reasons[i].Chance, 4)
		}
		r.Inputs = append(r.Inputs, Entry{in.Path, in.Digest, in.Size, milliseconds(c.Cost), c.Reasons})
	}
	return r
}

func milliseconds(d time.Duration) float64 { return round(float64(d)/float64(time.Millisecond), 3) }

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

// ErrReport tells that a file is no report that can be read.
var ErrReport = errors.New("not a report of a selection")

const maxReport = 512 << 20

// ReadReport reads a report that was written as JSON.
func ReadReport(r io.Reader) (*Report, error) {
	out := &Report{}
	if err := json.NewDecoder(io.LimitReader(r, maxReport)).Decode(out); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReport, err)
	}
	if out.Version != reportVersion {
		return nil, fmt.Errorf("%w: its version is %.40q, not %q", ErrReport, out.Version, reportVersion)
	}
	return out, nil
}
