package coverage

import (
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// coberturaReader decodes the elements of a report.
type coberturaReader struct {
	reports  *Reports
	run      string
	dir      string // of the sources
	inSource bool
	class    string
	file     string
	method   *coberturaMethod
	methods  []coberturaMethod // of the class
	lines    []int             // of the class
}

type coberturaMethod struct {
	observation.Unit

	hits int
}

// readCobertura reads an XML report. A method counts as reached if one of its lines was
// executed.
func (r *Reports) readCobertura(text io.Reader, run string) error {
	r.addRun(run)
	return readXML(text, "coverage", &coberturaReader{reports: r, run: run})
}

func (c *coberturaReader) open(e xml.StartElement) error {
	switch e.Name.Local {
	case "source":
		c.inSource, c.dir = true, ""
	case "class":
		c.class, c.file = attribute(e, "name"), c.reports.fileIn(strings.TrimSpace(c.dir), attribute(e, "filename"))
	case "method":
		hits, err := numberAttribute(e, "hits")
		if err != nil {
			return err
		}
		if hits == 0 && strings.Trim(attribute(e, "line-rate"), "0.") != "" {
			hits = 1
		}
		c.method = &coberturaMethod{coberturaUnit(c.class, c.file, attribute(e, "name"), attribute(e, "signature")), hits}
	case "line":
		return c.line(e)
	}
	return nil
}

// line adds a line to its method, or to its class.
func (c *coberturaReader) line(e xml.StartElement) error {
	number, err := numberAttribute(e, "number")
	if err != nil {
		return err
	}
	hits, err := numberAttribute(e, "hits")
	if err != nil {
		return err
	}
	if c.method == nil {
		c.lines = append(c.lines, number)
		return c.reports.addLine(c.run, c.file, number, hits)
	}
	if c.method.Start == 0 || number < c.method.Start {
		c.method.Start = number
	}
	c.method.End = max(c.method.End, number)
	if c.method.hits == 0 {
		c.method.hits = hits
	}
	return nil
}

func (c *coberturaReader) text(data []byte) {
	if c.inSource && len(c.dir) < maxReportLine {
		c.dir += string(data)
	}
}

func (c *coberturaReader) close(name string) error {
	switch name {
	case "source":
		c.inSource = false
	case "method":
		if c.method != nil {
			c.methods = append(c.methods, *c.method)
			c.method = nil
		}
	case "class":
		return c.closeClass()
	}
	return nil
}

// closeClass adds the methods of a class. Some tools list only the first line of a
// method; it ends with the last line of code before the next one.
func (c *coberturaReader) closeClass() error {
	slices.SortStableFunc(c.methods, func(a, b coberturaMethod) int { return a.Start - b.Start })
	slices.Sort(c.lines)
	ends := lastLines(len(c.methods), func(i int) int { return c.methods[i].Start }, len(c.lines), func(i int) int { return c.lines[i] })
	for i, m := range c.methods {
		if m.Start == m.End && m.Start > 0 {
			m.End = ends[i]
		}
		if err := c.reports.add(c.run, m.Unit, m.hits); err != nil {
			return err
		}
	}
	c.methods, c.lines = nil, nil
	return nil
}

// coberturaUnit returns the unit of a method, without lines. Tools for languages
// without classes name the class after the file.
func coberturaUnit(class, file, name, signature string) observation.Unit {
	base := path.Base(file)
	simple := class[strings.LastIndexAny(class, "./")+1:]
	switch ext := path.Ext(base); {
	case ext == ".java" || ext == ".kt" || ext == ".scala" || ext == ".groovy":
		return JavaMethod(strings.ReplaceAll(class, ".", "/"), file, name, signature)
	case class == "" || class == base || path.Base(class) == base || class == strings.ReplaceAll(base, ".", "_") || simple == strings.TrimSuffix(base, ext):
		return observation.Unit{Kind: observation.KindMethod, Name: FunctionName(name), File: file}
	default:
		return observation.Unit{Kind: observation.KindMethod, Name: simple + "." + name, File: file}
	}
}
