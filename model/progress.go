package model

import (
	"slices"
	"sync"
)

// A progress reports the number of complete trees. It is safe for concurrent
// use.
type progress struct {
	report func(done, total int) // may be nil
	total  int

	mu   sync.Mutex
	done int
}

// add counts complete trees.
func (p *progress) add(trees int) {
	if p.report == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = min(p.done+trees, p.total) // each part of a training grows the trees of outcomes
	p.report(p.done, p.total)
}

// treeCount returns the number of trees to grow for the targets, including
// those of cross-validation.
func (k *task) treeCount(targets []*target) int {
	folds := min(k.opt.Folds, len(k.rows))
	varying := k.varying(targets)
	if k.opt.Folds == 1 || len(varying) == 0 {
		return len(targets)
	}
	units := len(slices.DeleteFunc(varying, func(t *target) bool { return !t.unit }))
	return len(targets) + folds*(len(k.outcomes)+units)
}
