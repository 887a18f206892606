package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// recordedFile records which units the inputs of a model's observations reached, so that
// these inputs need no prediction. Equal sets of units are stored once.
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

// A recorder encodes the sets of units that inputs reached. Inputs are added in the order
// of their digests.
type recorder struct {
	size   int // bytes of a set
	file   recordedFile
	units  []byte            // all sets
	seed   maphash.Seed      // of the hashes of sets
	sets   map[uint64]uint32 // index of a set by its hash, or by a later hash if that is taken
	digest [recordedDigest]byte
	set    []byte // of digest; nil if there is no input yet
	full   bool   // further inputs are not recorded
}

func newRecorder(units int) recorder {
	return recorder{size: (units + 7) / 8, seed: maphash.MakeSeed(), sets: map[uint64]uint32{}}
}

// of returns the set of an input, to which the caller adds units.
func (r *recorder) of(digest [recordedDigest]byte) []byte {
	if r.set == nil {
		r.set = make([]byte, r.size)
	} else if r.digest != digest {
		r.end()
		clear(r.set)
	}
	r.digest = digest
	return r.set
}

// end adds the current set to the file.
func (r *recorder) end() {
	if r.set == nil || r.full || len(r.file.Sets) == 4*maxRecorded {
		return
	}
	var n uint32
	for h := maphash.Bytes(r.seed, r.set); ; h++ {
		var ok bool
		if n, ok = r.sets[h]; !ok {
			if r.full = len(r.units)+r.size > maxRecordedUnits; r.full {
				return
			}
			n = uint32(r.file.Count)
			r.sets[h] = n
			r.file.Count++
			r.units = append(r.units, r.set...)
			break
		}
		if bytes.Equal(r.units[int(n)*r.size:][:r.size], r.set) {
			break
		}
	}
	r.file.Digests = append(r.file.Digests, r.digest[:]...)
	r.file.Sets = binary.LittleEndian.AppendUint32(r.file.Sets, n)
}

// pack returns the encoded record.
func (r *recorder) pack() (*recordedFile, error) {
	r.end()
	r.set = nil
	writer, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer func() { _ = writer.Close() }() // it writes to memory
	r.file.Units = writer.EncodeAll(r.units, nil)
	return &r.file, nil
}

// pack encodes a record with sets of units.
func (r reachRecord) pack(units int) (*recordedFile, error) {
	out := newRecorder(units)
	for _, digest := range r.sorted() {
		copy(out.of(digest), r[digest])
	}
	return out.pack()
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
