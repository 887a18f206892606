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

// A Cache holds a model's predictions by the digests of inputs. [Predict] and
// [PredictEach] accept a nil Cache, which stays empty. A Cache is not safe for
// concurrent use by callers.
type Cache struct {
	model  string // digest of the model
	units  int
	loaded map[Digest]*row // as read from a file; workers only read it
	used   map[Digest]*row // by the last prediction; these are written
}

// ErrCache means that a file is a damaged cache, or the cache of another model.
// Callers should start with an empty cache.
var ErrCache = errors.New("not a cache of this model's predictions")

// ErrNoCache means that a file is not a cache. Callers should not overwrite it.
var ErrNoCache = errors.New("not a cache of predictions")

// cacheMagic begins a cache file. Its number changes with the format and with
// the way predictions are computed.
const (
	cacheKind  = "inroad predictions "
	cacheMagic = cacheKind + "1\n"
)

const maxCache = 1 << 30 // bytes

// NewCache returns an empty cache for the model with the given digest and number of
// units.
func NewCache(model string, units int) *Cache {
	return &Cache{model: model, units: units, loaded: map[Digest]*row{}, used: map[Digest]*row{}}
}

// get returns the loaded prediction of an input.
func (c *Cache) get(d Digest) (*row, bool) {
	if c == nil {
		return nil, false
	}
	r, ok := c.loaded[d]
	return r, ok
}

// put adds the prediction of an input.
func (c *Cache) put(d Digest, r *row) {
	if c != nil {
		c.used[d] = r
	}
}

// Changed reports whether the cache differs from the file it was read from.
func (c *Cache) Changed() bool {
	if len(c.used) != len(c.loaded) {
		return true
	}
	for d := range c.used {
		if _, ok := c.loaded[d]; !ok {
			return true
		}
	}
	return false
}

// Write writes the predictions of the inputs of the last prediction; inputs that are no
// longer in the corpus are dropped.
//
// The file consists of a magic line, the digest of the model, the number of
// units, the rows, for each input its digest and the number of its row, and a
// digest of everything before.
func (c *Cache) Write(w io.Writer) error {
	sum := sha256.New()
	out := bufio.NewWriter(io.MultiWriter(w, sum))
	number := func(n int) { _, _ = out.Write(binary.AppendUvarint(nil, uint64(n))) }
	_, _ = out.WriteString(cacheMagic)
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

// ReadCache reads a cache that [Cache.Write] wrote. The error is [ErrCache] if the
// file is empty, damaged or the cache of another model, and [ErrNoCache] if it is
// not a cache.
func ReadCache(r io.Reader, model string, units int) (*Cache, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxCache+1))
	if err != nil {
		return nil, err
	}
	if len(text) > 0 && !bytes.HasPrefix(text, []byte(cacheKind)) {
		return nil, ErrNoCache
	}
	if len(text) > maxCache || len(text) < sha256.Size {
		return nil, ErrCache
	}
	body, sum := text[:len(text)-sha256.Size], text[len(text)-sha256.Size:]
	if got := sha256.Sum256(body); !bytes.Equal(got[:], sum) {
		return nil, ErrCache
	}
	in := &cacheReader{rest: body}
	if string(in.take(len(cacheMagic))) != cacheMagic || string(in.take(in.number())) != model || in.number() != units {
		return nil, ErrCache
	}
	c := NewCache(model, units)
	var rows []*row
	for range in.number() {
		r := in.row(units)
		rows = append(rows, &r)
		if in.invalid {
			return nil, ErrCache
		}
	}
	for range in.number() {
		d := Digest(in.take(len(Digest{})))
		at := in.number()
		if in.invalid || at >= len(rows) {
			return nil, ErrCache
		}
		c.loaded[d] = rows[at]
	}
	if in.invalid || len(in.rest) > 0 {
		return nil, ErrCache
	}
	return c, nil
}

// A cacheReader decodes a cache file. A matching digest does not prove that we
// wrote the file, so everything is checked.
type cacheReader struct {
	rest    []byte
	invalid bool
}

func (r *cacheReader) number() int {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > maxCache {
		r.invalid, r.rest = true, nil
		return 0
	}
	r.rest = r.rest[size:]
	return int(n)
}

// take returns the next n bytes. If fewer are left, it returns zeros, up to 32.
func (r *cacheReader) take(n int) []byte {
	if n > len(r.rest) {
		r.invalid, r.rest = true, nil
		return make([]byte, min(n, sha256.Size))
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *cacheReader) row(units int) row {
	text := r.take(r.number())
	if len(text) == 0 {
		r.invalid = true
		return row{}
	}
	out := row{known: knowledge(text[0])}
	switch text = text[1:]; {
	case out.known == unknown && len(text) == 0:
		return out
	case out.known >= unknown || len(text) != 2*units:
		r.invalid = true
		return row{}
	}
	out.chances = make([]Chance, units)
	for i := range out.chances {
		out.chances[i] = Chance(binary.LittleEndian.Uint16(text[2*i:]))
	}
	return out
}
