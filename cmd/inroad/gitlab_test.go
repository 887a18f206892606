package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	yaml "github.com/oasdiff/yaml3"
)

// TestGitLab runs the pipeline of the examples and its template on a repository.
func TestGitLab(t *testing.T) {
	p := newCIProject(t)
	first := p.git("rev-parse", "HEAD")
	zero := strings.Repeat("0", 40)
	log := p.gitlabJob("main", "select-inputs", map[string]string{"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "main", "CI_COMMIT_BEFORE_SHA": zero})
	if got := p.ran(); got != "$ 10, a 10, o 10" || !strings.Contains(log, "no model") {
		t.Errorf("without a model: ran %q, want all:\n%s", got, log)
	}
	p.gitlabJob("main", "train-model", nil)
	p.edit("parser/parser.go", "return elements", "return 1 + elements")
	p.git("switch", "-q", "-c", "arrays")
	p.commit("arrays")
	p.git("push", "-q", "origin", "arrays")
	for _, tc := range []struct {
		name string
		env  map[string]string
		base string
	}{
		{"merge request", map[string]string{"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_IID": "7", "CI_MERGE_REQUEST_DIFF_BASE_SHA": first, "CI_COMMIT_BEFORE_SHA": zero}, "the base of merge request 7"},
		{"push", map[string]string{"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "arrays", "CI_COMMIT_BEFORE_SHA": first}, "the commit before the push"},
		{"new branch", map[string]string{"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "arrays", "CI_COMMIT_BEFORE_SHA": zero}, "the default branch main"},
		{"schedule", map[string]string{"CI_PIPELINE_SOURCE": "schedule", "CI_COMMIT_BRANCH": "arrays"}, "the commit of the model, because of a pipeline of the source schedule"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			project := *p
			project.t = t
			log := project.gitlabJob("arrays", "select-inputs", tc.env)
			if got := project.ran(); got != "a 10" {
				t.Errorf("ran %q, want a 10:\n%s", got, log)
			}
			if !strings.Contains(log, ", "+tc.base+"\n") {
				t.Errorf("base: want %s:\n%s", tc.base, log)
			}
		})
	}
}

// gitlabJob runs a job in a clone of one commit, and after select-inputs the job that
// runs the inputs, which has its artifacts.
func (p *ciProject) gitlabJob(ref, name string, env map[string]string) string {
	p.t.Helper()
	var pipeline map[string]yaml.Node
	var spec struct {
		Spec struct{ Inputs map[string]ciInput }
	}
	var template map[string]gitlabJob
	readDocuments(p.t, "../../examples/ci/gitlab.yml", &pipeline)
	readDocuments(p.t, templateFile, &spec, &template)
	var include []struct{ Inputs map[string]string }
	decodeNode(p.t, pipeline["include"], &include)
	inputs := map[string]string{}
	for name, in := range spec.Spec.Inputs {
		inputs[name] = in.Default
	}
	maps.Copy(inputs, include[0].Inputs)
	inputs["sample"], inputs["recall"] = "0", "1" // so that it is known which inputs run

	dir := p.checkout(ref)
	all := map[string]string{"GITLAB_CI": "true", "CI_DEFAULT_BRANCH": "main"}
	maps.Copy(all, env)
	if name != inputs["job"] {
		var job gitlabJob
		decodeNode(p.t, pipeline[name], &job)
		log := p.bash(dir, strings.Join(job.Script, "\n"), all)
		p.save(dir, job.Cache.Paths[0])
		return log
	}
	job := template["$[[ inputs.job ]]"]
	for name, v := range job.Variables {
		all[name] = interpolation.ReplaceAllStringFunc(v.Value, func(text string) string {
			return inputs[interpolation.FindStringSubmatch(text)[1]]
		})
	}
	p.restore(dir, inputs["model"])
	log := p.bash(dir, strings.Join(job.Script, "\n"), all)
	outputs, err := os.ReadFile(filepath.Join(dir, "inroad-select", "outputs.env"))
	if want := regexp.MustCompile(`^INROAD_count=\d+\nINROAD_total=30\nINROAD_everything=(true|false)\n$`); err != nil || !want.Match(outputs) {
		p.t.Errorf("variables %q, %v", outputs, err)
	}
	var run gitlabJob
	decodeNode(p.t, pipeline["run-inputs"], &run)
	return log + p.bash(dir, strings.Join(run.Script, "\n"), nil)
}

var interpolation = regexp.MustCompile(`\$\[\[ inputs\.([a-z-]+) \]\]`)

func decodeNode(t *testing.T, node yaml.Node, to any) {
	t.Helper()
	if err := node.Decode(to); err != nil {
		t.Fatal(err)
	}
}
