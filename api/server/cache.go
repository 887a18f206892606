package server

import (
	"container/list"
	"context"
	"sync"

	"github.com/inroad/inroad/grammars/shared"
)

// A cache is an LRU cache with an approximate limit in bytes. Concurrent requests for
// the same key load it once.
type cache[V any] struct {
	max   int64
	loads shared.Group[string, V]

	mu    sync.Mutex
	size  int64
	order *list.List // of *cacheEntry[V], most recently used first
	byKey map[string]*list.Element
}

type cacheEntry[V any] struct {
	key   string
	value V
	size  int64
}

func newCache[V any](maxBytes int64) *cache[V] {
	return &cache[V]{max: maxBytes, order: list.New(), byKey: map[string]*list.Element{}}
}

// get returns the value of a key. On a miss it calls load, which returns the value
// and its size. Loading continues as long as a caller waits for it.
func (c *cache[V]) get(ctx context.Context, key string, load func(context.Context) (V, int64, error)) (V, error) {
	if value, ok := c.find(key); ok {
		return value, nil
	}
	return c.loads.Do(ctx, key, func(ctx context.Context) (V, error) {
		if value, ok := c.find(key); ok {
			return value, nil
		}
		value, size, err := load(ctx)
		if err == nil {
			c.add(key, value, size)
		}
		return value, err
	})
}

// bytes returns the approximate size of the cached values.
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
	return e.Value.(*cacheEntry[V]).value, true
}

// add caches a value and evicts the least recently used values. A value that is
// larger than the cache is cached alone, because it is in use.
func (c *cache[V]) add(key string, value V, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byKey[key] = c.order.PushFront(&cacheEntry[V]{key, value, size})
	c.size += size
	for c.size > c.max && c.order.Len() > 1 {
		last := c.order.Remove(c.order.Back()).(*cacheEntry[V])
		delete(c.byKey, last.key)
		c.size -= last.size
	}
}

// remove removes a value, if it is cached.
func (c *cache[V]) remove(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.byKey[key]; ok {
		c.size -= c.order.Remove(e).(*cacheEntry[V]).size
		delete(c.byKey, key)
	}
}
