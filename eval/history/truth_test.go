package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/model/observation"
)

// TestChangedFunctions finds the functions that a commit changes. Functions start
// in lines with "func NAME {" and end with "}".
func TestChangedFunctions(t *testing.T) {
	for _, test := range []struct {
		name          string
		before, after map[string]string
		removed       string
		added         string
	}{
		{"nothing", map[string]string{"a.go": "func f {\n1\n}"}, map[string]string{"a.go": "func f {\n1\n}"}, "", ""},
		{"moved down", map[string]string{"a.go": "func f {\n1\n}"}, map[string]string{"a.go": "var x\nfunc f {\n1\n}"}, "", ""},
		{"comment and spacing", map[string]string{"a.go": "func f {\n1 + 2 // sum\n}"}, map[string]string{"a.go": "func f {\n\t1+2 /* all */\n\n}"}, "", ""},
		{"text of a string", map[string]string{"a.go": "func f {\n\"//a\"\n}"}, map[string]string{"a.go": "func f {\n\"//b\"\n}"}, "a.go#f", "a.go#f"},
		{"body", map[string]string{"a.go": "func f {\n1\n}\nfunc g {\n1\n}"}, map[string]string{"a.go": "func f {\n1\n}\nfunc g {\n2\n}"}, "a.go#g", "a.go#g"},
		{"another file", map[string]string{"a.go": "func f {\n1\n}"}, map[string]string{"b.go": "func f {\n1\n}"}, "", ""},
		{"another name", map[string]string{"a.go": "func f {\n1\n}"}, map[string]string{"a.go": "func g {\n1\n}"}, "a.go#f", "a.go#g"},
		{"new", map[string]string{"a.go": "func f {\n1\n}"}, map[string]string{"a.go": "func f {\n1\n}\nfunc g {\n2\n}"}, "", "a.go#g"},
		{"deleted", map[string]string{"a.go": "func f {\n1\n}"}, map[string]string{"a.go": ""}, "a.go#f", ""},
		{"inner function", map[string]string{"a.go": "func f {\nfunc g {\n1\n}\n}"}, map[string]string{"a.go": "func f {\nfunc g {\n2\n}\n}"}, "a.go#g", "a.go#g"},
		{"one of two with a name", map[string]string{"a.go": "func f {\n1\n}\nfunc f {\n2\n}"}, map[string]string{"a.go": "func f {\n0\n}\nfunc f {\n1\n}\nfunc f {\n3\n}"}, "a.go#f@4", "a.go#f a.go#f@7"},
		{"indentation in Python", map[string]string{"a.py": "func f {\n  1\n}"}, map[string]string{"a.py": "func f {\n    1\n}"}, "a.py#f", "a.py#f"},
		{"comment in Python", map[string]string{"a.py": "func f {\n1 # one\n}"}, map[string]string{"a.py": "func f {\n1\n}"}, "", ""},
		{"docstring in Python", map[string]string{"a.py": "func f {\n:\n \"\"\"a\nb\"\"\"\n}"}, map[string]string{"a.py": "func f {\n:\n}"}, "", ""},
		{"string in Python", map[string]string{"a.py": "func f {\nx = {1: 'a'}\n}"}, map[string]string{"a.py": "func f {\nx = {1: 'b'}\n}"}, "a.py#f", "a.py#f"},
	} {
		removed, added := changedFunctions(parsed(test.before), parsed(test.after))
		if got := ids(removed); got != test.removed {
			t.Errorf("%s: removed %q, want %q", test.name, got, test.removed)
		}
		if got := ids(added); got != test.added {
			t.Errorf("%s: added %q, want %q", test.name, got, test.added)
		}
	}
}

func ids(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), " ") }

// parsed returns the functions of files.
func parsed(files map[string]string) []function {
	var units []observation.Unit
	for file, text := range files {
		var open []int
		for n, line := range strings.Split(text, "\n") {
			if name, ok := strings.CutPrefix(line, "func "); ok {
				u := observation.Unit{Name: strings.TrimSuffix(name, " {"), File: file, Start: n + 1}
				u.ID = file + "#" + u.Name
				if slices.ContainsFunc(units, func(other observation.Unit) bool { return other.ID == u.ID }) {
					u.ID += "@" + string(rune('0'+n+1))
				}
				open = append(open, len(units))
				units = append(units, u)
			}
			if strings.TrimSpace(line) == "}" {
				units[open[len(open)-1]].End = n + 1
				open = open[:len(open)-1]
			}
		}
	}
	return functionsOf(units, func(file string) (string, bool) { text, ok := files[file]; return text, ok })
}

// TestEffectOf distinguishes inputs that reach changed code from those that behave
// differently, and leaves out inputs whose behaviour is unknown.
func TestEffectOf(t *testing.T) {
	units := []observation.Unit{{ID: "a.go#f", File: "a.go"}, {ID: "a.go#g", File: "a.go"}, {ID: "b.go#h", File: "b.go"}}
	reached := []map[string]bool{{"a.go#f": true}, {"a.go#g": true}, {"b.go#h": true}, {"a.go#f": true}, {"b.go#h": true}}
	before := &state{
		units: units, reached: reached, behaviour: []string{"1", "2", "3", "", "5"},
		functions: []function{{id: "a.go#f", file: "a.go", name: "f"}, {id: "a.go#g", file: "a.go", name: "g"}},
	}
	after := &state{
		units: units, reached: reached, behaviour: []string{"1", "2", "three", "4", "5"},
		functions: []function{{id: "a.go#f", file: "a.go", name: "f", digest: [32]byte{1}}, {id: "a.go#g", file: "a.go", name: "g"}},
	}
	e := effectOf(before, after, []string{"a.go"})
	for _, test := range []struct {
		name      string
		got, want []bool
	}{
		{"affected", e.affected, []bool{true, false, true, true, false}},
		{"differs", e.differs, []bool{false, false, true, false, false}},
		{"file", e.file, []bool{true, true, false, true, false}},
	} {
		if !slices.Equal(test.got, test.want) {
			t.Errorf("%s: %v, want %v", test.name, test.got, test.want)
		}
	}
}

// TestBehaviourOf uses the recorded output, or the outcome of a run that ended
// before, and nothing if the runs of an input differ.
func TestBehaviourOf(t *testing.T) {
	observed := []observation.Observation{
		{Name: "00000", Outcome: observation.OK},
		{Name: "00001", Outcome: observation.Crashed, Failure: &observation.Failure{Type: "SIGSEGV"}},
		{Name: "00002", Outcome: observation.TimedOut},
		{Name: "00003", Outcome: observation.OK},
		{Name: "00004", Outcome: observation.Failed},
	}
	record := "in0 out0\nin0 out0\nin2 out2\nin3 out3\nin3 other\nin4 out4\n"
	got := behaviourOf(observed, []string{"in0", "in1", "in2", "in3", "in4"}, outputs([]byte(record)))
	if want := []string{"out0", "crash SIGSEGV", "", "", "out4"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
