package bolt

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/inroad/inroad/api/store"
)

// exportStep is the number of bytes that Export reads at a time.
const exportStep = 1 << 20

// Export yields all entries of the store as they are at one time, ordered by the position
// of their kind and by their key. The store must not be changed from within the loop.
func (s *Store) Export(ctx context.Context) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		if ctx.Err() != nil {
			yield(store.Entry{}, context.Cause(ctx))
			return
		}
		tx, err := s.begin(false)
		if err != nil {
			yield(store.Entry{}, err)
			return
		}
		defer func() { _ = tx.Rollback() }() // nothing was written
		x := &exporter{store: s, tx: &txn{bolt: tx, path: s.path}, yield: yield}
		if err := x.export(ctx); err != nil && !errors.Is(err, errEnded) {
			yield(store.Entry{}, err)
		}
	}
}

// errEnded is returned when the loop over the entries has ended.
var errEnded = errors.New("the loop has ended")

// An exporter yields the entries of one transaction. It calls yield only while it does not
// read, so that a panic of the loop is not taken for a damaged page.
type exporter struct {
	store *Store
	tx    *txn
	yield func(store.Entry, error) bool
}

func (x *exporter) export(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		x.top(store.GrammarEntry, grammarsBucket), x.top(store.SourcesEntry, sourcesBucket),
		x.subjects,
		x.top(store.ChunkEntry, chunksBucket), x.top(store.ModelEntry, modelsBucket), x.top(store.AliasEntry, aliasesBucket),
		x.top(store.JobEntry, jobsBucket),
		x.campaigns,
		x.top(store.KeyEntry, keysBucket), x.top(store.EventEntry, keyLogBucket), x.top(store.PolicyEntry, policiesBucket),
		x.counters,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// top returns a function that yields the values of a top-level bucket.
func (x *exporter) top(kind store.EntryKind, name string) func(context.Context) error {
	return func(ctx context.Context) error {
		b := x.tx.bucket(name)
		if b == nil { // in a store that an earlier version wrote, opened read-only
			return nil
		}
		return x.values(ctx, kind, b)
	}
}

// values yields the values of a bucket, and reads a page of them at a time. The keys of
// the entries begin with parents.
func (x *exporter) values(ctx context.Context, kind store.EntryKind, b *bucket, parents ...string) error {
	for from := []byte{}; from != nil; {
		var page []entry
		err := x.read(ctx, func() (err error) {
			page, from, err = b.page(from)
			return err
		})
		if err != nil {
			return err
		}
		for _, e := range page {
			if !x.yield(store.Entry{Kind: kind, Key: append(slices.Clone(parents), string(e.key)), Value: e.value}, nil) {
				return errEnded
			}
		}
	}
	return nil
}

// page returns copies of some of the values whose keys are at least from, and the key from
// which to go on, or nil if there are no more.
func (b *bucket) page(from []byte) (out []entry, next []byte, err error) {
	c, size := b.bolt.Cursor(), 0
	for k, v := c.Seek(from); k != nil; k, v = c.Next() {
		if size >= exportStep {
			return out, slices.Clone(k), nil
		}
		if v == nil { // a bucket
			continue
		}
		content, err := b.verify(k, v)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, entry{slices.Clone(k), slices.Clone(content)})
		size += len(k) + len(v)
	}
	return out, nil, nil
}

// read calls do, which reads from the transaction.
func (x *exporter) read(ctx context.Context, do func() error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return x.store.guard(do)
}

// value yields the value with a name in a bucket, if there is one.
func (x *exporter) value(ctx context.Context, kind store.EntryKind, b *bucket, name string, key ...string) error {
	var value []byte
	err := x.read(ctx, func() error {
		found, err := b.get([]byte(name))
		value = slices.Clone(found)
		return err
	})
	if err == nil && value != nil && !x.yield(store.Entry{Kind: kind, Key: key, Value: value}, nil) {
		return errEnded
	}
	return err
}

// each calls do with the name and the bucket of each bucket below b, which may be nil.
func (x *exporter) each(ctx context.Context, b *bucket, do func(name string, child *bucket) error) error {
	if b == nil { // in a store that an earlier version wrote, opened read-only
		return nil
	}
	var names []string
	err := x.read(ctx, func() error {
		names = slices.Collect(b.children())
		return nil
	})
	for _, name := range names {
		var child *bucket
		if err := x.read(ctx, func() (err error) {
			child, err = b.part(name)
			return err
		}); err != nil {
			return err
		}
		if err := do(name, child); err != nil {
			return err
		}
	}
	return err
}

// part yields the values of the bucket with a name below b. A missing bucket is an error.
func (x *exporter) part(ctx context.Context, kind store.EntryKind, b *bucket, name string, parents ...string) error {
	var part *bucket
	err := x.read(ctx, func() (err error) {
		part, err = b.part(name)
		return err
	})
	if err != nil {
		return err
	}
	return x.values(ctx, kind, part, parents...)
}

func (x *exporter) subjects(ctx context.Context) error {
	return x.each(ctx, x.tx.bucket(subjectsBucket), func(subject string, versions *bucket) error {
		return x.each(ctx, versions, func(name string, commit *bucket) error {
			key := []string{subject, name[len("="):]}
			if err := x.value(ctx, store.CommitEntry, commit, infoKey, key...); err != nil {
				return err
			}
			if err := x.part(ctx, store.UnitEntry, commit, unitsBucket, key...); err != nil {
				return err
			}
			return x.part(ctx, store.BlockEntry, commit, blocksBucket, key...)
		})
	})
}

func (x *exporter) campaigns(ctx context.Context) error {
	campaigns := x.tx.bucket(campaignsBucket)
	return x.each(ctx, x.tx.bucket(campaignDataBucket), func(id string, data *bucket) error {
		for _, v := range []struct {
			kind store.EntryKind
			in   *bucket
			name string
		}{
			{store.CampaignEntry, campaigns, id},
			{store.RequestEntry, data, requestKey},
			{store.CampaignUnitsEntry, data, unitsBucket},
			{store.HistoryEntry, data, historyKey},
		} {
			if err := x.value(ctx, v.kind, v.in, v.name, id); err != nil {
				return err
			}
		}
		if err := x.part(ctx, store.LeaseEntry, data, leasesBucket, id); err != nil {
			return err
		}
		return x.part(ctx, store.LogEntry, data, logBucket, id)
	})
}

// numberedBuckets returns the names of the buckets whose keys are numbers, by counter.
func numberedBuckets() map[string]string {
	return map[string]string{
		store.ModelsCounter: modelsBucket, store.JobsCounter: jobsBucket, store.CampaignsCounter: campaignsBucket, store.EventsCounter: keyLogBucket,
	}
}

func (x *exporter) counters(ctx context.Context) error {
	last := map[string]uint64{}
	err := x.read(ctx, func() error {
		for counter, name := range numberedBuckets() {
			last[counter] = 0
			if b := x.tx.bucket(name); b != nil {
				last[counter] = b.bolt.Sequence()
			}
		}
		var all state
		value, err := x.tx.bucket(metaBucket).get([]byte(stateKey))
		if err == nil {
			err = decode(value, &all)
		}
		last[store.SequenceCounter] = all.Last
		return err
	})
	if err != nil {
		return err
	}
	for _, counter := range []string{store.CampaignsCounter, store.JobsCounter, store.EventsCounter, store.ModelsCounter, store.SequenceCounter} {
		if !x.yield(store.Entry{Kind: store.CounterEntry, Key: []string{counter}, Value: number(last[counter])}, nil) {
			return errEnded
		}
	}
	return nil
}
