package choose

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/targeting/selection"
)

// Values of --base that are not revisions.
const (
	baseAuto  = "auto"  // find the base
	baseModel = "model" // the commit of the model
)

// A baseCandidate is a revision that a change may be compared with.
type baseCandidate struct {
	revision string // a commit, a full name of a branch, or baseModel
	why      string // describes the revision
}

// findBase sets the base to the commit that --base stands for. With --fetch, it fetches
// commits that the clone lacks.
func (c *change) findBase(ctx context.Context, r *selection.Repository, modelCommit string, streams cli.Streams) error {
	modelCommit = strings.TrimSuffix(modelCommit, "-dirty")
	if c.fetch && modelCommit != "" {
		if err := fetchMissing(ctx, r, modelCommit, streams); err != nil {
			return err
		}
	}
	ofModel := cmp.Or(modelCommit, c.head, "HEAD") // without a model, all inputs are selected anyway
	switch c.base {
	case "", baseAuto:
	case baseModel:
		c.base = ofModel
		return nil
	default:
		if c.fetch {
			return fetchMissing(ctx, r, c.base, streams)
		}
		return nil
	}
	candidates, err := c.candidates(ctx, r)
	if err != nil {
		return err
	}
	missing := ""
	for _, candidate := range candidates {
		if candidate.revision == baseModel {
			candidate.revision = ofModel
		} else if c.fetch {
			if err := fetchMissing(ctx, r, candidate.revision, streams); err != nil {
				return err
			}
		}
		commit, err := r.Commit(ctx, candidate.revision)
		if err != nil {
			return err
		}
		if commit != "" || candidate.revision == ofModel { // the caller reports a missing commit of the model
			c.base = cmp.Or(commit, ofModel)
			streams.Notef("base: %s, %s%s", cli.Printable(shortRevision(c.base)), cli.Printable(candidate.why), missing)
			return nil
		}
		missing += fmt.Sprintf("; the clone lacks %s, %s", cli.Printable(shortRevision(candidate.revision)), cli.Printable(candidate.why))
	}
	return errors.New("--base auto: no base found") // the last candidate is the model's commit
}

// shortRevision shortens a commit for people.
func shortRevision(revision string) string {
	if len(revision) >= 40 && strings.Trim(revision, "0123456789abcdef") == "" {
		return revision[:12]
	}
	return revision
}

// fetchMissing fetches a commit or a branch that the clone lacks. If that fails, it only
// prints a note, because the caller finds out that the commit is missing.
func fetchMissing(ctx context.Context, r *selection.Repository, revision string, streams cli.Streams) error {
	commit, err := r.Commit(ctx, revision)
	if err != nil || commit != "" {
		return err
	}
	if err := r.Fetch(ctx, revision); err != nil {
		if ctx.Err() != nil {
			return err
		}
		streams.Notef("note: %s cannot be fetched: %s", cli.Printable(shortRevision(revision)), cli.Printable(err.Error()))
	}
	return nil
}

// candidates returns the revisions that the change may be compared with, the best one
// first and the model's commit last.
func (c *change) candidates(ctx context.Context, r *selection.Repository) ([]baseCandidate, error) {
	parents, err := r.Parents(ctx, cmp.Or(c.head, "HEAD"))
	if err != nil {
		return nil, err
	}
	ci := environment{os.Getenv, os.ReadFile, parents}
	if found, ok := ci.candidates(); ok {
		return found, nil
	}
	return localCandidates(ctx, r)
}

// localCandidates returns the revisions outside CI: the default branch and the branch
// that the current branch follows.
func localCandidates(ctx context.Context, r *selection.Repository) ([]baseCandidate, error) {
	current, err := r.Branch(ctx)
	if err != nil {
		return nil, err
	}
	var out []baseCandidate
	branch, err := r.DefaultBranch(ctx)
	if err != nil {
		return nil, err
	}
	if branch != "" && branch != current {
		out = append(out, baseCandidate{branch, "the default branch " + shortBranch(branch)})
	}
	if branch, err = r.Upstream(ctx); err != nil {
		return nil, err
	}
	if branch != "" {
		out = append(out, baseCandidate{branch, "the upstream branch " + shortBranch(branch)})
	}
	return append(out, baseCandidate{baseModel, "the commit of the model"}), nil
}

func shortBranch(ref string) string {
	return strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/remotes/")
}

// An environment is the environment of a job of GitHub or GitLab. Systems that imitate
// GitHub, such as Gitea and Forgejo, count as GitHub.
type environment struct {
	getenv   func(string) string
	readFile func(string) ([]byte, error)
	parents  []string // of the commit that is checked out
}

// candidates returns the revisions that the job's change may be compared with, the best
// one first and the model's commit last. It returns false outside GitHub and GitLab.
func (e environment) candidates() (out []baseCandidate, ok bool) {
	var why string
	switch {
	case e.getenv("GITHUB_EVENT_NAME") != "":
		out, why = e.github(e.getenv("GITHUB_EVENT_NAME"))
	case e.getenv("GITLAB_CI") != "":
		out, why = e.gitlab(e.getenv("CI_PIPELINE_SOURCE"))
	default:
		return nil, false
	}
	return append(out, baseCandidate{baseModel, "the commit of the model" + why}), true
}

// A githubEvent has the fields of an event of GitHub that tell the base.
type githubEvent struct {
	Before      string `json:"before"`
	Ref         string `json:"ref"`
	PullRequest struct {
		Number int `json:"number"`
		Base   struct {
			SHA string `json:"sha"`
			Ref string `json:"ref"`
		} `json:"base"`
		Head struct {
			SHA string `json:"sha"`
		} `json:"head"`
	} `json:"pull_request"`
	MergeGroup struct {
		BaseSHA string `json:"base_sha"`
	} `json:"merge_group"`
	Repository struct {
		DefaultBranch string `json:"default_branch"`
	} `json:"repository"`
}

// github returns the candidates for an event, and a clause that says why there is no
// better one.
func (e environment) github(name string) (out []baseCandidate, why string) {
	var event githubEvent
	text, err := e.readFile(e.getenv("GITHUB_EVENT_PATH"))
	if err == nil {
		err = json.Unmarshal(text, &event)
	}
	if err != nil {
		why = fmt.Sprintf(", because GITHUB_EVENT_PATH cannot be read: %v", cli.Cause(err))
		event = githubEvent{Ref: e.getenv("GITHUB_REF")}
	}
	pr := event.PullRequest
	switch {
	case pr.Base.SHA != "":
		if len(e.parents) == 2 && e.parents[1] == pr.Head.SHA { // the base may have moved since the event
			out = append(out, baseCandidate{e.parents[0], fmt.Sprintf("which pull request %d is merged into here", pr.Number)})
		}
		return append(out, baseCandidate{pr.Base.SHA, fmt.Sprintf("the base of pull request %d", pr.Number)}), why
	case e.getenv("GITHUB_BASE_REF") != "":
		return branchCandidate(e.getenv("GITHUB_BASE_REF"), "the base branch"), why
	case event.MergeGroup.BaseSHA != "":
		return []baseCandidate{{event.MergeGroup.BaseSHA, "the base of the merge queue"}}, why
	case name == "push":
		return pushCandidates(event.Before, event.Ref, event.Repository.DefaultBranch), why
	}
	return nil, cmp.Or(why, ", because of the event "+name)
}

// gitlab returns the candidates for the source of a pipeline, and a clause that says why
// there is no better one.
func (e environment) gitlab(source string) (out []baseCandidate, why string) {
	id := e.getenv("CI_MERGE_REQUEST_IID")
	if id != "" {
		// The target is merged only in pipelines of merged results.
		if target := e.getenv("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"); target != "" {
			out = append(out, baseCandidate{target, "which merge request " + id + " is merged into here"})
		}
		if base := e.getenv("CI_MERGE_REQUEST_DIFF_BASE_SHA"); base != "" {
			out = append(out, baseCandidate{base, "the base of merge request " + id})
		}
		if target := e.getenv("CI_MERGE_REQUEST_TARGET_BRANCH_NAME"); target != "" {
			out = append(out, branchCandidate(target, "the target branch of merge request "+id+":")...)
		}
		return out, ""
	}
	if source == "push" {
		ref := "refs/heads/" + e.getenv("CI_COMMIT_BRANCH")
		if tag := e.getenv("CI_COMMIT_TAG"); tag != "" {
			ref = "refs/tags/" + tag
		}
		return pushCandidates(e.getenv("CI_COMMIT_BEFORE_SHA"), ref, e.getenv("CI_DEFAULT_BRANCH")), ""
	}
	return nil, ", because of a pipeline of the source " + cmp.Or(source, "unknown")
}

// pushCandidates returns the candidates for a push to a reference, which was at another
// commit before, or at none.
func pushCandidates(before, ref, defaultBranch string) (out []baseCandidate) {
	branch, isBranch := strings.CutPrefix(ref, "refs/heads/")
	if !selection.IsZero(before) {
		out = append(out, baseCandidate{before, "the commit before the push"})
	}
	if isBranch && defaultBranch != "" && branch != defaultBranch {
		out = append(out, branchCandidate(defaultBranch, "the default branch")...)
	}
	return out
}

// branchCandidate returns the candidate for a branch of origin.
func branchCandidate(name, why string) []baseCandidate {
	return []baseCandidate{{"refs/remotes/origin/" + name, why + " " + name}}
}
