package bolt

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
	"github.com/inroad/inroad/model/observation"
)

// Names of the key and the buckets of a commit.
const (
	infoKey      = "info"
	unitsBucket  = "units"
	seenBucket   = "seen"
	blocksBucket = "blocks"
)

// AddObservations stores observations of a program and its units, in one
// transaction. It skips observations that the store has already.
func (s *Store) AddObservations(ctx context.Context, subject, commit string, units []observation.Unit, observations []observation.Observation) (store.Added, error) {
	var added store.Added
	records := encoding.KeyRecords(observations)
	err := s.update(ctx, func(tx *txn) (err error) {
		added, err = s.addObservations(tx, subject, commit, units, records)
		return err
	})
	return added, err
}

func (s *Store) addObservations(tx *txn, subject, commit string, units []observation.Unit, records []encoding.KeyedRecord) (store.Added, error) {
	var added store.Added
	c, err := openCommit(tx, subject, commit)
	if err != nil {
		return added, err
	}
	if err := c.addUnits(units); err != nil {
		return added, err
	}
	var fresh []encoding.Record
	for _, r := range records {
		known, duplicate, err := c.markSeen(r.InputDigest, r.ResultDigest)
		switch {
		case err != nil:
			return added, err
		case duplicate:
			added.Duplicates++
			continue
		case known:
			added.Contradictory++
		}
		added.Stored++
		fresh = append(fresh, r.Record)
	}
	if err := s.putBlock(c.blocks, fresh); err != nil {
		return added, err
	}
	encoding.Count(&c.info, added, fresh)
	c.info.Updated, c.info.Sequence = s.now(), tx.sequence()
	value, err := encode(c.info)
	if err != nil {
		return added, err
	}
	return added, c.bucket.put([]byte(infoKey), value)
}

func (s *Store) putBlock(blocks *bucket, records []encoding.Record) error {
	if len(records) == 0 {
		return nil
	}
	value, err := s.blocks.Encode(records)
	if err != nil {
		return err
	}
	n, err := blocks.next()
	if err != nil {
		return err
	}
	return blocks.put(number(n), value)
}

// A commitWriter updates a commit within one transaction.
type commitWriter struct {
	info                        store.Commit
	bucket, units, seen, blocks *bucket
}

func openCommit(tx *txn, subject, commit string) (*commitWriter, error) {
	versions, err := tx.bucket(subjectsBucket).create(subject)
	if err != nil {
		return nil, err
	}
	c := &commitWriter{info: store.Commit{Name: commit}}
	if c.bucket, err = versions.create("=" + commit); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		bucket **bucket
		name   string
	}{{&c.units, unitsBucket}, {&c.seen, seenBucket}, {&c.blocks, blocksBucket}} {
		if *part.bucket, err = c.bucket.create(part.name); err != nil {
			return nil, err
		}
	}
	value, err := c.bucket.get([]byte(infoKey))
	if value != nil {
		err = decode(value, &c.info)
	}
	return c, err
}

func (c *commitWriter) addUnits(units []observation.Unit) error {
	keyed, err := encoding.KeyUnits(units)
	if err != nil {
		return err
	}
	for _, u := range keyed {
		before, err := c.units.get(u.Key)
		if before == nil {
			c.info.Units++
		}
		if err == nil && !bytes.Equal(before, u.Value) {
			err = c.units.put(u.Key, u.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// markSeen adds an observation, given by the digests of its input and its record.
// It reports whether the input has earlier observations, and whether one of them
// is equal.
func (c *commitWriter) markSeen(input, digest []byte) (known, duplicate bool, err error) {
	before, err := c.seen.get(input)
	if err != nil {
		return false, false, err
	}
	for d := range slices.Chunk(before, len(digest)) {
		if slices.Equal(d, digest) {
			return true, true, nil
		}
	}
	return len(before) > 0, false, c.seen.put(input, slices.Concat(before, digest))
}

// Subjects returns all programs with observations, sorted by name.
func (s *Store) Subjects(ctx context.Context) ([]store.Subject, error) {
	var out []store.Subject
	err := s.view(ctx, func(tx *txn) error {
		for name := range tx.bucket(subjectsBucket).children() {
			subject, err := readSubject(tx, name)
			if err != nil {
				return err
			}
			out = append(out, subject)
		}
		return nil
	})
	return out, err
}

// Subject returns the program with a name.
func (s *Store) Subject(ctx context.Context, name string) (store.Subject, error) {
	var out store.Subject
	err := s.view(ctx, func(tx *txn) (err error) {
		out, err = readSubject(tx, name)
		return err
	})
	return out, err
}

func readSubject(tx *txn, name string) (store.Subject, error) {
	subject := store.Subject{Name: name}
	versions := tx.bucket(subjectsBucket).child(name)
	if versions == nil {
		return subject, store.NotFound("subject", name)
	}
	for commit := range versions.children() {
		info, err := readInfo(versions.child(commit))
		if err != nil {
			return subject, err
		}
		subject.Commits = append(subject.Commits, info)
	}
	slices.SortFunc(subject.Commits, func(a, b store.Commit) int { return cmp.Compare(b.Sequence, a.Sequence) })
	return subject, nil
}

// readInfo returns the counts of a commit.
func readInfo(b *bucket) (store.Commit, error) {
	var info store.Commit
	value, err := b.get([]byte(infoKey))
	if err != nil {
		return info, err
	}
	return info, decode(value, &info)
}

// Commit returns the counts of one version of a program.
func (s *Store) Commit(ctx context.Context, subject, commit string) (store.Commit, error) {
	var info store.Commit
	err := s.viewCommit(ctx, subject, commit, func(b *bucket) (err error) {
		info, err = readInfo(b)
		return err
	})
	return info, err
}

// Header returns the header of the observations of one version of a program, with
// its units sorted by ID.
func (s *Store) Header(ctx context.Context, subject, commit string) (observation.Header, error) {
	h := observation.Header{Subject: subject, Commit: commit}
	err := s.viewCommit(ctx, subject, commit, func(b *bucket) error {
		units, err := b.part(unitsBucket)
		if err == nil {
			h.Units, err = decodeAll[observation.Unit](units)
		}
		return err
	})
	slices.SortFunc(h.Units, func(a, b observation.Unit) int { return strings.Compare(a.ID, b.ID) })
	return h, err
}

// Observations yields the observations of one version of a program in the order in
// which they were stored, one block at a time.
func (s *Store) Observations(ctx context.Context, subject, commit string) iter.Seq2[[]observation.Observation, error] {
	return store.EachBlock(ctx, s, subject, commit)
}

// Block implements [store.Store].
func (s *Store) Block(ctx context.Context, subject, commit string, from uint64, key []byte) (out store.Block, err error) {
	var value, features []byte
	err = s.viewCommit(ctx, subject, commit, func(b *bucket) error {
		blocks, err := b.part(blocksBucket)
		if err != nil {
			return err
		}
		e, err := blocks.from(number(from))
		if e.key == nil || err != nil {
			return err
		}
		out.Number, value = binary.BigEndian.Uint64(e.key), slices.Clone(e.value)
		features, err = b.tx.features(setOf(subject, commit, key), out.Number, value)
		return err
	})
	if err != nil || value == nil {
		return store.Block{}, err
	}
	var records []encoding.Record
	if err := s.blocks.Decode(value, &records); err != nil {
		return store.Block{}, fmt.Errorf("block %d of %s: %w", out.Number, subject, err)
	}
	out.Observations = encoding.Observations(records)
	if features != nil && s.blocks.Decode(features, &out.Features) != nil {
		out.Features = nil // they can be extracted again
	}
	return out, nil
}

func (s *Store) viewCommit(ctx context.Context, subject, commit string, view func(b *bucket) error) error {
	return s.view(ctx, func(tx *txn) error {
		versions := tx.bucket(subjectsBucket).child(subject)
		if versions == nil {
			return store.NotFound("subject", subject)
		}
		b := versions.child("=" + commit)
		if b == nil {
			return store.CommitNotFound(subject, commit)
		}
		return view(b)
	})
}
