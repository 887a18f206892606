package observe

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/inroad/inroad/model/coverage"
	"github.com/inroad/inroad/model/observation"
)

// A nativeCounter is the place of a counter in an object file.
type nativeCounter struct {
	address uint64
	entry   bool // counts calls of a function; otherwise executions of a block
}

// A nativeFunction is a function in an object file, or one instance of a generic
// function.
type nativeFunction struct {
	low, high uint64
	name      string // as written in the sources, without type arguments
	kind      string
	file      string // relative to the sources, or absolute
	source    string // the file as debug information names it
	line      int
	end       int         // the last line, at least line
	rows      []nativeRow // by address
}

// A nativeRow is the source position of the code from an address to the next row.
type nativeRow struct {
	address      uint64
	line, column int
}

// An inlinedCall is a range of code that is a copy of another function.
type inlinedCall struct {
	low, high uint64
	file      string // of the call; empty if the call is itself in inlined code
	line      int
}

// A sourceFilter selects the functions to observe by their files.
type sourceFilter struct {
	root     string   // absolute
	real     string   // root without symbolic links
	patterns []string // of files; empty for all below root
}

func newSourceFilter(root string, patterns []string) (*sourceFilter, error) {
	root, err := filepath.Abs(cmp.Or(root, "."))
	if err != nil {
		return nil, err
	}
	f := &sourceFilter{root: root, patterns: patterns}
	if f.real, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return nil, fmt.Errorf("%q: must be a file or folder, in which * and ? stand for any characters", p)
		}
	}
	return f, nil
}

// name returns the name of a source file in units, which is relative to the root
// if the file is below it. ok reports whether the filter selects the file.
func (f *sourceFilter) name(file string) (name string, ok bool) {
	file = filepath.Clean(file)
	name = file
	for _, root := range []string{f.root, f.real} {
		if below, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(below) {
			name = filepath.ToSlash(below)
			break
		}
	}
	below := !filepath.IsAbs(name)
	if match := cargoPackage.FindStringSubmatch(name); match != nil {
		name = match[1]
	}
	if len(f.patterns) == 0 {
		return name, below
	}
	return name, slices.ContainsFunc(f.patterns, func(p string) bool { return matchesFile(p, name) })
}

// cargoPackage matches source files of Rust packages from a registry or repository.
var cargoPackage = regexp.MustCompile(`/(?:registry/src|git/checkouts)/[^/]+/(.+)$`)

// matchesFile reports whether a pattern matches a file, its base name, or a folder
// that contains it.
func matchesFile(pattern, file string) bool {
	pattern = path.Clean(pattern)
	if ok, err := path.Match(pattern, path.Base(file)); ok && err == nil {
		return true
	}
	for name := file; name != "." && name != "/"; name = path.Dir(name) {
		if ok, err := path.Match(pattern, name); ok && err == nil {
			return true
		}
	}
	return pattern == "." && !path.IsAbs(file)
}

// readNativeFunctions returns the functions of an object file that the filter
// selects and that contain a counter, by address. It returns an error if the file
// has no debug information.
func readNativeFunctions(file string, counters []nativeCounter, filter *sourceFilter) ([]nativeFunction, error) {
	object, err := elf.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = object.Close() }() // opened for reading only
	if object.Section(".debug_info") == nil && object.Section(".zdebug_info") == nil {
		return nil, fmt.Errorf("%s has no debug information: compile it with -g, and do not strip it", filepath.Base(file))
	}
	data, err := object.DWARF()
	if err != nil {
		return nil, fmt.Errorf("%s: debug information: %w", file, err)
	}
	r := &dwarfReader{data: data, filter: filter}
	for _, c := range counters {
		r.addresses = append(r.addresses, c.address)
	}
	slices.Sort(r.addresses)
	if err := r.read(); err != nil {
		return nil, fmt.Errorf("%s: debug information: %w", file, err)
	}
	slices.SortFunc(r.functions, func(a, b nativeFunction) int { return cmp.Compare(a.low, b.low) })
	slices.SortFunc(r.inlined, func(a, b inlinedCall) int { return cmp.Compare(a.low, b.low) })
	for i := range r.functions {
		r.findEnd(&r.functions[i])
	}
	return r.functions, nil
}

// A dwarfReader collects functions from debug information.
type dwarfReader struct {
	data      *dwarf.Data
	filter    *sourceFilter
	addresses []uint64 // of counters, sorted
	functions []nativeFunction
	inlined   []inlinedCall

	// of the current compilation unit
	files []*dwarf.LineFile
	outer [][2]uint64            // the last inlined code that is not inside other inlined code
	rows  map[string][]nativeRow // by file, in order of address
}

// counted reports whether there is a counter in a range of addresses.
func (r *dwarfReader) counted(low, high uint64) bool {
	i, _ := slices.BinarySearch(r.addresses, low)
	return i < len(r.addresses) && r.addresses[i] < high
}

func (r *dwarfReader) read() error {
	entries := r.data.Reader()
	for {
		e, err := entries.Next()
		if err != nil || e == nil {
			return err
		}
		switch e.Tag { //nolint:exhaustive // other entries contain functions, or nothing of interest
		case dwarf.TagCompileUnit:
			ranges, err := r.data.Ranges(e)
			if err != nil {
				return err
			}
			if !slices.ContainsFunc(ranges, func(p [2]uint64) bool { return r.counted(p[0], p[1]) }) {
				entries.SkipChildren()
				continue
			}
			if err := r.readLines(e); err != nil {
				return err
			}
		case dwarf.TagSubprogram:
			if err := r.addFunction(e); err != nil {
				return err
			}
		case dwarf.TagInlinedSubroutine:
			if err := r.addInlined(e); err != nil {
				return err
			}
		}
	}
}

// readLines reads the line table of a compilation unit.
func (r *dwarfReader) readLines(unit *dwarf.Entry) error {
	r.files, r.rows = nil, map[string][]nativeRow{}
	lines, err := r.data.LineReader(unit)
	if err != nil || lines == nil {
		return err
	}
	r.files = lines.Files()
	var line dwarf.LineEntry
	for {
		if err := lines.Next(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if line.File != nil && !line.EndSequence {
			r.rows[line.File.Name] = append(r.rows[line.File.Name], nativeRow{line.Address, line.Line, line.Column})
		}
	}
	for _, rows := range r.rows {
		slices.SortStableFunc(rows, func(a, b nativeRow) int { return cmp.Compare(a.address, b.address) })
	}
	return nil
}

// addFunction adds a function that has code, a counter and a selected file.
func (r *dwarfReader) addFunction(e *dwarf.Entry) error {
	ranges, err := r.data.Ranges(e)
	if err != nil || len(ranges) == 0 {
		return err
	}
	f := nativeFunction{low: ranges[0][0], high: ranges[0][1], kind: observation.KindMethod}
	if !r.counted(f.low, f.high) {
		return nil
	}
	about, err := r.describe(e)
	if err != nil {
		return err
	}
	if about.file < 0 || about.file >= int64(len(r.files)) || r.files[about.file] == nil || about.line == 0 {
		return nil // generated by the compiler
	}
	f.source = r.files[about.file].Name
	var ok bool
	if f.file, ok = r.filter.name(f.source); !ok {
		return nil
	}
	f.line = about.line
	f.name = coverage.FunctionName(cmp.Or(about.linkage, about.name))
	switch {
	case strings.HasPrefix(about.name, "__cxx_global_var_init"):
		return nil // runs before the first input
	case about.artificial:
		f.kind = observation.KindSynthetic
	case isConstructor(f.name, about.linkage):
		f.kind = observation.KindConstructor
	}
	rows := r.rows[f.source]
	from, _ := slices.BinarySearchFunc(rows, f.low, compareRow)
	to, _ := slices.BinarySearchFunc(rows, f.high, compareRow)
	f.rows = rows[from:to]
	r.functions = append(r.functions, f)
	return nil
}

// addInlined adds the ranges of inlined code. Entries follow the entries that enclose
// them.
func (r *dwarfReader) addInlined(e *dwarf.Entry) error {
	ranges, err := r.data.Ranges(e)
	if err != nil || len(ranges) == 0 {
		return err
	}
	call := inlinedCall{}
	file, _ := e.Val(dwarf.AttrCallFile).(int64)
	line, _ := e.Val(dwarf.AttrCallLine).(int64)
	inside := slices.ContainsFunc(r.outer, func(o [2]uint64) bool { return o[0] <= ranges[0][0] && ranges[0][0] < o[1] })
	if !inside {
		r.outer = ranges
		if file >= 0 && file < int64(len(r.files)) && r.files[file] != nil {
			call.file, call.line = r.files[file].Name, int(line)
		}
	}
	for _, p := range ranges {
		call.low, call.high = p[0], p[1]
		r.inlined = append(r.inlined, call)
	}
	return nil
}

// findEnd finds the last line of a function: of its own code, and of its calls of
// functions that are inlined.
func (r *dwarfReader) findEnd(f *nativeFunction) {
	f.end = f.line
	from, _ := slices.BinarySearchFunc(r.inlined, f.low, func(c inlinedCall, low uint64) int { return cmp.Compare(c.low, low) })
	rest := r.inlined[from:]
	until := uint64(0) // the end of the inlined code so far
	for _, row := range f.rows {
		for ; len(rest) > 0 && rest[0].low <= row.address; rest = rest[1:] {
			if until = max(until, rest[0].high); rest[0].file == f.source {
				f.end = max(f.end, rest[0].line)
			}
		}
		if row.address >= until {
			f.end = max(f.end, row.line)
		}
	}
}

func compareRow(r nativeRow, address uint64) int { return cmp.Compare(r.address, address) }

// A dwarfFunction is the description of a function.
type dwarfFunction struct {
	name, linkage string
	file          int64 // -1 if unknown
	line          int
	artificial    bool
}

// describe returns the description of a function. Definitions refer to
// declarations, and instances to their origin.
func (r *dwarfReader) describe(e *dwarf.Entry) (f dwarfFunction, err error) {
	f.file = -1
	const maxReferences = 8 // crafted references may form a cycle
	for range maxReferences {
		if name, ok := e.Val(dwarf.AttrName).(string); ok && f.name == "" {
			f.name = name
		}
		for _, attr := range []dwarf.Attr{dwarf.AttrLinkageName, attrMIPSLinkageName} {
			if name, ok := e.Val(attr).(string); ok && f.linkage == "" {
				f.linkage = name
			}
		}
		if file, ok := e.Val(dwarf.AttrDeclFile).(int64); ok && f.file < 0 {
			f.file = file
		}
		if line, ok := e.Val(dwarf.AttrDeclLine).(int64); ok && f.line == 0 {
			f.line = int(line)
		}
		if artificial, ok := e.Val(dwarf.AttrArtificial).(bool); ok {
			f.artificial = f.artificial || artificial
		}
		next, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		if !ok {
			next, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset)
		}
		if !ok {
			return f, nil
		}
		entries := r.data.Reader()
		entries.Seek(next)
		if e, err = entries.Next(); err != nil || e == nil {
			return f, err
		}
	}
	return f, nil
}

const attrMIPSLinkageName = dwarf.Attr(0x2007)

// isConstructor reports whether a C++ symbol belongs to a constructor.
func isConstructor(name, symbol string) bool {
	before, last, ok := cutLast(name, "::")
	return ok && strings.HasPrefix(symbol, "_Z") && (before == last || strings.HasSuffix(before, "::"+last))
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// span returns the first and the last line of the code in a range of addresses,
// and the column of its start. ok is false if the code has no lines.
func (f *nativeFunction) span(low, high uint64) (first nativeRow, last int, ok bool) {
	i, exact := slices.BinarySearchFunc(f.rows, low, compareRow)
	if !exact && i > 0 {
		i--
	}
	for ; i < len(f.rows) && f.rows[i].address < high; i++ {
		row := f.rows[i]
		if row.line == 0 {
			continue
		}
		if !ok || row.line < first.line {
			first = row
		}
		last, ok = max(last, row.line), true
	}
	return first, last, ok
}

// nativeUnits maps the counters of a program to its units.
type nativeUnits struct {
	units   []observation.Unit // by ID
	of      []int              // unit of each counter; -1 for none
	modules [][]nativeFunction // functions of each module, by address
}

// A nativeKey identifies a unit. Instances of a generic function differ in none of
// its fields.
type nativeKey struct {
	file, name string
	line       int
	kind       string
	column, n  int // of blocks; n tells blocks at the same position apart
}

// add adds the next module. Equal units of several modules are one unit; keys has
// those added so far.
func (u *nativeUnits) add(counters []nativeCounter, functions []nativeFunction, blocks bool, keys map[nativeKey]int) {
	u.modules = append(u.modules, functions)
	order := make([]int, len(counters)) // counters by address
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(counters[a].address, counters[b].address) })
	start := len(u.of)
	u.of = slices.Grow(u.of, len(counters))[:start+len(counters)]
	var positions map[nativeRow]int // number of blocks at a position of the function
	for at, i := range order {
		u.of[start+i] = -1
		c := counters[i]
		f := findFunction(functions, c.address)
		if f == nil {
			continue
		}
		unit := observation.Unit{Kind: f.kind, Name: f.name, File: f.file, Start: f.line, End: f.end}
		key := nativeKey{f.file, f.name, f.line, f.kind, 0, 0}
		if c.entry {
			positions = map[nativeRow]int{}
		} else {
			end := f.high
			if at+1 < len(order) {
				end = min(end, counters[order[at+1]].address)
			}
			first, last, ok := f.span(c.address, end)
			if !blocks || !ok {
				continue
			}
			first.address = 0
			positions[first]++
			unit.Kind, unit.Start, unit.End = observation.KindBlock, first.line, last
			unit.Name = fmt.Sprintf("%s:%d.%d", f.name, first.line, first.column)
			key = nativeKey{f.file, f.name, first.line, unit.Kind, first.column, positions[first]}
		}
		if _, ok := keys[key]; !ok {
			keys[key] = len(u.units)
			u.units = append(u.units, unit)
		}
		u.of[start+i] = keys[key]
	}
}

// finish assigns IDs, and orders the units by them.
func (u *nativeUnits) finish() {
	observation.AssignIDs(u.units)
	order := make([]int, len(u.units))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(u.units[a].ID, u.units[b].ID) })
	sorted, rank := make([]observation.Unit, len(order)), make([]int, len(order))
	for i, j := range order {
		sorted[i], rank[j] = u.units[j], i
	}
	u.units = sorted
	for i, j := range u.of {
		if j >= 0 {
			u.of[i] = rank[j]
		}
	}
}

// findFunction returns the function at an address, or nil.
func findFunction(functions []nativeFunction, address uint64) *nativeFunction {
	i, exact := slices.BinarySearchFunc(functions, address, func(f nativeFunction, a uint64) int { return cmp.Compare(f.low, a) })
	if !exact {
		i--
	}
	if i < 0 || address >= functions[i].high {
		return nil
	}
	return &functions[i]
}

// String describes the selected files for messages.
func (f *sourceFilter) String() string {
	if len(f.patterns) == 0 {
		return "a file below " + f.root
	}
	return "a file that matches " + strings.Join(f.patterns, ", ")
}
