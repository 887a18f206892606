package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/client"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/model/observation"
)

// calculate runs a program with a method for each operator, which fails on a division by
// 0, on an input of the grammar expr.
func calculate(in openapi.AskedInput) openapi.ToldObservation {
	text, err := api.Decode(in.Input, in.InputBase64)
	if err != nil {
		panic(err)
	}
	methods := []string{"read"}
	for _, operator := range []string{"(", "*", "+", "-", "/"} {
		if bytes.Contains(text, []byte(operator)) {
			methods = append(methods, "operator "+operator)
		}
	}
	o := openapi.ToldObservation{ID: in.ID, Methods: &methods, DurationMs: float64(len(text)) / 100}
	if bytes.Contains(text, []byte("/0")) {
		o.Failure = &openapi.CampaignFailure{Type: "division by zero", Stack: "s1"}
	}
	return o
}

// createCampaign creates a campaign with the grammar expr and some options.
func (s *service) createCampaign(t *testing.T, options string) openapi.Campaign {
	t.Helper()
	var c openapi.Campaign
	s.post(t, "/v1/campaigns", `{"subject":"calc","commit":"v1","grammar":"expr","options":`+options+`}`, http.StatusCreated, &c)
	return c
}

func (s *service) ask(t *testing.T, id int64, body string) (answer openapi.AskAnswer) {
	t.Helper()
	s.post(t, fmt.Sprintf("/v1/campaigns/%d/asks", id), body, http.StatusOK, &answer)
	return answer
}

func (s *service) tell(tb testing.TB, id int64, observations ...openapi.ToldObservation) (answer openapi.TellAnswer) {
	tb.Helper()
	body, err := json.Marshal(openapi.TellRequest{Observations: observations})
	if err != nil {
		tb.Fatal(err)
	}
	s.post(tb, fmt.Sprintf("/v1/campaigns/%d/tells", id), string(body), http.StatusOK, &answer)
	return answer
}

func (s *service) campaign(t *testing.T, id int64) (c openapi.Campaign) {
	t.Helper()
	s.get(t, fmt.Sprintf("/v1/campaigns/%d", id), &c)
	return c
}

// drive asks a campaign for up to n inputs at a time and tells their observations, until
// it has ended or told a number of observations. It returns the inputs by number.
func (s *service) drive(t *testing.T, id int64, n, most int) map[int]string {
	t.Helper()
	inputs := map[int]string{}
	for len(inputs) < most {
		answer := s.ask(t, id, fmt.Sprintf(`{"n":%d}`, min(n, most-len(inputs))))
		if answer.State != openapi.CampaignRunning {
			break
		}
		var told []openapi.ToldObservation
		for _, in := range answer.Inputs {
			if before, ok := inputs[in.Number]; ok {
				t.Fatalf("input %d is handed out again: %q, before %q", in.Number, *in.Input, before)
			}
			text, _ := api.Decode(in.Input, in.InputBase64)
			inputs[in.Number] = string(text)
			told = append(told, calculate(in))
		}
		if len(told) == 0 {
			t.Fatalf("no inputs within the default time: %+v", answer)
		}
		if got := s.tell(t, id, told...); got.Told != len(told) || got.Duplicates > 0 || len(got.Unknown) > 0 {
			t.Fatalf("told %d observations: %+v", len(told), got)
		}
	}
	return inputs
}

// Each algorithm hands out as many distinct inputs as allowed, the same ones whatever
// the number of inputs per ask, and reports what they did.
func TestCampaign(t *testing.T) {
	s := start(t)
	for _, algorithm := range []string{"guided", "random", "common", "uncommon", "evogfuzz", "fdloop"} {
		t.Run(algorithm, func(t *testing.T) {
			const runs = 150
			options := fmt.Sprintf(`{"algorithm":%q,"n":%d,"ignore":["runtime"],"population":20}`, algorithm, runs)
			c := s.createCampaign(t, options)
			if c.State != openapi.CampaignRunning || c.Runs != 0 || string(c.Options.Algorithm) != algorithm || c.Coverage.K != 3 || c.Coverage.Possible == "0" {
				t.Fatalf("created %+v", c)
			}
			inputs := s.drive(t, c.ID, 7, runs)
			distinct := map[string]bool{}
			for _, text := range inputs {
				distinct[text] = true
			}
			if len(inputs) != runs || len(distinct) != runs {
				t.Fatalf("got %d inputs, %d distinct, want %d", len(inputs), len(distinct), runs)
			}
			if last := s.ask(t, c.ID, `{}`); last.State != openapi.CampaignEnded || last.End != openapi.EndRuns || len(last.Inputs) > 0 {
				t.Errorf("an ask at the end: %+v", last)
			}
			c = s.campaign(t, c.ID)
			if c.State != openapi.CampaignEnded || c.End != openapi.EndRuns || c.Runs != runs || c.Leased != 0 || c.Reached < 4 || c.Reached > 6 || c.Coverage.Covered == 0 || c.Generation == 0 {
				t.Errorf("ended as %+v", c)
			}
			if last := c.History[len(c.History)-1]; len(c.History) > 257 || last.Runs != runs || last.Reached != c.Reached || last.Covered == 0 {
				t.Errorf("%d points, the last is %+v", len(c.History), last)
			}
			again := s.createCampaign(t, options)
			if diff := cmp.Diff(inputs, s.drive(t, again.ID, 50, runs)); diff != "" {
				t.Errorf("asking for more inputs at once changes them:\n%s", diff)
			}
			checkResults(t, s, c)
		})
	}
}

// checkResults checks the best inputs and the failures of a campaign.
func checkResults(t *testing.T, s *service, c openapi.Campaign) {
	t.Helper()
	methods, failures := map[string]bool{}, 0
	path := fmt.Sprintf("/v1/campaigns/%d/inputs?limit=2", c.ID)
	var list openapi.CampaignInputList
	for cursor := "first"; cursor != ""; cursor = list.Next {
		list = openapi.CampaignInputList{}
		s.get(t, path, &list)
		for _, in := range list.Inputs {
			for _, m := range in.NewMethods {
				if methods[m] {
					t.Errorf("%s is new twice", m)
				}
				methods[m] = true
			}
			if in.NewFailure {
				failures++
			}
		}
		path = fmt.Sprintf("/v1/campaigns/%d/inputs?limit=2&cursor=%s", c.ID, list.Next)
	}
	if len(methods) != c.Reached || failures != c.Failures {
		t.Errorf("the best inputs reach %d methods and have %d failures, want %d and %d", len(methods), failures, c.Reached, c.Failures)
	}
	var failed openapi.FailureList
	s.get(t, fmt.Sprintf("/v1/campaigns/%d/failures", c.ID), &failed)
	if failed.Distinct != c.Failures || len(failed.Failures) != c.Failures {
		t.Errorf("failures %+v, want %d", failed, c.Failures)
	}
	for _, f := range failed.Failures {
		if f.Count != c.Failing || f.Type != "division by zero" || !strings.Contains(*f.Input, "/0") || f.ID != api.InputID([]byte(*f.Input)) {
			t.Errorf("failure %+v of %d", f, c.Failing)
		}
	}
}

// An input that is not told is handed out again when its lease expires, and not before.
// The first tell of an input counts, whoever asked for it.
func TestLease(t *testing.T) {
	clock := newClock()
	s := start(t, func(c *server.Config) { c.Clock = clock.now })
	c := s.createCampaign(t, `{"algorithm":"evogfuzz","n":5}`)
	first := s.ask(t, c.ID, `{"n":3,"lease_ms":1000}`)
	second := s.ask(t, c.ID, `{"n":3,"lease_ms":5000}`)
	if len(first.Inputs) != 3 || len(second.Inputs) != 2 || !first.Expires.Equal(clock.now().Add(time.Second)) {
		t.Fatalf("got %+v and %+v, want 3 and the other 2 inputs", first, second)
	}
	if none := s.ask(t, c.ID, `{"wait_ms":0}`); len(none.Inputs) > 0 || none.State != openapi.CampaignRunning || none.RetryMs != 1000 {
		t.Errorf("all inputs are leased, but got %+v", none)
	}
	s.tell(t, c.ID, calculate(first.Inputs[1]))
	clock.advance(999 * time.Millisecond)
	if none := s.ask(t, c.ID, `{"wait_ms":0}`); len(none.Inputs) > 0 || none.RetryMs != 50 {
		t.Errorf("all inputs are leased for another millisecond, but got %+v", none)
	}
	clock.advance(time.Millisecond)
	again := s.ask(t, c.ID, `{"n":10,"lease_ms":1000}`)
	if len(again.Inputs) != 2 || again.Inputs[0].ID != first.Inputs[0].ID || again.Inputs[1].ID != first.Inputs[2].ID {
		t.Fatalf("after the lease of %+v got %+v, want the first and the last again", first, again)
	}
	if got := s.tell(t, c.ID, calculate(first.Inputs[0])); got.Told != 1 || got.Runs != 2 {
		t.Errorf("told by the client whose lease has expired: %+v", got)
	}
	different := openapi.ToldObservation{ID: first.Inputs[0].ID, Methods: &[]string{"other"}}
	if got := s.tell(t, c.ID, different, calculate(again.Inputs[1]), different); got.Told != 1 || got.Duplicates != 2 || got.Runs != 3 {
		t.Errorf("told again: %+v", got)
	}
	if got := s.campaign(t, c.ID); got.Runs != 3 || got.Leased != 2 {
		t.Errorf("got %+v, want 3 runs, and 2 leased inputs", got)
	}
	var list openapi.CampaignInputList
	s.get(t, fmt.Sprintf("/v1/campaigns/%d/inputs", c.ID), &list)
	for _, in := range list.Inputs {
		if slices.Contains(in.NewMethods, "other") {
			t.Errorf("the second observation of an input counts: %+v", in)
		}
	}
}

// A clock that tests set.
type clock struct {
	mu   sync.Mutex
	time time.Time
}

func newClock() *clock { return &clock{time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.time
}

func (c *clock) advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.time = c.time.Add(by)
}

// A campaign that is stopped hands out no inputs, but is told those that it handed out.
// The observations outlive the campaign.
func TestStopAndDelete(t *testing.T) {
	s := start(t)
	c := s.createCampaign(t, `{"algorithm":"evogfuzz"}`)
	url := fmt.Sprintf("/v1/campaigns/%d", c.ID)
	asked := s.ask(t, c.ID, `{"n":5}`)
	s.tell(t, c.ID, calculate(asked.Inputs[0]))
	for range 2 {
		var stopped openapi.Campaign
		s.post(t, url+"/stop", "", http.StatusOK, &stopped)
		if stopped.State != openapi.CampaignStopped || stopped.Runs != 1 || stopped.Leased != 4 {
			t.Errorf("stopped as %+v", stopped)
		}
	}
	if got := s.ask(t, c.ID, `{}`); got.State != openapi.CampaignStopped || len(got.Inputs) > 0 {
		t.Errorf("an ask after the stop: %+v", got)
	}
	for _, in := range asked.Inputs[1:] {
		s.tell(t, c.ID, calculate(in))
	}
	if got := s.campaign(t, c.ID); got.State != openapi.CampaignStopped || got.Runs != 5 || got.Reached == 0 || got.Leased != 0 {
		t.Errorf("told after the stop: %+v", got)
	}
	if resp, text := s.send(t, http.MethodDelete, url, "", nil); resp.StatusCode != http.StatusNoContent {
		t.Errorf("%s %s", resp.Status, text)
	}
	for _, path := range []string{url, url + "/inputs", url + "/failures", url + "/events"} {
		if p := s.problem(t, http.MethodGet, path, "", nil); p.Type != "urn:inroad:problem:not-found" {
			t.Errorf("%s: %+v", path, p)
		}
	}
	if p := s.problem(t, http.MethodPost, url+"/asks", "application/json", strings.NewReader(`{}`)); p.Status != http.StatusNotFound {
		t.Errorf("an ask after the deletion: %+v", p)
	}
	var subject openapi.Subject
	s.get(t, "/v1/subjects/calc", &subject)
	if len(subject.Commits) != 1 || subject.Commits[0].Commit != "v1" || subject.Commits[0].Observations != 5 {
		t.Errorf("the program has %+v, want the 5 observations", subject)
	}
	s.checkFile(t, func(r *bolt.Report) bool { return r.Campaigns == 0 })
}

// Campaigns are listed by program, newest first, and followed until they end.
func TestListAndFollow(t *testing.T) {
	s := start(t)
	for range 3 {
		s.createCampaign(t, `{"algorithm":"random","n":40}`)
	}
	var list openapi.CampaignList
	s.get(t, "/v1/campaigns?limit=2&subject=calc", &list)
	if len(list.Campaigns) != 2 || list.Campaigns[0].ID != 3 || list.Next == "" {
		t.Errorf("the first page: %+v", list)
	}
	cursor := list.Next
	list = openapi.CampaignList{}
	s.get(t, "/v1/campaigns?limit=2&cursor="+cursor, &list)
	if len(list.Campaigns) != 1 || list.Campaigns[0].ID != 1 || list.Next != "" {
		t.Errorf("the last page: %+v", list)
	}
	list = openapi.CampaignList{}
	if s.get(t, "/v1/campaigns?subject=other", &list); len(list.Campaigns) > 0 {
		t.Errorf("campaigns of another program: %+v", list)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/v1/campaigns/1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewReader(resp.Body)
	next := func() (c openapi.Campaign, err error) {
		for {
			line, err := events.ReadString('\n')
			if err != nil {
				return c, err
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				return c, json.Unmarshal([]byte(data), &c)
			}
		}
	}
	if c, err := next(); err != nil || c.State != openapi.CampaignRunning || c.Runs != 0 {
		t.Errorf("the first event: %+v, %v", c, err)
	}
	s.drive(t, 1, 10, 100)
	var last openapi.Campaign
	for {
		c, err := next()
		if err != nil {
			break
		}
		last = c
	}
	if last.State != openapi.CampaignEnded || last.Runs != 40 || len(last.History) == 0 {
		t.Errorf("the last event: %+v", last)
	}
}

// A campaign whose algorithm fails says why, once and for all.
func TestCampaignFails(t *testing.T) {
	s := start(t)
	var g openapi.Grammar
	s.post(t, "/v1/grammars", unwritable, http.StatusCreated, &g)
	var c openapi.Campaign
	s.post(t, "/v1/campaigns", `{"subject":"p","grammar":"`+g.ID+`","options":{"algorithm":"random"}}`, http.StatusCreated, &c)
	for range 2 {
		if got := s.ask(t, c.ID, `{}`); got.State != openapi.CampaignFailed || got.Error == "" || len(got.Inputs) > 0 {
			t.Errorf("asked: %+v", got)
		}
	}
	if got := s.campaign(t, c.ID); got.State != openapi.CampaignFailed || got.Problem != "urn:inroad:problem:unrealised" || got.Error == "" {
		t.Errorf("the campaign: %+v", got)
	}
}

// unwritable is a grammar without inputs: the lexer always prefers the token B.
const unwritable = `{"files":[{"name":"g.g4","text":"grammar g; s : A ; B : 'x'+ ; A : 'x' ;"}]}`

// Requests that are wrong are rejected, and change nothing.
func TestCampaignProblems(t *testing.T) {
	s := start(t, func(c *server.Config) { c.MaxRunning = 4 })
	var g openapi.Grammar
	s.post(t, "/v1/grammars", unwritable, http.StatusCreated, &g)
	c := s.createCampaign(t, `{"algorithm":"random"}`)
	in := s.ask(t, c.ID, `{}`).Inputs[0]
	asks, tells := fmt.Sprintf("/v1/campaigns/%d/asks", c.ID), fmt.Sprintf("/v1/campaigns/%d/tells", c.ID)
	for _, p := range []struct {
		path, body string
		status     int
		want       string // in the detail
	}{
		{"/v1/campaigns", `{}`, 400, "grammar: required"},
		{"/v1/campaigns", `{"subject":"calc","grammar":"none"}`, 404, "grammar none: not found"},
		{"/v1/campaigns", `{"subject":"calc","grammar":"expr","start":"none"}`, 400, "start none: not a parser rule"},
		{"/v1/campaigns", `{"subject":"calc","grammar":"expr","options":{"algorithm":"best"}}`, 400, "options.algorithm best: must be guided"},
		{"/v1/campaigns", `{"subject":"calc","grammar":"expr","options":{"goal":"coverage","ignore":["coverage"]}}`, 400, "options.ignore: must not contain the goal coverage"},
		{"/v1/campaigns", `{"subject":"calc","grammar":"expr","options":{"n":1000001}}`, 400, "options.n 1000001: must be between 1 and 1000000"},
		{"/v1/campaigns", `{"subject":"calc","grammar":"expr","corpus":[{}]}`, 400, "corpus.0.input: exactly one of"},
		{"/v1/campaigns", `{"subject":"calc","grammar":"expr","corpus":[{"input":"hello"}],"options":{"algorithm":"uncommon"}}`, 400, "corpus: must have inputs of the grammar for algorithm uncommon"},
		{"/v1/campaigns", `{"subject":"calc","grammar":"` + g.ID + `","options":{"algorithm":"fdloop"}}`, 422, ""},
		{asks, `{"n":0}`, 400, "n 0: must be between 1 and 1000"},
		{asks, `{"lease_ms":86400001}`, 400, "lease_ms 86400001: must be between 1 and 86400000"},
		{tells, `{"observations":[]}`, 400, "observations: must have between 1 and 10000 items"},
		{tells, `{"observations":[{"methods":["a"]}]}`, 400, "observations.0.id: required"},
		{tells, `{"observations":[{"id":"` + in.ID + `","methods":["a"],"counts":[1,2]}]}`, 400, "observations.0.counts: 2 counts for 1 methods: must be equal"},
		{tells, `{"observations":[{"id":"` + in.ID + `"},{"id":"x","outcome":"ok","failure":{}}]}`, 400, "observations.1.outcome: ok: must not have a failure"},
		{tells, `{"observations":[{"id":"` + in.ID + `","methods":[""]}]}`, 400, "observations.0.methods.0: must have between 1 and 10000 characters"},
		{tells, `{"observations":[{"id":"` + in.ID + `","duration_ms":-1}]}`, 400, "observations.0.duration_ms -1: must be between 0 and"},
		{"/v1/campaigns/99/asks", `{}`, 404, "campaign 99: not found"},
		{"/v1/campaigns/99/tells", `{"observations":[{"id":"x"}]}`, 404, "campaign 99: not found"},
		{"/v1/campaigns/99/stop", ``, 404, "campaign 99: not found"},
	} {
		if got := s.problem(t, http.MethodPost, p.path, "application/json", strings.NewReader(p.body)); got.Status != p.status || !strings.Contains(got.Detail, p.want) {
			t.Errorf("%s with %s: %d %q, want %d %q", p.path, p.body, got.Status, got.Detail, p.status, p.want)
		}
	}
	if p := s.problem(t, http.MethodDelete, "/v1/campaigns/99", "", nil); p.Status != http.StatusNotFound {
		t.Errorf("deleted: %+v", p)
	}
	other := openapi.ToldObservation{ID: api.InputID([]byte("never asked for"))}
	if got := s.tell(t, c.ID, other, calculate(in)); got.Told != 1 || !slices.Equal(got.Unknown, []string{other.ID}) || got.Runs != 1 {
		t.Errorf("told an unknown input, too: %+v", got)
	}
	s.createCampaign(t, `{"algorithm":"random"}`)
	p := s.problem(t, http.MethodPost, "/v1/campaigns", "application/json", strings.NewReader(`{"subject":"calc","grammar":"expr"}`))
	if p.Status != http.StatusTooManyRequests || !strings.Contains(p.Detail, "2 campaigns are running, the most allowed") {
		t.Errorf("a campaign too many: %+v", p)
	}
}

// A campaign continues after a restart as if there had been none: inputs that were
// handed out are still leased and can be told, and the next inputs are the same.
func TestCampaignRestart(t *testing.T) {
	for _, algorithm := range []string{"guided", "evogfuzz", "fdloop"} {
		t.Run(algorithm, func(t *testing.T) {
			const runs = 120
			options := fmt.Sprintf(`{"algorithm":%q,"n":%d,"ignore":["runtime"],"population":10}`, algorithm, runs)
			clock := newClock()
			edit := func(c *server.Config) { c.Clock = clock.now }
			s := start(t, edit)
			whole := s.createCampaign(t, options)
			want := s.drive(t, whole.ID, 10, runs)
			s.ask(t, whole.ID, `{}`) // waits until the campaign has ended
			c := s.createCampaign(t, options)
			got := s.drive(t, c.ID, 3, 50)
			leased := s.ask(t, c.ID, `{"n":2,"lease_ms":5000}`).Inputs
			expired := s.ask(t, c.ID, `{"n":1,"lease_ms":1}`).Inputs
			before := s.campaign(t, c.ID)
			s.stop()

			s = startOn(t, s.path, edit)
			after := s.campaign(t, c.ID)
			before.Aims = nil // known again with the state
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("the restart changes the campaign:\n%s", diff)
			}
			clock.advance(time.Second)
			if again := s.ask(t, c.ID, `{"n":10}`).Inputs; len(again) != 1 || again[0].ID != expired[0].ID || again[0].Number != expired[0].Number || *again[0].Input != *expired[0].Input {
				t.Errorf("got %+v, want %+v, whose lease has expired", again, expired)
			}
			for _, in := range append(leased, expired...) {
				got[in.Number] = *in.Input
				if told := s.tell(t, c.ID, calculate(in)); told.Told != 1 {
					t.Fatalf("told %+v after the restart: %+v", in, told)
				}
			}
			maps.Copy(got, s.drive(t, c.ID, 7, runs-len(got)))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the restart changes the inputs:\n%s", diff)
			}
			s.ask(t, c.ID, `{}`)
			end, wantEnd := s.campaign(t, c.ID), s.campaign(t, whole.ID)
			end.ID, end.Created, end.Updated, end.History = wantEnd.ID, wantEnd.Created, wantEnd.Updated, wantEnd.History
			if diff := cmp.Diff(wantEnd, end); diff != "" {
				t.Errorf("the restart changes the end:\n%s", diff)
			}
		})
	}
}

// Clients that ask at the same time get different inputs, and all inputs together are
// those that one client gets. Few campaigns fit in memory, so that they are rebuilt
// meanwhile.
func TestCampaignsAtOnce(t *testing.T) {
	const runs, clients = 90, 3
	s := start(t, func(c *server.Config) { c.MaxOpen = 1 })
	options := fmt.Sprintf(`{"algorithm":"evogfuzz","n":%d,"population":10}`, runs)
	want := s.drive(t, s.createCampaign(t, options).ID, 10, runs)
	var group sync.WaitGroup
	for range 2 {
		c := s.createCampaign(t, options)
		var mu sync.Mutex
		got := map[int]string{}
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				for {
					answer := s.ask(t, c.ID, `{"n":2,"wait_ms":30000}`)
					if answer.State != openapi.CampaignRunning || t.Failed() {
						return
					}
					for _, in := range answer.Inputs {
						mu.Lock()
						if _, ok := got[in.Number]; ok {
							t.Errorf("input %d is handed out twice", in.Number)
						}
						got[in.Number] = *in.Input
						mu.Unlock()
						s.tell(t, c.ID, calculate(in))
					}
				}
			})
		}
		group.Go(func() {
			all.Wait()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("clients at the same time got other inputs:\n%s", diff)
			}
		})
	}
	group.Wait()
}

// A client in Go runs a campaign with a grammar file of its own. Units that it names
// before are methods of the program.
func TestCampaignClient(t *testing.T) {
	s := start(t)
	c, err := client.New(s.url, "")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "bits.g4")
	if err := os.WriteFile(file, []byte("grammar bits; s : ('0' | '1')* EOF ;"), 0o600); err != nil {
		t.Fatal(err)
	}
	units := []observation.Unit{{ID: "b.go#zero", Kind: observation.KindMethod, File: "b.go", Start: 1, End: 2}, {ID: "b.go#one", Kind: observation.KindMethod, File: "b.go", Start: 3, End: 4}}
	if err := c.AddUnits(t.Context(), observation.Header{Subject: "bits", Commit: "v1", Units: units}); err != nil {
		t.Fatal(err)
	}
	made, err := c.CreateCampaign(t.Context(), openapi.CampaignRequest{Subject: "bits", Commit: "v1", Grammar: file})
	if err != nil || made.Methods != 2 || made.Options.N != 10000 {
		t.Fatalf("created %+v, %v", made, err)
	}
	asked, err := c.Ask(t.Context(), made.ID, openapi.AskRequest{N: 8})
	if err != nil || len(asked.Inputs) != 8 {
		t.Fatalf("asked for %+v, %v", asked, err)
	}
	for _, in := range asked.Inputs {
		o := openapi.ToldObservation{ID: in.ID, Methods: &[]string{"b.go#zero"}, Outcome: openapi.OutcomeOK}
		if strings.Contains(*in.Input, "11") {
			o.Methods, o.Outcome = &[]string{}, openapi.OutcomeCrash
		}
		if told, err := c.Tell(t.Context(), made.ID, openapi.TellRequest{Observations: []openapi.ToldObservation{o}}); err != nil || told.Told != 1 {
			t.Fatalf("told %+v, %v", told, err)
		}
	}
	state, err := c.Campaign(t.Context(), made.ID)
	sum := 0
	for _, a := range state.Aims {
		sum += a.Inputs
	}
	if err != nil || state.Runs != 8 || state.Reached != 1 || state.Methods != 2 || sum == 0 {
		t.Errorf("the campaign: %+v, %v", state, err)
	}
	list, err := c.Campaigns(t.Context(), openapi.ListCampaignsParams{Subject: "bits"})
	if err != nil || len(list.Campaigns) != 1 || list.Campaigns[0].Runs != 8 || list.Campaigns[0].History != nil {
		t.Errorf("listed %+v, %v", list, err)
	}
	best, err := c.CampaignInputs(t.Context(), made.ID, openapi.ListCampaignInputsParams{})
	if err != nil || len(best.Inputs) == 0 || len(best.Inputs) > 2 {
		t.Errorf("the best inputs are %+v, %v", best, err)
	}
	failures, err := c.CampaignFailures(t.Context(), made.ID, openapi.ListCampaignFailuresParams{})
	if err != nil || failures.Distinct != state.Failures {
		t.Errorf("the failures are %+v, %v", failures, err)
	}
	if stopped, err := c.StopCampaign(t.Context(), made.ID); err != nil || stopped.State != openapi.CampaignStopped {
		t.Errorf("stopped %+v, %v", stopped, err)
	}
	if err := c.DeleteCampaign(t.Context(), made.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.Campaign(t.Context(), made.ID); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after the deletion: %v", err)
	}
}

// BenchmarkCampaign asks for inputs and tells their observations, many at a time or one.
func BenchmarkCampaign(b *testing.B) {
	for _, n := range []int{1, 50} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := start(b)
			var c openapi.Campaign
			s.post(b, "/v1/campaigns", `{"subject":"calc","grammar":"expr","options":{"algorithm":"random","n":1000000}}`, http.StatusCreated, &c)
			runs := 0
			for b.Loop() {
				var asked openapi.AskAnswer
				s.post(b, fmt.Sprintf("/v1/campaigns/%d/asks", c.ID), fmt.Sprintf(`{"n":%d}`, n), http.StatusOK, &asked)
				var told []openapi.ToldObservation
				for _, in := range asked.Inputs {
					told = append(told, calculate(in))
				}
				s.tell(b, c.ID, told...)
				runs += len(told)
			}
			b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}
