package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A model records which units the inputs of its observations reached, so that they
// need no prediction. Equal sets of units are stored once.
type recordedFile struct {
	Digests []byte `cbor:"d"` // recordedDigest bytes per input, sorted
	Sets    []byte `cbor:"s"` // four bytes per input: index of its set
	Units   []byte `cbor:"u"` // the sets, as bits by unit; compressed
	Count   int    `cbor:"n"` // number of sets
}

// Limits of the recorded inputs. Beyond them, the inputs with the smallest digests are
// kept.
const (
	recordedDigest   = 16        // bytes of an input's digest; enough to rule out chance
	minWindow        = 16 << 20  // bytes that decompression may always use
	maxRecorded      = 1_000_000 // inputs
	maxRecordedUnits = 128 << 20 // bytes of all sets
)

// recordedSets holds the decoded sets of a model.
type recordedSets struct {
	once sync.Once
	bits []byte
	size int // bytes of a set
	err  error
}

// record returns the sets of units that inputs reached in the program at its last
// commit. An input with several observations reached the units of all of them. index
// maps units of the trainer to units of the model.
func (t *Trainer) record(index []int32, units int) (*recordedFile, error) {
	reached := reachRecord{}
	size := (units + 7) / 8
	for i := range t.records {
		r := &t.records[i]
		if r.unlabelled || r.commit != t.commit {
			continue
		}
		set := reached.of([recordedDigest]byte(r.digest[:recordedDigest]), size)
		for _, m := range r.methods {
			set[index[m]/8] |= 1 << (index[m] % 8)
		}
	}
	return reached.pack(size)
}

// pack encodes a record with sets of size bytes.
func (r reachRecord) pack(size int) (*recordedFile, error) {
	out := &recordedFile{}
	sets := map[string]uint32{}
	var all []byte
	digests := r.sorted()
	for _, d := range digests[:min(len(digests), maxRecorded)] {
		set, ok := sets[string(r[d])]
		if !ok {
			if len(all)+size > maxRecordedUnits {
				break
			}
			set = uint32(len(sets))
			sets[string(r[d])] = set
			all = append(all, r[d]...)
		}
		out.Digests = append(out.Digests, d[:]...)
		out.Sets = binary.LittleEndian.AppendUint32(out.Sets, set)
	}
	out.Count = len(sets)
	writer, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer func() { _ = writer.Close() }() // it writes to memory
	out.Units = writer.EncodeAll(all, nil)
	return out, nil
}

// checkRecorded validates the sizes of the recorded inputs.
func (m *Model) checkRecorded() error {
	f := m.file.Recorded
	if f == nil {
		return nil
	}
	n := len(f.Digests) / recordedDigest
	switch {
	case len(f.Digests)%recordedDigest != 0 || len(f.Sets) != 4*n || n > maxRecorded:
		return errors.New("recorded inputs: inconsistent lengths")
	case f.Count < 0 || f.Count > n || f.Count*((len(m.Units)+7)/8) > maxRecordedUnits:
		return fmt.Errorf("recorded inputs: %d sets for %d inputs", f.Count, n)
	}
	return nil
}

// Recorded returns the number of inputs whose reached units the model records.
func (m *Model) Recorded() int {
	if m.file.Recorded == nil {
		return 0
	}
	return len(m.file.Recorded.Digests) / recordedDigest
}

// ReachedBy returns the units that an input reached when it was observed at the commit
// of the model, given the SHA-256 digest of the input. ok is false if the model does not
// record the input.
func (m *Model) ReachedBy(digest [sha256.Size]byte) (units []int, ok bool, err error) {
	f := m.file.Recorded
	if f == nil {
		return nil, false, nil
	}
	n := len(f.Digests) / recordedDigest
	low, high := 0, n
	for low < high {
		middle := (low + high) / 2
		order := bytes.Compare(f.Digests[middle*recordedDigest:(middle+1)*recordedDigest], digest[:recordedDigest])
		switch {
		case order == 0:
			units, err = m.recordedSet(int(binary.LittleEndian.Uint32(f.Sets[4*middle:])))
			return units, err == nil, err
		case order < 0:
			low = middle + 1
		default:
			high = middle
		}
	}
	return nil, false, nil
}

func (m *Model) recordedSet(set int) ([]int, error) {
	r := &m.recorded
	r.once.Do(func() { r.size, r.bits, r.err = m.file.Recorded.unpack(len(m.Units)) })
	if r.err != nil {
		return nil, r.err
	}
	if set >= m.file.Recorded.Count {
		return nil, &FileError{"recorded inputs: set out of range", nil}
	}
	units := []int{}
	for i, b := range r.bits[set*r.size : (set+1)*r.size] {
		for ; b != 0; b &= b - 1 {
			unit := 8*i + bits.TrailingZeros8(b)
			if unit >= len(m.Units) {
				return nil, &FileError{"recorded inputs: unit out of range", nil}
			}
			units = append(units, unit)
		}
	}
	return units, nil
}

// unpack returns the sets, of size bytes each.
func (f *recordedFile) unpack(units int) (size int, sets []byte, err error) {
	size = (units + 7) / 8
	want := f.Count * size
	reader, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(max(want, minWindow))))
	if err != nil {
		return 0, nil, err
	}
	defer reader.Close()
	sets, err = reader.DecodeAll(f.Units, make([]byte, 0, want))
	if err == nil && len(sets) != want {
		err = fmt.Errorf("%d bytes: must be %d", len(sets), want)
	}
	if err != nil {
		return 0, nil, &FileError{"recorded inputs: malformed sets", err}
	}
	return size, sets, nil
}
