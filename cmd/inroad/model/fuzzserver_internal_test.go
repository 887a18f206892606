package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/inroad/inroad/api/client"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observe"
)

// A campaign at a service has the parameters that the flags name.
func TestCampaignRequest(t *testing.T) {
	c := &fuzzCommand{grammar: "json"}
	c.goals = goalFlags{Goal: "runtime", Ignore: []string{"mappings"}, Population: 7, TrainOn: 200, Effort: 2}
	c.end = fuzzLimits{N: 10, Generations: 9, Patience: 8}
	c.evolution = evolutionFlags{Elitism: 0.5, Tournaments: 3, TournamentSize: 4, Mutations: 5, Lambda: 6}
	c.loop = loopFlags{Seeds: 11, Calibration: 12, MaxMappings: 13, MappingDepth: 4, Flipped: 0.25, Pareto: true, SizeWeight: -2, Novelty: 3}
	req, err := c.campaignRequest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	fields := func(of any) map[string]any {
		text, err := json.Marshal(of)
		if err != nil {
			t.Fatal(err)
		}
		var out map[string]any
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	got := fields(req.Options)
	for _, flags := range []any{c.goals, c.end, c.evolution, c.loop} {
		for name, want := range fields(flags) {
			if name != "for_ms" && !reflect.DeepEqual(got[name], want) {
				t.Errorf("%s is %v, want %v", name, got[name], want)
			}
		}
	}
}

// A base input that JSON cannot have is refused, not changed.
func TestCampaignBaseInput(t *testing.T) {
	for text, valid := range map[string]bool{"": true, "[1]": true, "\xff": false} {
		c := &fuzzCommand{grammar: "json"}
		c.evolution.base = put(t, t.TempDir(), "base", text)
		req, err := c.campaignRequest(t.Context())
		switch {
		case valid && (err != nil || *req.Options.BaseInput != text):
			t.Errorf("%q becomes %v, error %v", text, req.Options.BaseInput, err)
		case !valid && (err == nil || !strings.Contains(err.Error(), "must be UTF-8 with --server")):
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// The report of a campaign has the failures of all pages.
func TestReportCampaignPages(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path + "?" + r.URL.Query().Get("cursor") {
		case "/v1/campaigns/7?":
			fmt.Fprint(w, `{"id":7,"state":"ended"}`)
		case "/v1/campaigns/7/failures?":
			fmt.Fprint(w, `{"distinct":2,"failures":[{"count":1,"outcome":"crash","input":"a"}],"next":"more"}`)
		case "/v1/campaigns/7/failures?more":
			fmt.Fprint(w, `{"distinct":2,"failures":[{"count":1,"outcome":"crash","input":"b"}]}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer service.Close()
	to, err := client.New(service.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := &fuzzCommand{format: "json", Streams: cli.Streams{Out: &out, Err: io.Discard}}
	if err := c.reportCampaign(t.Context(), &fuzzWorker{client: to, id: 7}); err != nil {
		t.Fatal(err)
	}
	var report campaignReport
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Failures) != 2 {
		t.Errorf("the report is %s, error %v; want two failures", &out, err)
	}
}

// A command that is interrupted does not wait long for a service that cannot be reached.
func TestTellUnreachable(t *testing.T) {
	for name, c := range map[string]struct {
		interrupt   time.Duration // after which the command is interrupted; never if 0
		least, most time.Duration // that tell may take
	}{
		"interrupted before": {time.Nanosecond, partingTime, partingTime + 2*retryDelay},
		"interrupted later":  {time.Minute, time.Minute + partingTime, time.Minute + partingTime + 2*retryDelay},
		"not interrupted":    {0, maxOutage, maxOutage + 2*retryDelay},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.interrupt > 0 {
				time.AfterFunc(c.interrupt, cancel)
			}
			service, err := client.New("http://127.0.0.1:1", "")
			if err != nil {
				t.Fatal(err)
			}
			w := &fuzzWorker{client: service, program: &observe.Program{}, streams: cli.Streams{Err: io.Discard}}
			began := time.Now()
			err = w.tell(ctx, []openapi.ToldObservation{{ID: "a"}})
			if took := time.Since(began); err == nil || took < c.least || took > c.most {
				t.Errorf("%s: took %v, want %v to %v; error %v", name, took, c.least, c.most, err)
			}
			if c.interrupt > 0 && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error %v", name, err)
			}
		})
	}
}
