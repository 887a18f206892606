// Package coverage reads the reports of coverage tools: which methods a run reached.
//
// [Reports] collects the reports of the runs of one program, in any [Format], and
// writes them as observations.
package coverage

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inroad/inroad/model/observation"
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
	// methods and lines count the methods and lines that the reports list, even without
	// Blocks.
	methods, lines int
	sources        map[string]*v8Source
}

// A Run holds the methods that one run reached.
type Run struct {
	Name    string // of the input
	Methods []string
	Counts  []int
}

// ErrNoMethods reports that a report lists no methods.
var ErrNoMethods = errors.New("the report lists no methods")

// Limits of reports.
const (
	maxHead        = 1 << 14 // bytes that show the format
	maxReport      = 1 << 30 // bytes
	maxReportLine  = 1 << 20
	maxReportUnits = 5_000_000
	maxReportHits  = 100_000_000 // summed over runs
	maxCount       = 1 << 40
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
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return isRunFile(e.Name()) }) {
		return r.readRunFolder(name, run, entries, format)
	}
	for _, e := range entries {
		if err := r.readPath(filepath.Join(name, e.Name()), e.Name(), format); err != nil {
			return err
		}
	}
	return nil
}

// readRunFolder reads the files that a tool wrote to a folder for one run. Some may
// list no methods.
func (r *Reports) readRunFolder(name, run string, entries []fs.DirEntry, format Format) error {
	listed := false
	var err error
	for _, e := range entries {
		if !isRunFile(e.Name()) {
			continue
		}
		err = r.readFile(filepath.Join(name, e.Name()), run, format)
		listed = listed || err == nil
		if err != nil && !errors.Is(err, ErrNoMethods) {
			return err
		}
	}
	if listed {
		return nil
	}
	return err
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
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".gcov.json")
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".xml", ".json", ".info", ".lcov", ".out", ".cov", ".cover", ".coverprofile", ".profile", ".dat":
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

// ReadReport reads a report, which may be compressed by gzip. run names its run,
// unless the report does. The error is [ErrNoMethods] if the report has the right
// format, but lists no methods.
func (r *Reports) ReadReport(text io.Reader, run string, format Format) error {
	buffered := bufio.NewReaderSize(text, maxHead)
	if magic, err := buffered.Peek(2); err == nil && isGzip(magic) {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return err
		}
		buffered = bufio.NewReaderSize(unzipped, maxHead)
	}
	limited := &io.LimitedReader{R: buffered, N: maxReport}
	buffered = bufio.NewReaderSize(limited, maxHead)
	if start, _ := buffered.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, _ = buffered.Discard(len(byteOrderMark)) // it is in the buffer
	}
	head, err := buffered.Peek(maxHead)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("truncated gzip file")
	case err != nil && !errors.Is(err, io.EOF):
		return err
	case len(trimHead(head)) == 0:
		return errors.New("the report is empty")
	case format == Auto || format == "":
		if format = detectFormat(head); format == "" {
			return unknownFormat(head)
		}
	}
	from, err := readerOf(format)
	if err != nil {
		return err
	}
	methods, lines := r.methods, r.lines
	err = from.read(r, buffered, run)
	switch {
	case limited.N == 0: // the error is only a consequence
		return fmt.Errorf("must be at most %d bytes", maxReport)
	case err != nil:
		return fmt.Errorf("read as %s: %w", from.name, err)
	case r.methods == methods && (!r.Blocks || r.lines == lines):
		return fmt.Errorf("%w, but %d lines: must have %s", ErrNoMethods, r.lines-lines, from.methods)
	}
	return nil
}

// byteOrderMark is what tools on Windows may write in front of a report in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// isGzip reports whether a file that starts with head is compressed by gzip.
func isGzip(head []byte) bool { return strings.HasPrefix(string(head), "\x1f\x8b") }

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
	r.methods++
	return r.record(run, u, count)
}

// addLine records the hit count of a line, if blocks are collected.
func (r *Reports) addLine(run, file string, line, count int) error {
	r.lines++
	if !r.Blocks {
		return nil
	}
	return r.record(run, observation.Unit{Kind: observation.KindLine, Name: strconv.Itoa(line), File: file, Start: line, End: line}, count)
}

func (r *Reports) record(run string, u observation.Unit, count int) error {
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
		r.runs[run][n] = min(before+count, maxCount)
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

// fileIn makes the name of a source file in a folder relative to the root, if it is
// below the root.
func (r *Reports) fileIn(dir, name string) string {
	if dir == "" || path.IsAbs(filepath.ToSlash(name)) {
		return r.file(name)
	}
	if file := r.file(path.Join(filepath.ToSlash(dir), filepath.ToSlash(name))); !path.IsAbs(file) {
		return file
	}
	return r.file(name)
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

// IsObservations reports whether a file starts like a file of observations.
func IsObservations(name string) bool {
	file, err := os.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()                  // opened for reading only
	head, _ := io.ReadAll(io.LimitReader(file, maxHead)) // an error is reported by whoever reads it all
	return isObservation(head)
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
