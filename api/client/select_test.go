package client

import (
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/targeting/selection"
)

// inputsNamed yields inputs with these paths, and then an error unless it is nil.
func inputsNamed(err error, paths ...string) iter.Seq2[openapi.SelectInput, error] {
	return func(yield func(openapi.SelectInput, error) bool) {
		for _, path := range paths {
			if !yield(openapi.SelectInput{Path: path, Input: new("[]")}, nil) {
				return
			}
		}
		if err != nil {
			yield(openapi.SelectInput{}, err)
		}
	}
}

// TestSelectTrustsNoPath accepts only paths that were sent, each once, and names of
// generated inputs that lead nowhere else.
func TestSelectTrustsNoPath(t *testing.T) {
	digest := selection.DigestOf([]byte("[]")).String()
	input := func(path string) openapi.SelectedInput {
		return openapi.SelectedInput{Path: path, Digest: digest, Reasons: []openapi.SelectReason{}}
	}
	generated := func(path, text string) openapi.SelectedInput {
		in := input(path)
		in.Input = &text
		return in
	}
	for _, c := range []struct {
		name   string
		inputs []openapi.SelectedInput
		rest   []string
		want   string // in the error; empty for none
	}{
		{"all paths", []openapi.SelectedInput{input("a")}, []string{"b"}, ""},
		{"a generated input", []openapi.SelectedInput{input("a"), generated(digest[:16]+".json", "[]")}, []string{"b"}, ""},
		{"another path", []openapi.SelectedInput{input("/etc/passwd")}, []string{"a", "b"}, `path "/etc/passwd" was not sent`},
		{"another path left out", []openapi.SelectedInput{input("a")}, []string{"b", "c"}, `path "c" was not sent`},
		{"a path twice", []openapi.SelectedInput{input("a"), input("a")}, []string{"b"}, `path "a" was not sent, or is in the answer twice`},
		{"a missing path", []openapi.SelectedInput{input("a")}, nil, "1 inputs are neither selected nor left out"},
		{"a generated input in another folder", []openapi.SelectedInput{generated("../"+digest[:16]+".json", "[]")}, []string{"a", "b"}, "is not named after its digest"},
		{"a generated input below its name", []openapi.SelectedInput{generated(digest[:16]+"./../x", "[]")}, []string{"a", "b"}, "is not named after its digest"},
		{"a generated input with another content", []openapi.SelectedInput{generated(digest[:16]+".json", "[1]")}, []string{"a", "b"}, "is not named after its digest"},
		{"no digest", []openapi.SelectedInput{{Path: "a"}}, []string{"b"}, "digest of 0 digits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text, err := json.Marshal(openapi.Selection{Inputs: c.inputs, Rest: c.rest})
			if err != nil {
				t.Fatal(err)
			}
			service := start(t, map[string]http.HandlerFunc{"POST /v1/selections": answering(string(text))})
			got, err := service.Select(t.Context(), openapi.SelectRequest{Model: "latest"}, inputsNamed(nil, "a", "b"))
			switch {
			case c.want == "" && (err != nil || len(got.Inputs) != len(c.inputs)):
				t.Errorf("got %+v and %v, want all inputs", got, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || len(got.Inputs) > 0):
				t.Errorf("got %+v and error %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestSelectUnsendable reports inputs that cannot be read or sent.
func TestSelectUnsendable(t *testing.T) {
	service := start(t, map[string]http.HandlerFunc{"POST /v1/selections": answering(`{}`)})
	unreadable := errors.New("b: permission denied")
	if _, err := service.Select(t.Context(), openapi.SelectRequest{Model: "latest"}, inputsNamed(unreadable, "a")); !errors.Is(err, unreadable) {
		t.Errorf("error %v, want %v", err, unreadable)
	}
	const want = `"\xff": a path that is not UTF-8 cannot be sent to a service`
	if _, err := service.Select(t.Context(), openapi.SelectRequest{Model: "latest"}, inputsNamed(nil, "\xff")); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
