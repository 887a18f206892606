package generate

import (
	"context"
	"iter"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// Limits on grafts.
const (
	maxGrowth  = 30 // grafts that are tried to add more paths to an input
	maxStunted = 6  // consecutive grafts without a new path
	maxRedraws = 4  // drawings of a part that no tree has, for each host
	maxBuds    = 4  // grafts of one path that grow tries
	maxPlanted = 3  // small trees for a symbol
	maxLooks   = 16 // paths that are considered for a node of an input
)

// graft looks for an input with a path by combining two trees that the parser read: the
// host has the path's first symbol, and the donor has the rest of the path below a symbol
// of the same rule. The parser often reads the combination as well. The input then gets
// more grafts for other paths. An input above the size limit is returned only if no other
// was found.
func (c *Cover) graft(ctx context.Context, i int) (*candidate, error) {
	if c.k == 1 {
		return nil, nil
	}
	var large *candidate
	for t, err := range c.combine(ctx, i) {
		if err != nil {
			return nil, err
		}
		some, err := c.try(ctx, t, c.paths[i])
		switch {
		case err != nil:
			return nil, err
		case some != nil && some.size <= c.x.opt.MaxNodes:
			return c.grow(ctx, some)
		case some != nil && (large == nil || some.size < large.size):
			large = some
		}
	}
	return large, nil
}

// combine yields the grafts for a path that were not tried yet. If no tree has the rest
// of the path, it draws the rest in the hosts.
func (c *Cover) combine(ctx context.Context, i int) iter.Seq2[*Draft, error] {
	return func(yield func(*Draft, error) bool) {
		p := c.paths[i]
		for _, o := range p {
			if err := c.plant(ctx, o); err != nil {
				yield(nil, err)
				return
			}
		}
		tried := func(bit int) bool {
			before := c.grafts[i]
			c.grafts[i] |= 1 << bit
			return c.grafts[i] == before
		}
		hosts, donors := slices.Clone(c.pool.hosts[p[0]]), slices.Clone(c.pool.donors[c.space.ID(p[1:])])
		for sum := range len(hosts) + len(donors) { // the first ones first
			for h := max(sum-len(donors)+1, 0); h < min(sum+1, len(hosts)); h++ {
				if tried(h*maxSites + sum - h) {
					continue
				}
				host, donor := hosts[h], donors[sum-h]
				if !yield(host.tree.with(host.node, donor.tree, donor.node), nil) {
					return
				}
			}
		}
		for h, host := range hosts {
			if len(donors) > 0 || tried(maxSites*maxSites+h) {
				continue
			}
			for try := range maxRedraws {
				if t := c.redraw(host, p, try); t != nil && !yield(t, nil) {
					return
				}
			}
		}
	}
}

// regrow draws a path below its first symbol in trees that were read, up to tries times.
// It returns an input that covers the path; nil if there is none.
func (c *Cover) regrow(ctx context.Context, p features.Path, tries int) (*candidate, error) {
	hosts := slices.Clone(c.pool.hosts[p[0]])
	if c.k == 1 || len(hosts) == 0 {
		return nil, nil
	}
	for try := range tries {
		t := c.redraw(hosts[try%len(hosts)], p, 1+try)
		if t == nil {
			continue
		}
		if some, err := c.try(ctx, t, p); some != nil || err != nil {
			return some, err
		}
	}
	return nil, nil
}

// plant adds small trees with a symbol to the pool, because packed trees leave no room
// for grafts.
func (c *Cover) plant(ctx context.Context, o grammars.Occurrence) error {
	if c.planted[o] {
		return nil
	}
	c.planted[o] = true
	for try := range maxPlanted {
		p := features.Path{o}
		if _, err := c.finish(ctx, c.draw([]*goal{c.x.newGoal(p, c.way(o))}, shortest{}, try, false), p); err != nil {
			return err
		}
	}
	return nil
}

// try writes a tree for a path. The candidate is nil if its text is not read with the
// path.
func (c *Cover) try(ctx context.Context, t *Draft, p features.Path) (*candidate, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	c.trees++
	var some *candidate
	input, err := c.x.write(ctx, t, func(input *Input) (bool, error) {
		var err error
		some, _, err = c.candidate(input, p)
		return err == nil && some.covers, err
	})
	if input == nil || err != nil {
		return nil, err
	}
	return some, c.extract.Each(input.Tree, func(length int, _ uint64, _ features.Position) {
		if length == 1 {
			some.size++
		}
	})
}

// redraw returns a host with the rest of a path drawn below its first symbol; nil if the
// drawing fails.
func (c *Cover) redraw(host site, p features.Path, try int) *Draft {
	n := c.x.grammar.Nodes[p[0]]
	d := c.x.newDrawing()
	d.chooser = c.varied(p, try)
	if try == 0 {
		d.chooser = shortest{}
	}
	g := &goal{path: p, at: 1, far: c.way(p[0]), way: c.x.within(p[1])}
	d.goals, d.chain = []*goal{g}, host.tree.chainTo(host.node)
	t, i, depth := host.tree, host.node, host.tree.nodes[host.node].depth
	d.limit.nodes = max(c.x.opt.MaxNodes-len(t.nodes), c.x.opt.MaxNodes/4)
	switch {
	case n.Kind != grammars.Reference:
		return nil
	case t.nodes[i].word >= 0:
		if d.token(n, t.words[t.nodes[i].word].Type, depth); d.failed {
			return nil
		}
		return assemble(piece{t, 0, i, 0}, piece{&d.Draft, 0, len(d.nodes), 0}, piece{t, i + 1, len(t.nodes), 0})
	default:
		if d.rule(n.Target, depth+1, c.x.bindingAt(t, i)); d.failed || len(d.goals) > 0 {
			return nil
		}
		return assemble(piece{t, 0, i + 1, 0}, piece{&d.Draft, 0, len(d.nodes), 0}, piece{t, t.end(i), len(t.nodes), 0})
	}
}

// grow adds grafts for other paths to an input, while the input has room.
func (c *Cover) grow(ctx context.Context, best *candidate) (*candidate, error) {
	if c.closing != nil {
		return best, nil
	}
	stunted := 0
	for range maxGrowth {
		if stunted == maxStunted {
			break
		}
		t, p := c.bud(best)
		if t == nil {
			break
		}
		more, err := c.try(ctx, t, p)
		if err != nil {
			return nil, err
		}
		if more != nil && len(more.has) > len(best.has) && more.size <= c.x.opt.MaxNodes {
			best, stunted = more, 0
		} else {
			stunted++
		}
	}
	return best, nil
}

// bud returns the tree of an input with a graft for a new path; nil if there is none.
func (c *Cover) bud(of *candidate) (*Draft, features.Path) {
	t := DraftOf(of.Tree)
	has := map[uint64]bool{}
	for _, id := range of.has {
		has[id] = true
	}
	for _, node := range c.x.rand.Perm(len(t.nodes)) {
		o := t.nodes[node].occurrence
		for range min(len(c.pending[o]), maxLooks) {
			i := c.pending[o][0]
			c.pending[o] = c.pending[o][1:]
			if c.covered[i] || c.buds[i] == maxBuds {
				continue
			}
			c.pending[o] = append(c.pending[o], i)
			p := c.paths[i]
			donors := c.pool.donors[c.space.ID(p[1:])]
			if has[c.space.ID(p)] || len(donors) == 0 {
				continue
			}
			donor := donors[c.x.rand.IntN(len(donors))]
			if c.buds[i]++; len(t.nodes)+donor.size <= c.x.opt.MaxNodes {
				return t.with(node, donor.tree, donor.node), p
			}
		}
	}
	return nil, nil
}
