package observe

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// A Format is that of a coverage report.
type Format string

// Formats of reports.
const (
	Auto    Format = "auto"    // by what it looks like
	LCOV    Format = "lcov"    // tracefiles of lcov, which many tools write
	JaCoCo  Format = "jacoco"  // XML reports of JaCoCo
	GoCover Format = "gocover" // folders named by GOCOVERDIR, and text profiles
)

// Reports are what coverage tools wrote about runs of one program, one or more
// reports a run. Fields are set before the first report is read.
type Reports struct {
	Root   string // the folder of the program's sources; the current one if empty
	Blocks bool   // take in blocks, or where there are none lines, besides methods

	units  []observation.Unit
	number map[observation.Unit]int // of a unit without its ID and its last line
	runs   map[string]map[int]int
	order  []string
	hits   int
}

// A Run is what reports say of one run of the program.
type Run struct {
	Name    string // of the input
	Methods []string
	Counts  []int
}

// What reports may have at most.
const (
	maxReport      = 1 << 30 // bytes
	maxReportLine  = 1 << 20
	maxReportUnits = 5_000_000
	maxReportHits  = 100_000_000 // in all runs
)

// Read reads a report, or those in a folder. An lcov report names its runs
// itself; any other is about the run that is named as its file or folder.
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

// in adds a name to an error.
func withName(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// stem takes off what tells reports from inputs.
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
	defer func() { _ = file.Close() }() // it was only read
	return withName(name, r.ReadReport(file, run, format))
}

// ReadReport reads a report from a stream. It is about the run named, unless it
// names runs itself.
func (r *Reports) ReadReport(text io.Reader, run string, format Format) error {
	limited := &io.LimitedReader{R: text, N: maxReport}
	buffered := bufio.NewReaderSize(limited, 1<<16)
	if format == Auto || format == "" {
		head, err := buffered.Peek(512)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if format = detectFormat(head); format == "" {
			return errors.New("it looks like no report that can be read")
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
		return fmt.Errorf("there is no format %q", format)
	}
	if err == nil && limited.N == 0 {
		err = fmt.Errorf("it has more than %d bytes", maxReport)
	}
	return err
}

// looksLike guesses the format of a report by its beginning; empty if it is none.
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

// begin makes sure that there is a run, even if it executed nothing.
func (r *Reports) addRun(run string) {
	if r.runs == nil {
		r.runs, r.number = map[string]map[int]int{}, map[observation.Unit]int{}
	}
	if r.runs[run] == nil {
		r.runs[run] = map[int]int{}
		r.order = append(r.order, run)
	}
}

// add takes in a unit, and that a run executed it so often.
func (r *Reports) add(run string, u observation.Unit, count int) error {
	r.addRun(run)
	u.End = max(u.Start, u.End)
	key := unitKey(u)
	n, ok := r.number[key]
	if !ok {
		if len(r.units) == maxReportUnits {
			return fmt.Errorf("more than %d units", maxReportUnits)
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
				return fmt.Errorf("more than %d units executed", maxReportHits)
			}
		}
		r.runs[run][n] = min(before+count, 1<<40)
	}
	return nil
}

// file makes the name of a source relative to the root, if it is below it.
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

// Units returns the table of all units, in the order of their places.
func (r *Reports) Units() []observation.Unit {
	units, _ := r.table()
	return units
}

// table returns the units in order, and where each one went.
func (r *Reports) table() (units []observation.Unit, at []int) {
	order := make([]int, len(r.units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareUnits(r.units[a], r.units[b]) })
	at = make([]int, len(r.units))
	units = make([]observation.Unit, len(r.units))
	for i, from := range order {
		at[from], units[i] = i, r.units[from]
	}
	assignIDs(units)
	return units, at
}

// Runs returns the runs in the order in which they were first named.
func (r *Reports) Runs() []Run {
	units, at := r.table()
	runs := make([]Run, 0, len(r.order))
	for _, name := range r.order {
		run := Run{Name: name, Methods: []string{}, Counts: []int{}}
		executed := make([]int, 0, len(r.runs[name]))
		for n := range r.runs[name] {
			executed = append(executed, n)
		}
		slices.SortFunc(executed, func(a, b int) int { return strings.Compare(units[at[a]].ID, units[at[b]].ID) })
		for _, n := range executed {
			run.Methods, run.Counts = append(run.Methods, units[at[n]].ID), append(run.Counts, r.runs[name][n])
		}
		runs = append(runs, run)
	}
	return runs
}
