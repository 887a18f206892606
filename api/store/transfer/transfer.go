// Package transfer copies stores, even between a file and a database.
package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"iter"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
)

// Contents counts the entries of a store. Stores with equal contents have the same
// entries, byte for byte.
type Contents struct {
	Grammars     int   `json:"grammars"`
	Commits      int   `json:"commits"`
	Observations int64 `json:"observations"`
	Models       int   `json:"models"`
	Aliases      int   `json:"aliases"`
	Jobs         int   `json:"jobs"`
	Campaigns    int   `json:"campaigns"`
	Keys         int   `json:"keys"`
	Events       int   `json:"events"`
	Policies     int   `json:"policies"`

	Digest [sha256.Size]byte `json:"-"` // of all entries in their order
}

// Copy copies everything from a store to an empty one, and compares the contents before
// the copy becomes visible. Its memory does not depend on the size of the store.
func Copy(ctx context.Context, from, to store.Store) (Contents, error) {
	source, err := newReader()
	if err != nil {
		return Contents{}, err
	}
	defer source.close()
	err = to.Import(ctx, source.read(from.Export(ctx)), func(stored iter.Seq2[store.Entry, error]) error {
		got, err := read(stored)
		if err != nil {
			return err
		}
		if want := source.contents(); got != want {
			return fmt.Errorf("%w: the copy differs: it has %+v, expected %+v", store.ErrUnreadable, got, want)
		}
		return nil
	})
	return source.contents(), err
}

// Read returns the contents of a store. It returns an error if the number of observations
// of a commit differs from the number that the store records.
func Read(ctx context.Context, s store.Store) (Contents, error) { return read(s.Export(ctx)) }

func read(entries iter.Seq2[store.Entry, error]) (Contents, error) {
	r, err := newReader()
	if err != nil {
		return Contents{}, err
	}
	defer r.close()
	for _, err := range r.read(entries) {
		if err != nil {
			return Contents{}, err
		}
	}
	return r.contents(), nil
}

// A reader counts the entries that pass through it.
type reader struct {
	blocks *encoding.Blocks
	counts Contents
	digest hash.Hash

	commit  store.Commit // the last one
	program string       // of the commit
	found   int64        // observations in its blocks
}

func newReader() (*reader, error) {
	blocks, err := encoding.NewBlocks()
	return &reader{blocks: blocks, digest: sha256.New()}, err
}

func (r *reader) close() { r.blocks.Close() }

// contents returns the counts of the entries that were read.
func (r *reader) contents() Contents {
	out := r.counts
	r.digest.Sum(out.Digest[:0])
	return out
}

// read yields entries, and counts them. It ends with the first error.
func (r *reader) read(entries iter.Seq2[store.Entry, error]) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range entries {
			if err == nil {
				err = r.count(e)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		if err := r.checkCommit(); err != nil {
			yield(store.Entry{}, err)
		}
	}
}

func (r *reader) count(e store.Entry) error {
	var buffer []byte
	for _, part := range append([]string{string(e.Kind)}, e.Key...) {
		buffer = append(binary.AppendUvarint(buffer, uint64(len(part))), part...)
	}
	_, _ = r.digest.Write(binary.AppendUvarint(buffer, uint64(len(e.Value)))) // never fails
	_, _ = r.digest.Write(e.Value)
	switch e.Kind {
	case store.GrammarEntry:
		r.counts.Grammars++
	case store.CommitEntry:
		if err := r.checkCommit(); err != nil {
			return err
		}
		r.counts.Commits++
		r.program, r.found, r.commit = e.Key[0], 0, store.Commit{}
		return encoding.Decode(e.Value, &r.commit)
	case store.BlockEntry:
		var records []encoding.Record
		if err := r.blocks.Decode(e.Value, &records); err != nil {
			return fmt.Errorf("observations of %s: %w", r.program, err)
		}
		r.found += int64(len(records))
		r.counts.Observations += int64(len(records))
	case store.ModelEntry:
		r.counts.Models++
	case store.AliasEntry:
		r.counts.Aliases++
	case store.JobEntry:
		r.counts.Jobs++
	case store.CampaignEntry:
		r.counts.Campaigns++
	case store.KeyEntry:
		r.counts.Keys++
	case store.EventEntry:
		r.counts.Events++
	case store.PolicyEntry:
		r.counts.Policies++
	}
	return nil
}

// checkCommit returns an error if the last commit does not have the number of
// observations that its entry records.
func (r *reader) checkCommit() error {
	if r.found != r.commit.Observations {
		return fmt.Errorf("%w: observations of %s at commit %q: found %d, expected %d", store.ErrUnreadable, r.program, r.commit.Name, r.found, r.commit.Observations)
	}
	return nil
}
