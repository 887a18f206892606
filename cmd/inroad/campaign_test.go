package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
)

// TestKillCampaign kills the service at random moments while clients ask a campaign for
// inputs and tell their observations. No acknowledged tell gets lost, no lease ends
// early, and at the end the campaign has the same inputs and counts as one that was not
// killed.
func TestKillCampaign(t *testing.T) {
	kills := 5
	if *long {
		kills = 100
	}
	runs := 40 * kills
	body := fmt.Sprintf(`{"subject":"calc","grammar":"expr","options":{"algorithm":"evogfuzz","population":20,"n":%d}}`, runs)

	address, end := listening(t, 10*time.Minute, filepath.Join(t.TempDir(), "whole.db"), "inroad")
	whole := newAsker(t, address, body)
	whole.ask(t.Context(), address)
	want := whole.state(t, address)
	end()

	path := filepath.Join(t.TempDir(), "killed.db")
	address, end = listening(t, 10*time.Minute, path, "inroad")
	a := newAsker(t, address, body)
	end()
	r := rand.New(rand.NewPCG(1, 0))
	for range kills {
		address, end = listening(t, 10*time.Minute, path, "inroad")
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() { a.ask(ctx, address) })
		}
		time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond) // a random moment is what is tested
		end()
		cancel()
		group.Wait()
	}
	acknowledged := len(a.told)
	address, end = listening(t, 10*time.Minute, path, "inroad")
	defer end()
	for _, o := range a.told {
		var answer openapi.TellAnswer
		if err := a.post(t.Context(), address, "tells", openapi.TellRequest{Observations: []openapi.ToldObservation{o}}, &answer); err != nil || answer.Duplicates != 1 {
			t.Errorf("the observation of %s is gone: %+v, %v", o.ID, answer, err)
		}
	}
	if c := a.state(t, address); c.Runs < acknowledged {
		t.Errorf("%d runs, but %d tells were acknowledged", c.Runs, acknowledged)
	}
	a.ask(t.Context(), address)
	got := a.state(t, address)
	got.Created, got.Updated, got.History = want.Created, want.Updated, want.History
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("after %d kills, the campaign differs (-want +got):\n%s", kills, diff)
	}
	if diff := cmp.Diff(whole.inputs, a.inputs); diff != "" {
		t.Errorf("after %d kills, the inputs differ (-want +got):\n%s", kills, diff)
	}
	for _, early := range a.early {
		t.Error(early)
	}
	end()
	var out bytes.Buffer
	if code := run(t.Context(), []string{"store", "check", "--store", path}, strings.NewReader(""), &out, &out); code != exitDone {
		t.Errorf("the store after %d kills: %s", kills, &out)
	}
	t.Logf("%d kills, %d tells acknowledged before the last one, %d of %d runs in the end, %d requests failed, %d inputs handed out again: %s",
		kills, acknowledged, got.Runs, runs, a.failed, a.again, strings.TrimSpace(out.String()))
}

// An asker asks for inputs and tells their observations. It knows what the service
// acknowledged.
type asker struct {
	id int64

	mu      sync.Mutex
	inputs  map[int]string                     // by number
	expires map[string]time.Time               // of the last lease, by ID
	told    map[string]openapi.ToldObservation // acknowledged, by ID
	early   []string                           // inputs that were handed out before their leases had expired
	again   int                                // inputs that were handed out after that
	failed  int                                // requests
}

// newAsker creates a campaign.
func newAsker(t *testing.T, address, body string) *asker {
	t.Helper()
	text, err := post(t.Context(), address+"/v1/campaigns", "application/json", body)
	var c openapi.Campaign
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return &asker{id: c.ID, inputs: map[int]string{}, expires: map[string]time.Time{}, told: map[string]openapi.ToldObservation{}}
}

func (a *asker) post(ctx context.Context, address, kind string, body, answer any) error {
	encoded, err := json.Marshal(body)
	if err != nil {
		return err
	}
	text, err := post(ctx, fmt.Sprintf("%s/v1/campaigns/%d/%s", address, a.id, kind), "application/json", string(encoded))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

func (a *asker) state(t *testing.T, address string) (c openapi.Campaign) {
	t.Helper()
	text, err := get(t.Context(), fmt.Sprintf("%s/v1/campaigns/%d", address, a.id))
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}

// ask asks and tells until the campaign or the service ends.
func (a *asker) ask(ctx context.Context, address string) {
	for {
		var answer openapi.AskAnswer
		if err := a.post(ctx, address, "asks", openapi.AskRequest{N: 3, LeaseMs: 400, WaitMs: new(500)}, &answer); err != nil {
			a.fail()
			return
		}
		if answer.State != openapi.CampaignRunning {
			return
		}
		a.handedOut(answer, time.Now())
		var told openapi.TellRequest
		for _, in := range answer.Inputs {
			told.Observations = append(told.Observations, observeBytes(in))
		}
		if len(told.Observations) == 0 {
			continue
		}
		var stored openapi.TellAnswer
		if err := a.post(ctx, address, "tells", told, &stored); err != nil {
			a.fail()
			return
		}
		a.acknowledged(told, stored)
	}
}

func (a *asker) fail() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failed++
}

// handedOut notes inputs that arrived at a time.
func (a *asker) handedOut(answer openapi.AskAnswer, at time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, in := range answer.Inputs {
		if expires, ok := a.expires[in.ID]; ok {
			a.again++
			if at.Before(expires) {
				a.early = append(a.early, fmt.Sprintf("input %d is handed out again at %v, but leased until %v", in.Number, at, expires))
			}
		}
		a.expires[in.ID] = answer.Expires
		text, _ := api.Decode(in.Input, in.InputBase64)
		if before, ok := a.inputs[in.Number]; ok && before != string(text) {
			a.early = append(a.early, fmt.Sprintf("input %d is %q, and was %q", in.Number, text, before))
		}
		a.inputs[in.Number] = string(text)
	}
}

func (a *asker) acknowledged(told openapi.TellRequest, answer openapi.TellAnswer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(answer.Unknown) > 0 {
		a.early = append(a.early, fmt.Sprintf("handed out, but unknown: %q", answer.Unknown))
	}
	for _, o := range told.Observations {
		a.told[o.ID] = o
	}
}

// observeBytes runs a program with a method for each byte, which fails on an input with
// two zeros.
func observeBytes(in openapi.AskedInput) openapi.ToldObservation {
	text, _ := api.Decode(in.Input, in.InputBase64)
	methods := strings.Split(string(text), "")
	o := openapi.ToldObservation{ID: in.ID, Methods: &methods}
	if bytes.Count(text, []byte("0")) == 2 {
		o.Failure = &openapi.CampaignFailure{Type: "zeros"}
	}
	return o
}
