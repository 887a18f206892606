package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/targeting/selection"
)

// TestByChance compares with draws.
func TestByChance(t *testing.T) {
	const corpus, draws = 40, 20_000
	r := rand.New(rand.NewPCG(1, 1))
	for _, test := range []struct{ differ, n int }{{1, 10}, {3, 5}, {10, 2}, {10, 35}, {1, 40}, {5, 0}} {
		hit := 0
		for range draws {
			if slices.ContainsFunc(r.Perm(corpus)[:test.n], func(i int) bool { return i < test.differ }) {
				hit++
			}
		}
		got, want := result{differ: test.differ}.byChance(test.n, corpus), float64(hit)/draws
		if math.Abs(got-want) > 0.02 {
			t.Errorf("%d of %d that differ among %d drawn: %v, want about %v", test.differ, corpus, test.n, got, want)
		}
	}
}

// TestPersist goes on behind inputs that do not end.
func TestPersist(t *testing.T) {
	for _, test := range []struct {
		name  string
		stuck []int // inputs that do not end
		want  string
	}{
		{"all end", nil, "0 1 2 3 4 5 6 7"},
		{"some do not", []int{0, 3, 7}, "no end 1 2 no end 4 5 6 no end"},
		{"too many do not", []int{1, 2, 3, 4, 5}, "0 no end no end no end no end no end  "},
	} {
		got, err := persist(8, func(from int) ([]string, error) {
			var lines []string
			for i := from; i < 8 && !slices.Contains(test.stuck, i); i++ {
				lines = append(lines, fmt.Sprint(i))
			}
			return lines, nil
		})
		if text := strings.Join(got, " "); err != nil || text != test.want {
			t.Errorf("%s: %q, %v, want %q", test.name, text, err, test.want)
		}
	}
}

// TestReport prints what others need for the same.
func TestReport(t *testing.T) {
	results := []result{
		{selected: 50, affected: 40, found: 40, differ: 1, caught: 1},
		{selected: 30, affected: 20, found: 18, differ: 20, caught: 18},
		{selected: 10, affected: 10, found: 8},
	}
	var out strings.Builder
	report(&out, "p", results, 100)
	const want = `p: 3 changes, 2 of behaviour; all inputs were selected for 0
recall: median 0.900, 5th percentile 0.800, mean 0.900
                             inputs run  of them needed  recall  changes caught
all inputs                   100.0 %     23.3 %          1.000   100.0 %
selected                     30.0 %      70.0 %          0.900   100.0 %
random, as many              30.0 %      23.3 %          0.300   75.0 %
random, same recall          90.0 %      23.3 %          0.900   95.0 %
random, 99 % as many caught  98.0 %      23.3 %          0.980   99.0 %
random, as many caught       100.0 %     23.3 %          1.000   100.0 %
oracle                       23.3 %      100.0 %         1.000   100.0 %

`
	if out.String() != want {
		t.Errorf("reported\n%s\nwant\n%s", &out, want)
	}
}

const source = `package p

func f(a, b int) int {
	if a < b &&
		b != 0 {
		a++
	}
	return a + 0x10
}

func g() { f(1, 2) }
`

// TestMutants changes one function, and each change is told as one to its lines.
func TestMutants(t *testing.T) {
	b := &goBench{lib: t.TempDir()}
	if err := os.WriteFile(filepath.Join(b.lib, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	mutants, err := b.mutants(t.Context(), map[string]map[int]bool{"p.go": {3: true}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range mutants {
		files, err := selection.ParseDiff(m.diff)
		if err != nil || len(files) != 1 || len(files[0].Hunks) != 1 || files[0].Hunks[0].Start != m.line || m.function != 3 {
			t.Errorf("%s at %d: %v, %v", m.what, m.line, files, err)
		}
		if string(m.text) == source || strings.Count(string(m.text), "\n") != strings.Count(source, "\n") {
			t.Errorf("%s at %d: the file is\n%s", m.what, m.line, m.text)
		}
		got = append(got, m.what)
	}
	want := []string{"&& to || at 11", "< to <= at 7", "negated at 5", "!= to == at 5", "0 to 1 at 8", "left out at 3", "+ to - at 11", "0x10 to 17 at 13"}
	if !slices.Equal(got, want) {
		t.Errorf("mutants %q, want %q", got, want)
	}
	draw(mutants, rand.New(rand.NewPCG(1, 1)))
	if len(mutants) != len(want) {
		t.Errorf("%d mutants were drawn", len(mutants))
	}
}
