package model

import (
	"fmt"
	"time"

	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/campaign"
)

// A fuzzReport counts the observations of a campaign.
type fuzzReport struct {
	campaign *campaign.Campaign
	export   *fuzzExport
	exported error      // of writing files
	watch    *fuzzWatch // nil for none
	streams  cli.Streams
	line     *cli.StatusLine
	began    time.Time
	ran      int // by this command
	blocks   bool
	outcomes map[observation.Outcome]int
	groups   observation.OutcomeGroups
}

func (r *fuzzReport) add(o observation.Observation, logged bool) {
	if !logged {
		r.ran++
	}
	if r.outcomes == nil {
		r.outcomes = map[observation.Outcome]int{}
	}
	r.outcomes[o.Outcome]++
	r.groups.Add(o)
	if r.exported == nil { // the first error is returned at the end
		r.exported = r.export.write(r.campaign.Findings())
	}
	if r.watch != nil {
		r.watch.print(r.streams)
	}
	r.line.Set(r.state)
}

// state returns the state of the campaign on one line.
func (r *fuzzReport) state() string {
	s := r.campaign.Status()
	seconds := time.Since(r.began)
	text := fmt.Sprintf("%v: %s (%.0f/s), %d of %s, %s, %s, generation %d", seconds.Round(time.Second), cli.Count(s.Runs, "run", "runs"), float64(r.ran)/seconds.Seconds(),
		s.Reached, countUnits(s.Units, r.blocks), cli.Count(s.Failures, "failure", "failures"), pathCoverage(s), s.Generation)
	if s.Included > 0 {
		text += fmt.Sprintf(", %d of other fuzzers", s.Included)
	}
	if s.Aim != "" {
		text += ", " + s.Aim
	}
	return text
}

// pathCoverage returns the share of paths that the inputs cover.
func pathCoverage(s campaign.Status) string {
	return fmt.Sprintf("%d-paths %s %%", s.K, cli.Percent(s.Paths, s.AllPaths))
}

// A fuzzSummary is the output of fuzz --format json.
type fuzzSummary struct {
	Runs        int                         `json:"runs"`            // of the campaign
	Skipped     int                         `json:"skipped"`         // already in the file
	Finds       int                         `json:"finds,omitempty"` // runs of inputs that other fuzzers found
	Outcomes    map[observation.Outcome]int `json:"outcomes"`
	Generations int                         `json:"generations"`
	Reached     int                         `json:"reached"`
	Methods     int                         `json:"methods"`
	K           int                         `json:"k"`
	Paths       int                         `json:"paths"`
	AllPaths    string                      `json:"all_paths"`
	End         campaign.End                `json:"end,omitempty"`
	Failures    []failure                   `json:"failures"`
}

// print prints the summary and the distinct failures.
func (r *fuzzReport) print(c *fuzzCommand, failures []failure) error {
	s := r.campaign.Status()
	if c.format == "json" {
		return cli.WriteJSON(c.Out, fuzzSummary{
			Runs: s.Runs, Skipped: s.Runs - r.ran, Finds: s.Included, Outcomes: r.outcomes, Generations: s.Generation, Reached: s.Reached, Methods: s.Units,
			K: s.K, Paths: s.Paths, AllPaths: s.AllPaths.String(), End: s.End, Failures: failures,
		})
	}
	observed := observeSummary{Observed: s.Runs, Outcomes: r.outcomes, Reached: s.Reached, Methods: s.Units, listed: true, labelled: s.Reached > 0}
	c.Notef("%s; %s", observed.text(r.blocks), pathCoverage(s))
	if skipped := s.Runs - r.ran; skipped > 0 {
		c.Notef("%s already in the file", cli.Count(skipped, "run was", "runs were"))
	}
	if s.Included > 0 {
		c.Notef("%s from other fuzzers", cli.Count(s.Included, "input came", "inputs came"))
	}
	if why := endText(s); why != "" {
		c.Notef("%s", why)
	}
	shown := failures[:min(len(failures), maxFailures)]
	err := printFailures(c.Out, shown)
	if more := len(failures) - len(shown); more > 0 {
		c.Notef("%d more; inroad failures lists all", more)
	}
	return err
}

// endText returns why a campaign ended, or "" if the reason is obvious.
func endText(s campaign.Status) string {
	switch s.End {
	case campaign.EndGenerations:
		return fmt.Sprintf("ended after %s; --generations allows more", cli.Count(s.Generation, "generation", "generations"))
	case campaign.EndPatience:
		return "ended because the last generations found no new failure; --patience allows more of them"
	case campaign.EndExhausted:
		return "ended because no new inputs were found"
	default:
		return ""
	}
}
