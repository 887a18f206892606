package main

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite what scripts and documents say that commands print")

var (
	fenced      = regexp.MustCompile("(?ms)^```(antlr|console)\n(.*?)^```$")
	clangName   = regexp.MustCompile(`^clang(-\d+)?$`)
	grammarName = regexp.MustCompile(`(?m)^(?:lexer |parser )?grammar (\w+);`)

	transcript = regexp.MustCompile("(?ms)^```text\n(.*?)^```$")
	number     = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

	codeBlock = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```$")
	codeSpan  = regexp.MustCompile("`[^`\n]*`")
	heading   = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	link      = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	notInSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
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

// TestReadme types the commands of the five minutes in README.md and reads what they
// print. A line of three dots stands for lines that are left out.
func TestReadme(t *testing.T) {
	for _, tool := range []string{"sh", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " not found")
		}
	}
	const path = "../../README.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	block := transcript.FindStringSubmatch(string(text))
	if block == nil {
		t.Fatal("README.md has no transcript")
	}
	// A module of its own, so that nothing is written to the example's folder.
	module := t.TempDir()
	dir := filepath.Join(module, "examples", "distributive")
	if err := os.CopyFS(filepath.Join(dir, "calc"), os.DirFS("../../examples/distributive/calc")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(module, "go.mod"), []byte("module github.com/inroad/inroad\n\ngo 1.26\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	said := block[1]
	got := abridge(said, typeAgain(t, dir, said))
	if *update {
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), said, got, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if diff := cmp.Diff(said, got); diff != "" {
		t.Errorf("commands print something else (-said +printed); -update rewrites it:\n%s", diff)
	}
}

// abridge returns what commands printed without the lines that a transcript leaves
// out. A line that follows three dots may differ in its numbers.
func abridge(said, printed string) string {
	var out strings.Builder
	lines := strings.SplitAfter(printed, "\n")
	skip := false
	for line := range strings.Lines(said) {
		if line == "...\n" {
			skip = true
			out.WriteString(line)
			continue
		}
		for skip && len(lines) > 0 && number.ReplaceAllString(lines[0], "#") != number.ReplaceAllString(line, "#") {
			lines = lines[1:]
		}
		if len(lines) > 0 {
			out.WriteString(lines[0])
			lines = lines[1:]
		}
		skip = false
	}
	if !skip {
		out.WriteString(strings.Join(lines, ""))
	}
	return out.String()
}

// TestLinks checks that the relative links of all documents lead to files and headings
// that exist.
func TestLinks(t *testing.T) {
	const root = "../.."
	texts := make(map[string]string) // documents without code blocks, by their paths
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "node_modules", "testdata"}, d.Name()):
			return filepath.SkipDir
		case filepath.Ext(path) != ".md":
			return nil
		}
		text, err := os.ReadFile(path)
		texts[path] = codeBlock.ReplaceAllString(string(text), "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	links := 0
	for path, text := range texts {
		for _, match := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(text, ""), -1) {
			if strings.Contains(match[1], ":") {
				continue // another site
			}
			links++
			file, anchor, _ := strings.Cut(match[1], "#")
			target := path
			if file != "" {
				target = filepath.Join(filepath.Dir(path), filepath.FromSlash(file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: link to %s: %v", path, match[1], err)
			} else if anchor != "" && !slices.Contains(anchors(texts[target]), anchor) {
				t.Errorf("%s: link to %s: the file has no such heading", path, match[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("%d links found in %d documents, expected at least 100", links, len(texts))
	}
}

// anchors returns the anchors that GitHub gives the headings of a document.
func anchors(text string) []string {
	var all []string
	seen := make(map[string]int)
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		anchor := strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-")
		if n := seen[anchor]; n > 0 {
			all = append(all, anchor+"-"+strconv.Itoa(n))
		} else {
			all = append(all, anchor)
		}
		seen[anchor]++
	}
	return all
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
