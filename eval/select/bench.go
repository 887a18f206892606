package main

import (
	"context"
	"errors"
	"time"

	"github.com/inroad/inroad/model/observe"
)

// A subject is a library to mutate, and the grammar of its inputs.
type subject struct {
	name    string
	grammar string
	library library
}

// A library is a [goLibrary] or a [javaLibrary].
type library interface {
	prepare(ctx context.Context, opt options) (bench, error)
}

// A bench is a copy of a library that can be observed and mutated.
type bench interface {
	// program returns the unchanged library, instrumented for observation.
	program(ctx context.Context) (*observe.Program, error)

	// mutants returns all mutants of the functions that inputs reach, given by
	// their first lines in each file.
	mutants(ctx context.Context, reached map[string]map[int]bool) ([]mutant, error)

	// behaviour returns a digest of the behaviour of a mutant on each input, or of
	// the unchanged library if m is nil. Unknown behaviour is an empty string.
	behaviour(ctx context.Context, m *mutant, inputs [][]byte) ([]string, error)

	close() error
}

// errBuild is returned for a mutant that does not build.
var errBuild = errors.New("does not build")

const (
	patience = 2 * time.Second // timeout of an input
	hangs    = 5               // inputs that may stop the process before the rest is skipped
)

// persist runs n inputs. When an input stops the process, it runs the inputs after
// it in a new one. After too many stops, the behaviour of the rest is empty.
func persist(n int, runFrom func(from int) ([]string, error)) ([]string, error) {
	var out []string
	for ended := 0; len(out) < n && ended < hangs; ended++ {
		lines, err := runFrom(len(out))
		if err != nil {
			return nil, err
		}
		if out = append(out, lines...); len(out) < n {
			out = append(out, "no end") // a crash or a timeout
		}
	}
	for len(out) < n {
		out = append(out, "")
	}
	return out, nil
}

// steady returns the behaviour of the unchanged library, and an empty string for
// inputs on which it varies between runs.
func steady(ctx context.Context, b bench, inputs [][]byte) ([]string, error) {
	first, err := b.behaviour(ctx, nil, inputs)
	if err != nil {
		return nil, err
	}
	second, err := b.behaviour(ctx, nil, inputs)
	if err != nil {
		return nil, err
	}
	for i := range first {
		if first[i] != second[i] {
			first[i] = ""
		}
	}
	return first, nil
}
