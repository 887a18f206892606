package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSteps takes consecutive commits that change code, newest first, with the
// commits that models of an age have.
func TestSteps(t *testing.T) {
	history := timeline{strings.Fields("h g f e d c b a"), map[string]bool{"g": true, "e": true, "d": true, "b": true, "a": true}}
	for _, test := range []struct {
		n    int
		want string // commit, parent, and the states of ages 0, 1 and 3
	}{
		{1, "g f e e b"},
		{3, "g f e e b; e d d b a; d c b b -"},
		{9, "g f e e b; e d d b a; d c b b -; b a a - -"},
	} {
		var got []string
		for _, s := range history.steps(test.n) {
			line := []string{s.Commit, s.Parent}
			for _, age := range []int{0, 1, 3} {
				commit := history.state(s.at + age)
				if commit == "" {
					commit = "-"
				}
				line = append(line, commit)
			}
			got = append(got, strings.Join(line, " "))
		}
		if all := strings.Join(got, "; "); all != test.want {
			t.Errorf("%d: %s, want %s", test.n, all, test.want)
		}
	}
}

// TestJudge counts inputs of each kind that were selected.
func TestJudge(t *testing.T) {
	e := effect{
		affected: []bool{true, true, true, false, false},
		differs:  []bool{true, true, false, false, false},
		file:     []bool{true, false, true, true, false},
	}
	var r result
	r.judge(e, []bool{true, false, true, true, false})
	if r.Inputs != 5 || r.Selected != 3 || r.Affected != (counts{3, 2}) || r.Differ != (counts{2, 1}) ||
		r.File != (fileOnly{3, 2, 1}) || !slices.Equal(r.Missed, []int{1}) {
		t.Errorf("%+v", r)
	}
}

// TestByChance compares with draws.
func TestByChance(t *testing.T) {
	const inputs, draws = 40, 20_000
	random := rand.New(rand.NewPCG(1, 1))
	for _, test := range []struct{ differ, selected int }{{1, 10}, {3, 5}, {10, 2}, {10, 35}, {1, 40}, {5, 0}} {
		hits := 0
		for range draws {
			hits += number(slices.ContainsFunc(random.Perm(inputs)[:test.selected], func(i int) bool { return i < test.differ }))
		}
		r := result{Inputs: inputs, Selected: test.selected, Differ: counts{All: test.differ}}
		if got, want := r.byChance(), float64(hits)/draws; math.Abs(got-want) > 0.02 {
			t.Errorf("%d that differ, %d selected: %v, want about %v", test.differ, test.selected, got, want)
		}
	}
}

// TestSummarize averages over the commits to which a figure applies.
func TestSummarize(t *testing.T) {
	s := summarize([]result{
		{Inputs: 10, Selected: 10, Everything: true, Causes: []string{"new method"}, Affected: counts{4, 4}, Differ: counts{2, 2}, File: fileOnly{10, 4, 2}},
		{Inputs: 10, Selected: 2, Affected: counts{4, 2}, Differ: counts{2, 0}, File: fileOnly{5, 2, 0}},
		{Inputs: 10, Selected: 0},
		{Failed: "does not build"},
	})
	if s.commits != 3 || s.everything != 1 || s.causes["new method"] != 1 || s.changing != 2 || s.caught != 1 || s.fileCaught != 1 {
		t.Errorf("%+v", s)
	}
	for _, test := range []struct {
		name      string
		got, want float64
	}{
		{"selected", s.selected, 0.4},
		{"oracle", s.oracle, 0.8 / 3},
		{"file", s.file, 0.5},
		{"by chance", s.byChance, 1 + 1 - (8.0/10)*(7.0/9)},
	} {
		if math.Abs(test.got-test.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", test.name, test.got, test.want)
		}
	}
	for _, test := range []struct{ name, got, want string }{
		{"recall of affected", s.affected.String(), ".750"},
		{"recall of behaviour", s.differ.String(), ".500"},
		{"at random", s.atRandom.String(), ".600"},
		{"no commit", mean{}.String(), "-"},
		{"all", mean{2, 2}.String(), "1.000"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s, want %s", test.name, test.got, test.want)
		}
	}
}

// TestReadResults removes the incomplete line of an interrupted run.
func TestReadResults(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results.ndjson")
	if got, err := readResults(name); got != nil || err != nil {
		t.Fatalf("no file: %v, %v", got, err)
	}
	complete := `{"commit":"a","age":1,"variant":"unseen"}` + "\n"
	if err := os.WriteFile(name, []byte(complete+`{"commit":"b"`), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readResults(name)
	if err != nil || len(got) != 1 || !got[0].same(result{Commit: "a", Age: 1, Variant: unseen}) || got[0].same(result{Commit: "a", Variant: unseen}) {
		t.Errorf("%+v, %v", got, err)
	}
	if text, err := os.ReadFile(name); err != nil || string(text) != complete {
		t.Errorf("left %q, %v", text, err)
	}
}

// TestReadSelection reads which inputs were selected, and each cause once.
func TestReadSelection(t *testing.T) {
	var r result
	got, err := r.readSelection([]byte(`{"everything":true,"changed":["f"],"fallbacks":[{"cause":"new method","detail":"f"},{"cause":"new method","detail":"g"}],
		"inputs":[{"path":"x/corpus/00002"},{"path":"x/corpus/00000"}]}`), 4)
	if err != nil || !slices.Equal(got, []bool{true, false, true, false}) || !r.Everything || !slices.Equal(r.Causes, []string{"new method"}) || r.Changed != 1 {
		t.Errorf("%v, %v, %+v", got, err, r)
	}
	if _, err := r.readSelection([]byte(`{"inputs":[{"path":"x/corpus/00004"}]}`), 4); err == nil {
		t.Error("an input outside the corpus is accepted")
	}
}

// TestLibraries checks descriptions.
func TestLibraries(t *testing.T) {
	good := library{Name: "a", Language: "go", Grammar: "json", Role: "dev", Driver: "a.go", Sources: []string{"*.go"}}
	for _, test := range []struct {
		name   string
		change func(*library)
		names  []string
		want   string
	}{
		{"complete", func(*library) {}, nil, ""},
		{"named", func(*library) {}, []string{"a"}, ""},
		{"unknown", func(*library) {}, []string{"b"}, "library b: not found in libraries.json"},
		{"no sources", func(l *library) { l.Sources = nil }, nil, "library 1: name, grammar, driver and sources are required"},
		{"language", func(l *library) { l.Language = "cobol" }, nil, `library 1: a: language "cobol": must be go, java, python or javascript`},
		{"role", func(l *library) { l.Role = "test" }, nil, `library 1: a: role "test": must be dev or held-out`},
	} {
		l := good
		test.change(&l)
		got, err := chooseLibraries([]library{l}, test.names)
		if err == nil && test.want == "" && len(got) == 1 && got[0].At == "HEAD" {
			continue
		}
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

// TestReport keeps roles apart, and lists what to look at.
func TestReport(t *testing.T) {
	libraries := []library{{Name: "a", Language: "go", Grammar: "json", Role: "dev"}, {Name: "b", Language: "java", Grammar: "csv", Role: "held-out"}}
	results := []result{
		{Library: "a", Commit: "0123456789", Variant: recorded, Inputs: 10, Selected: 10, Everything: true, Causes: []string{"new method"}, Details: []string{"f|g"}},
		{Library: "b", Commit: "abcdefabcd", Variant: recorded, Inputs: 10, Selected: 5, Affected: counts{2, 1}, Differ: counts{2, 1}, Missed: []int{3}},
		{Library: "b", Commit: "abcdefabcd", Variant: unseen, Age: 10, Failed: "does not compile\nat all"},
	}
	var out strings.Builder
	writeReport(&out, libraries, results, true)
	for _, want := range []string{
		"## Held-out libraries\n\n", "| all | recorded | 0 | 1 | 0 % | 50 % | 20 % | 0 % | .500 | .500 | .500 | .000 | 1 of 1 | 0.8 | 0 |",
		"## Development libraries\n\n", "| a | recorded | 0 | 1 | 100 % | 100 % | 0 % | 0 % | - | - | - | - | 0 of 0 | 0.0 | 0 |",
		"| new method | 1 | 0 |", `| a | 01234567 | recorded | 0 | 10 | 0 | 0 of 0 | f\|g |`, "| b | abcdefab | recorded | 0 | 5 | 2 | 1 of 2 |  |",
		"| b | abcdefab | unseen | 10 | | | | does not build: does not compile |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &out)
		}
	}
}
