// Package coverage reads the reports of coverage tools: which methods a run reached.
//
// [Reports] collects the reports of the runs of one program, in any [Format], and
// writes them as observations.
package coverage

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// A Format is a coverage report format.
type Format string

// Report formats.
const (
	Auto    Format = "auto"    // detect the format
	LCOV    Format = "lcov"    // lcov tracefiles, which many tools write
	JaCoCo  Format = "jacoco"  // JaCoCo XML reports
	GoCover Format = "gocover" // GOCOVERDIR folders and text profiles
)

// Reports collects coverage reports about runs of one program, one or more per
// run. Set the fields before reading the first report.
type Reports struct {
	Root   string // folder of the program's sources; default is the current one
	Blocks bool   // collect blocks, or lines if the format has no blocks, in addition to methods

	units  []observation.Unit
	number map[observation.Unit]int // index of a unit, by its Key
	runs   map[string]map[int]int
	order  []string
	hits   int
}

// A Run holds the methods that one run reached.
type Run struct {
	Name    string // of the input
	Methods []string
	Counts  []int
}

// Limits of reports.
const (
	maxReport      = 1 << 30 // bytes
	maxReportLine  = 1 << 20
	maxReportUnits = 5_000_000
	maxReportHits  = 100_000_000 // summed over runs
)

// Read reads a report, or all reports in a folder. lcov reports name their
// runs; the run of any other report is named after its file or folder.
func (r *Reports) Read(name string, format Format) error {
	return r.readPath(name, filepath.Base(name), format)
}

func (r *Reports) readPath(name, run string, format Format) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return r.readFile(name, trimReportExt(run), format)
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), "covmeta.") }) {
		return withName(name, r.readGoFolder(name, run))
	}
	for _, e := range entries {
		if err := r.readPath(filepath.Join(name, e.Name()), e.Name(), format); err != nil {
			return err
		}
	}
	return nil
}

// withName prefixes an error with a name.
func withName(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// trimReportExt removes a file extension of reports, which leaves the name of
// the input.
func trimReportExt(name string) string {
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".xml", ".info", ".lcov", ".out", ".cov", ".cover", ".coverprofile", ".profile", ".dat":
		return strings.TrimSuffix(name, ext)
	default:
		return name
	}
}

func (r *Reports) readFile(name, run string, format Format) (err error) {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	return withName(name, r.ReadReport(file, run, format))
}

// ReadReport reads a report. run names its run, unless the report does.
func (r *Reports) ReadReport(text io.Reader, run string, format Format) error {
	limited := &io.LimitedReader{R: text, N: maxReport}
	buffered := bufio.NewReaderSize(limited, 1<<16)
	if format == Auto || format == "" {
		head, err := buffered.Peek(512)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if format = detectFormat(head); format == "" {
			return errors.New("unknown report format: must be an lcov tracefile, a JaCoCo XML report or a Go profile")
		}
	}
	var err error
	switch format {
	case LCOV:
		err = r.readLCOV(buffered, run)
	case JaCoCo:
		err = r.readJaCoCo(buffered, run)
	case GoCover:
		err = r.readGoProfile(buffered, run)
	default:
		return fmt.Errorf("format %q: must be auto, lcov, jacoco or gocover", format)
	}
	if err == nil && limited.N == 0 {
		err = fmt.Errorf("must be at most %d bytes", maxReport)
	}
	return err
}

// detectFormat guesses the format from the first bytes of a report. It returns
// "" if the format is unknown.
func detectFormat(head []byte) Format {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	has := func(prefix string) bool { return bytes.HasPrefix(head, []byte(prefix)) }
	switch {
	case has("TN:"), has("SF:"):
		return LCOV
	case has("mode: "):
		return GoCover
	case has("<") && bytes.Contains(head, []byte("<report")):
		return JaCoCo
	default:
		return ""
	}
}

// addRun adds a run, which may reach no unit.
func (r *Reports) addRun(run string) {
	if r.runs == nil {
		r.runs, r.number = map[string]map[int]int{}, map[observation.Unit]int{}
	}
	if r.runs[run] == nil {
		r.runs[run] = map[int]int{}
		r.order = append(r.order, run)
	}
}

// add records the hit count of a unit in a run.
func (r *Reports) add(run string, u observation.Unit, count int) error {
	r.addRun(run)
	u.End = max(u.Start, u.End)
	key := u.Key()
	n, ok := r.number[key]
	if !ok {
		if len(r.units) == maxReportUnits {
			return fmt.Errorf("must have at most %d units", maxReportUnits)
		}
		n = len(r.units)
		r.number[key] = n
		r.units = append(r.units, u)
	}
	r.units[n].End = max(r.units[n].End, u.End)
	if count > 0 {
		before := r.runs[run][n]
		if before == 0 {
			if r.hits++; r.hits > maxReportHits {
				return fmt.Errorf("must have at most %d reached units", maxReportHits)
			}
		}
		r.runs[run][n] = min(before+count, 1<<40)
	}
	return nil
}

// file makes the name of a source file relative to the root, if it is below the
// root.
func (r *Reports) file(name string) string {
	name = filepath.ToSlash(name)
	root, err := filepath.Abs(r.Root)
	if err != nil {
		return path.Clean(name)
	}
	if below, ok := strings.CutPrefix(name, strings.TrimSuffix(filepath.ToSlash(root), "/")+"/"); ok {
		name = below
	}
	return path.Clean(name)
}

// Units returns all units, sorted by file and line.
func (r *Reports) Units() []observation.Unit {
	units, _ := r.table()
	return units
}

// table returns the sorted units, and the new index of each unit in r.units.
func (r *Reports) table() (units []observation.Unit, at []int) {
	order := make([]int, len(r.units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return observation.CompareUnits(r.units[a], r.units[b]) })
	at = make([]int, len(r.units))
	units = make([]observation.Unit, len(r.units))
	for i, from := range order {
		at[from], units[i] = i, r.units[from]
	}
	observation.AssignIDs(units)
	return units, at
}

// Runs returns the runs in the order of their first occurrence.
func (r *Reports) Runs() []Run {
	units, at := r.table()
	runs := make([]Run, 0, len(r.order))
	for _, name := range r.order {
		run := Run{Name: name, Methods: []string{}, Counts: []int{}}
		reached := make([]int, 0, len(r.runs[name]))
		for n := range r.runs[name] {
			reached = append(reached, n)
		}
		slices.SortFunc(reached, func(a, b int) int { return strings.Compare(units[at[a]].ID, units[at[b]].ID) })
		for _, n := range reached {
			run.Methods, run.Counts = append(run.Methods, units[at[n]].ID), append(run.Counts, r.runs[name][n])
		}
		runs = append(runs, run)
	}
	return runs
}

// IsObservations reports whether a file starts like a JSON object, as files of
// observations do and reports do not.
func IsObservations(name string) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()              // opened for reading only
	head, _ := io.ReadAll(io.LimitReader(file, 512)) // an error is reported by whoever reads it all
	return strings.HasPrefix(strings.TrimSpace(string(head)), "{")
}

// Hits returns the units, without IDs, in the order in which the reports list them,
// with the hit counts of all runs together.
func (r *Reports) Hits() iter.Seq2[observation.Unit, int] {
	return func(yield func(observation.Unit, int) bool) {
		for i, u := range r.units {
			hits := 0
			for _, run := range r.runs {
				hits += run[i]
			}
			if !yield(u, hits) {
				return
			}
		}
	}
}
