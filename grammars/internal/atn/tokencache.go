package atn

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/inroad/inroad/grammars/derivation"
)

// A tokenCache caches the trees of short, frequent tokens. All dissections
// share it.
type tokenCache struct {
	lastID atomic.Uint64 // ID of the tree cached last
	slots  [tokenCacheSlots]struct {
		known  atomic.Pointer[cachedTree]
		missed atomic.Uint64 // hash of the token missed last
	}
}

type cachedTree struct {
	token tokenKey
	tree  *derivation.Tree
}

const (
	tokenCacheBits  = 12
	tokenCacheSlots = 1 << tokenCacheBits
	maxKeyText      = 8 // bytes
)

// A tokenKey identifies a token of at most [maxKeyText] bytes.
type tokenKey struct {
	text uint64
	kind uint64 // type, rule and size
}

// newTokenKey returns the key of a token, if the token is short and does not
// end with the input. At the end of the input, a rule may match EOF.
func newTokenKey(input []byte, kind int32, token *derivation.Token) (t tokenKey, ok bool) {
	size := token.End - token.Start
	if size > maxKeyText || int(token.End) == len(input) {
		return t, false
	}
	if text := input[token.Start:]; len(text) >= maxKeyText {
		t.text = binary.LittleEndian.Uint64(text)
	} else {
		var last [maxKeyText]byte
		copy(last[:], text)
		t.text = binary.LittleEndian.Uint64(last[:])
	}
	t.text <<= 64 - 8*uint32(size)
	t.kind = uint64(kind)<<32 | uint64(token.Rule)<<4 | uint64(size)
	return t, true
}

func (t tokenKey) hash() uint64 {
	const odd1, odd2 = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	h := (t.text ^ t.kind*odd2) * odd1
	return (h ^ h>>32) * odd2
}

// get returns the cached tree of a token, or nil.
func (s *tokenCache) get(t tokenKey) *derivation.Tree {
	if known := s.slots[t.hash()>>(64-tokenCacheBits)].known.Load(); known != nil && known.token == t {
		return known.tree
	}
	return nil
}

// put records the tree of a token that was not cached. It caches only tokens
// missed twice in a row in their slot: most others do not recur.
func (s *tokenCache) put(t tokenKey, tree *derivation.Tree) {
	h := t.hash()
	slot := &s.slots[h>>(64-tokenCacheBits)]
	if slot.missed.Load() == h {
		slot.known.Store(&cachedTree{t, tree.CacheCopy(s.lastID.Add(1))})
	} else {
		slot.missed.Store(h)
	}
}
