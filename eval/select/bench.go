package main

import (
	"context"
	"errors"
	"time"

	"github.com/inroad/inroad/model/observe"
)

// A subject is a library that is changed, and the grammar of its inputs.
type subject struct {
	name    string
	grammar string
	library library
}

// A library is in Go or in Java.
type library interface {
	prepare(ctx context.Context, opt options) (bench, error)
}

// A bench is a copy of a library that can be observed and changed.
type bench interface {
	// program returns the library as it is, to be observed.
	program(ctx context.Context) (*observe.Program, error)

	// mutants returns all mutants of functions that begin in these lines of the
	// files: of those that inputs reach.
	mutants(ctx context.Context, reached map[string]map[int]bool) ([]mutant, error)

	// behaviour returns a digest of what a mutant does with each input, or the
	// library as it is if there is none. It is empty where nobody knows.
	behaviour(ctx context.Context, m *mutant, inputs [][]byte) ([]string, error)

	close() error
}

// errBuild tells that a mutant cannot be built.
var errBuild = errors.New("it cannot be built")

// How long an input may take, and how many may take longer before the rest is
// given up.
const (
	patience = 2 * time.Second
	hangs    = 5
)

// persist runs inputs from the first on, and again from behind each at which the
// process ended or had to be ended. After some of these the rest is empty.
func persist(n int, runFrom func(from int) ([]string, error)) ([]string, error) {
	var out []string
	for ended := 0; len(out) < n && ended < hangs; ended++ {
		lines, err := runFrom(len(out))
		if err != nil {
			return nil, err
		}
		if out = append(out, lines...); len(out) < n {
			out = append(out, "no end") // of the process, one way or the other
		}
	}
	for len(out) < n {
		out = append(out, "")
	}
	return out, nil
}

// steady returns the behaviour of a library as it is, and nothing for inputs with
// which it does not do the same twice.
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
