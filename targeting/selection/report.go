package selection

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// reportVersion names the file format of a Report.
const reportVersion = "selection/1"

// A Report is a selection in the form that is written to files.
type Report struct {
	Version    string     `json:"inroad"`
	Base       string     `json:"base,omitempty"`
	Model      string     `json:"model,omitempty"`
	Everything bool       `json:"everything"`
	Fallbacks  []Fallback `json:"fallbacks"`
	Changed    []string   `json:"changed"` // IDs of the changed units
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

// An Entry is a selected input.
type Entry struct {
	Path    string   `json:"path"`
	Digest  Digest   `json:"digest"`
	Size    int      `json:"size"`
	CostMS  float64  `json:"cost_ms"`
	Reasons []Reason `json:"reasons"`
}

// Report returns the selection as a report. unitID returns the ID of a unit.
func (s *Selection) Report(unitID func(int) string) *Report {
	r := &Report{
		Version: reportVersion, Everything: s.Everything(), Fallbacks: append([]Fallback{}, s.Fallbacks...), Changed: []string{},
		Corpus: len(s.Inputs), Classes: s.Classes, Affected: round(s.Affected, 1), Recall: round(s.Recall, 4),
		CostMS: milliseconds(s.Cost), TotalMS: milliseconds(s.Total), Cut: s.Cut, Inputs: []Entry{},
	}
	for _, u := range s.Units {
		r.Changed = append(r.Changed, unitID(u))
	}
	for _, c := range s.Selected {
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

// ErrReport means that a file is not a report, or has another version.
var ErrReport = errors.New("not a selection report")

const maxReport = 512 << 20 // bytes

// ReadReport reads a report in JSON.
func ReadReport(r io.Reader) (*Report, error) {
	out := &Report{}
	if err := json.NewDecoder(io.LimitReader(r, maxReport)).Decode(out); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReport, err)
	}
	if out.Version != reportVersion {
		return nil, fmt.Errorf("%w: version %.40q: must be %q", ErrReport, out.Version, reportVersion)
	}
	return out, nil
}
