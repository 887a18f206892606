package selection

import (
	"errors"
	"iter"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChangedInputs finds the inputs that a change adds or edits.
func TestChangedInputs(t *testing.T) {
	g := GitChange{
		Files: []FileStatus{
			{Path: "sub/corpus/new", New: true},
			{Path: "sub/corpus/edited"},
			{Path: "corpus/same", New: true},
			{Path: "sub/corpus/untracked", New: true},
			{Path: "sub/other", New: true},
		},
		Prefix: "sub/",
	}
	t.Chdir(t.TempDir())
	absolute, err := filepath.Abs("corpus/untracked")
	if err != nil {
		t.Fatal(err)
	}
	got := g.ChangedInputs([]string{"corpus/new", "./corpus/edited", "corpus/gone", "corpus/same", absolute})
	want := map[string]bool{"corpus/new": true, "./corpus/edited": false, filepath.ToSlash(absolute): true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changed inputs (-want +got):\n%s", diff)
	}
}

// TestPredictEach predicts inputs while it receives them, some without content.
func TestPredictEach(t *testing.T) {
	m := train(t, 200)
	array, err := m.Unit("array")
	if err != nil {
		t.Fatal(err)
	}
	text := func(s string) func() ([]byte, error) { return func() ([]byte, error) { return []byte(s), nil } }
	items := []Item{
		{Path: "read", Read: text("[1,2]")},
		{Path: "known", Digest: DigestOf([]byte("[3]")), Size: 3, Reached: &Observation{}},
		{Path: "neither", Digest: DigestOf([]byte("[4]")), Size: 3},
	}
	each := func(failure error) iter.Seq2[Item, error] {
		return func(yield func(Item, error) bool) {
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if failure != nil {
				yield(Item{}, failure)
			}
		}
	}
	p, err := PredictEach(t.Context(), m, each(nil), PredictOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := []Input{{"read", DigestOf([]byte("[1,2]")), 5}, {"known", DigestOf([]byte("[3]")), 3}, {"neither", DigestOf([]byte("[4]")), 3}}
	if diff := cmp.Diff(want, p.Inputs); diff != "" {
		t.Errorf("inputs:\n%s", diff)
	}
	if !p.At(0, array).Likely() || p.At(1, array) != 0 || p.At(2, array) != Certain {
		t.Errorf("chances %v, %v and %v of reaching an array", p.At(0, array), p.At(1, array), p.At(2, array))
	}
	lost := errors.New("lost")
	if _, err := PredictEach(t.Context(), m, each(lost), PredictOptions{Workers: 2}); !errors.Is(err, lost) {
		t.Errorf("error %v, want that of the sequence", err)
	}
}
