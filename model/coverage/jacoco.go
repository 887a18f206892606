package coverage

import (
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// jacocoMethod is a method element.
type jacocoMethod struct {
	class   string // such as com/example/Outer$Inner
	file    string // base name of the source file
	name    string
	desc    string
	line    int
	reached bool
}

// jacocoReader decodes the elements of a report.
type jacocoReader struct {
	reports *Reports
	run     string
	pkg     string
	class   string
	file    string
	source  string // name of the open sourcefile element
	method  *jacocoMethod
	methods []jacocoMethod   // of the package
	lines   map[string][]int // of the package, by source file
}

// readJaCoCo reads an XML report. A method counts as reached if the report
// covers any of its instructions. JaCoCo misses methods that throw before their
// first probe.
func (r *Reports) readJaCoCo(text io.Reader, run string) error {
	r.addRun(run)
	j := &jacocoReader{reports: r, run: run, lines: map[string][]int{}}
	return readXML(text, "report", j)
}

func (j *jacocoReader) text([]byte) {}

func (j *jacocoReader) open(e xml.StartElement) error {
	switch e.Name.Local {
	case "package":
		j.pkg = attribute(e, "name")
	case "class":
		j.class, j.file = attribute(e, "name"), attribute(e, "sourcefilename")
	case "method":
		line, err := numberAttribute(e, "line")
		if err != nil {
			return err
		}
		j.method = &jacocoMethod{class: j.class, file: j.file, name: attribute(e, "name"), desc: attribute(e, "desc"), line: line}
	case "counter":
		if kind := attribute(e, "type"); j.method != nil && (kind == "METHOD" || kind == "INSTRUCTION") {
			covered, err := numberAttribute(e, "covered")
			if err != nil {
				return err
			}
			j.method.reached = j.method.reached || covered > 0
		}
	case "sourcefile":
		j.source = attribute(e, "name")
	case "line":
		return j.line(e)
	}
	return nil
}

// line adds a line of a source file.
func (j *jacocoReader) line(e xml.StartElement) error {
	nr, err := numberAttribute(e, "nr")
	if err != nil || nr == 0 || j.source == "" {
		return err
	}
	file := path.Join(j.pkg, j.source)
	j.lines[file] = append(j.lines[file], nr)
	covered, err := numberAttribute(e, "ci")
	if err != nil {
		return err
	}
	return j.reports.addLine(j.run, file, nr, min(covered, 1))
}

func (j *jacocoReader) close(name string) error {
	switch name {
	case "method":
		if j.method != nil {
			j.methods = append(j.methods, *j.method)
			j.method = nil
		}
	case "sourcefile":
		j.source = ""
	case "package":
		return j.closePackage()
	}
	return nil
}

// closePackage adds the methods of the package. The lines, which determine
// where methods end, follow the methods.
func (j *jacocoReader) closePackage() error {
	byFile := map[string][]jacocoMethod{}
	var files []string
	for _, m := range j.methods {
		file := path.Join(j.pkg, m.file)
		if byFile[file] == nil {
			files = append(files, file)
		}
		byFile[file] = append(byFile[file], m)
	}
	for _, file := range files {
		methods, lines := byFile[file], j.lines[file]
		slices.SortStableFunc(methods, func(a, b jacocoMethod) int { return a.line - b.line })
		slices.Sort(lines)
		ends := lastLines(len(methods), func(i int) int { return methods[i].line }, len(lines), func(i int) int { return lines[i] })
		for i, m := range methods {
			u := JavaMethod(m.class, file, m.name, m.desc)
			u.Start = m.line
			if u.End = ends[i]; m.line == 0 {
				u.End = 0
			}
			hits := 0
			if m.reached {
				hits = 1
			}
			if err := j.reports.add(j.run, u, hits); err != nil {
				return err
			}
		}
	}
	j.methods, j.lines = nil, map[string][]int{}
	return nil
}

// JavaMethod returns the unit of a method of a class such as
// com/example/Outer$Inner, without lines.
func JavaMethod(class, file, name, desc string) observation.Unit {
	u := observation.Unit{Kind: observation.KindMethod, Name: javaClass(class) + "." + name + javaParameters(desc), File: file}
	switch {
	case name == "<init>":
		u.Kind = observation.KindConstructor
	case name == "<clinit>":
		u.Kind = observation.KindInitializer
	case strings.HasPrefix(name, "lambda$"), strings.HasPrefix(name, "access$"):
		u.Kind = observation.KindSynthetic
	}
	return u
}

// javaClass returns the name of a class without its package, such as
// Outer.Inner.
func javaClass(class string) string {
	base := path.Base(class)
	return base[:1] + strings.ReplaceAll(base[1:], "$", ".") // a leading $ is part of the name
}

// javaParameters returns the parameters of a method descriptor as in Java
// source: (int,String,long[]) for (ILjava/lang/String;[J)V. It returns "" for
// an invalid descriptor.
func javaParameters(desc string) string {
	desc, _, ok := strings.Cut(strings.TrimPrefix(desc, "("), ")")
	if !ok {
		return ""
	}
	var types []string
	for arrays := 0; desc != ""; {
		kind := desc[0]
		desc = desc[1:]
		var name string
		switch kind {
		case '[':
			arrays++
			continue
		case 'L':
			var class string
			if class, desc, ok = strings.Cut(desc, ";"); !ok {
				return ""
			}
			name = javaClass(class)
		default:
			if name = javaPrimitive(kind); name == "" {
				return ""
			}
		}
		types = append(types, name+strings.Repeat("[]", min(arrays, 255)))
		arrays = 0
	}
	return "(" + strings.Join(types, ",") + ")"
}

func javaPrimitive(kind byte) string {
	switch kind {
	case 'B':
		return "byte"
	case 'C':
		return "char"
	case 'D':
		return "double"
	case 'F':
		return "float"
	case 'I':
		return "int"
	case 'J':
		return "long"
	case 'S':
		return "short"
	case 'Z':
		return "boolean"
	default:
		return ""
	}
}
