package grammars

import "sync"

// A memo holds values that other packages derive from a grammar.
type memo struct {
	lock   sync.Mutex
	values map[any]func() any
}

// Memo returns what compute returned when Memo was first called with key. Packages
// that analyse grammars keep their results there, under keys of a type of their
// own. Memo is safe for concurrent use; compute is called once.
func (g *Grammar) Memo(key any, compute func() any) any {
	g.memo.lock.Lock()
	value, ok := g.memo.values[key]
	if !ok {
		value = sync.OnceValue(compute)
		if g.memo.values == nil {
			g.memo.values = map[any]func() any{}
		}
		g.memo.values[key] = value
	}
	g.memo.lock.Unlock()
	return value()
}
