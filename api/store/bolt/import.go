package bolt

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
)

// importStep is the number of bytes that Import writes in one transaction. Each value of
// an index counts as indexCost bytes, because bbolt takes time in proportion to the
// square of the number of keys that a transaction inserts.
const (
	importStep = 16 << 20
	indexCost  = 4 << 10
)

// Create creates a store in a new file. The file appears once fill has returned without an
// error.
func Create(ctx context.Context, path string, fill func(s *Store) error) error {
	if err := checkNew(path); err != nil {
		return err
	}
	f, err := createTemporary(path)
	if err != nil {
		return wrapFull(err)
	}
	s, err := newStore(f, f.Name(), Options{})
	if err == nil {
		if err = s.create(ctx); err == nil {
			err = fill(s)
		}
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		return errors.Join(wrapFull(err), removeIfExists(f.Name()))
	}
	return publish(f.Name(), path)
}

// Import stores the entries of another store in this one, which must be empty, and calls
// check with the entries that this store has now. If it fails, the store is incomplete.
func (s *Store) Import(ctx context.Context, entries iter.Seq2[store.Entry, error], check func(stored iter.Seq2[store.Entry, error]) error) error {
	for e, err := range s.Export(ctx) {
		if err != nil {
			return err
		}
		if e.Kind != store.CounterEntry {
			return fmt.Errorf("%s: %w: it has a %s", s.path, store.ErrNotEmpty, e.Kind)
		}
	}
	next, stop := iter.Pull2(entries)
	defer stop()
	for more := true; more; {
		err := s.update(ctx, func(tx *txn) error {
			for size := 0; size < importStep; {
				e, err, found := next()
				if more = found; !found {
					return nil
				}
				if err == nil {
					err = e.Check()
				}
				before := tx.state.Entries
				if err == nil {
					err = s.importEntry(tx, e)
				}
				if err != nil {
					return err
				}
				size += len(e.Value) + int(tx.state.Entries-before)*indexCost
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return check(s.Export(ctx))
}

func (s *Store) importEntry(tx *txn, e store.Entry) error {
	last := []byte(e.Key[len(e.Key)-1])
	top := func(name string) error { return tx.bucket(name).put(last, e.Value) }
	switch e.Kind {
	case store.GrammarEntry:
		return top(grammarsBucket)
	case store.SourcesEntry:
		return top(sourcesBucket)
	case store.CommitEntry, store.UnitEntry, store.BlockEntry:
		return s.importObservations(tx, e)
	case store.ChunkEntry:
		return top(chunksBucket)
	case store.ModelEntry:
		var m store.Model
		if err := decode(e.Value, &m); err != nil {
			return err
		}
		return errors.Join(top(modelsBucket), tx.bucket(numbersBucket).put([]byte(m.ID), last))
	case store.AliasEntry:
		return top(aliasesBucket)
	case store.JobEntry:
		return top(jobsBucket)
	case store.CampaignEntry, store.RequestEntry, store.CampaignUnitsEntry, store.HistoryEntry, store.LeaseEntry, store.LogEntry:
		return s.importCampaign(tx, e)
	case store.KeyEntry:
		return top(keysBucket)
	case store.EventEntry:
		return top(keyLogBucket)
	case store.PolicyEntry:
		return top(policiesBucket)
	case store.CounterEntry:
		return importCounter(tx, e.Key[0], binary.BigEndian.Uint64(e.Value))
	}
	return nil
}

func (s *Store) importObservations(tx *txn, e store.Entry) error {
	c, err := openCommit(tx, e.Key[0], e.Key[1])
	if err != nil {
		return err
	}
	switch e.Kind {
	case store.CommitEntry:
		return c.bucket.put([]byte(infoKey), e.Value)
	case store.UnitEntry:
		return c.units.put([]byte(e.Key[2]), e.Value)
	}
	var records []encoding.Record
	if err := s.blocks.Decode(e.Value, &records); err != nil {
		return err
	}
	for _, r := range encoding.KeyRecords(encoding.Observations(records)) {
		if _, _, err := c.markSeen(r.InputDigest, r.ResultDigest); err != nil {
			return err
		}
	}
	return c.blocks.putNumbered(e)
}

// putNumbered stores the value of an entry under its number, which becomes the last number
// of the bucket.
func (b *bucket) putNumbered(e store.Entry) error {
	if err := b.bolt.SetSequence(e.Number()); err != nil {
		return err
	}
	return b.put(number(e.Number()), e.Value)
}

func (s *Store) importCampaign(tx *txn, e store.Entry) error {
	data, err := tx.bucket(campaignDataBucket).create(e.Key[0])
	if err != nil {
		return err
	}
	parts := map[string]*bucket{}
	for _, name := range []string{leasesBucket, logBucket, toldBucket} {
		if parts[name], err = data.create(name); err != nil {
			return err
		}
	}
	switch e.Kind {
	case store.CampaignEntry:
		return tx.bucket(campaignsBucket).put([]byte(e.Key[0]), e.Value)
	case store.RequestEntry:
		return data.put([]byte(requestKey), e.Value)
	case store.CampaignUnitsEntry:
		return data.put([]byte(unitsBucket), e.Value)
	case store.HistoryEntry:
		return data.put([]byte(historyKey), e.Value)
	case store.LeaseEntry:
		return parts[leasesBucket].put([]byte(e.Key[1]), e.Value)
	}
	var records []encoding.ToldRecord
	if err := s.blocks.Decode(e.Value, &records); err != nil {
		return err
	}
	for _, r := range records {
		if err := parts[toldBucket].put([]byte(r.ID), number(e.Number())); err != nil {
			return err
		}
	}
	return parts[logBucket].putNumbered(e)
}

func importCounter(tx *txn, counter string, last uint64) error {
	if counter == store.SequenceCounter {
		tx.state.Last, tx.changed = last, true
		return nil
	}
	name, known := numberedBuckets()[counter]
	if !known {
		return fmt.Errorf("unknown counter %q", counter)
	}
	return tx.bucket(name).bolt.SetSequence(last)
}
