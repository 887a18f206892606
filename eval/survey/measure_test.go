package main

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

// measureGrammar measures one grammar in this process and returns its last row.
func measureGrammar(t *testing.T, grammar string) row {
	t.Helper()
	root := write(t, map[string]string{"T.g4": grammar, "good": "a a", "bad": "a ?"})
	in, err := json.Marshal(task{
		Root: root, Unit: unit{Name: "T", Files: []string{"T.g4"}, Start: "s"}, Examples: []string{"good", "bad"}, Out: t.TempDir(),
		Want: 20, Tokens: 200, Nodes: 400, K: 2, Seed: 1, Memory: math.MaxInt64 / 4, Limit: time.Minute, CoverLimit: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := measure(t.Context(), bytes.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	var r row
	for line := range strings.Lines(out.String()) {
		r = row{}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestMeasure(t *testing.T) {
	r := measureGrammar(t, `grammar T; s : x* EOF ; x : A | B ; A : 'a' ; B : [b-z]+ ; WS : ' ' -> skip ;`)
	if e := r.Example; e.Tried != 2 || e.Parsed != 1 || !strings.HasPrefix(e.First, "bad: ") {
		t.Errorf("examples: %+v", *e)
	}
	if x := r.Random; x.Distinct != 20 || x.Draws < 20 {
		t.Errorf("random: %+v", *x)
	}
	if c := r.Cover; !c.complete() || c.Covered == 0 {
		t.Errorf("cover: %+v", *c)
	}
	if r.Running != "" || len(r.Stopped) > 0 {
		t.Errorf("running %q, stopped %q", r.Running, r.Stopped)
	}
}

// A token or a rule that is always read as another is excluded. A rule for which this
// is not proved, because of unbounded nesting, is not found.
func TestMeasureCountsPathsWithoutInput(t *testing.T) {
	if c := measureGrammar(t, `grammar T; s : (A | B) EOF ; A : 'a' ; B : 'a' ;`).Cover; c.Excluded == 0 || c.Covered != c.Paths {
		t.Errorf("a token: %+v", *c)
	}
	if c := measureGrammar(t, `grammar T; s : (a | b) EOF ; a : 'a' ; b : 'a' ;`).Cover; c.Excluded == 0 || c.Covered != c.Paths {
		t.Errorf("a rule: %+v", *c)
	}
	if c := measureGrammar(t, `grammar T; s : (a | b) EOF ; a : ('(' 'x'? | ')' 'x'? | 'x')+ ; b : '(' b ')' | 'x' ;`).Cover; c.NotFound == 0 || c.Covered+c.Impossible+c.NotFound != c.Paths {
		t.Errorf("a nested rule: %+v", *c)
	}
}

// A grammar whose inputs have no token is complete.
func TestMeasureWithoutInput(t *testing.T) {
	r := measureGrammar(t, `grammar T; s : B s? EOF ; A : 'a' ; B : 'a' ;`)
	if !r.Random.None || !r.Cover.complete() || r.Cover.Excluded == 0 || r.note() == "" {
		t.Errorf("random %+v, cover %+v", *r.Random, *r.Cover)
	}
}

func TestMeasureReportsGrammarThatDoesNotLoad(t *testing.T) {
	if r := measureGrammar(t, `grammar T; s : missing ;`); !strings.Contains(r.Error, "missing") || r.Random != nil {
		t.Errorf("row: %+v", r)
	}
}

func TestJudge(t *testing.T) {
	r := row{Example: &examples{Tried: 2, Parsed: 1}, Random: &random{Distinct: 2}}
	r.judge([]byte("examples-00001-true\tok\nexamples-00002-false\tok\nrandom-00001-true\tok\nrandom-00002-true\t1:0: no\nend\n"))
	if v := r.ANTLR; r.Example.Differ != 1 || v.Checked != 2 || v.Accepted != 1 || v.First != "random-00002-true: 1:0: no" || v.Error != "" {
		t.Errorf("examples %+v, verdict %+v", *r.Example, *r.ANTLR)
	}
	for printed, want := range map[string]bool{
		"random-00001-true\tok\n": false, // the time did not suffice for the other
		"random-00001-true\tok\nrandom-00002-true\tok\ncover-00001-true\tok\n":           true,
		"random-00001-true\tok\nrandom-00002-true\tok\ncover-00001-true\t1:0: no\nend\n": false,
	} {
		if r.judge([]byte(printed)); r.accepted() != want {
			t.Errorf("accepted: %v for\n%s", !want, printed)
		}
	}
}

// A pass has every other input, the same again, or the rest.
func TestPasses(t *testing.T) {
	root := write(t, map[string]string{"U.g4": "grammar U; s : A* EOF ; A : [a-z] ;"})
	inputs := write(t, map[string]string{"1": "a", "2": "bc", "3": "def"})
	r, err := start(t.Context(), task{Root: root, Unit: unit{Name: "U", Files: []string{"U.g4"}, Start: "s"}, Out: inputs, Passes: true, Memory: 1 << 40, Limit: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Passes) != 3 || r.PassMemory == 0 || r.Stopped != nil {
		t.Errorf("got %+v", *r)
	}
	got := secondsOf([]byte("pass\t1.5\npass\t0.25\n!\tout of memory\n"))
	if want := "1.50 | 0.25 | did not end"; cells(got) != want {
		t.Errorf("got %q, want %q", cells(got), want)
	}
}
