package bolt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/inroad/inroad/api/store"
)

// A featureSet describes the features of a commit with one key.
type featureSet struct {
	Subject string    `cbor:"1,keyasint"`
	Commit  string    `cbor:"2,keyasint"`
	Size    int64     `cbor:"3,keyasint"`
	Used    time.Time `cbor:"4,keyasint"`
}

// setOf returns the name of the bucket for the features of a commit with a key.
func setOf(subject, commit string, key []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s %d:%s %s", len(subject), subject, len(commit), commit, key)
	return string(h.Sum(nil)[:digestSize])
}

// blockDigest returns the digest of a stored block. Features are valid only for a block
// with the same digest: an earlier version may have deleted a commit without its
// features.
func blockDigest(block []byte) []byte {
	digest := sha256.Sum256(block)
	return digest[:digestSize]
}

// digestSize is the length of a digest of a block or of the name of a set.
const digestSize = 16

// features returns the stored features of a block, or nil if there are none. block is the
// stored block.
func (t *txn) features(set string, n uint64, block []byte) ([]byte, error) {
	sets := t.bucket(featuresBucket)
	if sets == nil { // an earlier version wrote the store, which is opened read-only
		return nil, nil
	}
	found := sets.child(set)
	if found == nil {
		return nil, nil
	}
	blocks, err := found.part(blocksBucket)
	if err != nil {
		return nil, err
	}
	value, err := blocks.get(number(n))
	data, ok := bytes.CutPrefix(value, blockDigest(block))
	if err != nil || value == nil || !ok {
		return nil, err
	}
	return bytes.Clone(data), nil
}

// PutFeatures implements [store.Store].
func (s *Store) PutFeatures(ctx context.Context, f store.Features, limit int64) error {
	data, err := s.blocks.Encode(f.Data)
	if err != nil {
		return err
	}
	return s.update(ctx, func(tx *txn) error {
		versions := tx.bucket(subjectsBucket).child(f.Subject)
		if versions == nil {
			return store.NotFound("subject", f.Subject)
		}
		commit := versions.child("=" + f.Commit)
		if commit == nil {
			return store.CommitNotFound(f.Subject, f.Commit)
		}
		blocks, err := commit.part(blocksBucket)
		if err != nil {
			return err
		}
		block, err := blocks.get(number(f.Block))
		if err == nil && block == nil {
			err = store.NotFound("block", fmt.Sprint(f.Block))
		}
		if err != nil {
			return err
		}
		return tx.putFeatures(f, append(blockDigest(block), data...), limit, s.now())
	})
}

// TrimFeatures implements [store.Store].
func (s *Store) TrimFeatures(ctx context.Context, limit int64) error {
	return s.update(ctx, func(tx *txn) error {
		_, all, err := tx.featureSets()
		if err != nil {
			return err
		}
		drop, _ := store.MakeRoom(all, "", 0, limit)
		return tx.removeSets(drop)
	})
}

// removeSets removes sets of features.
func (t *txn) removeSets(names []string) error {
	for _, name := range names {
		if err := t.bucket(featuresBucket).remove(name); err != nil {
			return err
		}
	}
	return nil
}

// putFeatures stores features, if there is room for them.
func (t *txn) putFeatures(f store.Features, value []byte, limit int64, now time.Time) error {
	sets, name := t.bucket(featuresBucket), setOf(f.Subject, f.Commit, f.Key)
	infos, all, err := t.featureSets()
	if err != nil {
		return err
	}
	info := infos[name] // zero if the set is new
	info.Subject, info.Commit, info.Used = f.Subject, f.Commit, now
	var before []byte
	if set := sets.child(name); set != nil {
		blocks, err := set.part(blocksBucket)
		if err == nil {
			before, err = blocks.get(number(f.Block))
		}
		if err != nil || before != nil && bytes.HasPrefix(before, value[:digestSize]) {
			return err
		}
	}
	drop, ok := store.MakeRoom(all, name, int64(len(value)), limit)
	if !ok {
		return nil
	}
	if err := t.removeSets(drop); err != nil {
		return err
	}
	set, err := sets.create(name)
	if err != nil {
		return err
	}
	blocks, err := set.create(blocksBucket)
	if err != nil {
		return err
	}
	info.Size += int64(len(value) - len(before))
	encoded, err := encode(info)
	return errors.Join(err, blocks.put(number(f.Block), value), set.put([]byte(infoKey), encoded))
}

// featureSets returns the sets of features by name, and as a list.
func (t *txn) featureSets() (infos map[string]featureSet, all []store.FeatureSet, err error) {
	infos = map[string]featureSet{}
	sets := t.bucket(featuresBucket)
	for name := range sets.children() {
		var info featureSet
		value, err := sets.child(name).get([]byte(infoKey))
		if err == nil {
			err = decode(value, &info)
		}
		if err != nil {
			return nil, nil, err
		}
		infos[name] = info
		all = append(all, store.FeatureSet{ID: name, Size: info.Size, Used: info.Used})
	}
	return infos, all, nil
}

// removeFeatures removes the features of a commit.
func (t *txn) removeFeatures(subject, commit string) error {
	infos, _, err := t.featureSets()
	if err != nil {
		return err
	}
	for name, info := range infos {
		if info.Subject == subject && info.Commit == commit {
			if err := t.bucket(featuresBucket).remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}
