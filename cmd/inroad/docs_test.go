package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite what scripts and documents say that commands print")

var (
	fenced      = regexp.MustCompile("(?ms)^```(antlr|console)\n(.*?)^```$")
	clangName   = regexp.MustCompile(`^clang(-\d+)?$`)
	grammarName = regexp.MustCompile(`(?m)^(?:lexer |parser )?grammar (\w+);`)
)

// TestDocs types the commands of the documents and reads what they say is
// printed. Blocks of ANTLR are files, named for the grammar in them.
func TestDocs(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	paths, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(paths) == 0 {
		t.Fatalf("documents: %v, %v", paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			got := fenced.ReplaceAllStringFunc(string(text), func(block string) string {
				parts := fenced.FindStringSubmatch(block)
				if parts[1] == "antlr" {
					name := grammarName.FindStringSubmatch(parts[2])[1]
					if err := os.WriteFile(filepath.Join(dir, name+".g4"), []byte(parts[2]), 0o666); err != nil {
						t.Fatal(err)
					}
					return block
				}
				if strings.Contains(block, " --c '") && !hasClang() {
					return block
				}
				return "```console\n" + typeAgain(t, dir, parts[2]) + "```"
			})
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(string(text), got); diff != "" {
				t.Errorf("commands print something else (-said +printed); -update rewrites it:\n%s", diff)
			}
		})
	}
}

// hasClang reports whether inroad finds a clang.
func hasClang() bool {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	return slices.ContainsFunc(dirs, func(dir string) bool {
		found, err := filepath.Glob(filepath.Join(dir, "clang*"))
		return err == nil && slices.ContainsFunc(found, func(file string) bool { return clangName.MatchString(filepath.Base(file)) })
	})
}

// typeAgain runs the commands of a transcript and returns it with what they print now.
func typeAgain(t *testing.T, dir, transcript string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(transcript) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		b.WriteString(line)
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir = dir
		printed, err := cmd.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || !slices.Contains([]int{exitWrong, exitInfeasible, exitUnrealised, exitUnknown}, exit.ExitCode())) {
			t.Errorf("%s: %v", command, err)
		}
		b.Write(printed)
	}
	return b.String()
}
