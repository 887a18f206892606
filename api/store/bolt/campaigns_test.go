package bolt_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/model/observation"
)

// told returns the observation of an input.
func told(input string) store.Told {
	return store.Told{ID: "id of " + input, Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Observation: observation.Observation{
		Input: []byte(input), Methods: []string{"a"}, Outcome: observation.Failed, Failure: &observation.Failure{Type: "T"}, Duration: time.Second,
	}}
}

// A campaign, its leases and its log are there again when the store is opened again. A
// tell ends leases, and adds to the observations of the program.
func TestCampaign(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	units := []observation.Unit{{ID: "a", Kind: observation.KindMethod}}
	c, err := s.NewCampaign(t.Context(), store.Campaign{Subject: "p", Commit: "v1", Options: []byte("{}")}, []byte("request"), units)
	if err != nil || c.ID != 1 || c.State != store.CampaignRunning {
		t.Fatalf("created %+v, %v", c, err)
	}
	var leases []store.Lease
	for i := range 12 {
		input := fmt.Sprint(i)
		leases = append(leases, store.Lease{ID: "id of " + input, Number: i, Text: []byte(input), Expires: c.Created})
	}
	c.Leased = len(leases)
	if c, err = s.PutLeases(t.Context(), c, leases); err != nil {
		t.Fatal(err)
	}
	c.Runs, c.Leased = 2, 10
	history := []store.CampaignPoint{{Runs: 2, Reached: 1, Time: c.Created}}
	if c, err = s.Tell(t.Context(), c, []store.Told{told("3"), told("10")}, history, true); err != nil || c.Last != 1 || c.Counted != 1 {
		t.Fatalf("told %+v, %v", c, err)
	}
	c.Runs, c.Leased = 3, 9
	if c, err = s.Tell(t.Context(), c, []store.Told{told("4")}, nil, false); err != nil || c.Last != 2 || c.Counted != 1 {
		t.Fatalf("told %+v, %v", c, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	s = open(t, path)
	if got, err := s.Campaign(t.Context(), 1); err != nil || !cmp.Equal(got, c) {
		t.Errorf("campaign %+v, %v, want %+v", got, err, c)
	}
	request, gotUnits, err := s.CampaignRequest(t.Context(), 1)
	if err != nil || string(request) != "request" || !cmp.Equal(gotUnits, units) {
		t.Errorf("request %q, %+v, %v", request, gotUnits, err)
	}
	if got, err := s.CampaignHistory(t.Context(), 1); err != nil || !cmp.Equal(got, history) {
		t.Errorf("history %+v, %v", got, err)
	}
	left, err := s.CampaignLeases(t.Context(), 1)
	if err != nil || len(left) != 9 || left[3].Number != 5 || string(left[3].Text) != "5" {
		t.Errorf("leases %+v, %v", left, err)
	}
	if got, err := s.WasTold(t.Context(), 1, []string{"id of 3", "id of 5", "id of 4", "none"}); err != nil || !cmp.Equal(got, []bool{true, false, true, false}) {
		t.Errorf("told %v, %v", got, err)
	}
	var log []store.CampaignBlock
	for block, err := range s.CampaignLog(t.Context(), 1, 0) {
		if err != nil {
			t.Fatal(err)
		}
		log = append(log, block)
	}
	if diff := cmp.Diff([]store.CampaignBlock{{Number: 1, Told: []store.Told{told("3"), told("10")}}, {Number: 2, Told: []store.Told{told("4")}}}, log); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if commit, err := s.Commit(t.Context(), "p", "v1"); err != nil || commit.Observations != 3 {
		t.Errorf("the program has %+v, %v", commit, err)
	}
	if report, err := s.Check(t.Context()); err != nil || report.Campaigns != 1 || len(report.Faults) > 0 {
		t.Errorf("report %+v, %v", report, err)
	}
}

// A deleted campaign is gone, and its ID is not used again.
func TestDeleteCampaign(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "s.db"))
	for i := range 2 {
		c, err := s.NewCampaign(t.Context(), store.Campaign{Subject: fmt.Sprint("p", i)}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Runs = 1
		if _, err := s.Tell(t.Context(), c, []store.Told{told("1")}, nil, true); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.DeleteCampaign(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	_, gone := s.Campaign(t.Context(), 2)
	_, _, noRequest := s.CampaignRequest(t.Context(), 2)
	_, leases := s.PutLeases(t.Context(), store.Campaign{ID: 2}, nil)
	for _, err := range []error{gone, noRequest, s.DeleteCampaign(t.Context(), 2), leases} {
		if _, ok := errors.AsType[*store.NotFoundError](err); !ok {
			t.Errorf("got %v, want that it is not found", err)
		}
	}
	if c, err := s.NewCampaign(t.Context(), store.Campaign{Subject: "p0"}, nil, nil); err != nil || c.ID != 3 {
		t.Errorf("created %+v, %v", c, err)
	}
	if all, err := s.Campaigns(t.Context(), "p0", 3, -1); err != nil || len(all) != 1 || all[0].ID != 1 {
		t.Errorf("listed %+v, %v", all, err)
	}
	if report, err := s.Check(t.Context()); err != nil || report.Campaigns != 2 || report.Observations != 2 || len(report.Faults) > 0 {
		t.Errorf("report %+v, %v", report, err)
	}
}

// A store without the buckets of campaigns, as an earlier version wrote it, is read as it
// is, and gets them when it is opened to be written.
func TestStoreWithoutCampaigns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	if err := open(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		return errors.Join(tx.DeleteBucket([]byte("campaigns")), tx.DeleteBucket([]byte("campaign_data")))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	s, err := bolt.Open(t.Context(), path, bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if report, err := s.Check(t.Context()); err != nil || len(report.Faults) > 0 {
		t.Errorf("report %+v, %v", report, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, path).NewCampaign(t.Context(), store.Campaign{Subject: "p"}, nil, nil); err != nil {
		t.Error(err)
	}
}
