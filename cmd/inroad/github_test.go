package main

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A githubRun is a run of a workflow.
type githubRun struct {
	*ciProject
	file    string // of the workflow; default is github.yml
	ref     string // to check out
	event   string
	payload string // JSON

	dir, temp    string            // of the job
	environ      map[string]string // of its steps
	outputs      map[string]string // of its steps, and other values, by their names in expressions
	summary, log string
}

// job runs a job of the workflow.
func (r *githubRun) job(name string) {
	r.t.Helper()
	var workflow struct {
		Jobs map[string]struct{ Steps []githubStep }
	}
	readDocuments(r.t, "../../examples/ci/"+cmp.Or(r.file, "github.yml"), &workflow)
	r.temp, r.outputs = r.t.TempDir(), map[string]string{"github.sha": "sha", "github.run_id": "1"}
	event := filepath.Join(r.temp, "event.json")
	if err := os.WriteFile(event, []byte(r.payload), 0o666); err != nil {
		r.t.Fatal(err)
	}
	r.environ = map[string]string{
		"GITHUB_EVENT_NAME": r.event, "GITHUB_EVENT_PATH": event, "RUNNER_TEMP": r.temp, "GITHUB_PATH": filepath.Join(r.temp, "path"),
		"GITHUB_STEP_SUMMARY": filepath.Join(r.temp, "summary"), "GITHUB_OUTPUT": filepath.Join(r.temp, "output"),
	}
	steps := workflow.Jobs[name].Steps
	if len(steps) == 0 {
		r.t.Fatalf("no job %s", name)
	}
	for _, s := range steps {
		r.step(s)
	}
	summary, err := os.ReadFile(r.environ["GITHUB_STEP_SUMMARY"])
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.t.Fatal(err)
	}
	r.summary = string(summary)
}

func (r *githubRun) step(s githubStep) {
	r.t.Helper()
	uses, _, _ := strings.Cut(s.Uses, "@")
	switch uses {
	case "":
		r.run(s)
	case "actions/checkout":
		r.dir = r.checkout(r.ref)
	case "actions/setup-go":
	case "actions/cache/restore":
		r.restore(r.dir, s.With["path"])
	case "actions/cache/save":
		r.save(r.dir, s.With["path"])
	case "actions/upload-artifact":
		if _, err := os.Stat(filepath.Join(r.dir, s.With["path"])); err != nil {
			r.t.Errorf("artifact %s: %v", s.With["name"], err)
		}
	case "inroad/inroad/.github/actions/select":
		var a action
		readDocuments(r.t, actionFile, &a)
		for name, in := range a.Inputs {
			r.outputs["inputs."+name] = in.Default
		}
		for name, value := range s.With {
			if _, ok := a.Inputs[name]; !ok {
				r.t.Errorf("the action has no input %s", name)
			}
			r.outputs["inputs."+name] = value
		}
		r.outputs["inputs.sample"], r.outputs["inputs.recall"] = "0", "1" // so that it is known which inputs run
		for _, inner := range a.Runs.Steps {
			r.run(inner)
		}
	default:
		r.t.Fatalf("uses %s", s.Uses)
	}
}

// run runs the script of a step and reads its outputs.
func (r *githubRun) run(s githubStep) {
	r.t.Helper()
	env := maps.Clone(r.environ)
	for name, value := range s.Env {
		env[name] = expression.ReplaceAllStringFunc(value, r.evaluate)
	}
	r.log += r.bash(r.dir, s.Run, env)
	text, err := os.ReadFile(env["GITHUB_OUTPUT"])
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		r.outputs["steps."+s.ID+".outputs."+name] = value
	}
}

var expression = regexp.MustCompile(`\$\{\{ .*? \}\}`)

// evaluate evaluates an expression: the first name that has a value.
func (r *githubRun) evaluate(text string) string {
	for name := range strings.SplitSeq(text[len("${{ "):len(text)-len(" }}")], " || ") {
		if value := r.outputs[name]; value != "" {
			return value
		}
	}
	return ""
}

// TestGitHub runs the workflow of the examples on a repository, from the first push to a
// pull request, each job in a clone of one commit.
func TestGitHub(t *testing.T) {
	p := newCIProject(t)
	first := p.git("rev-parse", "HEAD")
	push := githubRun{ciProject: p, ref: "main", event: "push", payload: `{"ref":"refs/heads/main","before":"0000000000000000000000000000000000000000","repository":{"default_branch":"main"}}`}
	push.job("run-inputs")
	if got := p.ran(); got != "$ 10, a 10, o 10" || !strings.Contains(push.summary, "no model") {
		t.Errorf("without a model: ran %q, want all; summary %s", got, push.summary)
	}
	push.job("train-model")

	// Main goes on: numbers change. A pull request changes arrays.
	p.edit("parser/number.go", "return 1", "return 2")
	main := p.commit("numbers")
	p.git("push", "-q", "origin", "main")
	p.git("switch", "-q", "-c", "arrays", first)
	p.edit("parser/parser.go", "return elements", "return 1 + elements")
	head := p.commit("arrays")
	p.git("push", "-q", "origin", "arrays")
	p.git("switch", "-q", "--detach", "main")
	p.git("merge", "-q", "--no-ff", "-m", "merge", "arrays")
	p.git("push", "-q", "origin", "HEAD:refs/pull/7/merge")

	for _, tc := range []struct {
		name string
		run  githubRun
		base string
		want string
	}{
		{
			"pull request",
			githubRun{ref: "refs/pull/7/merge", event: "pull_request", payload: `{"pull_request":{"number":7,"base":{"sha":"` + main + `"},"head":{"sha":"` + head + `"}}}`},
			"which pull request 7 is merged into here", "a 10",
		},
		{
			"merge queue",
			githubRun{ref: "refs/pull/7/merge", event: "merge_group", payload: `{"merge_group":{"base_sha":"` + main + `"}}`},
			"the base of the merge queue", "a 10",
		},
		{
			"push",
			githubRun{ref: "refs/heads/main", event: "push", payload: `{"ref":"refs/heads/main","before":"` + first + `","repository":{"default_branch":"main"}}`},
			"the commit before the push", "$ 10, a 10, o 10", // all reach a number
		},
		{
			"new branch",
			githubRun{ref: "refs/pull/7/merge", event: "push", payload: `{"ref":"refs/heads/merge","before":"0000000000000000000000000000000000000000","repository":{"default_branch":"main"}}`},
			"the default branch main", "a 10",
		},
		{
			"schedule",
			githubRun{ref: "refs/heads/arrays", event: "schedule", payload: `{}`},
			"the commit of the model, because of the event schedule", "a 10",
		},
		{
			"dispatch",
			githubRun{ref: "refs/heads/arrays", event: "workflow_dispatch", payload: `{}`},
			"the commit of the model, because of the event workflow_dispatch", "a 10",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			project := *p
			project.t = t
			tc.run.ciProject = &project
			tc.run.job("run-inputs")
			if got := p.ran(); got != tc.want {
				t.Errorf("ran %q, want %q:\n%s", got, tc.want, tc.run.log)
			}
			if !strings.Contains(tc.run.log, ", "+tc.base+"\n") {
				t.Errorf("base: want %s:\n%s", tc.base, tc.run.log)
			}
			if tc.run.outputs["steps.select.outputs.everything"] != "false" || !strings.Contains(tc.run.summary, "of 30 inputs selected") {
				t.Errorf("outputs %v, summary %s", tc.run.outputs, tc.run.summary)
			}
			report, err := os.ReadFile(tc.run.outputs["steps.select.outputs.junit"])
			if err != nil || !strings.Contains(string(report), `<testsuite name="inroad select" tests="30" `) {
				t.Errorf("JUnit report %s, %v", report, err)
			}
			if _, err := os.Stat(filepath.Join(tc.run.dir, "owned")); err == nil {
				t.Error("a name was run as a command")
			}
		})
	}
}

// TestGitHubTests runs the workflow of the examples that runs Go tests.
func TestGitHubTests(t *testing.T) {
	p := newCIProject(t)
	push := githubRun{ciProject: p, file: "github-tests.yml", ref: "main", event: "push", payload: `{"ref":"refs/heads/main","before":"0000000000000000000000000000000000000000","repository":{"default_branch":"main"}}`}
	push.job("tests")
	if !strings.Contains(push.log, "no such file or directory") || !strings.Contains(push.log, "ok  \texample.com/parser/parser") {
		t.Errorf("without a record, want all tests:\n%s", push.log)
	}
	push.job("record-tests")
	first := p.git("rev-parse", "HEAD")
	p.git("switch", "-q", "-c", "arrays")
	p.edit("parser/parser.go", "return elements", "return 1 + elements")
	head := p.commit("arrays")
	p.git("push", "-q", "origin", "arrays")
	pull := githubRun{ciProject: p, file: "github-tests.yml", ref: "arrays", event: "pull_request", payload: `{"pull_request":{"number":7,"base":{"sha":"` + first + `"},"head":{"sha":"` + head + `"}}}`}
	pull.job("tests")
	if !strings.Contains(pull.summary, "1 of 2 tests selected") || !strings.Contains(pull.log, "ok  \texample.com/parser/parser") {
		t.Errorf("pull request: summary %s\n%s", pull.summary, pull.log)
	}
}

// TestAction passes several values of an input, and values that a shell would take for
// commands.
func TestAction(t *testing.T) {
	p := newCIProject(t)
	r := githubRun{ciProject: p, ref: "main", event: "schedule", payload: "{}"}
	r.temp, r.outputs, r.environ = t.TempDir(), map[string]string{}, map[string]string{}
	for _, name := range []string{"RUNNER_TEMP", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"} {
		r.environ[name] = filepath.Join(r.temp, name)
	}
	r.environ["RUNNER_TEMP"] = r.temp
	r.dir = p.checkout("main")
	r.step(githubStep{Uses: "inroad/inroad/.github/actions/select@main", With: map[string]string{
		"model": "none", "corpus": "testdata/corpus\nparser", "base": "$(touch owned)", "run-all-on": "*.{h,hpp}\n'; touch owned", "max": "5", "explain": "true",
	}})
	paths, err := os.ReadFile(r.outputs["steps.select.outputs.paths"])
	if n := bytes.Count(paths, []byte{0}); err != nil || n != 5 || r.outputs["steps.select.outputs.total"] != "33" {
		t.Errorf("%d paths, %v; want 5 of 33:\n%s", n, err, r.log)
	}
	if _, err := os.Stat(filepath.Join(r.dir, "owned")); err == nil {
		t.Error("a value was run as a command")
	}
}
