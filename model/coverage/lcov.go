package coverage

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// lcovFile is a section of a tracefile: one source file.
type lcovFile struct {
	name      string
	functions []lcovFunction
	byName    map[string][]int // functions declared by FN
	counted   map[string]int   // number of FNDA lines by name
	byIndex   map[string]int   // functions declared by FNL
	lines     []lcovLine
}

type lcovFunction struct {
	name       string
	start, end int // end is 0 if unknown
	count      int
}

type lcovLine struct{ line, count int }

// readLCOV reads a tracefile. TN lines name the runs.
func (r *Reports) readLCOV(text io.Reader, run string) error {
	scanner := bufio.NewScanner(text)
	scanner.Buffer(nil, maxReportLine)
	var file *lcovFile
	current := run
	number := 0
	for scanner.Scan() {
		number++
		line := strings.TrimRight(scanner.Text(), "\r ")
		tag, value, _ := strings.Cut(line, ":")
		var err error
		switch {
		case tag == "TN":
			if current = strings.TrimSuffix(value, ",diff"); current == "" {
				current = run
			}
			r.addRun(current)
		case tag == "SF":
			file = &lcovFile{name: r.file(value), byName: map[string][]int{}, counted: map[string]int{}, byIndex: map[string]int{}}
		case line == "end_of_record" && file != nil:
			err = r.addLCOV(current, file)
			file = nil
		case file != nil:
			err = file.add(tag, value)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line %d: must be at most %d bytes", number+1, maxReportLine)
	}
	if file != nil && scanner.Err() == nil {
		return fmt.Errorf("line %d: truncated section of %s", number, file.name)
	}
	return scanner.Err()
}

// add decodes a line. It ignores unknown tags.
func (f *lcovFile) add(tag, value string) error {
	fields := strings.Split(value, ",")
	var err error
	number := func(i int) int {
		if i >= len(fields) {
			err = fmt.Errorf("%s:%s: missing number", tag, value)
			return 0
		}
		n, wrong := strconv.ParseFloat(strings.TrimSpace(fields[i]), 64) // some tools write counts as floats
		if wrong != nil || n != n {
			err = fmt.Errorf("%s:%s: %q: must be a number", tag, value, fields[i])
			return 0
		}
		return int(min(max(n, 0), maxCount)) // overflowed counters are negative
	}
	rest := func(i int) string { return strings.Join(fields[min(i, len(fields)):], ",") }
	switch tag {
	case "FN": // FN:start[,end],name
		fn := lcovFunction{start: number(0), name: rest(1)}
		if len(fields) > 2 && isNumber(fields[1]) {
			fn.end, fn.name = number(1), rest(2)
		}
		f.byName[fn.name] = append(f.byName[fn.name], len(f.functions))
		f.functions = append(f.functions, fn)
	case "FNDA": // FNDA:count,name; functions of the same name are counted in the order of their FN
		name := rest(1)
		if same := f.byName[name]; len(same) > 0 {
			f.functions[same[min(f.counted[name], len(same)-1)]].count += number(0)
			f.counted[name]++
		}
	case "FNL": // FNL:index,start[,end]
		fn := lcovFunction{start: number(1)}
		if len(fields) > 2 {
			fn.end = number(2)
		}
		f.byIndex[fields[0]] = len(f.functions)
		f.functions = append(f.functions, fn)
	case "FNA": // FNA:index,count,name
		if i, ok := f.byIndex[fields[0]]; ok {
			f.functions[i].count += number(1)
			if f.functions[i].name == "" { // further names are aliases, such as template instances
				f.functions[i].name = rest(2)
			}
		}
	case "DA": // DA:line,count
		f.lines = append(f.lines, lcovLine{number(0), number(1)})
	}
	return err
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 32)
	return err == nil
}

// addLCOV adds a section. A function without an end line ends at the last line
// of code before the next function.
func (r *Reports) addLCOV(run string, f *lcovFile) error {
	r.addRun(run)
	slices.SortStableFunc(f.functions, func(a, b lcovFunction) int { return a.start - b.start })
	slices.SortFunc(f.lines, func(a, b lcovLine) int { return a.line - b.line })
	ends := lastLines(len(f.functions), func(i int) int { return f.functions[i].start }, len(f.lines), func(i int) int { return f.lines[i].line })
	for i, fn := range f.functions {
		u := observation.Unit{Kind: observation.KindMethod, Name: cmp.Or(FunctionName(staticName(fn.name)), "?"), File: f.name, Start: fn.start, End: fn.end}
		if u.End < u.Start {
			u.End = ends[i]
		}
		if err := r.add(run, u, fn.count); err != nil {
			return err
		}
	}
	for _, l := range f.lines {
		if err := r.addLine(run, f.name, l.line, l.count); err != nil {
			return err
		}
	}
	return nil
}

// lastLines returns the end lines of functions whose start lines are known: the
// last line of code before the next function. Functions and lines of code must
// be sorted.
func lastLines(functions int, start func(int) int, lines int, line func(int) int) []int {
	ends := make([]int, functions)
	for i, at := 0, 0; i < functions; {
		next := i
		for next < functions && start(next) == start(i) { // several functions may start on a line
			next++
		}
		end := start(i)
		for ; at < lines && (next == functions || line(at) < start(next)); at++ {
			end = max(end, line(at))
		}
		for ; i < next; i++ {
			ends[i] = end
		}
	}
	return ends
}
