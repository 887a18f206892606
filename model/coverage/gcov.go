package coverage

import (
	"io"

	"github.com/inroad/inroad/model/observation"
)

// gcovReport is the report about an object file.
type gcovReport struct {
	Dir   string      `json:"current_working_directory"`
	Files *[]gcovFile `json:"files"`
}

type gcovFile struct {
	File      string `json:"file"`
	Functions []struct {
		Name  string    `json:"name"`
		Start jsonCount `json:"start_line"`
		End   jsonCount `json:"end_line"`
		Count jsonCount `json:"execution_count"`
	} `json:"functions"`
	Lines []struct {
		Line  jsonCount `json:"line_number"`
		Count jsonCount `json:"count"`
	} `json:"lines"`
}

// readGcov reads the JSON of gcov --json-format. With --stdout, gcov writes an object
// for each object file.
func (r *Reports) readGcov(text io.Reader, run string) error {
	r.addRun(run)
	return readJSON(text, func(j jsonReader) error {
		var report gcovReport
		if err := j.Decode(&report); err != nil {
			return err
		}
		if report.Files == nil {
			return &missingError{"files"}
		}
		for _, f := range *report.Files {
			if err := r.addGcov(run, r.fileIn(report.Dir, f.File), f); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r *Reports) addGcov(run, file string, f gcovFile) error {
	for _, fn := range f.Functions {
		u := observation.Unit{Kind: observation.KindMethod, Name: FunctionName(fn.Name), File: file, Start: int(fn.Start), End: int(fn.End)}
		if err := r.add(run, u, int(fn.Count)); err != nil {
			return err
		}
	}
	for _, l := range f.Lines {
		if err := r.addLine(run, file, int(l.Line), int(l.Count)); err != nil {
			return err
		}
	}
	return nil
}
