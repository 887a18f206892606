package choose

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEnvironment finds the candidates for the base in the environments of GitHub and
// GitLab.
func TestEnvironment(t *testing.T) {
	const zero = "0000000000000000000000000000000000000000"
	github := func(name, event string) map[string]string {
		return map[string]string{"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": event}
	}
	gitlab := func(source string, more ...string) map[string]string {
		env := map[string]string{"GITLAB_CI": "true", "CI_PIPELINE_SOURCE": source, "CI_DEFAULT_BRANCH": "main"}
		for i := 0; i < len(more); i += 2 {
			env[more[i]] = more[i+1]
		}
		return env
	}
	model := func(why string) baseCandidate { return baseCandidate{"model", "the commit of the model" + why} }
	const pull = `{"pull_request":{"number":7,"base":{"sha":"b1","ref":"main"},"head":{"sha":"h1"}},"repository":{"default_branch":"main"}}`
	for _, tc := range []struct {
		name    string
		env     map[string]string // GITHUB_EVENT_PATH has the content of the file
		parents []string
		want    []baseCandidate // nil outside CI
	}{
		{"no CI", nil, nil, nil},
		{"another CI", map[string]string{"CI": "true"}, nil, nil},
		{
			"pull request, merged", github("pull_request", pull),
			[]string{"b2", "h1"},
			[]baseCandidate{{"b2", "which pull request 7 is merged into here"}, {"b1", "the base of pull request 7"}, model("")},
		},
		{
			"pull request, its own commit", github("pull_request", pull),
			[]string{"p1"},
			[]baseCandidate{{"b1", "the base of pull request 7"}, model("")},
		},
		{
			"pull request whose last commit is a merge", github("pull_request_target", pull),
			[]string{"p1", "p2"},
			[]baseCandidate{{"b1", "the base of pull request 7"}, model("")},
		},
		{
			"review of a pull request", github("pull_request_review", pull), nil,
			[]baseCandidate{{"b1", "the base of pull request 7"}, model("")},
		},
		{
			"pull request without an event",
			map[string]string{"GITHUB_EVENT_NAME": "pull_request", "GITHUB_BASE_REF": "main"},
			nil,
			[]baseCandidate{{"refs/remotes/origin/main", "the base branch main"}, model(", because GITHUB_EVENT_PATH cannot be read: file does not exist")},
		},
		{
			"merge queue", github("merge_group", `{"action":"checks_requested","merge_group":{"head_sha":"h1","base_sha":"b1"}}`), nil,
			[]baseCandidate{{"b1", "the base of the merge queue"}, model("")},
		},
		{
			"push to the default branch", github("push", `{"ref":"refs/heads/main","before":"b1","repository":{"default_branch":"main"}}`), nil,
			[]baseCandidate{{"b1", "the commit before the push"}, model("")},
		},
		{
			"push to another branch, which may be rewritten", github("push", `{"ref":"refs/heads/a/b","before":"b1","repository":{"default_branch":"main"}}`), nil,
			[]baseCandidate{{"b1", "the commit before the push"}, {"refs/remotes/origin/main", "the default branch main"}, model("")},
		},
		{
			"push of a new branch", github("push", `{"ref":"refs/heads/new","before":"`+zero+`","repository":{"default_branch":"main"}}`), nil,
			[]baseCandidate{{"refs/remotes/origin/main", "the default branch main"}, model("")},
		},
		{
			"push of a new default branch", github("push", `{"ref":"refs/heads/main","before":"`+zero+`","repository":{"default_branch":"main"}}`), nil,
			[]baseCandidate{model("")},
		},
		{
			"push of a tag", github("push", `{"ref":"refs/tags/v1","before":"`+zero+`","repository":{"default_branch":"main"}}`), nil,
			[]baseCandidate{model("")},
		},
		{"schedule", github("schedule", `{"schedule":"0 3 * * *"}`), nil, []baseCandidate{model(", because of the event schedule")}},
		{
			"dispatch", github("workflow_dispatch", `{"ref":"refs/heads/main"}`),
			[]string{"p1", "p2"},
			[]baseCandidate{model(", because of the event workflow_dispatch")},
		},
		{"damaged event", github("push", `{`), nil, []baseCandidate{model(", because GITHUB_EVENT_PATH cannot be read: unexpected end of JSON input")}},
		{
			"merge request", gitlab("merge_request_event", "CI_MERGE_REQUEST_IID", "7", "CI_MERGE_REQUEST_DIFF_BASE_SHA", "b1", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main", "CI_COMMIT_BEFORE_SHA", zero), nil,
			[]baseCandidate{{"b1", "the base of merge request 7"}, {"refs/remotes/origin/main", "the target branch of merge request 7: main"}, model("")},
		},
		{
			"merged results", gitlab("merge_request_event", "CI_MERGE_REQUEST_IID", "7", "CI_MERGE_REQUEST_DIFF_BASE_SHA", "b1", "CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "b2"), nil,
			[]baseCandidate{{"b2", "which merge request 7 is merged into here"}, {"b1", "the base of merge request 7"}, model("")},
		},
		{
			"push at GitLab", gitlab("push", "CI_COMMIT_BRANCH", "main", "CI_COMMIT_BEFORE_SHA", "b1"), nil,
			[]baseCandidate{{"b1", "the commit before the push"}, model("")},
		},
		{
			"push of a new branch at GitLab", gitlab("push", "CI_COMMIT_BRANCH", "new", "CI_COMMIT_BEFORE_SHA", zero), nil,
			[]baseCandidate{{"refs/remotes/origin/main", "the default branch main"}, model("")},
		},
		{"tag at GitLab", gitlab("push", "CI_COMMIT_TAG", "v1", "CI_COMMIT_BEFORE_SHA", zero), nil, []baseCandidate{model("")}},
		{"schedule at GitLab", gitlab("schedule", "CI_COMMIT_BRANCH", "main", "CI_COMMIT_BEFORE_SHA", zero), nil, []baseCandidate{model(", because of a pipeline of the source schedule")}},
		{"started by hand at GitLab", gitlab("web", "CI_COMMIT_BRANCH", "new"), nil, []baseCandidate{model(", because of a pipeline of the source web")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := environment{
				func(name string) string { return tc.env[name] },
				func(text string) ([]byte, error) {
					if text == "" {
						return nil, os.ErrNotExist
					}
					return []byte(text), nil
				},
				tc.parents,
			}
			got, ok := e.candidates()
			if ok != (tc.want != nil) {
				t.Errorf("in CI: %t", ok)
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(baseCandidate{})); diff != "" {
				t.Errorf("candidates (-want +got):\n%s", diff)
			}
		})
	}
}
