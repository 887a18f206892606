package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inroad/inroad/targeting"
)

// TestExitCodes pins the exit code of every way in which a command ends.
func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	late := write("late.g4", "grammar late; s : KEY EOF ; NAME : [a-z]+ ; KEY : 'key' ;")
	twice := write("twice.g4", "grammar twice; s : (first | second) EOF ; first : '(' first ')' | '(' ')' ; second : half ')' ; half : '(' | '(' half ')' ;")
	seen := write("seen.ndjson", observed())
	trained := filepath.Join(dir, "letters.model")
	letters := write("letters.g4", "grammar letters; s : letter* EOF ; letter : 'a' | 'b' | 'c' ;")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name string
		ctx  context.Context
		args []string
		want int
	}{
		{"solved", t.Context(), []string{"solve", "--grammar", "json"}, 0},
		{"a model", t.Context(), []string{"train", "--grammar", letters, "--observations", seen, "--out", trained}, 0},
		{"a method that is reached", t.Context(), []string{"target", "--model", trained, "a"}, 0},
		{"a mistake", t.Context(), []string{"solve", "--grammar", "json", "--require", "aray"}, 1},
		{"an input outside the grammar", t.Context(), []string{"parse", "--grammar", "json", late}, 1},
		{"an input over a limit", t.Context(), []string{"parse", "--grammar", "json", "--max-input", "3", late}, 1},
		{"infeasible", t.Context(), []string{"solve", "--grammar", "json", "--require", "object > member", "--forbid", "STRING"}, 3},
		{"a method that is infeasible", t.Context(), []string{"target", "--model", trained, "both", "--avoid", "a"}, 3},
		{"a method both to reach and to avoid", t.Context(), []string{"target", "--model", trained, "a", "--avoid", "a"}, 3},
		{"a token that is never read", t.Context(), []string{"solve", "--grammar", late, "--require", "KEY"}, 3},
		{"unrealised", t.Context(), []string{"solve", "--grammar", twice, "--require", "second"}, 4},
		{"a limit of the solver", t.Context(), []string{"solve", "--grammar", "json", "--at-least", "array:1000", "--at-least", "object:1000", "--at-least", "NUMBER:1000"}, 5},
		{"a method that was never observed", t.Context(), []string{"target", "--model", trained, "never"}, 5},
		{"a method that was never avoided", t.Context(), []string{"target", "--model", trained, "a", "--avoid", "read"}, 5},
		{"several methods, one of them never observed", t.Context(), []string{"target", "--model", trained, "both", "never", "--avoid", "a"}, 5},
		{"interrupted", cancelled, []string{"solve", "--grammar", "json", "--require", "array"}, 130},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if got := run(test.ctx, test.args, strings.NewReader(""), &stdout, &stderr); got != test.want {
				t.Errorf("inroad %s: exit code %d, want %d\nstdout: %s\nstderr: %s", strings.Join(test.args, " "), got, test.want, &stdout, &stderr)
			}
		})
	}
}

// observed returns observations of a program with a method for each of two
// letters, and one that is reached if an input has both. It fails if the third letter
// is repeated.
func observed() string {
	var b strings.Builder
	b.WriteString(`{"inroad":"observations/1","subject":"letters","units":[` +
		`{"id":"a","file":"letters.go","start":1,"end":3},{"id":"b","file":"letters.go","start":5,"end":7},{"id":"both"},{"id":"never"},{"id":"one.go#twin"},{"id":"read"},{"id":"two.go#twin"}]}` + "\n")
	for _, input := range []string{"", "a", "b", "c", "aa", "bb", "cc", "ab", "ba", "ac", "ca", "bc", "cb", "abc", "cab", "bca", "cba", "ccc", "aab", "bba", "cca", "ccb", "aabb", "bbc", "aac", "acc", "bcc"} {
		methods := `"read"`
		hasA, hasB := strings.Contains(input, "a"), strings.Contains(input, "b")
		if hasA {
			methods += `,"a"`
		}
		if hasB {
			methods += `,"b"`
		}
		if hasA && hasB {
			methods += `,"both"`
		}
		failure := ""
		if strings.Contains(input, "cc") {
			failure = `,"outcome":"failure","failure":{"type":"TooMany"}`
		}
		fmt.Fprintf(&b, `{"input":%q,"methods":[%s]%s}`+"\n", input, methods, failure)
	}
	return b.String()
}

// Several methods that are missed end a command with the least certain verdict.
func TestExitOfVerdicts(t *testing.T) {
	const infeasible, unrealised, limit, never = targeting.Infeasible, targeting.Unrealised, targeting.Limit, targeting.NeverObserved
	for _, test := range []struct {
		verdicts []targeting.Verdict
		want     int
	}{
		{nil, 0},
		{[]targeting.Verdict{infeasible}, 3},
		{[]targeting.Verdict{unrealised}, 4},
		{[]targeting.Verdict{limit}, 5},
		{[]targeting.Verdict{never}, 5},
		{[]targeting.Verdict{targeting.Unlikely}, 5},
		{[]targeting.Verdict{"of a newer service"}, 5},
		{[]targeting.Verdict{infeasible, infeasible}, 3},
		{[]targeting.Verdict{infeasible, unrealised}, 4},
		{[]targeting.Verdict{unrealised, limit, infeasible}, 5},
		{[]targeting.Verdict{infeasible, never}, 5},
	} {
		got := exitOf(targeting.LeastCertain(test.verdicts...))
		if got != test.want {
			t.Errorf("%v: exit code %d, want %d", test.verdicts, got, test.want)
		}
	}
}

// Every option of a limit on parsing names a flag of the command that parses.
func TestLimitFlags(t *testing.T) {
	for flag, value := range map[string]string{
		"max-input": "3", "max-depth": "2", "max-steps": "2", "max-tokens": "2", "max-nodes": "2", "timeout": "1ns",
	} {
		var stdout, stderr bytes.Buffer
		stdin := strings.NewReader("[" + strings.Repeat("0, ", 10_000) + "0]")
		code := run(t.Context(), []string{"parse", "--grammar", "json", "--" + flag, value}, stdin, &stdout, &stderr)
		if want := "; raise it with --" + flag + "\n"; code != exitWrong || !strings.HasSuffix(stderr.String(), want) {
			t.Errorf("--%s %s: exit code %d, stderr %q, want 1 and %q", flag, value, code, &stderr, want)
		}
	}
	// Commands without the flag do not name it.
	dir := t.TempDir()
	deep := filepath.Join(dir, "deep.json")
	if err := os.WriteFile(deep, []byte(strings.Repeat("[", 100_001)), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"paths", "coverage", "--grammar", "json", deep}, strings.NewReader(""), &stdout, &stderr)
	if want := "inroad: " + deep + ": nesting of rules: limit of 100000 reached\n"; code != exitWrong || stderr.String() != want {
		t.Errorf("exit code %d, stderr %q, want 1 and %q", code, &stderr, want)
	}
}
