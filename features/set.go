package features

import "iter"

// A Set is a set of paths of one space, by length. It is closed under suffixes:
// if it contains a path, it contains the shorter paths at its end.
type Set struct {
	paths  []table // by length
	tokens table   // tokens whose paths are in the set, hashed with the symbols above them
}

const maxTokens = 1 << 16 // in the table of tokens

// NewSet returns an empty set of paths of length 1 to k.
func NewSet(k int) *Set {
	s := &Set{paths: make([]table, k+1)}
	slots := make([]uint64, k*minSlots)
	for i := range k {
		s.paths[i+1].slots = slots[i*minSlots : (i+1)*minSlots]
	}
	return s
}

// Len returns the number of paths of a length.
func (s *Set) Len(length int) int { return s.paths[length].count }

// Has reports whether the set contains the path with an ID.
func (s *Set) Has(length int, id uint64) bool { return s.paths[length].has(id) }

// All yields the IDs of the paths of a length, in no particular order.
func (s *Set) All(length int) iter.Seq[uint64] { return s.paths[length].all }

// knows reports whether the set contains a token. If not, it adds the token if
// there is room.
func (s *Set) knows(token uint64) bool {
	if s.tokens.count >= maxTokens {
		return s.tokens.has(token)
	}
	return !s.tokens.add(token)
}

// A table is a set of hashes. It is optimized for lookups that succeed, as
// inputs repeat the same paths.
type table struct {
	slots []uint64 // 0 if empty; their number is a power of two
	count int
	zero  bool // the table contains the hash 0
}

const minSlots = 128

// slot returns the slot of a hash, or the empty slot to store it in. The table
// must not be full.
func (t *table) slot(hash uint64) *uint64 {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		if at := &t.slots[i]; *at == hash || *at == 0 {
			return at
		}
	}
}

func (t *table) has(hash uint64) bool {
	if hash == 0 || t.slots == nil {
		return hash == 0 && t.zero
	}
	return *t.slot(hash) == hash
}

// add adds a hash and reports whether it is new.
func (t *table) add(hash uint64) bool {
	if hash == 0 {
		added := !t.zero
		if added {
			t.zero, t.count = true, t.count+1
		}
		return added
	}
	if len(t.slots) == 0 {
		t.slots = make([]uint64, minSlots)
	}
	at := t.slot(hash)
	if *at == hash {
		return false
	}
	*at = hash
	if t.count++; t.count > len(t.slots)/2 {
		t.grow()
	}
	return true
}

func (t *table) grow() {
	old := t.slots
	t.slots = make([]uint64, 2*len(old))
	for _, hash := range old {
		if hash != 0 {
			*t.slot(hash) = hash
		}
	}
}

func (t *table) all(yield func(uint64) bool) {
	if t.zero && !yield(0) {
		return
	}
	for _, hash := range t.slots {
		if hash != 0 && !yield(hash) {
			return
		}
	}
}
