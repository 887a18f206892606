package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inroad/inroad/targeting/selection"
)

// ReadResults reads the results of tests: a JUnit report, the output of go test -json, or
// results as [selection.ReadResults] reads them. known holds the IDs of the selected tests;
// the IDs of other tests are derived from their names in the report.
func ReadResults(r io.Reader, known []string) ([]selection.Result, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := in.Peek(1 << 12)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("<")):
		return readJUnit(in, known)
	case isGoEvent(head):
		return readGoTest(in, known)
	}
	return selection.ReadResults(in)
}

// isGoEvent reports whether a text starts with a line of go test -json.
func isGoEvent(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	return bytes.HasPrefix(line, []byte("{")) && bytes.Contains(line, []byte(`"Action":`))
}

// A collector merges the results of tests with the same ID.
type collector struct {
	order []string
	byID  map[string]*selection.Result
}

func (c *collector) add(id string, failed bool, d time.Duration) {
	if c.byID == nil {
		c.byID = map[string]*selection.Result{}
	}
	r := c.byID[id]
	if r == nil {
		r = &selection.Result{Path: id}
		c.byID[id] = r
		c.order = append(c.order, id)
	}
	r.Failed = r.Failed || failed
	r.Duration += d
}

func (c *collector) results() []selection.Result {
	out := make([]selection.Result, 0, len(c.order))
	for _, id := range c.order {
		out = append(out, *c.byID[id])
	}
	return out
}

// readGoTest reads the output of go test -json. Tests that are still running when their
// package fails count as failed, because one of them ended the process. If a package fails
// without a failing or running test, as when it does not build, all its selected tests
// count as failed.
func readGoTest(r io.Reader, known []string) ([]selection.Result, error) {
	var c collector
	failed := map[string]bool{}             // packages with a failed test
	running := map[string]map[string]bool{} // IDs, by package
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if !bytes.HasPrefix(bytes.TrimSpace(lines.Bytes()), []byte("{")) {
			continue // go test prints errors of builds between events
		}
		var e struct {
			Action, Package, Test string
			Elapsed               float64 // seconds
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		id := e.Package + "." + e.Test
		switch {
		case strings.Contains(e.Test, "/"):
		case e.Test != "" && e.Action == "run":
			if running[e.Package] == nil {
				running[e.Package] = map[string]bool{}
			}
			running[e.Package][id] = true
		case e.Test != "" && (e.Action == "pass" || e.Action == "fail" || e.Action == "skip"):
			delete(running[e.Package], id)
			if e.Action != "skip" {
				c.add(id, e.Action == "fail", seconds(e.Elapsed))
				failed[e.Package] = failed[e.Package] || e.Action == "fail"
			}
		case e.Test == "" && e.Action == "fail":
			ended := slices.Sorted(maps.Keys(running[e.Package]))
			if len(ended) == 0 && !failed[e.Package] {
				ended = slices.DeleteFunc(slices.Clone(known), func(id string) bool { return Group(id) != e.Package })
			}
			for _, id := range ended {
				c.add(id, true, 0)
			}
		}
	}
	return c.results(), lines.Err()
}

// readJUnit reads a JUnit report, as Surefire, Gradle, pytest and others write it.
func readJUnit(r io.Reader, known []string) ([]selection.Result, error) {
	names := map[[2]string]string{} // IDs, by class and name
	for _, id := range known {
		class, name := junitName(id)
		names[[2]string{class, name}] = id
	}
	var c collector
	in := xml.NewDecoder(r)
	in.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil }
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return c.results(), nil
		}
		if err != nil {
			return nil, fmt.Errorf("not a JUnit report: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "testcase" {
			continue
		}
		var t struct {
			Class   string    `xml:"classname,attr"`
			Name    string    `xml:"name,attr"`
			Time    string    `xml:"time,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
			Skipped *struct{} `xml:"skipped"`
		}
		if err := in.DecodeElement(&t, &start); err != nil {
			return nil, fmt.Errorf("not a JUnit report: %w", err)
		}
		if t.Skipped != nil {
			continue
		}
		time, err := strconv.ParseFloat(strings.ReplaceAll(t.Time, ",", ""), 64) // Surefire groups digits
		if err != nil {
			time = 0
		}
		c.add(idOf(names, t.Class, t.Name), t.Failure != nil || t.Error != nil, seconds(time))
	}
}

// idOf returns the ID of a test in a report. A test with parameters or subtests stands
// for the test without them, unless that is a test of its own.
func idOf(names map[[2]string]string, class, name string) string {
	if id, ok := names[[2]string{class, name}]; ok {
		return id
	}
	bare := strings.TrimSpace(name)
	if i := strings.IndexAny(bare, "([{/ "); i >= 0 {
		bare = bare[:i]
	}
	if id, ok := names[[2]string{class, bare}]; ok {
		return id
	}
	return class + "#" + name
}

// seconds converts a number of seconds to a duration. NaN and numbers that are not between
// 0 and 1e9 give 0.
func seconds(s float64) time.Duration {
	if !(s > 0 && s < 1e9) {
		return 0
	}
	return time.Duration(s * float64(time.Second))
}
