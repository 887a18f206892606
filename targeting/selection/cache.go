package selection

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// A Cache keeps what a model says of inputs, by their digests. A nil Cache
// keeps nothing. It is not safe for concurrent use beside [Predict].
type Cache struct {
	model string // the digest of the model
	units int
	had   map[Digest]*row // what was read; Predict's workers look here
	used  map[Digest]*row // what is written
}

// ErrCache tells that a file is no cache, or that of another model. There is
// nothing to be done but to begin a new one.
var ErrCache = errors.New("not a cache of this model's answers")

// cacheHead begins a file. The number is that of the format and of how
// predictions are made.
const cacheHead = "inroad predictions 1\n"

const maxCache = 1 << 30

// NewCache returns an empty cache for the model with a digest, of so many units.
func NewCache(model string, units int) *Cache {
	return &Cache{model: model, units: units, had: map[Digest]*row{}, used: map[Digest]*row{}}
}

// get returns what is kept of an input.
func (c *Cache) get(d Digest) (*row, bool) {
	if c == nil {
		return nil, false
	}
	r, ok := c.had[d]
	return r, ok
}

// put keeps what is known of an input, and tells whether it was there before.
func (c *Cache) put(d Digest, r *row) bool {
	if c == nil {
		return false
	}
	c.used[d] = r
	_, ok := c.had[d]
	return ok
}

// Changed tells whether the cache differs from what was read.
func (c *Cache) Changed() bool {
	if len(c.used) != len(c.had) {
		return true
	}
	for d := range c.used {
		if _, ok := c.had[d]; !ok {
			return true
		}
	}
	return false
}

// Write writes what the last prediction used: inputs that are no longer in the
// corpus are forgotten.
//
// The file has a head, the digest of the model, the number of units, the rows,
// and for each input its digest and the number of its row; a digest of all that
// is at its end.
func (c *Cache) Write(w io.Writer) error {
	sum := sha256.New()
	out := bufio.NewWriter(io.MultiWriter(w, sum))
	number := func(n int) { _, _ = out.Write(binary.AppendUvarint(nil, uint64(n))) }
	_, _ = out.WriteString(cacheHead)
	number(len(c.model))
	_, _ = out.WriteString(c.model)
	number(c.units)

	digests := make([]Digest, 0, len(c.used))
	for d := range c.used {
		digests = append(digests, d)
	}
	slices.SortFunc(digests, func(a, b Digest) int { return bytes.Compare(a[:], b[:]) })
	places := map[string]int{}
	var rows [][]byte
	of := make([]int, len(digests))
	for i, d := range digests {
		key := appendRow(nil, *c.used[d])
		at, ok := places[string(key)]
		if !ok {
			at = len(rows)
			places[string(key)] = at
			rows = append(rows, key)
		}
		of[i] = at
	}
	number(len(rows))
	for _, r := range rows {
		number(len(r))
		_, _ = out.Write(r)
	}
	number(len(digests))
	for i, d := range digests {
		_, _ = out.Write(d[:])
		number(of[i])
	}
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := w.Write(sum.Sum(nil))
	return err
}

// ReadCache reads what [Cache.Write] wrote. The error is [ErrCache] if it is
// something else, about another model, or damaged.
func ReadCache(r io.Reader, model string, units int) (*Cache, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxCache+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxCache || len(text) < sha256.Size {
		return nil, ErrCache
	}
	body, sum := text[:len(text)-sha256.Size], text[len(text)-sha256.Size:]
	if got := sha256.Sum256(body); !bytes.Equal(got[:], sum) {
		return nil, ErrCache
	}
	in := &cacheReader{rest: body}
	if string(in.take(len(cacheHead))) != cacheHead || string(in.take(in.number())) != model || in.number() != units {
		return nil, ErrCache
	}
	c := NewCache(model, units)
	var rows []*row
	for range in.number() {
		r := in.row(units)
		rows = append(rows, &r)
		if in.wrong {
			return nil, ErrCache
		}
	}
	for range in.number() {
		d := Digest(in.take(len(Digest{})))
		at := in.number()
		if in.wrong || at >= len(rows) {
			return nil, ErrCache
		}
		c.had[d] = rows[at]
	}
	if in.wrong || len(in.rest) > 0 {
		return nil, ErrCache
	}
	return c, nil
}

// A cacheReader takes a file apart. Whoever can write a digest can write
// anything in front of it, so all is checked.
type cacheReader struct {
	rest  []byte
	wrong bool
}

func (r *cacheReader) number() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > maxCache {
		r.wrong, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// take returns the next n bytes, or as many zeros.
func (r *cacheReader) take(n int) []byte {
	if n > len(r.rest) {
		r.wrong, r.rest = true, nil
		return make([]byte, min(n, sha256.Size))
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *cacheReader) row(units int) row {
	text := r.take(r.number())
	if len(text) == 0 {
		r.wrong = true
		return row{}
	}
	out := row{known: knowledge(text[0])}
	switch text = text[1:]; {
	case out.known == unknown && len(text) == 0:
		return out
	case out.known >= unknown || len(text) != 2*units:
		r.wrong = true
		return row{}
	}
	out.chances = make([]Chance, units)
	for i := range out.chances {
		out.chances[i] = Chance(binary.LittleEndian.Uint16(text[2*i:]))
	}
	return out
}
