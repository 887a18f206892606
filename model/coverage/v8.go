package coverage

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/inroad/inroad/model/observation"
)

// v8Script is an element of "result".
type v8Script struct {
	URL       string       `json:"url"`
	Functions []v8Function `json:"functions"`
}

// v8Function is a function. Its first range is the function; further ranges are blocks
// with other counts.
type v8Function struct {
	Name   string    `json:"functionName"`
	Ranges []v8Range `json:"ranges"`
}

// v8Range is a part of the source, in UTF-16 code units.
type v8Range struct {
	Start jsonCount `json:"startOffset"`
	End   jsonCount `json:"endOffset"`
	Count jsonCount `json:"count"`
}

// readV8 reads a file that Node writes to the folder NODE_V8_COVERAGE. It leaves out
// scripts outside the root and in node_modules.
func (r *Reports) readV8(text io.Reader, run string) error {
	r.addRun(run)
	return readJSON(text, func(j jsonReader) error {
		return j.find("result", func() error {
			return j.array(func() error {
				var script v8Script
				if err := j.Decode(&script); err != nil {
					return err
				}
				return r.addV8(run, script)
			})
		})
	})
}

func (r *Reports) addV8(run string, script v8Script) error {
	at, err := url.Parse(script.URL)
	if err != nil || at.Scheme != "file" {
		return nil // Node's own scripts
	}
	file := r.file(at.Path)
	if !filepath.IsLocal(file) || slices.Contains(strings.Split(file, "/"), "node_modules") {
		return nil
	}
	source, err := r.v8Source(file)
	if err != nil {
		return fmt.Errorf("the report has offsets only, and needs the sources: %w", err)
	}
	var ranges []v8Range
	for i, f := range script.Functions {
		if len(f.Ranges) == 0 {
			return fmt.Errorf("function %q of %s: must have ranges", f.Name, script.URL)
		}
		ranges = append(ranges, f.Ranges...)
		body := f.Ranges[0]
		if i == 0 && f.Name == "" && body.Start == 0 {
			continue // the code of the module
		}
		line, column := source.position(int(body.Start))
		last, _ := source.position(int(body.End))
		u := observation.Unit{
			Kind: observation.KindMethod, Name: cmp.Or(f.Name, fmt.Sprintf("(anonymous):%d.%d", line, column)), File: file, Start: line, End: last,
		}
		if err := r.add(run, u, int(body.Count)); err != nil {
			return err
		}
	}
	if !r.Blocks {
		return nil
	}
	return r.addV8Lines(run, file, source, ranges)
}

// addV8Lines adds the lines of a script. The count of a line is that of the smallest
// range around it.
func (r *Reports) addV8Lines(run, file string, source *v8Source, ranges []v8Range) error {
	slices.SortStableFunc(ranges, func(a, b v8Range) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	var open []v8Range
	next := 0
	for i, l := range source.lines {
		if l.first == l.last { // an empty line
			continue
		}
		for ; next < len(ranges) && int(ranges[next].Start) <= l.first; next++ {
			open = append(open, ranges[next])
		}
		for len(open) > 0 && int(open[len(open)-1].End) < l.last {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			continue
		}
		if err := r.addLine(run, file, i+1, int(open[len(open)-1].Count)); err != nil {
			return err
		}
	}
	return nil
}

// A v8Source finds lines by offset.
type v8Source struct{ lines []v8Line }

// A v8Line has the offsets of a line: of its start, and of its text without white
// space around it.
type v8Line struct{ start, first, last int }

// v8Source returns the lines of a script, which it reads once.
func (r *Reports) v8Source(file string) (*v8Source, error) {
	if source := r.sources[file]; source != nil {
		return source, nil
	}
	text, err := readLimited(filepath.Join(r.Root, filepath.FromSlash(file)))
	if err != nil {
		return nil, err
	}
	source := newV8Source(string(text))
	if r.sources == nil {
		r.sources = map[string]*v8Source{}
	}
	r.sources[file] = source
	return source, nil
}

func newV8Source(text string) *v8Source {
	s := &v8Source{}
	at := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\uFEFF")) {
		trimmed := strings.TrimLeft(line, " \t\r\n")
		first := at + utf16Len(line[:len(line)-len(trimmed)])
		last := first + utf16Len(strings.TrimRight(trimmed, " \t\r\n"))
		s.lines = append(s.lines, v8Line{at, first, last})
		at += utf16Len(line)
	}
	return s
}

func utf16Len(text string) int {
	n := 0
	for _, c := range text {
		n += max(1, utf16.RuneLen(c))
	}
	return n
}

// position returns the line and column of an offset, both from 1.
func (s *v8Source) position(offset int) (line, column int) {
	i, found := slices.BinarySearchFunc(s.lines, offset, func(l v8Line, offset int) int { return cmp.Compare(l.start, offset) })
	if !found {
		i--
	}
	if i < 0 {
		return 1, offset + 1
	}
	return i + 1, offset - s.lines[i].start + 1
}
