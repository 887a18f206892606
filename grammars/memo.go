package grammars

import (
	"context"
	"sync"

	"github.com/inroad/inroad/grammars/shared"
)

// A memo holds values that other packages derive from a grammar.
type memo struct {
	lock   sync.Mutex
	values map[any]func() any
	group  shared.Group[any, any]
}

// Memo returns the value of a key, which the first call for the key computes.
// Packages that analyse grammars cache their results here, under keys of their own
// types. Memo is safe for concurrent use; compute is called once.
func (g *Grammar) Memo(key any, compute func() any) any {
	return g.memo.get(key, compute)()
}

// MemoWith is like [Grammar.Memo], for a computation that can be interrupted. The
// computation stops when the contexts of all waiting callers have ended; then no
// value is kept.
func (g *Grammar) MemoWith(ctx context.Context, key any, compute func(ctx context.Context) (any, error)) (any, error) {
	g.memo.lock.Lock()
	known, ok := g.memo.values[key]
	g.memo.lock.Unlock()
	if ok {
		return known(), nil
	}
	value, err := g.memo.group.Do(ctx, key, compute)
	if err != nil {
		return nil, err
	}
	return g.Memo(key, func() any { return value }), nil
}

// get returns a function that computes the value of a key once.
func (m *memo) get(key any, compute func() any) func() any {
	m.lock.Lock()
	defer m.lock.Unlock()
	value, ok := m.values[key]
	if !ok {
		value = sync.OnceValue(compute)
		if m.values == nil {
			m.values = map[any]func() any{}
		}
		m.values[key] = value
	}
	return value
}
