package api_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/campaign"
)

func newCampaign(t *testing.T, options openapi.CampaignOptions) *api.Campaign {
	t.Helper()
	e := &api.Engine{Library: &api.Files{}}
	c, err := e.NewCampaign(t.Context(), &openapi.CampaignRequest{Subject: "p", Grammar: "expr", Options: options}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// runAll runs a campaign to its end, and returns what it was told in order.
func runAll(t *testing.T, c *api.Campaign) []api.ToldInput {
	t.Helper()
	var out []api.ToldInput
	for {
		asked, err := c.Ask(t.Context(), 7)
		if errors.Is(err, campaign.ErrEnded) {
			return out
		}
		if err != nil || len(asked) == 0 {
			t.Fatalf("asked for %d inputs, %v", len(asked), err)
		}
		for _, in := range asked {
			told := api.ToldInput{
				ID: in.ID, Time: time.Unix(int64(len(out)), 0),
				Observation: observation.Observation{Input: in.Text, Methods: []string{fmt.Sprint("length ", len(in.Text))}, Outcome: observation.OK},
			}
			if _, err := c.Tell(told); err != nil {
				t.Fatal(err)
			}
			out = append(out, told)
		}
	}
}

func describe(c *api.Campaign) (out openapi.Campaign) {
	c.Describe(&out)
	out.History = c.History()
	return out
}

// The history has a limited number of points, at equal numbers of runs from the
// beginning to the end.
func TestCampaignHistory(t *testing.T) {
	c := newCampaign(t, openapi.CampaignOptions{Algorithm: openapi.RandomAlgorithm, N: 1200})
	runAll(t, c)
	points := c.History()
	if len(points) != 150 {
		t.Errorf("got %d points, want one each 8 runs", len(points))
	}
	for i, p := range points {
		if p.Runs != 8*(i+1) || p.Time != time.Unix(int64(p.Runs-1), 0) || i > 0 && p.Reached < points[i-1].Reached {
			t.Errorf("point %d: %+v", i, p)
		}
	}
}

// A campaign is restored from what it was told. Observations of inputs that it does not
// generate, as after a change of the algorithm, are set aside, and do no harm.
func TestCampaignRestore(t *testing.T) {
	options := openapi.CampaignOptions{Algorithm: openapi.EvoGFuzzAlgorithm, N: 100, Population: 20}
	whole := newCampaign(t, options)
	log := runAll(t, whole)
	for _, cut := range []int{0, 1, 33, len(log)} {
		c := newCampaign(t, options)
		for i, told := range log[:cut] {
			other := api.ToldInput{ID: api.InputID([]byte{byte(i)}), Observation: observation.Observation{Input: []byte{byte(i)}}}
			if err := errors.Join(c.Restore(t.Context(), other), c.Restore(t.Context(), told)); err != nil {
				t.Fatal(err)
			}
		}
		asked := map[string]bool{}
		for _, in := range c.Asked() {
			asked[in.ID] = true
		}
		for _, told := range log[cut:] { // what was asked for is told, and then the rest
			if asked[told.ID] {
				if _, err := c.Tell(told); err != nil {
					t.Fatal(err)
				}
			}
		}
		runAll(t, c)
		want, got := describe(whole), describe(c)
		want.History, got.History = nil, nil // other times
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("restored after %d of %d observations (-want +got):\n%s", cut, len(log), diff)
		}
	}
}

// An observation that is told before its input is asked for is used when it is.
func TestCampaignEarly(t *testing.T) {
	options := openapi.CampaignOptions{Algorithm: openapi.RandomAlgorithm, N: 60}
	log := runAll(t, newCampaign(t, options))
	c := newCampaign(t, options)
	for i := range log { // the last ones first
		if _, err := c.Tell(log[len(log)-1-i]); err != nil {
			t.Fatal(err)
		}
	}
	if asked, err := c.Ask(t.Context(), 1); !errors.Is(err, campaign.ErrEnded) {
		t.Errorf("asked for %+v, %v, though all inputs were told", asked, err)
	}
}
