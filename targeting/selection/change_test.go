package selection

import (
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGitChange(t *testing.T) {
	table := testTable()
	in := func(name string, hunks ...Hunk) FileChange { return FileChange{Old: name, New: name, Hunks: hunks} }
	f, h := in("lib/a.go", hunk(15, 1, Code, Code)), in("lib/sub/b.go", hunk(5, 1, Code, Code))
	for _, c := range []struct {
		name   string
		change GitChange
		units  []string
		cause  Cause
	}{
		{"all files of the diff", GitChange{Files: []FileChange{f, h}}, []string{"a.go#f", "b.go#h"}, ""},
		{"only the touched files", GitChange{Files: []FileChange{f, h}, Touched: []string{"lib/sub/b.go"}}, []string{"b.go#h"}, ""},
		{"no touched files", GitChange{Files: []FileChange{f, h}, Touched: []string{}}, nil, ""},
		{"a file that was changed and changed back", GitChange{Files: []FileChange{f}, Touched: []string{"lib/sub/b.go"}}, []string{"b.go#h"}, ""},
		{"an untracked source file", GitChange{Untracked: []string{"lib/new.go"}}, nil, NewMethod},
		{"another untracked file", GitChange{Untracked: []string{"lib/a.out"}}, nil, ""},
		{"an input that looks like a source", GitChange{Untracked: []string{"corpus/x.go"}, InputFolders: []string{"corpus"}}, nil, ""},
		{"a folder whose name begins with that of the corpus", GitChange{Untracked: []string{"corpus2/x.go"}, InputFolders: []string{"corpus"}}, nil, NewMethod},
		{"a corpus that is the whole repository", GitChange{Untracked: []string{"x.go"}, InputFolders: []string{"."}}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.change.Map(table, Rules{})
			var units []string
			for _, u := range got.Units {
				units = append(units, table.units[u].ID)
			}
			cause := Cause("")
			if len(got.Fallbacks) > 0 {
				cause = got.Fallbacks[0].Cause
			}
			if !slices.Equal(units, c.units) || cause != c.cause {
				t.Errorf("got %q and %q, want %q and %q", units, cause, c.units, c.cause)
			}
		})
	}
}

// TestChangedInputs finds the inputs that a change adds or edits.
func TestChangedInputs(t *testing.T) {
	g := GitChange{
		Files:     []FileChange{{New: "sub/corpus/new"}, {Old: "sub/corpus/edited", New: "sub/corpus/edited"}, {Old: "sub/corpus/gone"}, {New: "corpus/same"}},
		Untracked: []string{"sub/corpus/untracked", "sub/other"},
		Prefix:    "sub/",
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
