package coverage

import (
	"errors"
	"io"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// ErrNoContexts reports that a report of coverage.py does not say which test executed a
// line.
var ErrNoContexts = errors.New("the report has no contexts: run pytest --cov-context=test, or set dynamic_context = test_function, and then coverage json --show-contexts")

// pythonContexts is a member of "files" with contexts.
type pythonContexts struct {
	Contexts  map[string][]string    `json:"contexts"` // by line
	Functions map[string]pythonLines `json:"functions"`
}

// ReadContexts reads the JSON of coverage json --show-contexts. Each context is a run,
// which is named after it: the node ID of a test with pytest-cov. Code that ran outside
// tests, or to set them up or tear them down, counts for all runs, because a test may
// need the setup of another test. Functions of test files are left out.
func (r *Reports) ReadContexts(text io.Reader) error {
	if r.runs == nil {
		r.runs, r.number = map[string]map[int]int{}, map[observation.Unit]int{}
	}
	c := contextReader{Reports: r, reached: map[string][]observation.Unit{}, shared: map[observation.Unit]observation.Unit{}}
	err := readJSON(text, func(j jsonReader) error {
		return j.find("files", func() error {
			return j.object(func(name string) error {
				var f pythonContexts
				if err := j.Decode(&f); err != nil {
					return err
				}
				return c.add(r.file(name), f)
			})
		})
	})
	switch {
	case err != nil:
		return err
	case !c.found:
		return ErrNoContexts
	}
	for _, run := range slices.Sorted(maps.Keys(c.reached)) {
		r.addRun(run)
		for _, u := range slices.Concat(c.reached[run], slices.Collect(maps.Values(c.shared))) {
			if err := r.record(run, u, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

type contextReader struct {
	*Reports

	reached map[string][]observation.Unit         // by run
	shared  map[observation.Unit]observation.Unit // by key: units that count for all runs
	found   bool
}

var pytestFile = regexp.MustCompile(`^(test_.*|.*_test|conftest)\.py$`)

// add adds the contexts of a file.
func (c *contextReader) add(file string, f pythonContexts) error {
	for _, contexts := range f.Contexts {
		for _, context := range contexts {
			if run, _ := splitContext(context); run != "" {
				c.found = true
				if c.reached[run] == nil {
					c.reached[run] = []observation.Unit{} // it may reach no function
				}
			}
		}
	}
	if pytestFile.MatchString(path.Base(file)) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(f.Functions)) {
		if name == "" { // the code of the module
			continue
		}
		fn := f.Functions[name]
		u := fn.unit(name, file)
		c.methods++
		if err := c.record("", u, 0); err != nil {
			return err
		}
		runs := map[string]bool{}
		for _, line := range fn.Executed {
			for _, context := range f.Contexts[strconv.Itoa(int(line))] {
				run, shared := splitContext(context)
				if shared {
					c.shared[u.Key()] = u
				} else {
					runs[run] = true
				}
			}
		}
		for run := range runs {
			c.reached[run] = append(c.reached[run], u)
		}
	}
	return nil
}

// splitContext returns the test of a context, if any, and whether its code counts for all
// tests. pytest-cov adds the phase after a bar.
func splitContext(context string) (run string, shared bool) {
	i := strings.LastIndexByte(context, '|')
	if i < 0 {
		return context, context == ""
	}
	return context[:i], context[i+1:] != "run"
}

// unit returns the unit of a function.
func (l pythonLines) unit(name, file string) observation.Unit {
	u := observation.Unit{Kind: observation.KindMethod, Name: name, File: file, Start: int(l.Start)}
	for _, line := range slices.Concat(l.Executed, l.Missing) {
		if u.Start == 0 || int(line) < u.Start {
			u.Start = int(line)
		}
		u.End = max(u.End, int(line))
	}
	return u
}
