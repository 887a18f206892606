package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/model/coverage"
	"github.com/inroad/inroad/model/observation"
)

// GoTests are the tests of Go packages.
type GoTests struct {
	Dir      string        // folder of the module; default is the current one
	Patterns []string      // packages with the tests; default is ./...
	Packages []string      // patterns of the packages to observe; default is all packages of the module
	Blocks   bool          // observe blocks in addition to functions
	Subject  string        // name of the program; default is the module
	Commit   string        // version of the program; default is the git commit
	Timeout  time.Duration // for one test; default is one minute
	Jobs     int           // tests to run at once; default is one per core
	Progress func(done, total int)
}

// A goTestBinary is the compiled tests of a package.
type goTestBinary struct {
	pkg   goPackageInfo
	file  string
	tests []string
	units *coverage.GoUnits // nil until a test wrote its coverage
}

// Observe builds the tests of each package once, runs every test, example and fuzz target
// alone, and writes an observation for each. Its name and its input are the ID of the
// test, import/path.TestName. Tests that wrote no coverage have no methods.
func (g GoTests) Observe(ctx context.Context, w io.Writer) (n int, err error) {
	tmp, err := os.MkdirTemp("", "inroad-tests-")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(tmp) }() // it is temporary
	b := &goBuild{GoTarget: GoTarget{Dir: g.Dir, Blocks: g.Blocks, Commit: g.Commit}, tmp: tmp}
	if len(g.Patterns) == 0 {
		g.Patterns = []string{"./..."}
	}
	binaries, err := g.build(ctx, b)
	if err != nil {
		return 0, err
	}
	all, err := g.run(ctx, b, binaries)
	if err != nil {
		return 0, err
	}
	if b.Commit == "" {
		b.Commit = gitCommit(ctx, cmp.Or(g.Dir, "."))
	}
	header := observation.Header{Subject: cmp.Or(g.Subject, b.Subject), Commit: b.Commit, Units: unitsOf(binaries)}
	out, err := observation.NewWriter(w, header)
	for i := 0; i < len(all) && err == nil; i++ {
		err = out.Write(all[i])
	}
	return len(all), err
}

// build builds the tests of each package and lists them.
func (g GoTests) build(ctx context.Context, b *goBuild) ([]*goTestBinary, error) {
	packages, err := b.listPackages(ctx, append([]string{"--"}, g.Patterns...)...)
	if err != nil {
		return nil, err
	}
	covered := g.Packages
	var out []*goTestBinary
	for _, p := range packages {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		if p.Module != nil {
			b.root, b.Subject = p.Module.Dir, p.Module.Path
			if len(covered) == 0 {
				covered = []string{p.Module.Path + "/..."}
			}
		}
		binary := &goTestBinary{pkg: p, file: filepath.Join(b.tmp, strconv.Itoa(len(out))+".test")}
		args := []string{"test", "-c", "-cover", "-o", binary.file}
		if len(covered) > 0 {
			args = append(args, "-coverpkg="+strings.Join(covered, ","))
		}
		if _, err := b.goCommand(ctx, append(args, p.ImportPath)...); err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, binary.file, "-test.list=.*")
		cmd.Dir = p.Dir
		list, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: list of tests: %w", p.ImportPath, err)
		}
		for name := range strings.Lines(string(list)) {
			if name = strings.TrimSpace(name); goTestName.MatchString(name) {
				binary.tests = append(binary.tests, name)
			}
		}
		out = append(out, binary)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no package has tests", strings.Join(g.Patterns, " "))
	}
	deps, err := b.listPackages(ctx, append([]string{"-deps", "-test", "--"}, g.Patterns...)...)
	if err != nil {
		return nil, err
	}
	b.packages = map[string]goPackageInfo{}
	for _, p := range deps {
		name, _, _ := strings.Cut(p.ImportPath, " ") // of a package that is built for a test
		b.packages[name] = p
	}
	return out, nil
}

var goTestName = regexp.MustCompile(`^(Test|Fuzz|Example)\w*$`)

// run runs every test alone.
func (g GoTests) run(ctx context.Context, b *goBuild, binaries []*goTestBinary) ([]observation.Observation, error) {
	total := 0
	for _, binary := range binaries {
		total += len(binary.tests)
	}
	all := make([]observation.Observation, 0, total)
	for _, binary := range binaries { // one after the other, so that tests of a package share the units
		results := make([]observation.Observation, len(binary.tests))
		folders := make([]string, len(binary.tests))
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(max(1, cmp.Or(g.Jobs, runtime.GOMAXPROCS(0))))
		for i, name := range binary.tests {
			folders[i] = filepath.Join(b.tmp, fmt.Sprintf("cover-%d-%d", len(all), i))
			group.Go(func() (err error) {
				results[i], err = g.runTest(ctx, binary, name, folders[i])
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		for i := range results {
			if err := binary.read(b, folders[i], &results[i]); err != nil {
				return nil, fmt.Errorf("%s: %w", results[i].Name, err)
			}
			if err := os.RemoveAll(folders[i]); err != nil {
				return nil, err
			}
		}
		all = append(all, results...)
		if g.Progress != nil {
			g.Progress(len(all), total)
		}
	}
	return all, nil
}

// runTest runs a test, which writes its coverage to a folder.
func (g GoTests) runTest(ctx context.Context, binary *goTestBinary, name, folder string) (observation.Observation, error) {
	id := binary.pkg.ImportPath + "." + name
	o := observation.Observation{Name: id, Input: []byte(id), Outcome: observation.OK}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return o, err
	}
	timeout, cancel := context.WithTimeout(ctx, cmp.Or(g.Timeout, time.Minute))
	defer cancel()
	cmd := exec.CommandContext(timeout, binary.file, "-test.run=^"+name+"$", "-test.gocoverdir="+folder)
	cmd.Dir = binary.pkg.Dir
	setProcessGroup(cmd)
	cmd.Cancel = func() error { killGroup(cmd); return nil }
	cmd.WaitDelay = time.Second
	start := time.Now()
	err := cmd.Run()
	o.Duration = time.Since(start)
	exit, isExit := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return o, context.Cause(ctx)
	case timeout.Err() != nil:
		o.Outcome = observation.TimedOut
	case isExit && exit.ExitCode() == 1:
		o.Outcome = observation.Failed
	case isExit:
		o.Outcome = observation.Crashed
	case err != nil:
		return o, err
	}
	return o, nil
}

// read sets the methods that a test reached, if it wrote its coverage.
func (t *goTestBinary) read(b *goBuild, folder string, o *observation.Observation) error {
	counters, err := filepath.Glob(filepath.Join(folder, "covcounters.*"))
	if err != nil || len(counters) == 0 {
		return err
	}
	if t.units == nil {
		metas, err := filepath.Glob(filepath.Join(folder, "covmeta.*"))
		if err != nil || len(metas) != 1 {
			return fmt.Errorf("%d meta-data files of coverage: must be 1: %w", len(metas), err)
		}
		meta, err := os.ReadFile(metas[0])
		if err != nil {
			return err
		}
		if t.units, err = coverage.ReadGoUnits(meta, b.Blocks, b.locate); err != nil {
			return err
		}
	}
	o.Methods = []string{}
	for _, name := range counters {
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		methods, _, err := t.units.Reached(data)
		if err != nil {
			return err
		}
		o.Methods = append(o.Methods, methods...)
	}
	slices.Sort(o.Methods)
	o.Methods = slices.Compact(o.Methods)
	return nil
}

// unitsOf returns the units of all binaries.
func unitsOf(binaries []*goTestBinary) []observation.Unit {
	byID := map[string]observation.Unit{}
	for _, t := range binaries {
		if t.units != nil {
			for _, u := range t.units.Units() {
				byID[u.ID] = u
			}
		}
	}
	out := make([]observation.Unit, 0, len(byID))
	for _, u := range byID {
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b observation.Unit) int {
		return cmp.Or(observation.CompareUnits(a, b), strings.Compare(a.ID, b.ID))
	})
	return out
}
