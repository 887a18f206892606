package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
)

const listGrammar = `{"id":"list","files":[{"name":"list.g4","text":"grammar list; list : '[' ']' EOF ;"}],"report":{"summary":{"start":"list"}}}`

// answering returns a handler that reads a request and answers it with a text.
func answering(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

// start starts a service with the grammar list, and returns a client.
func start(t *testing.T, routes map[string]http.HandlerFunc) *Client {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/grammars/list", answering(listGrammar))
	for pattern, handler := range routes {
		mux.HandleFunc(pattern, handler)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c, err := New(server.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// training returns a request with one file of observations.
func training(observations string) api.Training {
	return api.Training{Grammar: "list", Observations: observation.Sources{
		Files: []observation.File{{Name: "o.ndjson", Reader: strings.NewReader(observations)}},
	}}
}

const oneObservation = `{"inroad":"observations/1","subject":"p"}` + "\n" + `{"input":"[]","methods":[]}` + "\n"

// TestInterruptedTraining cancels the job of a training that nobody waits for.
func TestInterruptedTraining(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	cancelled := make(chan struct{}, 1)
	c := start(t, map[string]http.HandlerFunc{
		"POST /v1/subjects/p/observations": answering(`{"subject":"p"}`),
		"POST /v1/models":                  answering(`{"id":7,"state":"queued"}`),
		"GET /v1/jobs/7/events": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "event: job\ndata: {\"id\":7,\"state\":\"running\"}\n\n")
			_ = http.NewResponseController(w).Flush()
			interrupt()
			<-r.Context().Done()
		},
		"DELETE /v1/jobs/7": func(w http.ResponseWriter, _ *http.Request) {
			cancelled <- struct{}{}
			w.WriteHeader(http.StatusAccepted)
		},
	})
	if _, err := c.Train(ctx, training(oneObservation)); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want %v", err, context.Canceled)
	}
	select {
	case <-cancelled:
	default:
		t.Error("the job was not cancelled")
	}
}

// TestEndsOfTraining follows a job through a stream that breaks off, to each of the
// ends that a job can have.
func TestEndsOfTraining(t *testing.T) {
	for _, tc := range []struct{ name, end, want string }{
		{"done", `"state":"done","model":"m"`, ""},
		{"failed", `"state":"failed","error":"too large"`, "too large"},
		{"cancelled", `"state":"cancelled"`, "the training was cancelled"},
		{"interrupted", `"state":"interrupted"`, "the training was interrupted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			streams := 0
			c := start(t, map[string]http.HandlerFunc{
				"POST /v1/subjects/p/observations": answering(`{"subject":"p"}`),
				"POST /v1/models":                  answering(`{"id":7,"state":"queued"}`),
				"GET /v1/models/m":                 answering(`{"id":"m","observations":{"given":1}}`),
				"GET /v1/jobs/7/events": func(w http.ResponseWriter, _ *http.Request) {
					if streams++; streams == 1 {
						_, _ = io.WriteString(w, "event: job\ndata: {\"id\":7,\"state\":\"queued\"}\n\n"+
							"event: job\ndata: {\"id\":7,\"state\":\"running\",\"progress\":{\"stage\":\"learning\",\"done\":1,\"total\":2}}\n\n")
						return
					}
					_, _ = io.WriteString(w, ":\n\nevent: job\ndata: {\"id\":7,"+tc.end+"}\n\n")
				},
			})
			var stages []string
			request := training(oneObservation + "no observation\n")
			request.Progress = func(p openapi.Progress) { stages = append(stages, p.Stage) }
			m, err := c.Train(t.Context(), request)
			if tc.want == "" && (err != nil || m.ID != "m" || m.Observations.Given != 1 || m.Observations.Invalid != 1) {
				t.Errorf("got model %+v, error %v", m, err)
			}
			if tc.want != "" && (err == nil || !strings.HasSuffix(err.Error(), tc.want)) {
				t.Errorf("got error %v, want %q", err, tc.want)
			}
			if want := []string{"waiting", "learning"}; !slices.Equal(stages, want) {
				t.Errorf("stages %q, want %q", stages, want)
			}
		})
	}
}

// A training request whose answer was lost is sent again with the same idempotency key.
func TestLostAnswer(t *testing.T) {
	var keys []string
	c := start(t, map[string]http.HandlerFunc{
		"POST /v1/subjects/p/observations": answering(`{"subject":"p"}`),
		"GET /v1/models/m":                 answering(`{"id":"m"}`),
		"GET /v1/jobs/7/events":            answering("event: job\ndata: {\"id\":7,\"state\":\"done\",\"model\":\"m\"}\n\n"),
		"POST /v1/models": func(w http.ResponseWriter, r *http.Request) {
			if keys = append(keys, r.Header.Get("Idempotency-Key")); len(keys) == 1 {
				panic(http.ErrAbortHandler)
			}
			_, _ = io.WriteString(w, `{"id":7,"state":"queued"}`)
		},
	})
	if m, err := c.Train(t.Context(), training(oneObservation)); err != nil || m.ID != "m" {
		t.Errorf("got model %+v, %v", m, err)
	}
	if len(keys) != 2 || keys[0] == "" || keys[0] != keys[1] {
		t.Errorf("idempotency keys %q, want the same twice", keys)
	}
}

// TestRefusedObservations reports files that a service cannot store before a job is
// started.
func TestRefusedObservations(t *testing.T) {
	second := func(text string) api.Training {
		request := training(oneObservation)
		request.Observations.Files = append(request.Observations.Files, observation.File{Name: "two.ndjson", Reader: strings.NewReader(text)})
		return request
	}
	strict := training(oneObservation + "no observation\n")
	strict.Observations.Strict = true
	for _, tc := range []struct {
		name    string
		request api.Training
		want    string
	}{
		{"no program", training(`{"input":"[]"}`), `o.ndjson: the program has no name, but a service stores observations by program; begin the file with {"inroad":"observations/1","subject":"NAME"}`},
		{"another program", second(`{"inroad":"observations/1","subject":"q"}`), "two.ndjson: observations of q, but earlier files have observations of p"},
		{"another commit", second(`{"inroad":"observations/1","subject":"p","commit":"c"}`), `two.ndjson: observations of commit "c", but earlier files have observations of commit ""; a service stores commits separately`},
		{"an invalid line", strict, "o.ndjson:3: not a JSON object: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := start(t, map[string]http.HandlerFunc{"POST /v1/subjects/p/observations": answering(`{"subject":"p"}`)})
			if _, err := c.Train(t.Context(), tc.request); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
				t.Errorf("got error %v, want %q", err, tc.want)
			}
		})
	}
}

// TestBusyServer sends a request again, with the same body, until a service has time.
func TestBusyServer(t *testing.T) {
	for _, tc := range []struct {
		name    string
		refused int // times
		want    string
	}{
		{"at last", maxTries - 1, "(list [ ])"},
		{"never", 100, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var bodies []string
			c := start(t, map[string]http.HandlerFunc{"POST /v1/grammars/list/parses": func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if bodies = append(bodies, string(body)); len(bodies) > tc.refused {
					_, _ = io.WriteString(w, `{"exact":true,"tree":"(list [ ])"}`)
					return
				}
				w.Header().Set("Content-Type", "application/problem+json")
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusTooManyRequests)
				_, _ = io.WriteString(w, `{"type":"urn:inroad:problem:busy","title":"Too many requests","status":429}`)
			}})
			answer, err := c.Parse(t.Context(), "list", openapi.ParseRequest{Input: new("[]")})
			if answer.Tree != tc.want {
				t.Errorf("got tree %q, error %v; want %q", answer.Tree, err, tc.want)
			}
			if tc.want == "" && (err == nil || !strings.Contains(err.Error(), "Too many requests")) {
				t.Errorf("got error %v", err)
			}
			if len(bodies) != maxTries || len(slices.Compact(bodies)) != 1 {
				t.Errorf("bodies %q, want the same one %d times", bodies, maxTries)
			}
		})
	}
}

// TestModelFile refuses files that are not models.
func TestModelFile(t *testing.T) {
	c := start(t, map[string]http.HandlerFunc{"GET /v1/models/m/file": answering("<html>")})
	if _, err := c.ModelFile(t.Context(), "m"); err == nil || !strings.Contains(err.Error(), "incomplete or invalid answer") {
		t.Errorf("got error %v", err)
	}
}

// A key that no header can contain is refused before anything is sent, without being
// repeated in the error. White space around a key, such as a final line break, is
// removed.
func TestKey(t *testing.T) {
	for key, want := range map[string]error{
		"":                     nil,
		"inroad_1_x":           nil,
		" inroad_1_x\r\n":      nil,
		"inroad_1_x\ninroad_2": ErrKey,
		"inroad_1 x":           ErrKey,
		"inroad_1_ü":           ErrKey,
		"inroad_1_\x7f":        ErrKey,
		"inroad_1_\xff":        ErrKey,
	} {
		if _, err := New("http://localhost:1", key); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", key, err, want)
		}
	}
}
