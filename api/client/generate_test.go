package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/inroad/inroad/api/client"
	"github.com/inroad/inroad/api/openapi"
)

// A stream ends with the number of its lines, with the error on its last line, or
// incomplete.
func TestEndOfStream(t *testing.T) {
	const grammar = `{"id":"list","files":[],"report":{"usable":true,"summary":{"start":"list","exact":true}}}`
	const input = `{"input":"[]"}` + "\n"
	for _, c := range []struct {
		name, lines, want string
		inputs            int
	}{
		{"a count", input + `{"summary":{"inputs":1,"draws":1,"seed":1}}` + "\n" + `{"count":2}` + "\n", "", 1},
		{"a count in another layout", input + `{ "count" : 1 }` + "\n", "", 1},
		{"an error", input + `{"count":1,"error":"no text parsed back"}` + "\n", "no text parsed back", 1},
		{"neither", input + input, "URL: incomplete or invalid answer: the stream ended after 2 lines, without its count line", 2},
		{"another count", input + `{"count":2}` + "\n", "URL: incomplete or invalid answer: the stream has 1 lines, but its count line says 2", 1},
		{"half a line", input + `{"inp`, "URL: incomplete or invalid answer: the stream ended after 1 lines, without its count line", 1},
		{"half a count", input + `{"count":1`, "URL: incomplete or invalid answer: the stream ended after 1 lines, without its count line", 1},
		{"nothing", "", "URL: incomplete or invalid answer: the stream ended after 0 lines, without its count line", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("GET /v1/grammars/list", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, grammar) })
			mux.HandleFunc("POST /v1/grammars/list/", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, c.lines) })
			server := httptest.NewServer(mux)
			defer server.Close()
			service, err := client.New(server.URL, "")
			if err != nil {
				t.Fatal(err)
			}
			for name, stream := range map[string]func(func(openapi.GeneratedInput, error) bool){
				"generate": service.Generate(t.Context(), "list", openapi.GenerateRequest{}),
				"solve":    service.Solve(t.Context(), "list", openapi.SolveRequest{}),
			} {
				inputs, got := 0, ""
				for line, err := range stream {
					if err != nil {
						got += strings.ReplaceAll(err.Error(), server.URL, "URL")
					}
					if line.Input != nil {
						inputs++
					}
				}
				if inputs != c.inputs || got != c.want {
					t.Errorf("%s: %d inputs and error %q, want %d and %q", name, inputs, got, c.inputs, c.want)
				}
			}
		})
	}
}
