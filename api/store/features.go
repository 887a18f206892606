package store

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	"github.com/inroad/inroad/model/observation"
)

// A Block holds observations that were stored together. Blocks do not change.
type Block struct {
	Number       uint64 // from 1; 0 if there is no block
	Observations []observation.Observation
	Features     []byte // of the observations, as [Store.PutFeatures] got them; nil if there are none
}

// EachBlock yields the observations of one version of a program, one block of a store at a
// time.
func EachBlock(ctx context.Context, s Store, subject, commit string) iter.Seq2[[]observation.Observation, error] {
	return func(yield func([]observation.Observation, error) bool) {
		for at := uint64(0); ; {
			block, err := s.Block(ctx, subject, commit, at+1, nil)
			if err != nil {
				yield(nil, err)
				return
			}
			if block.Number == 0 || !yield(block.Observations, nil) {
				return
			}
			at = block.Number
		}
	}
}

// Features are the features of the observations of a block. They are opaque to the store,
// which may delete them to make room.
type Features struct {
	Subject, Commit string
	Block           uint64
	Key             []byte // says how the features were extracted
	Data            []byte
}

// A FeatureSet describes the stored features of a commit that have the same key.
type FeatureSet struct {
	ID   string    // unique in the store
	Size int64     // of the stored features in bytes
	Used time.Time // when features were last added
}

// MakeRoom returns the IDs of the sets to delete, least recently used first, so that a set
// can grow by a number of bytes and all sets together have at most limit bytes. It reports
// false if deleting all other sets is not enough.
func MakeRoom(sets []FeatureSet, grows string, by, limit int64) (drop []string, ok bool) {
	sum := by
	var others []FeatureSet
	for _, s := range sets {
		sum += s.Size
		if s.ID != grows {
			others = append(others, s)
		}
	}
	slices.SortFunc(others, func(a, b FeatureSet) int { return cmp.Or(a.Used.Compare(b.Used), cmp.Compare(a.ID, b.ID)) })
	for _, s := range others {
		if sum <= limit {
			break
		}
		sum -= s.Size
		drop = append(drop, s.ID)
	}
	if sum > limit {
		return nil, false
	}
	return drop, true
}
