package encoding

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/inroad/inroad/model/observation"
)

// A record of an earlier version has a number in the place of the calls.
func TestRecordBefore(t *testing.T) {
	type before struct {
		_        struct{} `cbor:",toarray"`
		Name     string
		Input    []byte
		Known    bool
		Methods  []string
		Counts   []int
		Outcome  string
		Failure  *observation.Failure
		Duration int64
		Weight   float64
	}
	old, err := Encode(before{Name: "n", Input: []byte("1"), Known: true, Methods: []string{"f"}, Outcome: "ok", Weight: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	want := observation.Observation{Name: "n", Input: []byte("1"), Methods: []string{"f"}, Outcome: observation.OK}
	for _, calls := range [][]string{nil, {"f", "f"}} {
		var r Record
		if err := Decode(old, &r); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.Observation(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if want.Calls = calls; calls != nil {
			if old, err = Encode(NewRecord(want)); err != nil {
				t.Fatal(err)
			}
			if err := Decode(old, &r); err != nil || !cmp.Equal(r.Observation().Calls, calls) {
				t.Errorf("error %v, calls %q, want %q", err, r.Observation().Calls, calls)
			}
		}
	}
}
