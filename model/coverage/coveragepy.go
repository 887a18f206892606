package coverage

import (
	"errors"
	"io"
	"maps"
	"slices"
)

// pythonFile is a member of "files".
type pythonFile struct {
	pythonLines

	Functions map[string]pythonLines `json:"functions"` // nil before version 7.6 of coverage.py
}

type pythonLines struct {
	Executed []jsonCount `json:"executed_lines"`
	Missing  []jsonCount `json:"missing_lines"`
	Start    jsonCount   `json:"start_line"` // of newer versions
}

// readCoveragePy reads the JSON of coverage json. A function counts as reached if the
// report lists a line of its body as executed.
func (r *Reports) readCoveragePy(text io.Reader, run string) error {
	r.addRun(run)
	return readJSON(text, func(j jsonReader) error {
		return j.find("files", func() error {
			return j.object(func(name string) error {
				var f pythonFile
				if err := j.Decode(&f); err != nil {
					return err
				}
				if f.Functions == nil && !r.Blocks {
					return errors.New("the report has no functions, only lines: use coverage.py 7.6 or later, or import with --units block")
				}
				return r.addCoveragePy(run, r.file(name), f)
			})
		})
	})
}

func (r *Reports) addCoveragePy(run, file string, f pythonFile) error {
	for _, name := range slices.Sorted(maps.Keys(f.Functions)) {
		if name == "" { // the code of the module
			continue
		}
		fn := f.Functions[name]
		u := fn.unit(name, file)
		if err := r.add(run, u, min(len(fn.Executed), 1)); err != nil {
			return err
		}
	}
	for count, lines := range [][]jsonCount{f.Missing, f.Executed} {
		for _, line := range lines {
			if err := r.addLine(run, file, int(line), count); err != nil {
				return err
			}
		}
	}
	return nil
}
