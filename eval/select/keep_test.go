package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
)

// fakeBench needs no library, and counts calls.
type fakeBench struct {
	bench
	calls int
}

func (b *fakeBench) behaviour(_ context.Context, m *mutant, inputs [][]byte) ([]string, error) {
	b.calls++
	if m != nil && m.file == "bad.go" {
		return nil, fmt.Errorf("%w: bad.go:1", errBuild)
	}
	return []string{string(inputs[0]), fmt.Sprint(b.calls)}, nil
}

// TestKeeper checks that each mutant runs once per set of inputs.
func TestKeeper(t *testing.T) {
	k := &keeper{&fakeBench{}, t.TempDir(), goLibrary{}}
	good, other, bad := mutant{file: "a.go"}, mutant{file: "a.go", text: []byte("other")}, mutant{file: "bad.go"}
	for _, test := range []struct {
		name   string
		mutant *mutant
		input  string
		want   []string // nil if it does not build
	}{
		{"a mutant", &good, "x", []string{"x", "1"}},
		{"the same again", &good, "x", []string{"x", "1"}},
		{"another", &other, "x", []string{"x", "2"}},
		{"another input", &good, "y", []string{"y", "3"}},
		{"one that does not build", &bad, "x", nil},
		{"the same again", &bad, "x", nil},
		{"the unchanged library", nil, "x", []string{"x", "5"}},
		{"the same again", nil, "x", []string{"x", "6"}},
	} {
		got, err := k.behaviour(t.Context(), test.mutant, [][]byte{[]byte(test.input)})
		if !slices.Equal(got, test.want) || errors.Is(err, errBuild) != (test.want == nil) {
			t.Errorf("%s: %q, %v, want %q", test.name, got, err, test.want)
		}
	}
}

// TestSteady drops behaviour that varies between runs.
func TestSteady(t *testing.T) {
	got, err := steady(t.Context(), &fakeBench{}, [][]byte{[]byte("x"), []byte("y")})
	if want := []string{"x", ""}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
