package coverage

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// readGoFolder reads the folder that GOCOVERDIR named for a binary built with
// -cover.
func (r *Reports) readGoFolder(dir, run string) error {
	r.addRun(run)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	metas := map[[16]byte]*goMeta{}
	var counters [][]byte
	for _, entry := range entries {
		base := entry.Name()
		if !strings.HasPrefix(base, "covmeta.") && !strings.HasPrefix(base, "covcounters.") {
			continue
		}
		data, err := readLimited(filepath.Join(dir, base))
		if err != nil {
			return err
		}
		if strings.HasPrefix(base, "covcounters.") {
			counters = append(counters, data)
			continue
		}
		meta, err := decodeGoMeta(data)
		if err != nil {
			return withName(base, err)
		}
		metas[meta.hash] = meta
	}
	if len(counters) == 0 {
		return fmt.Errorf("%w: it has no covcounters file, which a program writes when main returns or it calls os.Exit", ErrNoMethods)
	}
	tables := map[[16]byte]*GoUnits{}
	for hash, meta := range metas {
		tables[hash] = newGoUnits(meta, r.Blocks, r.locateGo)
	}
	for _, data := range counters {
		hash, err := goCounterHash(data)
		if err != nil {
			return err
		}
		if tables[hash] == nil {
			return errors.New("covcounters file without its covmeta file")
		}
		if err := r.addGo(run, tables[hash], data); err != nil {
			return err
		}
	}
	return nil
}

func readLimited(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	data, err := io.ReadAll(io.LimitReader(file, maxReport+1))
	if err == nil && len(data) > maxReport {
		err = fmt.Errorf("%s: must be at most %d bytes", name, maxReport)
	}
	return data, err
}

// addGo adds the units of a program with their counters.
func (r *Reports) addGo(run string, table *GoUnits, counters []byte) error {
	methods, counts, err := table.Reached(counters)
	if err != nil {
		return err
	}
	hits := map[string]int{}
	for i, id := range methods {
		hits[id] += counts[i]
	}
	for _, u := range table.units {
		n := hits[u.ID]
		u.ID = ""
		if err := r.add(run, u, n); err != nil {
			return err
		}
	}
	return nil
}

var goModule = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)"?`)

// locateGo returns the folder of a package and the prefix of its file names, if
// the package belongs to the module at the root. Otherwise dir is empty.
func (r *Reports) locateGo(pkg string) (dir, name string) {
	text, err := os.ReadFile(filepath.Join(r.Root, "go.mod"))
	if err != nil {
		return "", pkg
	}
	module := goModule.FindSubmatch(text)
	if module == nil {
		return "", pkg
	}
	below, ok := strings.CutPrefix(pkg+"/", string(module[1])+"/")
	if !ok {
		return "", pkg
	}
	below = path.Clean(below)
	return filepath.Join(r.Root, filepath.FromSlash(below)), below
}

var goProfileLine = regexp.MustCompile(`^(.+):(\d+)\.(\d+),(\d+)\.(\d+) (\d+) (\d+)$`)

// A goProfileBlock is a line of a text profile.
type goProfileBlock struct {
	goBlock
	count int
}

// readGoProfile reads a text profile. Profiles contain only blocks, so
// functions are read from the sources.
func (r *Reports) readGoProfile(text io.Reader, run string) error {
	r.addRun(run)
	scanner := bufio.NewScanner(text)
	scanner.Buffer(nil, maxReportLine)
	blocks := map[string][]goProfileBlock{}
	number := 0
	for scanner.Scan() {
		number++
		line := strings.TrimSpace(scanner.Text())
		if line == "" || strings.HasPrefix(line, "mode: ") {
			continue
		}
		match := goProfileLine.FindStringSubmatch(line)
		if match == nil {
			return fmt.Errorf("line %d: not a block of a Go profile", number)
		}
		var n [6]int
		for i := range n {
			var err error
			if n[i], err = strconv.Atoi(match[i+2]); err != nil || n[i] > 1<<40 {
				return fmt.Errorf("line %d: %s: must be at most %d", number, match[i+2], 1<<40)
			}
		}
		blocks[match[1]] = append(blocks[match[1]], goProfileBlock{goBlock{n[0], n[1], n[2], n[3]}, n[5]})
	}
	if err := scanner.Err(); err != nil {
		return err
	}
	files := make([]string, 0, len(blocks))
	for file := range blocks {
		files = append(files, file)
	}
	slices.Sort(files)
	for _, file := range files {
		if err := r.addGoProfile(run, file, blocks[file]); err != nil {
			return err
		}
	}
	return nil
}

// addGoProfile assigns the blocks of a file to functions.
func (r *Reports) addGoProfile(run, file string, blocks []goProfileBlock) error {
	dir, known := r.locateGo(path.Dir(file))
	if dir == "" {
		return fmt.Errorf("%s: must be below the root: text profiles need the source files", file)
	}
	text, err := os.ReadFile(filepath.Join(dir, path.Base(file)))
	if err != nil {
		return err
	}
	lines := goDecls{}
	lines.add(path.Base(file), text)
	functions := lines.sorted()
	name := path.Join(known, path.Base(file))
	for _, b := range blocks {
		d, entry := lines[goPosition{path.Base(file), b.startLine, b.startColumn}]
		u := observation.Unit{Kind: observation.KindMethod, Name: d.name, File: name, Start: d.start, End: d.end}
		if d.name == "init" {
			u.Kind = observation.KindInitializer
		}
		if !entry {
			if !r.Blocks {
				continue
			}
			u = observation.Unit{
				Kind: observation.KindBlock, Name: fmt.Sprintf("%s:%d.%d", enclosingFunction(functions, b.startLine), b.startLine, b.startColumn),
				File: name, Start: b.startLine, End: b.endLine, StartColumn: b.startColumn, EndColumn: b.endColumn,
			}
		}
		if err := r.add(run, u, b.count); err != nil {
			return err
		}
	}
	return nil
}

// sorted returns the declarations by line.
func (l goDecls) sorted() []goDecl {
	all := make([]goDecl, 0, len(l))
	for _, d := range l {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b goDecl) int { return cmp.Or(a.start-b.start, strings.Compare(a.name, b.name)) })
	return all
}

// enclosingFunction returns the name of the function that contains a line.
func enclosingFunction(functions []goDecl, line int) string {
	i, _ := slices.BinarySearchFunc(functions, line+1, func(d goDecl, line int) int { return d.start - line })
	if i == 0 || functions[i-1].end < line {
		return "func"
	}
	return functions[i-1].name
}
