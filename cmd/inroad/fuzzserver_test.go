package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/inroad/inroad/api/openapi"
)

// TestFuzzAtService runs the inputs of one campaign at a service with two commands, while
// the service is restarted. No run gets lost, and none is done twice.
func TestFuzzAtService(t *testing.T) {
	if _, err := exec.LookPath("grep"); err != nil {
		t.Skip("needs grep, which is not installed")
	}
	path := filepath.Join(t.TempDir(), "s.db")
	address, logged, end := serving(t, io.Discard, "--store", path)
	go io.Copy(io.Discard, logged)
	fuzz := func(args ...string) (code int, stdout, stderr string) {
		var out, errs bytes.Buffer
		args = append([]string{"fuzz", "--server", address, "--exec", `grep -q "[+]" {}`, "--subject", "plus", "--commit", "v1", "--jobs", "2", "--timeout", "1s"}, args...)
		code = run(t.Context(), args, strings.NewReader(""), &out, &errs)
		return code, out.String(), errs.String()
	}
	const runs = "300"
	code, _, stderr := fuzz("--grammar", "expr", "--algorithm", "evogfuzz", "--population", "30", "--n", runs, "--for", "1ms")
	if code != exitDone || !strings.Contains(stderr, "inroad: campaign 1\n") || !strings.Contains(stderr, "; running\n") {
		t.Fatalf("exit code %d, %s", code, stderr)
	}
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			if code, _, stderr := fuzz("--campaign", "1"); code != exitDone || !strings.Contains(stderr, "; ended (runs)\n") {
				t.Errorf("exit code %d, %s", code, stderr)
			}
		})
	}
	end()
	_, logged, end = serving(t, io.Discard, "--store", path, "--listen", strings.TrimPrefix(address, "http://"))
	go io.Copy(io.Discard, logged)
	defer end()
	group.Wait()
	dir := filepath.Join(t.TempDir(), "failing")
	code, stdout, stderr := fuzz("--campaign", "1", "--format", "json", "--failures", dir)
	var report struct {
		Campaign openapi.Campaign
		Failures []openapi.DistinctFailure
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != exitDone {
		t.Fatalf("exit code %d, %v: %s%s", code, err, stdout, stderr)
	}
	if c := report.Campaign; c.Runs != 300 || c.State != openapi.CampaignEnded || c.Failures != 1 || c.Subject != "plus" || c.Commit != "v1" || c.Leased != 0 {
		t.Errorf("the campaign ended as %+v", c)
	}
	if f := report.Failures; len(f) != 1 || f[0].Outcome != "failure" || f[0].Count != report.Campaign.Failing || strings.Contains(*f[0].Input, "+") {
		t.Errorf("the failures are %+v", f)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 1 {
		t.Errorf("the inputs of failures are in %q, %v", left, err)
	}
	for want, args := range map[string][]string{
		`--campaign 1: fuzzes plus at version "v1", not other at version "v1"`: {"--campaign", "1", "--subject", "other"},
		"campaign 2: not found": {"--campaign", "2"},
		"--reduce: give --out, because the service keeps the observations of a campaign without it": {"--campaign", "1", "--reduce"},
		"--campaign: give --server, and no --out":                                                   {"--campaign", "1", "--out", path + ".ndjson"},
		"no grammar: give --grammar, or --campaign to continue a campaign":                          {},
	} {
		if code, _, stderr := fuzz(args...); code != exitWrong || !strings.Contains(stderr, want) {
			t.Errorf("%q: exit code %d, %s; want %s", args, code, stderr, want)
		}
	}
}
