package model

import "sync"

// A progress tells how many of the trees are grown. Many may count at the same
// time; it is told one after the other.
type progress struct {
	report func(done, total int) // nil if nobody wants to know
	total  int

	mu   sync.Mutex
	done int
}

// step counts trees.
func (p *progress) add(trees int) {
	if p.report == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += trees
	p.report(p.done, p.total)
}

// trees returns how many trees are grown to learn the targets, and to see on each
// fold how good they are.
func (k *task) treeCount(targets []*target) int {
	folds := min(k.opt.Folds, len(k.rows))
	varying := len(k.varying(targets))
	if k.opt.Folds == 1 || varying == 0 {
		return len(targets)
	}
	return len(targets) + folds*(len(k.outcomes)+varying)
}
