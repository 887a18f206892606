package model

import (
	"fmt"
	"slices"
	"testing"
)

// A sample keeps as many inputs as it may, and the same ones in whatever order they
// come.
func TestInputSample(t *testing.T) {
	var inputs []string
	for i := range 100 {
		inputs = append(inputs, fmt.Sprint(i%50))
	}
	sample := func(inputs []string) (texts []string) {
		s := newInputSample(10)
		for _, in := range inputs {
			s.add([]byte(in))
		}
		for _, in := range s.inputs {
			texts = append(texts, string(in.data))
		}
		return texts
	}
	first := sample(inputs)
	slices.Reverse(inputs)
	if second := sample(inputs); len(first) != 10 || !slices.Equal(first, second) {
		t.Errorf("got %q, and in reverse order %q", first, second)
	}
}
