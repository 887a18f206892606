package coverage

import (
	"errors"
	"fmt"
	"io"

	"github.com/inroad/inroad/model/observation"
)

// llvmFunction is an element of "functions".
type llvmFunction struct {
	Name      string        `json:"name"`
	Count     jsonCount     `json:"count"`
	Filenames []string      `json:"filenames"`
	Regions   [][]jsonCount `json:"regions"` // see llvmRegion
}

// llvmRegion is a region of code: [line, column, last line, last column, count, file,
// expanded file, kind].
type llvmRegion []jsonCount

const (
	llvmRegionFields = 8
	llvmCodeRegion   = 0 // other kinds are macros, gaps and skipped code
)

// readLLVM reads the JSON of llvm-cov export.
func (r *Reports) readLLVM(text io.Reader, run string) error {
	r.addRun(run)
	return readJSON(text, func(j jsonReader) error {
		return j.find("data", func() error {
			return j.array(func() error {
				err := j.find("functions", func() error {
					return j.array(func() error {
						var f llvmFunction
						if err := j.Decode(&f); err != nil {
							return err
						}
						return r.addLLVM(run, f)
					})
				})
				if _, missing := errors.AsType[*missingError](err); missing {
					err = fmt.Errorf("%w: export without -summary-only and -skip-functions", err)
				}
				return err
			})
		})
	})
}

// addLLVM adds a function. Its first region is its body.
func (r *Reports) addLLVM(run string, f llvmFunction) error {
	if len(f.Filenames) == 0 || len(f.Regions) == 0 {
		return fmt.Errorf("function %q: must have filenames and regions", f.Name)
	}
	name := FunctionName(staticName(f.Name))
	for i, fields := range f.Regions {
		if len(fields) < llvmRegionFields {
			return fmt.Errorf("function %q: region of %d numbers: must have at least %d", f.Name, len(fields), llvmRegionFields)
		}
		region := llvmRegion(fields)
		u := observation.Unit{Kind: observation.KindMethod, Name: name, Start: int(region[0]), End: int(region[2])}
		count := int(f.Count)
		if i > 0 {
			if !r.Blocks || region[7] != llvmCodeRegion {
				continue
			}
			u.Kind, u.Name, count = observation.KindBlock, fmt.Sprintf("%s:%d.%d", name, region[0], region[1]), int(region[4])
			u.StartColumn, u.EndColumn = int(region[1]), int(region[3])
		}
		file := int(region[5])
		if file >= len(f.Filenames) {
			return fmt.Errorf("function %q: file %d: must be below %d", f.Name, file, len(f.Filenames))
		}
		u.File = r.file(f.Filenames[file])
		if err := r.add(run, u, count); err != nil {
			return err
		}
	}
	return nil
}
