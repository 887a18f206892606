package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	yaml "github.com/oasdiff/yaml3"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/cmd/inroad/choose"
)

// readDocuments reads the documents of a YAML file.
func readDocuments(t *testing.T, name string, documents ...any) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for _, document := range documents {
		if err := decoder.Decode(document); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if err := decoder.Decode(new(any)); !errors.Is(err, io.EOF) {
		t.Fatalf("%s: more than %d documents", name, len(documents))
	}
}

// needs skips a test without the given programs.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
}

// A ciInput is an input of the action or of the template.
type ciInput struct {
	Description string
	Default     string
	Required    bool
}

// An action is the action that selects inputs.
type action struct {
	Inputs map[string]ciInput
	Runs   struct{ Steps []githubStep }
}

// A githubStep is a step of an action or a workflow.
type githubStep struct {
	ID, Uses, Run string
	Env, With     map[string]string
}

// A gitlabJob is a job of GitLab.
type gitlabJob struct {
	Variables map[string]struct {
		Value  string
		Expand bool
	}
	Script []string
	Cache  struct{ Paths []string }
}

const (
	actionFile   = "../../.github/actions/select/action.yml"
	templateFile = "../../.gitlab/select.yml"
)

// TestCIInputs compares the inputs of the action and of the template with the flags of
// select, and what they pass to their scripts with their inputs.
func TestCIInputs(t *testing.T) {
	outputs := []string{"format", "rest", "json-out", "junit", "summary", "github-output"} // the script sets them
	var flags, passed []string
	choose.NewSelect().Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && !slices.Contains(outputs, f.Name) {
			flags = append(flags, f.Name)
			passed = append(passed, "flag_"+strings.ReplaceAll(f.Name, "-", "_"))
		}
	})
	compare := func(what string, want, got []string) {
		t.Helper()
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	var a action
	readDocuments(t, actionFile, &a)
	compare("inputs of the action", append([]string{"key", "version"}, flags...), slices.Collect(maps.Keys(a.Inputs)))
	env := a.Runs.Steps[1].Env
	compare("environment of the action", append([]string{"INROAD_KEY", "INROAD_SERVER"}, slices.DeleteFunc(slices.Clone(passed), func(name string) bool { return name == "flag_server" })...), slices.Collect(maps.Keys(env)))
	for name, value := range env {
		if flag, ok := strings.CutPrefix(name, "flag_"); ok && value != "${{ inputs."+strings.ReplaceAll(flag, "_", "-")+" }}" {
			t.Errorf("environment of the action: %s: %s", name, value)
		}
	}
	var spec struct {
		Spec struct{ Inputs map[string]ciInput }
	}
	var template map[string]gitlabJob
	readDocuments(t, templateFile, &spec, &template)
	compare("inputs of the template", append([]string{"version", "job", "stage", "image", "cache-key"}, flags...), slices.Collect(maps.Keys(spec.Spec.Inputs)))
	variables := template["$[[ inputs.job ]]"].Variables
	compare("variables of the template", append([]string{"inroad_version"}, passed...), slices.Collect(maps.Keys(variables)))
	for name, v := range variables {
		if flag, ok := strings.CutPrefix(name, "flag_"); ok && v.Value != "$[[ inputs."+strings.ReplaceAll(flag, "_", "-")+" ]]" || v.Expand {
			t.Errorf("variables of the template: %s: %v", name, v)
		}
	}
	for name, in := range a.Inputs {
		if other, ok := spec.Spec.Inputs[name]; ok && (other.Default != in.Default || other.Description != in.Description) {
			t.Errorf("input %s: the action has %v, the template %v", name, in, other)
		}
	}
}

// TestCIDocs compares the document about selection with the examples that it shows.
func TestCIDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/selection.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"github.yml", "gitlab.yml"} {
		example, err := os.ReadFile("../../examples/ci/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), "\n```yaml\n"+string(example)+"```\n") {
			t.Errorf("docs/selection.md does not show examples/ci/%s as it is", name)
		}
	}
}

// A ciProject is a repository with a program and a corpus, and its remote.
type ciProject struct {
	t            *testing.T
	dir          string
	repo, remote string
	cache        map[string][]byte // files, by key and path
}

func newCIProject(t *testing.T) *ciProject {
	t.Helper()
	needs(t, "bash", "git", "go", "xargs")
	p := &ciProject{t: t, dir: t.TempDir(), cache: map[string][]byte{}}
	p.repo, p.remote = filepath.Join(p.dir, "repo"), "file://"+filepath.Join(p.dir, "remote")
	if err := os.CopyFS(p.repo, os.DirFS("testdata/ci")); err != nil {
		t.Fatal(err)
	}
	for i := range 10 { // arrays, objects and numbers
		p.write(fmt.Sprintf("testdata/corpus/a%d", i), fmt.Sprintf("[%d]", i))
		p.write(fmt.Sprintf("testdata/corpus/o %d", i), fmt.Sprintf(`{"a":%d}`, i))
		p.write(fmt.Sprintf("testdata/corpus/$(touch owned)%d", i), fmt.Sprint(i))
	}
	if err := os.Chmod(filepath.Join(p.repo, "run-inputs"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.git("init", "-q", "-b", "main")
	p.git("init", "-q", "--bare", "-b", "main", filepath.Join(p.dir, "remote"))
	p.git("remote", "add", "origin", p.remote)
	p.commit("first")
	p.git("push", "-q", "origin", "main")
	return p
}

func (p *ciProject) write(name, text string) {
	p.t.Helper()
	name = filepath.Join(p.repo, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// edit replaces a text in a file.
func (p *ciProject) edit(name, old, text string) {
	p.t.Helper()
	source, err := os.ReadFile(filepath.Join(p.repo, name))
	if err != nil || !bytes.Contains(source, []byte(old)) {
		p.t.Fatalf("%s: %q not found: %v", name, old, err)
	}
	p.write(name, strings.Replace(string(source), old, text, 1))
}

func (p *ciProject) git(args ...string) string {
	p.t.Helper()
	return p.gitIn(p.repo, args...)
}

func (p *ciProject) gitIn(dir string, args ...string) string {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = p.env(nil)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v: %s", args[0], err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit commits everything and returns the commit.
func (p *ciProject) commit(message string) string {
	p.t.Helper()
	p.git("add", "-A")
	p.git("commit", "-q", "-m", message)
	return p.git("rev-parse", "HEAD")
}

// env returns the environment of this process without that of CI, and more.
func (p *ciProject) env(more map[string]string) []string {
	out := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "CI") || strings.HasPrefix(v, "GIT") || strings.HasPrefix(v, "INROAD_")
	})
	out = append(out, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GOFLAGS=-mod=mod", "GOPROXY=off", "RAN="+filepath.Join(p.dir, "ran"))
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		out = append(out, "GIT_"+who+"_NAME=somebody", "GIT_"+who+"_EMAIL=somebody@example.com")
	}
	for name, value := range more {
		out = append(out, name+"="+value)
	}
	return out
}

// checkout clones one commit of the remote, as a job does.
func (p *ciProject) checkout(ref string) string {
	p.t.Helper()
	dir := filepath.Join(p.t.TempDir(), "job")
	p.git("init", "-q", dir)
	p.gitIn(dir, "remote", "add", "origin", p.remote)
	p.gitIn(dir, "fetch", "-q", "--no-tags", "--depth=1", "origin", ref)
	p.gitIn(dir, "checkout", "-q", "FETCH_HEAD")
	return dir
}

// bash runs a script of a job and returns what it prints.
func (p *ciProject) bash(dir, script string, env map[string]string) string {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = dir, p.env(env)
	printed, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("%v: %s\n%s", err, script, printed)
	}
	return string(printed)
}

// ran returns the kinds of the inputs that ran since the last call, and their number.
func (p *ciProject) ran() string {
	p.t.Helper()
	name := filepath.Join(p.dir, "ran")
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		p.t.Fatal(err)
	}
	_ = os.Remove(name) // it may not exist
	kinds := map[string]int{}
	for line := range strings.Lines(string(text)) {
		kinds[string(filepath.Base(line)[0])]++
	}
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		out = append(out, fmt.Sprintf("%s %d", kind, kinds[kind]))
	}
	return strings.Join(out, ", ")
}

// save puts a file of a job in the cache; restore gets it back, if it is there.
func (p *ciProject) save(dir, name string) {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		p.t.Fatal(err)
	}
	p.cache[name] = text
}

func (p *ciProject) restore(dir, name string) {
	p.t.Helper()
	if text, ok := p.cache[name]; ok {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			p.t.Fatal(err)
		}
	}
}
