package grow_test

import (
	"slices"
	"testing"

	"github.com/inroad/inroad/grammars/internal/grow"
)

func TestSlice(t *testing.T) {
	for _, size := range []int{0, 1, 1 << 15, 1<<15 + 1, 100_000} {
		s := make([]int, size)
		for i := range s {
			s[i] = i
		}
		for _, n := range []int{0, 1, 1000} {
			got := grow.Slice(slices.Clip(s), n)
			if !slices.Equal(got, s) || cap(got)-len(got) < n {
				t.Errorf("%d elements and %d more: %d elements with room for %d", size, n, len(got), cap(got))
			}
		}
	}
}

func TestAppend(t *testing.T) {
	var s []int
	const size = 200_000
	for i := range size {
		s = grow.Append(s, i)
	}
	for i, v := range s {
		if v != i {
			t.Fatalf("element %d is %d", i, v)
		}
	}
	if len(s) != size {
		t.Errorf("%d elements, want %d", len(s), size)
	}
}
