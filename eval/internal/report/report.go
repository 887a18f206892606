// Package report writes tables of measurements as Markdown, CSV and SVG, together with
// the conditions they were measured under.
package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// A Table has a caption, the names of its columns, and rows of cells.
type Table struct {
	Caption string
	Columns []string
	Rows    [][]string
}

// Add adds a row. Numbers are printed as [Number] prints them.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		if number, ok := c.(float64); ok {
			row[i] = Number(number)
		} else {
			row[i] = fmt.Sprint(c)
		}
	}
	t.Rows = append(t.Rows, row)
}

// Number returns a number with three decimals, or without any if it is an integer beyond
// 1. Unknown numbers, which are NaN, give an empty text.
func Number(x float64) string {
	switch {
	case math.IsNaN(x):
		return ""
	case x == math.Trunc(x) && math.Abs(x) > 1:
		return strconv.FormatFloat(x, 'f', 0, 64)
	default:
		return strconv.FormatFloat(x, 'f', 3, 64)
	}
}

// Count formats a count, or a mean of counts: without decimals if it is an integer.
func Count(x float64) string {
	if x == math.Trunc(x) {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return Number(x)
}

// A Document is a page of tables and figures.
type Document struct {
	Name    string // of the files, without extension
	Title   string
	Intro   []string // paragraphs before the tables
	Tables  []Table
	Figures []Scatter
	Notes   []string // list after the tables: differences, and what was left out
	Run     Conditions
}

// Conditions tell how to repeat a measurement.
type Conditions struct {
	Command  string
	Seeds    string
	Versions []string // of the programs and tools
}

// Write writes the document as NAME.md, each table as NAME.csv, NAME-2.csv and so on, and
// each figure as NAME.svg, NAME-2.svg and so on.
func (d *Document) Write(folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	page := &bytes.Buffer{}
	d.markdown(page)
	if err := d.file(folder, ".md", 0, page.Bytes()); err != nil {
		return err
	}
	for i, t := range d.Tables {
		text, err := t.csv()
		if err != nil {
			return err
		}
		if err := d.file(folder, ".csv", i, text); err != nil {
			return err
		}
	}
	for i, f := range d.Figures {
		if err := d.file(folder, ".svg", i, f.svg()); err != nil {
			return err
		}
	}
	return nil
}

func (d *Document) file(folder, extension string, i int, text []byte) error {
	return os.WriteFile(filepath.Join(folder, d.fileName(extension, i)), text, 0o666) //nolint:gosec // a page for others to read
}

func (d *Document) fileName(extension string, i int) string {
	if i == 0 {
		return d.Name + extension
	}
	return fmt.Sprintf("%s-%d%s", d.Name, i+1, extension)
}

func (d *Document) markdown(w io.Writer) {
	fmt.Fprintf(w, "# %s\n", d.Title)
	for _, p := range d.Intro {
		fmt.Fprintf(w, "\n%s\n", p)
	}
	for i, t := range d.Tables {
		fmt.Fprintf(w, "\n%s ([CSV](%s))\n\n", t.Caption, d.fileName(".csv", i))
		writeRow(w, t.Columns)
		rule := make([]string, len(t.Columns))
		for i := range rule {
			rule[i] = "---"
		}
		writeRow(w, rule)
		for _, row := range t.Rows {
			writeRow(w, row)
		}
	}
	for i, f := range d.Figures {
		fmt.Fprintf(w, "\n![%s](%s)\n", f.Title, d.fileName(".svg", i))
	}
	if len(d.Notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, note := range d.Notes {
		fmt.Fprintf(w, "- %s\n", strings.ReplaceAll(note, "\n", " "))
	}
	processors := "1 processor"
	if n := runtime.NumCPU(); n > 1 {
		processors = fmt.Sprintf("%d processors", n)
	}
	fmt.Fprintf(w, "\nCommand: `%s`, seeds %s, on %s, %s, %s.\n", d.Run.Command, d.Run.Seeds, runtime.GOOS+"/"+runtime.GOARCH, processors, runtime.Version())
	if len(d.Run.Versions) > 0 {
		fmt.Fprintf(w, "Versions: %s.\n", strings.Join(d.Run.Versions, ", "))
	}
}

func writeRow(w io.Writer, cells []string) {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = strings.NewReplacer("|", "\\|", "\n", " ", "<", "&lt;").Replace(c)
	}
	fmt.Fprintf(w, "| %s |\n", strings.Join(escaped, " | "))
}

func (t *Table) csv() ([]byte, error) {
	out := &bytes.Buffer{}
	w := csv.NewWriter(out)
	if err := w.Write(t.Columns); err != nil {
		return nil, err
	}
	err := w.WriteAll(t.Rows)
	return out.Bytes(), err
}
