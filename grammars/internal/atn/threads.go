package atn

import (
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// threads are the states of the lexer in the middle of a token: several while it is not
// certain how the token is divided into matches. A [shelf] keeps each list of states
// once and remembers its successors, so that most characters take one lookup.
type threads struct {
	list  []spelling
	edges atomic.Pointer[threadsTable] // nil if none is known
	ends  atomic.Pointer[[]tokenEnd]
	done  atomic.Int32 // a tristate, of [Speller.Done]
	shelf *shelf
}

// A threadsEdge leads to the threads after a character of a class. Its class is set last.
type threadsEdge struct {
	class atomic.Uint32 // one more than the class; 0 if the slot is not in use
	to    atomic.Pointer[threads]
}

// A tokenEnd remembers a result of [Speller.endings].
type tokenEnd struct {
	kind  int32
	rule  int
	last  bool
	after []Lexed
}

// A tristate is an answer that may not be known.
type tristate = int32

const (
	undecided tristate = iota
	yes
	no
)

// Threads without an edge to follow.
//
//nolint:gochecknoglobals // never changed
var (
	dead    = &threads{} // no token continues with the character
	divided = &threads{} // a match may end that is only a part of a token: see [Speller.Place]
)

// A shelf keeps threads by their states, for all spellers of a lexer. Threads of different
// goals differ. It is safe for concurrent use.
type shelf struct {
	size atomic.Int64 // approximate, in bytes

	lock sync.Mutex
	keys spellKeys
	of   map[*Goal]map[string]*threads
	key  []byte // scratch
}

const (
	maxShelf    = 32 << 20 // bytes of a shelf
	threadsSize = 300      // bytes of threads without their edges
)

func newShelf() *shelf {
	return &shelf{keys: spellKeys{ids: map[*lexState]uint32{}}, of: map[*Goal]map[string]*threads{}}
}

// shelf returns the shelf that the spellers of the lexer share. A full one is replaced; its
// threads remain valid.
func (s *Speller) shelf() *shelf {
	for {
		now := s.cache.shelf.Load()
		if now != nil && now.size.Load() <= maxShelf {
			return now
		}
		s.cache.shelf.CompareAndSwap(now, newShelf())
	}
}

// share returns the threads with a list of states.
func (s *Speller) share(goal *Goal, list []spelling) *threads {
	if len(list) == 0 {
		return dead
	}
	return s.shelf().share(goal, list)
}

func (s *shelf) share(goal *Goal, list []spelling) *threads {
	s.lock.Lock()
	defer s.lock.Unlock()
	key := s.key[:0]
	for _, t := range list {
		key = binary.LittleEndian.AppendUint32(key, uint32(len(t.guards)))
		key = binary.LittleEndian.AppendUint32(key, uint32(len(t.modes)))
		key = binary.LittleEndian.AppendUint32(key, s.keys.id(t.at))
		for _, g := range t.guards {
			key = binary.LittleEndian.AppendUint32(key, s.keys.id(g))
		}
		fresh := byte(0)
		if t.fresh {
			fresh = 1
		}
		key = append(append(key, fresh), t.modes...)
	}
	s.key = key
	of := s.of[goal]
	if of == nil {
		of = map[string]*threads{}
		s.of[goal] = of
	}
	t := of[string(key)]
	if t == nil {
		t = &threads{list: list, shelf: s}
		of[string(key)] = t
		s.size.Add(int64(threadsSize + len(key)))
	}
	return t
}

// A threadsTable has the known edges of threads. It can be read while edges are added.
type threadsTable struct {
	slots []threadsEdge // a power of two in number, at most half in use; the class is the first slot to look at
	count int           // slots in use
}

// find returns the slot of a class, or the free slot to store its edge in. It reports
// whether the class has an edge.
func (e *threadsTable) find(class uint16) (*threadsEdge, bool) {
	last := len(e.slots) - 1
	for i := int(class) & last; ; i = (i + 1) & last {
		edge := &e.slots[i]
		switch edge.class.Load() {
		case uint32(class) + 1:
			return edge, true
		case 0:
			return edge, false
		}
	}
}

// add adds an edge, unless the class has one.
func (e *threadsTable) add(class uint16, to *threads) {
	if slot, ok := e.find(class); !ok {
		slot.to.Store(to)
		slot.class.Store(uint32(class) + 1)
		e.count++
	}
}

// edge returns the threads after a character of a class; nil if they are not known.
func (t *threads) edge(class uint16) *threads {
	if table := t.edges.Load(); table != nil {
		if edge, ok := table.find(class); ok {
			return edge.to.Load()
		}
	}
	return nil
}

// remember sets the threads after a character of a class.
func (t *threads) remember(class uint16, to *threads) {
	s := t.shelf
	s.lock.Lock()
	defer s.lock.Unlock()
	table := t.edges.Load()
	if table == nil {
		table = &threadsTable{}
	}
	if 2*table.count >= len(table.slots) {
		old := table
		table = &threadsTable{slots: make([]threadsEdge, max(2, 2*len(old.slots)))}
		for i := range old.slots {
			if edge := &old.slots[i]; edge.class.Load() != 0 {
				table.add(uint16(edge.class.Load()-1), edge.to.Load())
			}
		}
		s.size.Add(int64(16 * (len(table.slots) - len(old.slots))))
		defer t.edges.Store(table)
	}
	table.add(class, to)
}

// exactly calls a function and reports whether no limit was exceeded.
func (s *Speller) exactly(do func()) bool {
	over := s.over
	s.over = false
	do()
	exact := !s.over
	s.over = s.over || over
	return exact
}

// after returns the threads after a character of a class. It returns divided if a match
// may end there that is only a part of a token.
func (s *Speller) after(at *threads, class uint16, char rune) *threads {
	if to := at.edge(class); to != nil {
		return to
	}
	var next []spelling
	divides := false
	exact := s.exactly(func() {
		for _, t := range at.list {
			if to, ok := s.step(t, int(class), char); ok {
				next = append(next, to)
				divides = divides || to.at.rule >= 0 && to.at.kind == continued
			}
		}
	})
	to := divided
	if !divides {
		to = s.share(nil, next)
	}
	if exact {
		at.remember(class, to)
	}
	return to
}

// endings returns the states of the lexer after a token that ends here: see [Speller.Place].
func (s *Speller) endings(at *threads, kind int32, rule int, last bool) []Lexed {
	var known []tokenEnd
	if ends := at.ends.Load(); ends != nil {
		known = *ends
	}
	for i := range known {
		if e := &known[i]; e.kind == kind && e.rule == rule && e.last == last {
			return e.after
		}
	}
	var out []Lexed
	exact := s.exactly(func() {
		for _, t := range at.list {
			if after, ok := s.finish(t, kind, rule, last); ok {
				after.first = s.first(after)
				out = append(out, after)
			}
		}
	})
	if exact {
		known = append(slices.Clip(known), tokenEnd{kind, rule, last, out})
		at.ends.Store(&known) // an ending that another speller adds at the same time may get lost
	}
	return out
}

// first returns the threads at the beginning of a token.
func (s *Speller) first(from Lexed) *threads {
	if from.first != nil {
		return from.first
	}
	first, ok := s.enter(from)
	if !ok {
		return dead
	}
	return s.share(nil, []spelling{first})
}

// first returns the first character of a text, its class and its width.
func (c *classes) first(text []byte) (char rune, class uint16, width int) {
	if b := text[0]; b < utf8.RuneSelf {
		return rune(b), c.ascii[b], 1
	}
	char, width = utf8.DecodeRune(text)
	return char, c.class(char), width
}

// class returns the class of a character.
func (c *classes) class(char rune) uint16 { return c.pages[char/pageSize][char%pageSize] }
