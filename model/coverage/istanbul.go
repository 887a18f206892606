package coverage

import (
	"cmp"
	"io"
	"maps"
	"slices"

	"github.com/inroad/inroad/model/observation"
)

// istanbulFile is the coverage of a file.
type istanbulFile struct {
	Path         string                      `json:"path"`
	Statements   map[string]istanbulRange    `json:"statementMap"`
	Functions    map[string]istanbulFunction `json:"fnMap"`
	StatementHit map[string]jsonCount        `json:"s"`
	FunctionHit  map[string]jsonCount        `json:"f"`
}

type istanbulFunction struct {
	Name string        `json:"name"`
	Decl istanbulRange `json:"decl"`
	Loc  istanbulRange `json:"loc"`
}

type istanbulRange struct {
	Start istanbulPosition `json:"start"`
	End   istanbulPosition `json:"end"`
}

type istanbulPosition struct {
	Line jsonCount `json:"line"`
}

// readIstanbul reads a coverage-final.json, as nyc, c8 and Jest write it.
func (r *Reports) readIstanbul(text io.Reader, run string) error {
	r.addRun(run)
	return readJSON(text, func(j jsonReader) error {
		return j.object(func(name string) error {
			var f istanbulFile
			if err := j.Decode(&f); err != nil {
				return err
			}
			if f.Functions == nil || f.FunctionHit == nil {
				return withName(name, &missingError{"fnMap"})
			}
			return r.addIstanbul(run, r.file(cmp.Or(f.Path, name)), f)
		})
	})
}

func (r *Reports) addIstanbul(run, file string, f istanbulFile) error {
	for _, key := range slices.Sorted(maps.Keys(f.Functions)) {
		fn := f.Functions[key]
		u := observation.Unit{
			Kind: observation.KindMethod, Name: cmp.Or(fn.Name, "(anonymous_"+key+")"), File: file,
			Start: int(cmp.Or(fn.Decl.Start.Line, fn.Loc.Start.Line)), End: int(fn.Loc.End.Line),
		}
		if err := r.add(run, u, int(f.FunctionHit[key])); err != nil {
			return err
		}
	}
	lines := map[int]int{} // the count of a line is the largest of the statements that start there
	for key, s := range f.Statements {
		line := int(s.Start.Line)
		lines[line] = max(lines[line], int(f.StatementHit[key]))
	}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		if err := r.addLine(run, file, line, lines[line]); err != nil {
			return err
		}
	}
	return nil
}
