//go:build nogolearn

package golearn_test

import (
	"errors"
	"testing"

	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/golearn"
)

// A build without the library refuses every request, also those that would not need it.
func TestNotBuilt(t *testing.T) {
	for _, rows := range [][][]int32{nil, {{0}, {}}} {
		labels := dtree.NewBits(2)
		labels.Set(0)
		tree, err := golearn.New(dtree.NewTable(rows, 1, 1), nil, dtree.Options{}).Learn(labels, nil)
		if !errors.Is(err, golearn.ErrNotBuilt) {
			t.Errorf("%d rows: got %v, %v", len(rows), tree, err)
		}
	}
}
