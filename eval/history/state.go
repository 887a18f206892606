package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/inroad/inroad/eval/internal/subject"
	"github.com/inroad/inroad/model/observation"
)

// A state is the code of a library at a commit, with its behaviour on the corpus.
type state struct {
	commit    string
	dir       string // has a file of observations for each part of the inputs
	functions []function
	units     []observation.Unit
	reached   []map[string]bool // by input of the corpus: IDs of units
	behaviour []string          // by input of the corpus: outcome and output; empty if unknown
}

// observations returns the file of the observations of a part of the inputs.
func (s *state) observations(part string) string { return filepath.Join(s.dir, part+".ndjson") }

// observe returns the state of a commit, which is observed unless it is cached. The
// error is errBuild if the commit does not build.
func (b *bench) observe(ctx context.Context, commit string) (*state, error) {
	if s := b.states[commit]; s != nil {
		return s, nil
	}
	s := &state{commit: commit, dir: filepath.Join(b.dir, "states", commit)}
	failed := filepath.Join(s.dir, "failed.txt")
	if text, err := os.ReadFile(failed); err == nil {
		return nil, fmt.Errorf("%w: %s", errBuild, strings.TrimPrefix(string(text), errBuild.Error()+": "))
	}
	recorded := filepath.Join(s.dir, "behaviour.json")
	if _, err := os.Stat(recorded); errors.Is(err, fs.ErrNotExist) {
		err := b.run(ctx, s, recorded)
		if errors.Is(err, errBuild) && ctx.Err() == nil {
			err = errors.Join(err, os.WriteFile(failed, []byte(err.Error()), 0o600))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := s.read(recorded); err != nil {
		return nil, err
	}
	s.functions = functionsOf(s.units, func(file string) (string, bool) {
		text, err := b.clone.git(ctx, "show", commit+":"+file)
		return text, err == nil
	})
	b.states[commit] = s
	return s, nil
}

// run observes all inputs at a commit, and writes observations and behaviour.
func (b *bench) run(ctx context.Context, s *state, recorded string) (err error) {
	tree, err := os.MkdirTemp("", "inroad-history-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tree)) }()
	if err := errors.Join(os.MkdirAll(s.dir, 0o700), b.clone.export(ctx, s.commit, tree)); err != nil {
		return err
	}
	flags, env, err := harnesses[b.Language](ctx, &b.library, tree, b.driver, b.path)
	if err != nil {
		return err
	}
	flags = append(flags, "--commit", s.commit, "--subject", b.Name, "--jobs", "1", "--timeout", "10s")
	if b.blocks {
		flags = append(flags, "--units", "block")
	}
	for _, pattern := range b.Cover {
		flags = append(flags, "--cover", pattern)
	}
	record := filepath.Join(tree, "inroadhistory.record")
	observed := filepath.Join(tree, "inroadhistory.ndjson")
	cmd := exec.CommandContext(ctx, b.inroad, append([]string{"observe", "--inputs", b.inputs.dir, "--out", observed}, flags...)...)
	cmd.Dir = tree
	cmd.Env = append(append(cmd.Environ(), "INROAD_HISTORY_RECORD="+record), env...)
	if err := b.spend("observe", cmd); err != nil {
		return fmt.Errorf("%w: %w", errBuild, err)
	}
	return b.keep(s, observed, record, recorded)
}

// keep writes the observations of each part of the inputs, and the behaviour on the
// corpus.
func (b *bench) keep(s *state, observed, record, recorded string) error {
	header, all, err := subject.Read(observed)
	if err != nil {
		return err
	}
	var ofCorpus []observation.Observation
	for _, part := range []string{training, corpus} {
		var text bytes.Buffer
		w, err := observation.NewWriter(&text, header)
		if err != nil {
			return err
		}
		for _, o := range all {
			name, ok := strings.CutPrefix(o.Name, part+"/")
			if !ok {
				continue
			}
			if err := w.Write(o); err != nil {
				return err
			}
			if o.Name = name; part == corpus {
				ofCorpus = append(ofCorpus, o)
			}
		}
		if err := os.WriteFile(s.observations(part), text.Bytes(), 0o600); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(record)
	if err != nil {
		return fmt.Errorf("%w: no result was recorded: %w", errBuild, err)
	}
	behaviour, err := json.Marshal(behaviourOf(ofCorpus, b.inputs.parts[corpus], outputs(text)))
	if err != nil {
		return err
	}
	return os.WriteFile(recorded, behaviour, 0o600)
}

// outputs returns the digests of outputs by the digests of inputs. The output of an
// input whose runs differ is empty.
func outputs(record []byte) map[string]string {
	out := map[string]string{}
	for line := range bytes.Lines(record) {
		in, result, ok := strings.Cut(strings.TrimSpace(string(line)), " ")
		if !ok {
			continue
		}
		if before, known := out[in]; known && before != result {
			result = ""
		}
		out[in] = result
	}
	return out
}

// behaviourOf returns the behaviour on each input. It is empty if it is unknown,
// because the input took too long or its runs differ.
func behaviourOf(observed []observation.Observation, digests []string, outputs map[string]string) []string {
	out := make([]string, len(digests))
	for _, o := range observed {
		var i int
		if _, err := fmt.Sscanf(o.Name, "%d", &i); err != nil || i >= len(out) {
			continue
		}
		output, recorded := outputs[digests[i]]
		switch {
		case o.Outcome == observation.TimedOut || recorded && output == "":
		case recorded:
			out[i] = output
		default: // the run ended before the driver returned
			out[i] = string(o.Outcome)
			if o.Failure != nil {
				out[i] += " " + o.Failure.Type
			}
		}
	}
	return out
}

// read reads the observations of the corpus and the behaviour.
func (s *state) read(recorded string) error {
	text, err := os.ReadFile(recorded)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &s.behaviour); err != nil {
		return fmt.Errorf("%s: %w", recorded, err)
	}
	header, observed, err := subject.Read(s.observations(corpus))
	if err != nil {
		return err
	}
	s.units = header.Units
	s.reached = make([]map[string]bool, len(s.behaviour))
	for _, o := range observed {
		var i int
		if _, err := fmt.Sscanf(o.Name, corpus+"/%d", &i); err != nil || i >= len(s.reached) {
			return fmt.Errorf("%s: unexpected input %q", s.observations(corpus), o.Name)
		}
		s.reached[i] = map[string]bool{}
		for _, id := range o.Methods {
			s.reached[i][id] = true
		}
	}
	return nil
}
