package atn

import (
	"encoding/binary"
	"sync/atomic"

	"github.com/inroad/inroad/grammars/derivation"
)

// shortTokens remembers the trees of short tokens that come again and again. It
// is shared by all who take tokens apart.
type shortTokens struct {
	kept  atomic.Uint64 // how many were, ever
	slots [shortSlots]struct {
		known  atomic.Pointer[shortTree]
		missed atomic.Uint64 // the hash of the last token that was looked for in vain
	}
}

type shortTree struct {
	token shortToken
	tree  *derivation.Tree
}

const (
	shortBits  = 12
	shortSlots = 1 << shortBits
	maxShort   = 8 // bytes
)

// A shortToken is a token of at most [maxShort] bytes.
type shortToken struct {
	text uint64
	kind uint64 // and rule, and size
}

// newShortToken returns a token of an input, if it is short and does not end
// with the input: there a rule may ask for that end.
func newShortToken(input []byte, kind int32, token *derivation.Token) (t shortToken, ok bool) {
	size := token.End - token.Start
	if size > maxShort || int(token.End) == len(input) {
		return t, false
	}
	if text := input[token.Start:]; len(text) >= maxShort {
		t.text = binary.LittleEndian.Uint64(text)
	} else {
		var last [maxShort]byte
		copy(last[:], text)
		t.text = binary.LittleEndian.Uint64(last[:])
	}
	t.text <<= 64 - 8*uint32(size)
	t.kind = uint64(kind)<<32 | uint64(token.Rule)<<4 | uint64(size)
	return t, true
}

func (t shortToken) hash() uint64 {
	const odd1, odd2 = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
	h := (t.text ^ t.kind*odd2) * odd1
	return (h ^ h>>32) * odd2
}

// get returns the tree of a token, if it is known.
func (s *shortTokens) get(t shortToken) *derivation.Tree {
	if known := s.slots[t.hash()>>(64-shortBits)].known.Load(); known != nil && known.token == t {
		return known.tree
	}
	return nil
}

// put is told the tree of a token that was not known. It remembers tokens that
// come for the second time in a while: most others do not come again.
func (s *shortTokens) put(t shortToken, tree *derivation.Tree) {
	h := t.hash()
	slot := &s.slots[h>>(64-shortBits)]
	if slot.missed.Load() == h {
		slot.known.Store(&shortTree{t, tree.Keep(s.kept.Add(1))})
	} else {
		slot.missed.Store(h)
	}
}
