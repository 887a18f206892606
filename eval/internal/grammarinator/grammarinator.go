// Package grammarinator generates inputs with the commands of the Python package
// grammarinator.
package grammarinator

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Spaces is a serializer that writes a space between tokens.
const Spaces = "grammarinator.runtime.simple_space_serializer"

// Options are the options of a run. Zero fields mean the defaults of Grammarinator.
type Options struct {
	Start      string
	N          int
	Depth      int
	Cooldown   float64
	Seed       uint64
	Serializer string
}

// A Generator generates inputs of a grammar.
type Generator struct {
	bin, dir, name string
}

// New processes the files of a grammar. bin is the folder of Grammarinator's commands.
func New(ctx context.Context, bin string, files ...string) (*Generator, error) {
	dir, err := os.MkdirTemp("", "grammarinator")
	if err != nil {
		return nil, err
	}
	g := &Generator{bin: bin, dir: dir}
	if err := g.process(ctx, files); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

func (g *Generator) process(ctx context.Context, files []string) error {
	args := append([]string{"--no-actions", "-o", g.dir}, files...)
	if out, err := exec.CommandContext(ctx, filepath.Join(g.bin, "grammarinator-process"), args...).CombinedOutput(); err != nil {
		return fmt.Errorf("grammarinator-process: %w\n%s", err, out)
	}
	generators, err := filepath.Glob(filepath.Join(g.dir, "*Generator.py"))
	if err != nil || len(generators) != 1 {
		return errors.Join(fmt.Errorf("grammarinator-process: wrote %d generators", len(generators)), err)
	}
	g.name = strings.TrimSuffix(filepath.Base(generators[0]), ".py")
	return nil
}

// Close removes the generator.
func (g *Generator) Close() error { return os.RemoveAll(g.dir) }

// Generate returns inputs, and the processor time that they took.
func (g *Generator) Generate(ctx context.Context, opt Options) (texts [][]byte, took time.Duration, err error) {
	out, err := os.MkdirTemp(g.dir, "inputs")
	if err != nil {
		return nil, 0, err
	}
	args := []string{
		g.name + "." + g.name, "--sys-path", g.dir, "-r", opt.Start, "-n", strconv.Itoa(opt.N), "-d", strconv.Itoa(opt.Depth),
		"--random-seed", strconv.FormatUint(opt.Seed, 10), "-o", filepath.Join(out, "%d"), "--sys-recursion-limit", "100000", "--encoding-errors", "replace", "-j", "1",
	}
	if opt.Serializer != "" {
		args = append(args, "-s", opt.Serializer)
	}
	if opt.Cooldown != 0 {
		args = append(args, "-c", strconv.FormatFloat(opt.Cooldown, 'g', -1, 64))
	}
	cmd := exec.CommandContext(ctx, filepath.Join(g.bin, "grammarinator-generate"), args...)
	if printed, err := cmd.CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("grammarinator-generate: %w\n%s", err, printed)
	}
	for i := range opt.N {
		text, err := os.ReadFile(filepath.Join(out, strconv.Itoa(i)))
		if err != nil {
			return nil, 0, err
		}
		texts = append(texts, text)
	}
	return texts, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}
