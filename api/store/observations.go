package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/model/observation"
)

// A Subject is a program that was observed.
type Subject struct {
	Name    string
	Commits []Commit // the one that was observed last first
}

// A Commit counts what is known of a version of a program.
type Commit struct {
	Name          string    `cbor:"1,keyasint"`
	Observations  int64     `cbor:"2,keyasint"`
	Contradictory int64     `cbor:"3,keyasint"` // of them say something else of an input than one before
	Units         int       `cbor:"4,keyasint"`
	Updated       time.Time `cbor:"5,keyasint"`
}

// Added says what became of observations.
type Added struct{ Stored, Duplicates, Contradictory int64 }

// A record is an observation as it is stored.
type record struct {
	_        struct{} `cbor:",toarray"`
	Name     string
	Input    []byte
	Known    bool // the methods are known
	Methods  []string
	Counts   []int
	Outcome  string
	Failure  *observation.Failure
	Duration time.Duration
	Weight   float64
}

func toStored(o observation.Observation) record {
	return record{
		Name: o.Name, Input: o.Input, Known: o.Methods != nil, Methods: o.Methods, Counts: o.Counts,
		Outcome: string(o.Outcome), Failure: o.Failure, Duration: o.Duration, Weight: o.Weight,
	}
}

func (o record) restore() observation.Observation {
	out := observation.Observation{
		Name: o.Name, Input: o.Input, Counts: o.Counts,
		Outcome: observation.Outcome(o.Outcome), Failure: o.Failure, Duration: o.Duration, Weight: o.Weight,
	}
	if o.Known {
		out.Methods = append([]string{}, o.Methods...)
	}
	if len(out.Counts) == 0 {
		out.Counts = nil
	}
	return out
}

// result returns a digest of what was observed of an input: whatever may differ
// between two runs of the same program, such as the time, is not in it.
func (o record) result() []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%t %s", o.Known, o.Outcome)
	for _, m := range o.Methods {
		fmt.Fprintf(h, " %d:%s", len(m), m)
	}
	if o.Failure != nil {
		fmt.Fprintf(h, " %d:%s %s", len(o.Failure.Type), o.Failure.Type, o.Failure.Stack)
	}
	return h.Sum(nil)[:8]
}

// names of the parts of a commit.
const (
	infoKey      = "info"
	unitsBucket  = "units"
	seenBucket   = "seen"
	blocksBucket = "blocks"
)

// AddObservations stores a block of observations of a program, all or none of
// them, with the units that are not known yet.
func (s *Store) AddObservations(subject, commit string, units []observation.Unit, observations []observation.Observation) (Added, error) {
	var added Added
	prepared := make([]record, len(observations))
	keys := make([][2][]byte, len(observations)) // of the input, of the result
	for i, o := range observations {
		prepared[i] = toStored(o)
		digest := sha256.Sum256(o.Input)
		keys[i] = [2][]byte{digest[:16], prepared[i].result()}
	}
	err := s.update(func(tx *bbolt.Tx) error {
		added = Added{}
		c, err := openCommit(tx, subject, commit)
		if err != nil {
			return err
		}
		if err := c.addUnits(units); err != nil {
			return err
		}
		var fresh []record
		for i, o := range prepared {
			known, again, err := c.see(keys[i][0], keys[i][1])
			switch {
			case err != nil:
				return err
			case again:
				added.Duplicates++
				continue
			case known:
				added.Contradictory++
			}
			added.Stored++
			fresh = append(fresh, o)
		}
		if err := s.putBlock(c.blocks, fresh); err != nil {
			return err
		}
		c.info.Observations += added.Stored
		c.info.Contradictory += added.Contradictory
		c.info.Updated = s.now()
		value, err := encode(c.info)
		if err != nil {
			return err
		}
		return c.bucket.Put([]byte(infoKey), value)
	})
	return added, err
}

func (s *Store) putBlock(blocks *bbolt.Bucket, observations []record) error {
	if len(observations) == 0 {
		return nil
	}
	value, err := s.encodeBlock(observations)
	if err != nil {
		return err
	}
	n, err := blocks.NextSequence()
	if err != nil {
		return err
	}
	return blocks.Put(number(n), value)
}

// A commitWriter is a commit within a transaction.
type commitWriter struct {
	info                        Commit
	bucket, units, seen, blocks *bbolt.Bucket
}

func openCommit(tx *bbolt.Tx, subject, commit string) (*commitWriter, error) {
	of, err := tx.Bucket([]byte(subjectsBucket)).CreateBucketIfNotExists([]byte(subject))
	if err != nil {
		return nil, err
	}
	c := &commitWriter{info: Commit{Name: commit}}
	if c.bucket, err = of.CreateBucketIfNotExists([]byte("=" + commit)); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		bucket **bbolt.Bucket
		name   string
	}{{&c.units, unitsBucket}, {&c.seen, seenBucket}, {&c.blocks, blocksBucket}} {
		if *part.bucket, err = c.bucket.CreateBucketIfNotExists([]byte(part.name)); err != nil {
			return nil, err
		}
	}
	if value := c.bucket.Get([]byte(infoKey)); value != nil {
		err = decode(value, &c.info)
	}
	return c, err
}

func (c *commitWriter) addUnits(units []observation.Unit) error {
	for _, u := range units {
		value, err := encode(u)
		if err != nil {
			return err
		}
		digest := sha256.Sum256([]byte(u.ID))
		key := digest[:16]
		if c.units.Get(key) == nil {
			c.info.Units++
		}
		if err := c.units.Put(key, value); err != nil {
			return err
		}
	}
	return nil
}

// see remembers what was observed of an input. It reports whether something was
// before, and whether it was this.
func (c *commitWriter) see(input, result []byte) (known, again bool, err error) {
	before := c.seen.Get(input)
	for r := range slices.Chunk(before, len(result)) {
		if slices.Equal(r, result) {
			return true, true, nil
		}
	}
	return len(before) > 0, false, c.seen.Put(input, slices.Concat(before, result))
}

// Subjects returns all programs that were observed, by name.
func (s *Store) Subjects() ([]Subject, error) {
	var out []Subject
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(subjectsBucket)).ForEachBucket(func(name []byte) error {
			subject, err := readSubject(tx, string(name))
			out = append(out, subject)
			return err
		})
	})
	return out, err
}

// Subject returns a program that was observed.
func (s *Store) Subject(name string) (Subject, error) {
	var out Subject
	err := s.db.View(func(tx *bbolt.Tx) (err error) {
		out, err = readSubject(tx, name)
		return err
	})
	return out, err
}

func readSubject(tx *bbolt.Tx, name string) (Subject, error) {
	subject := Subject{Name: name}
	of := tx.Bucket([]byte(subjectsBucket)).Bucket([]byte(name))
	if of == nil {
		return subject, &NotFoundError{"subject", name}
	}
	err := of.ForEachBucket(func(commit []byte) error {
		var info Commit
		err := decode(of.Bucket(commit).Get([]byte(infoKey)), &info)
		subject.Commits = append(subject.Commits, info)
		return err
	})
	slices.SortStableFunc(subject.Commits, func(a, b Commit) int { return b.Updated.Compare(a.Updated) })
	return subject, err
}

// Commit returns what is known of a version of a program.
func (s *Store) Commit(subject, commit string) (Commit, error) {
	var info Commit
	err := s.viewCommit(subject, commit, func(b *bbolt.Bucket) error { return decode(b.Get([]byte(infoKey)), &info) })
	return info, err
}

// Header returns the units of a program.
func (s *Store) Header(subject, commit string) (observation.Header, error) {
	h := observation.Header{Subject: subject, Commit: commit}
	err := s.viewCommit(subject, commit, func(b *bbolt.Bucket) error {
		return b.Bucket([]byte(unitsBucket)).ForEach(func(_, value []byte) error {
			var u observation.Unit
			if err := decode(value, &u); err != nil {
				return err
			}
			h.Units = append(h.Units, u)
			return nil
		})
	})
	slices.SortFunc(h.Units, func(a, b observation.Unit) int { return strings.Compare(a.ID, b.ID) })
	return h, err
}

// Observations yields the observations of a program, a block at a time, in the
// order in which they were stored.
func (s *Store) Observations(subject, commit string) iter.Seq2[[]observation.Observation, error] {
	return func(yield func([]observation.Observation, error) bool) {
		for at := uint64(0); ; {
			block, next, err := s.block(subject, commit, at+1)
			if err != nil {
				yield(nil, err)
				return
			}
			if block == nil || !yield(block, nil) {
				return
			}
			at = next
		}
	}
}

// block returns the first block from a number on, and its number; nil if there is none.
func (s *Store) block(subject, commit string, from uint64) (out []observation.Observation, at uint64, err error) {
	var value []byte
	err = s.viewCommit(subject, commit, func(b *bbolt.Bucket) error {
		k, v := b.Bucket([]byte(blocksBucket)).Cursor().Seek(number(from))
		if k != nil {
			at, value = binary.BigEndian.Uint64(k), slices.Clone(v)
		}
		return nil
	})
	if err != nil || value == nil {
		return nil, 0, err
	}
	var stored []record
	if err := s.decodeBlock(value, &stored); err != nil {
		return nil, 0, fmt.Errorf("block %d of %s: %w", at, subject, err)
	}
	for _, o := range stored {
		out = append(out, o.restore())
	}
	return out, at, nil
}

func (s *Store) viewCommit(subject, commit string, view func(b *bbolt.Bucket) error) error {
	return s.db.View(func(tx *bbolt.Tx) error {
		of := tx.Bucket([]byte(subjectsBucket)).Bucket([]byte(subject))
		if of == nil {
			return &NotFoundError{"subject", subject}
		}
		b := of.Bucket([]byte("=" + commit))
		if b == nil {
			return &NotFoundError{"observation of " + subject + " at commit", fmt.Sprintf("%q", commit)}
		}
		return view(b)
	})
}
