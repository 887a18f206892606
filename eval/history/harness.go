package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed harness
var harnessFiles embed.FS

// A harness adds a driver to the files of a commit, builds them if necessary, and
// returns the flags of inroad observe and variables of its environment. The folders
// and files in path are dependencies.
type harness func(ctx context.Context, l *library, tree string, driver []byte, path string) (flags, env []string, err error)

// harnesses has the harness of each language.
var harnesses = map[string]harness{
	"go":         goHarness,
	"java":       javaHarness,
	"python":     pythonHarness,
	"javascript": nodeHarness,
}

// errBuild means that a commit does not build with its driver.
var errBuild = errors.New("build")

func goHarness(_ context.Context, l *library, tree string, driver []byte, _ string) ([]string, []string, error) {
	if _, err := os.Stat(filepath.Join(tree, "go.mod")); errors.Is(err, fs.ErrNotExist) { // it predates modules
		if err := os.WriteFile(filepath.Join(tree, "go.mod"), []byte("module "+l.Module+"\n\ngo 1.21\n"), 0o600); err != nil {
			return nil, nil, err
		}
	}
	err := addFiles(tree, "record.go.txt", "inroadhistory/record.go", driver, "inroadhistory/driver.go")
	return []string{"--go", "./inroadhistory.Observe"}, nil, err
}

func javaHarness(ctx context.Context, l *library, tree string, driver []byte, path string) ([]string, []string, error) {
	if err := addFiles(tree, "InroadHistory.java", "inroadhistory/InroadHistory.java", driver, "inroadhistory/Driver.java"); err != nil {
		return nil, nil, err
	}
	classes := filepath.Join(tree, "inroadhistory", "classes")
	args := []string{"-J-XX:TieredStopAtLevel=1", "-nowarn", "-proc:none", "-g", "-encoding", "UTF-8", "-d", classes, "-cp", path}
	for _, root := range append([]string{"inroadhistory"}, l.Roots...) {
		err := filepath.WalkDir(filepath.Join(tree, root), func(name string, entry fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(name, ".java") && entry.Name() != "module-info.java" {
				args = append(args, name)
			}
			return err
		})
		if err != nil {
			return nil, nil, fmt.Errorf("%w: %w", errBuild, err)
		}
	}
	if out, err := exec.CommandContext(ctx, "javac", args...).CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("%w: javac: %w: %s", errBuild, err, out)
	}
	classpath := classes + string(filepath.ListSeparator) + path
	return []string{"--java", "InroadHistory#observe", "--classpath", classpath, "--sources", "."},
		[]string{"JDK_JAVA_OPTIONS=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}, nil // short runs
}

func pythonHarness(_ context.Context, _ *library, tree string, driver []byte, path string) ([]string, []string, error) {
	err := addFiles(tree, "inroadhistory.py", "inroadhistory.py", driver, "inroadhistory_driver.py")
	return []string{"--python", "inroadhistory:observe"}, []string{"PYTHONPATH=" + path, "PYTHONHASHSEED=1"}, err
}

func nodeHarness(_ context.Context, _ *library, tree string, driver []byte, path string) ([]string, []string, error) {
	err := addFiles(tree, "inroadhistory.cjs", "inroadhistory.cjs", driver, "inroadhistory-driver.cjs")
	return []string{"--node", "inroadhistory.cjs"}, []string{"NODE_PATH=" + path}, err
}

// addFiles writes a file of the harness and the driver into a tree.
func addFiles(tree, harness, harnessName string, driver []byte, driverName string) error {
	text, err := harnessFiles.ReadFile("harness/" + harness)
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{harnessName: text, driverName: driver} {
		name = filepath.Join(tree, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return err
		}
	}
	return nil
}
