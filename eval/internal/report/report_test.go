package report_test

import (
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inroad/inroad/eval/internal/report"
)

func TestWrite(t *testing.T) {
	table := report.Table{Caption: "Quality", Columns: []string{"program", "accuracy", "methods", "published"}}
	table.Add("a|b", 0.98349, 148.0, math.NaN())
	table.Add("c", 1.0, 0.0, "none")
	d := report.Document{
		Name: "quality", Title: "Association", Tables: []report.Table{table, table}, Notes: []string{"left out: x"},
		Figures: []report.Scatter{{Title: "a < b", Series: []report.Series{{Name: "k = 1", Points: []report.Point{{X: 0.5, Y: 1}, {X: 12, Y: 0}}}}}},
		Run:     report.Conditions{Command: "go run ./seeds association", Seeds: "1 to 2", Versions: []string{"gson 2.8.6"}},
	}
	folder := filepath.Join(t.TempDir(), "new")
	if err := d.Write(folder); err != nil {
		t.Fatal(err)
	}
	page := read(t, folder, "quality.md")
	for _, want := range []string{
		"# Association\n", "| program | accuracy | methods | published |\n| --- | --- | --- | --- |\n| a\\|b | 0.983 | 148 |  |\n| c | 1.000 | 0.000 | none |\n",
		"Quality ([CSV](quality-2.csv))", "![a < b](quality.svg)", "- left out: x\n", "`go run ./seeds association`, seeds 1 to 2", "Versions: gson 2.8.6.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	cells, err := csv.NewReader(strings.NewReader(read(t, folder, "quality.csv"))).ReadAll()
	if err != nil || len(cells) != 3 || cells[1][0] != "a|b" {
		t.Errorf("got %v, %v", cells, err)
	}
	circles := 0
	for x := xml.NewDecoder(strings.NewReader(read(t, folder, "quality.svg"))); ; {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if element, ok := token.(xml.StartElement); ok && element.Name.Local == "circle" {
			circles++
		}
	}
	if circles != 2 {
		t.Errorf("the figure has %d points, want 2", circles)
	}
}

func read(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
