package server

import (
	"container/list"
	"context"
	"sync"

	"golang.org/x/sync/singleflight"
)

// A cache keeps what was used last, up to about so many bytes. What many ask for
// at once is loaded once.
type cache[V any] struct {
	most  int64
	group singleflight.Group

	mu    sync.Mutex
	size  int64
	order *list.List // of cached[V], what was used last first
	byKey map[string]*list.Element
}

type cached[V any] struct {
	key   string
	value V
	size  int64
}

func newCache[V any](most int64) *cache[V] {
	return &cache[V]{most: most, order: list.New(), byKey: map[string]*list.Element{}}
}

// get returns what is kept under a key, and otherwise what load returns, with its
// size. Loading goes on when the one who began it gives up, for the others.
func (c *cache[V]) get(ctx context.Context, key string, load func() (V, int64, error)) (V, error) {
	if value, ok := c.find(key); ok {
		return value, nil
	}
	loaded := c.group.DoChan(key, func() (any, error) {
		if value, ok := c.find(key); ok {
			return value, nil
		}
		value, size, err := load()
		if err != nil {
			return nil, err
		}
		c.add(key, value, size)
		return value, nil
	})
	var none V
	select {
	case <-ctx.Done():
		return none, context.Cause(ctx)
	case r := <-loaded:
		if r.Err != nil {
			return none, r.Err
		}
		return r.Val.(V), nil
	}
}

// bytes returns about how much is kept.
func (c *cache[V]) bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

func (c *cache[V]) find(key string) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		var none V
		return none, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*cached[V]).value, true
}

// add keeps a value, and drops what was not used for the longest. One that is
// larger than the cache is kept alone, as it is in use.
func (c *cache[V]) add(key string, value V, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey[key] = c.order.PushFront(&cached[V]{key, value, size})
	c.size += size
	for c.size > c.most && c.order.Len() > 1 {
		last := c.order.Remove(c.order.Back()).(*cached[V])
		delete(c.byKey, last.key)
		c.size -= last.size
	}
}
