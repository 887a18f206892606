package generate

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/grammars/refine"
)

// A CloseOff says how the parts of a tree beside its path are derived.
type CloseOff int

// The kinds of closing off.
const (
	ByShortest  CloseOff = iota // one of the smallest derivations
	ByChance                    // any alternative that fits
	ByLeastUsed                 // the alternative that fits and was taken least often so far
)

// CoverOptions configure a [Cover].
type CoverOptions struct {
	// OneTarget generates each input for one path and closes it off, instead of
	// packing as many paths as fit.
	OneTarget bool
	CloseOff  CloseOff
}

// A Cover generates inputs until they cover all paths of a length. Each input is
// generated for one uncovered path and packed with other uncovered paths.
type Cover struct {
	x       *Generator
	k       int
	space   *features.Space
	extract *features.Extractor
	closing chooser // closes off trees for one path; nil if trees are packed

	paths    []features.Path // in order
	at       map[uint64]int  // path ID to index
	covered  []bool          // by index
	left     int             // the number of uncovered paths
	prefixes map[uint64]int  // by prefix: the number of uncovered paths that begin with it
	starts   []int           // by node: the number of uncovered paths that begin with it
	far      []int           // by node: see distance
	stale    bool            // whether far must be computed again
	next     int
	undo     []int   // the paths that the current drawing covers
	failures []uint8 // by path: the number of its trees that could not be written

	target   grammars.Occurrence // the symbol that toTarget leads to
	toTarget []int               // by node: the distance to the target
	frugal   bool                // whether the current tree avoids needless recursion

	needs   []need
	givenUp []int // paths without an input after maxTries
	alone   bool  // whether packing is over
	queue   []int // the paths that packing left, which get trees of their own
}

// maxCoverPaths limits the paths to cover.
const maxCoverPaths = 5_000_000

// maxTries limits the trees that are drawn for a path before it is given up.
const maxTries = 30

// NewCover returns a cover of the paths of length k.
func NewCover(x *Generator, k int, opt CoverOptions) (*Cover, error) {
	space := features.NewSpace(x.grammar, features.Options{Start: x.opt.Start, Possible: true})
	if n := space.Count(k); n.Cmp(big.NewInt(maxCoverPaths)) > 0 {
		return nil, &limit.Error{What: "paths to cover", Value: strconv.Itoa(maxCoverPaths), Advice: fmt.Sprintf("the grammar has %v; ask for a smaller k", n)}
	}
	var paths []features.Path
	for p := range space.All(k) {
		paths = append(paths, slices.Clone(p))
	}
	return newCover(x, k, opt, space, paths), nil
}

func newCover(x *Generator, k int, opt CoverOptions, space *features.Space, paths []features.Path) *Cover {
	c := &Cover{
		x: x, k: k, space: space, extract: features.NewExtractor(space, k), target: derivation.None,
		paths: paths, covered: make([]bool, len(paths)), failures: make([]uint8, len(paths)), left: len(paths),
		at: map[uint64]int{}, prefixes: map[uint64]int{}, starts: make([]int, len(x.grammar.Nodes)),
	}
	if opt.OneTarget {
		c.closing = []chooser{shortest{}, uniform{x.opt}, leastUsed{uniform{x.opt}, map[choice]int{}}}[opt.CloseOff]
	}
	for i, p := range paths {
		c.at[space.ID(p)] = i
		c.count(p, 1)
	}
	c.findNeeds()
	return c
}

// count adds to the numbers of uncovered paths that begin with each prefix of p.
func (c *Cover) count(p features.Path, by int) {
	for length := 1; length <= len(p); length++ {
		c.prefixes[c.space.ID(p[:length])] += by
	}
	before := c.starts[p[0]] > 0
	c.starts[p[0]] += by
	c.stale = c.stale || before != (c.starts[p[0]] > 0)
}

// distance returns the distance from a node to the nearest node that begins an
// uncovered path, or [refine.Unreachable].
func (c *Cover) distance(n *grammars.Node) int {
	if c.stale || c.far == nil {
		var from []grammars.Occurrence
		for o, count := range c.starts {
			if count > 0 {
				from = append(from, grammars.Occurrence(o))
			}
		}
		c.far, c.stale = refine.Distances(c.x.grammar, from...), false
	}
	return c.far[n.ID]
}

// Covered returns the number of paths that the inputs so far cover, and the number
// of all paths.
func (c *Cover) Covered() (covered, all int) { return len(c.paths) - c.left, len(c.paths) }

// Covers reports whether the inputs so far cover a path.
func (c *Cover) Covers(p features.Path) bool {
	i, ok := c.at[c.space.ID(p)]
	return ok && c.covered[i]
}

// Unrealised returns the paths that were given up.
func (c *Cover) Unrealised() []features.Path {
	var out []features.Path
	for _, i := range c.givenUp {
		if !c.covered[i] {
			out = append(out, c.paths[i])
		}
	}
	return out
}

// Next returns an input that covers a new path; nil if all paths are covered or
// given up. A path that cannot be packed gets a tree of its own at the end.
func (c *Cover) Next(ctx context.Context) (*Input, error) {
	for ; c.next < len(c.paths); c.next++ {
		if c.covered[c.next] {
			continue
		}
		if input, err := c.cover(ctx, c.next); input != nil || err != nil {
			return input, err
		}
	}
	if !c.alone && c.closing == nil {
		c.alone, c.closing, c.queue = true, shortest{}, c.givenUp
		c.givenUp = nil
	}
	for len(c.queue) > 0 {
		i := c.queue[0]
		c.queue = c.queue[1:]
		if c.covered[i] {
			continue
		}
		if input, err := c.cover(ctx, i); input != nil || err != nil {
			return input, err
		}
	}
	return nil, nil
}

// cover returns an input for a path, or else one that covers other new paths; nil
// if there is none. Without an input for the path, the path is given up.
func (c *Cover) cover(ctx context.Context, i int) (*Input, error) {
	best, err := c.best(ctx, c.paths[i])
	if err != nil {
		return nil, err
	}
	if best != nil {
		for _, id := range best.has {
			c.take(id)
		}
	}
	if !c.covered[i] && (len(c.givenUp) == 0 || c.givenUp[len(c.givenUp)-1] != i) { // Next may try it again
		c.givenUp = append(c.givenUp, i)
	}
	if best == nil {
		return nil, nil
	}
	return best.Input, nil
}

// Credit marks the paths of a tree as covered and returns the number of those that
// were not covered before.
func (c *Cover) Credit(tree *derivation.Tree) (int, error) {
	set := features.NewSet(c.k)
	if err := c.extract.Add(set, tree); err != nil {
		return 0, err
	}
	before := c.left
	for id := range set.All(c.k) {
		c.take(id)
	}
	return before - c.left, nil
}

// A candidate is an input that covers a new path.
type candidate struct {
	*Input
	has    []uint64 // its uncovered paths
	covers bool     // whether it covers the path that it was drawn for
}

// best draws trees for a path and returns the input that covers most new paths. If
// no input covers the path, it returns one that covers others; nil if there is none.
func (c *Cover) best(ctx context.Context, p features.Path) (*candidate, error) {
	var best, other *candidate
	found := 0
	goals := append([]*goal{c.x.newGoal(p, c.way(p[0]))}, c.needed(p)...)
	for try := 1; try <= maxTries && found < c.wanted(); try++ {
		some, err := c.try(ctx, p, goals, try-found)
		if err != nil {
			return nil, err
		}
		switch {
		case some == nil:
		case !some.covers:
			if other == nil || len(some.has) > len(other.has) {
				other = some
			}
		default:
			if found++; best == nil || len(some.has) > len(best.has) {
				some.Draws = try - found + 1 // this tree, and those before it that could not be written
				best = some
			}
		}
	}
	if best == nil {
		return other, nil
	}
	return best, nil
}

// wanted returns how many candidates are compared for an input: more if there are
// few paths, because then a better input is worth the time.
func (c *Cover) wanted() int {
	if c.closing != nil {
		return 1
	}
	return min(max(20_000/len(c.paths), 1), 8)
}

// try draws a tree for a path. Later tries pack less, because a packed path may
// keep the tree from being written.
func (c *Cover) try(ctx context.Context, p features.Path, goals []*goal, try int) (*candidate, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	d := c.x.newDrawing()
	if d.goals = goals; try > maxTries/2 { // a needed symbol may keep it from being written
		d.goals = goals[:1]
	}
	d.limit.nodes = c.x.opt.MaxNodes >> ((try - 1) / 2)
	c.frugal = !c.frugal
	switch {
	case c.closing == nil:
		d.chooser = c
	case try <= maxTries/2:
		d.chooser = c.closing
	case c.closing == shortest{}: // the smallest derivation may be misread
		d.chooser = uniform{c.x.opt}
	default:
		d.chooser = shortest{}
	}
	d.redraws = uniform{c.x.opt}
	c.undo = c.undo[:0]
	d.start()
	for _, i := range c.undo { // only the parsed tree counts
		c.untake(i)
	}
	var some *candidate // the last one that was read
	_, _, err := d.finish(ctx, func(input *Input) (bool, error) {
		set := features.NewSet(c.k)
		if err := c.extract.Add(set, input.Tree); err != nil {
			return false, err
		}
		some = &candidate{Input: input, covers: set.Has(c.k, c.space.ID(p))}
		for id := range set.All(c.k) {
			if i, ok := c.at[id]; ok && !c.covered[i] {
				some.has = append(some.has, id)
			}
		}
		c.blame(d, set)
		return some.covers, nil
	}, coverTexts)
	if err != nil {
		return nil, err
	}
	if some == nil {
		c.blame(d, nil)
	} else if len(some.has) == 0 {
		return nil, nil
	}
	return some, nil
}

// coverTexts limits the texts that are tried for a tree. Another tree for the same
// path is drawn after that.
const coverTexts = 3

// blame records the paths that were drawn but not read: all of them if set is nil. A
// path that is never read is no longer packed, because it would spoil every tree. It
// gets a tree of its own.
func (c *Cover) blame(d *drawing, set *features.Set) {
	if d.failed {
		return
	}
	for _, i := range c.undo {
		if set != nil && set.Has(c.k, c.space.ID(c.paths[i])) {
			continue
		}
		if c.failures[i]++; c.failures[i] == maxFailures {
			c.count(c.paths[i], -1)
		}
	}
	c.undo = c.undo[:0] // redrawn parts are not blamed
}

// maxFailures limits the trees in which a path was not read before it is no longer
// packed.
const maxFailures = 4

// A need is a symbol that a note of the grammar says some rules need.
type need struct {
	goal *goal
	free []bool // by node: whether it is derivable without the symbol
}

// findNeeds finds the needed symbols.
func (c *Cover) findNeeds() {
	root := c.x.grammar.Nodes[c.x.grammar.Rule(c.x.opt.Start).Root]
	for i, symbol := range c.x.needs.Symbols() {
		others := (uint64(1)<<len(c.x.needs.Symbols()) - 1) &^ (1 << i)
		at := slices.IndexFunc(c.x.grammar.Nodes, func(n *grammars.Node) bool { return n.Kind.Symbolic() && n.Text == symbol })
		there := grammars.Occurrence(at)
		c.needs = append(c.needs, need{c.x.newGoal(features.Path{there}, refine.Distances(c.x.grammar, there)), c.x.needs.Reachable(root, others)})
	}
}

// needed returns goals for the symbols that a path needs.
func (c *Cover) needed(p features.Path) []*goal {
	var goals []*goal
	for _, n := range c.needs {
		if slices.ContainsFunc(p, func(o grammars.Occurrence) bool { return !n.free[o] }) {
			goals = append(goals, n.goal)
		}
	}
	return goals
}

// way returns the distance from each node to a symbol.
func (c *Cover) way(o grammars.Occurrence) []int {
	if c.target != o {
		c.target, c.toTarget = o, refine.Distances(c.x.grammar, o)
	}
	return c.toTarget
}

// take marks a path as covered and returns its index, or -1 if it was covered
// before.
func (c *Cover) take(id uint64) int {
	i, ok := c.at[id]
	if !ok || c.covered[i] {
		return -1
	}
	c.covered[i] = true
	c.left--
	if c.failures[i] < maxFailures {
		c.count(c.paths[i], -1)
	}
	return i
}

func (c *Cover) untake(i int) {
	c.covered[i] = false
	c.left++
	if c.failures[i] < maxFailures {
		c.count(c.paths[i], 1)
	}
}

// drawn records the paths that end in a new symbol.
func (c *Cover) drawn(d *drawing, n *grammars.Node, depth int) {
	for len(d.rows) < (depth+1)*c.k {
		d.rows = append(d.rows, make([]uint64, c.k)...)
	}
	c.fill(d, n, depth)
	if depth+1 >= c.k {
		if i := c.take(d.rows[depth*c.k+c.k-1]); i >= 0 {
			c.undo = append(c.undo, i)
			d.found++
		}
	}
}

// fill computes the hashes of the paths that end in a symbol at a depth.
func (c *Cover) fill(d *drawing, n *grammars.Node, depth int) []uint64 {
	row := d.rows[depth*c.k : (depth+1)*c.k]
	row[0] = features.Extend(0, n.ID)
	for i := 1; i < min(c.k, depth+1); i++ {
		row[i] = features.Extend(d.rows[(depth-1)*c.k+i-1], n.ID)
	}
	return row[:min(c.k, depth+1)]
}

// gain rates the uncovered paths that run through the symbols of a construct. A
// path counts more the more of its symbols are drawn already: paths that end here
// count most, paths that begin here least.
func (c *Cover) gain(d *drawing, n *grammars.Node, depth int) float64 {
	for len(d.rows) < (depth+1)*c.k {
		d.rows = append(d.rows, make([]uint64, c.k)...)
	}
	sum := 0.0
	for _, s := range c.x.symbols.In(n) {
		weight := 1.0
		for i, h := range c.fill(d, s, depth) {
			if c.prefixes[h] > 0 && (i == c.k-1 || !c.begun(d, i, h, depth)) {
				sum += weight
			}
			weight *= 16
		}
	}
	return sum
}

// begun reports whether the tree above a depth already has the prefix of a path and
// can still continue it there. Without this check, recursion would begin the same
// path again until there is no room left.
func (c *Cover) begun(d *drawing, i int, h uint64, depth int) bool {
	for above := i; above < depth && c.frugal; above++ {
		if d.rows[above*c.k+i] == h && d.awaits(above+1, func(s *grammars.Node) bool { return c.prefixes[features.Extend(h, s.ID)] > 0 }) {
			return true
		}
	}
	return false
}

// leads reports whether an uncovered path is reachable from a symbol of a node. A
// symbol does not count if it repeats a symbol above, below which an uncovered path
// can still be drawn.
func (c *Cover) leads(d *drawing, n *grammars.Node, depth int) bool {
	reached := func(s *grammars.Node) bool { return c.distance(s) != refine.Unreachable }
	for _, s := range c.x.symbols.In(n) {
		if !reached(s) {
			continue
		}
		again := false
		for above := 0; above < depth && c.frugal && !again; above++ {
			again = d.rows[above*c.k] == features.Extend(0, s.ID) && d.awaits(above+1, reached)
		}
		if !again {
			return true
		}
	}
	return false
}

// pick chooses, of the nodes that fit, the one with the highest gain, else the one
// nearest to an uncovered path, else one of the smallest.
func (c *Cover) pick(d *drawing, _ *grammars.Node, nodes []*grammars.Node, depth int) *grammars.Node {
	var best, near *grammars.Node
	most, ties := 0.0, 0
	for _, n := range nodes {
		if !c.fits(d, n, depth, 0) {
			continue
		}
		switch gain := c.gain(d, n, depth); {
		case gain > most:
			best, most, ties = n, gain, 1
		case gain == most && gain > 0:
			if ties++; d.rand.IntN(ties) == 0 {
				best = n
			}
		}
		if steps := c.distance(n); c.leads(d, n, depth) && c.fits(d, n, depth, steps) && (near == nil || steps < c.distance(near)) {
			near = n
		}
	}
	if best != nil {
		return best
	}
	if near != nil {
		return near
	}
	return shortest{}.pick(d, nil, nodes, depth)
}

// fits reports whether a node and some steps below it fit into the limits.
func (c *Cover) fits(d *drawing, n *grammars.Node, depth, steps int) bool {
	return d.hasRoomFor(n, steps) && depth+d.leastDepth(n)+steps <= c.x.opt.MaxDepth
}

func (c *Cover) times(_ *drawing, n *grammars.Node, _ int) int {
	if n.Max >= 0 {
		return min(c.x.opt.MaxRepeat, n.Max)
	}
	return c.x.opt.MaxRepeat
}

// again reports whether one more round can cover a new path.
func (c *Cover) again(d *drawing, n *grammars.Node, depth int) bool {
	body := n.Children[0]
	if unproductive(body) || !c.fits(d, body, depth, 0) {
		return false
	}
	if c.gain(d, body, depth) > 0 {
		return true
	}
	return (!c.frugal || !d.lastRoundUseless) && c.leads(d, body, depth) && c.fits(d, body, depth, c.distance(body))
}
