package features

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A table is a set for all hashes, also for 0 and for those that share a slot.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hashes := rapid.OneOf(rapid.Uint64Range(0, 300), rapid.Custom(func(t *rapid.T) uint64 {
			return rapid.Uint64Range(0, 1<<20).Draw(t, "high") << 32
		}))
		var table table
		want := map[uint64]bool{}
		for _, hash := range rapid.SliceOfN(hashes, 0, 500).Draw(t, "hashes") {
			if table.has(hash) != want[hash] || table.add(hash) == want[hash] {
				t.Fatalf("%#x: in the table %v, want %v", hash, !want[hash], want[hash])
			}
			want[hash] = true
		}
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want)), slices.Sorted(table.all)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		if table.count != len(want) {
			t.Fatalf("%d hashes, want %d", table.count, len(want))
		}
	})
}
