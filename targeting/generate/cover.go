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
)

// A CloseOff says how what a path leaves open is derived.
type CloseOff int

// The kinds of closing off.
const (
	ByShortest  CloseOff = iota // the smallest derivation, of several any
	ByChance                    // any alternative that fits
	ByLeastUsed                 // of those that fit, the alternative that was taken least often so far
)

// CoverOptions say how paths are covered.
type CoverOptions struct {
	// OneTarget makes each input for one path and closes it off, instead of
	// packing as many paths into it as fit.
	OneTarget bool
	CloseOff  CloseOff
}

// A Cover makes inputs until together they have all the paths of a length that
// the grammar has. Each input is made for one path that no input had before,
// and packed with others that are still to be covered.
type Cover struct {
	x       *Generator
	k       int
	space   *features.Space
	extract *features.Extractor
	closing chooser // what closes off trees for one path; nil if they are packed

	paths    []features.Path // in order
	at       map[uint64]int  // path ID to index
	covered  []bool          // by index
	left     int             // how many are not covered
	prefixes map[uint64]int  // how many paths to be covered begin like this
	starts   []int           // by node: how many paths to be covered begin with it
	far      []int           // by node: steps down to where one begins
	stale    bool            // whether far is to be computed again
	next     int
	undo     []int   // covered by the drawing that is under way
	accused  []uint8 // by index: trees with the path that could not be written

	target   grammars.Occurrence // what toTarget is of
	toTarget []int               // by node: steps down to the target
	room     int                 // the symbols that the tree under way may have
	frugal   bool                // whether the tree under way nests nothing in itself that can be had without

	needs   []need
	givenUp []int // paths, by index, that no input could be made for when it was their turn
}

// maxCoverPaths bounds the paths to cover.
const maxCoverPaths = 5_000_000

// maxTries is how many trees are drawn for a path before it is given up.
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
		paths: paths, covered: make([]bool, len(paths)), accused: make([]uint8, len(paths)), left: len(paths),
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

// count adds to the number of paths that begin as p does.
func (c *Cover) count(p features.Path, by int) {
	for length := 1; length <= len(p); length++ {
		c.prefixes[c.space.ID(p[:length])] += by
	}
	before := c.starts[p[0]] > 0
	c.starts[p[0]] += by
	c.stale = c.stale || before != (c.starts[p[0]] > 0)
}

// distance returns how many steps down from a node a path begins that is to be
// covered, or [grammars.Unreachable].
func (c *Cover) distance(n *grammars.Node) int {
	if c.stale || c.far == nil {
		var from []grammars.Occurrence
		for o, count := range c.starts {
			if count > 0 {
				from = append(from, grammars.Occurrence(o))
			}
		}
		c.far, c.stale = c.x.grammar.Distances(from...), false
	}
	return c.far[n.ID]
}

// Covered returns how many paths the inputs so far have, and how many there are.
func (c *Cover) Covered() (covered, all int) { return len(c.paths) - c.left, len(c.paths) }

// Unrealised returns the paths that no input could be made for.
func (c *Cover) Unrealised() []features.Path {
	var out []features.Path
	for _, i := range c.givenUp {
		if !c.covered[i] {
			out = append(out, c.paths[i])
		}
	}
	return out
}

// Next makes an input that has a path which none before it had; nil when there
// is none left.
func (c *Cover) Next(ctx context.Context) (*Input, error) {
	for ; c.next < len(c.paths); c.next++ {
		if c.covered[c.next] {
			continue
		}
		best, err := c.best(ctx, c.paths[c.next])
		if err != nil {
			return nil, err
		}
		if best != nil {
			for _, id := range best.has {
				c.take(id)
			}
			return best.Input, nil
		}
		c.givenUp = append(c.givenUp, c.next)
	}
	return nil, nil
}

// A candidate is an input that has a path to be covered.
type candidate struct {
	*Input
	has []uint64 // all the paths in it that no input has yet
}

// best draws trees for a path until enough could be written, and returns the one
// that covers most.
func (c *Cover) best(ctx context.Context, p features.Path) (*candidate, error) {
	var best *candidate
	found := 0
	goals := append([]*goal{c.x.newGoal(p, c.way(p[0]))}, c.needed(p)...)
	for try := 1; try <= maxTries && found < c.wanted(); try++ {
		some, err := c.try(ctx, p, goals, try-found)
		if err != nil {
			return nil, err
		}
		if some == nil {
			continue
		}
		if found++; best == nil || len(some.has) > len(best.has) {
			some.Draws = try - found + 1 // those that could not be written, and this one
			best = some
		}
	}
	return best, nil
}

// wanted returns how many trees are drawn for an input: the more the fewer paths
// there are, for then each input counts, and time does not.
func (c *Cover) wanted() int {
	if c.closing != nil {
		return 1
	}
	return min(max(20_000/len(c.paths), 1), 8)
}

// try draws a tree for a path. The later tries are less ambitious: what is
// packed beside the path may be what keeps it from being written.
func (c *Cover) try(ctx context.Context, p features.Path, goals []*goal, try int) (*candidate, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	d := c.x.newDrawing()
	if d.goals = goals; try > maxTries/2 { // what it needs may be what keeps it from being written
		d.goals = goals[:1]
	}
	c.room = c.x.opt.MaxNodes >> ((try - 1) / 2)
	c.frugal = !c.frugal
	switch {
	case c.closing == nil:
		d.chooser = c
	case try <= maxTries/2:
		d.chooser = c.closing
	case c.closing == shortest{}: // what is smallest there may be read otherwise
		d.chooser = uniform{c.x.opt}
	default:
		d.chooser = shortest{}
	}
	c.undo = c.undo[:0]
	d.start()
	for _, i := range c.undo { // what counts is what is parsed back
		c.untake(i)
	}
	var set *features.Set
	read := false
	input, err := d.finish(ctx, func(input *Input) (bool, error) {
		read, set = true, features.NewSet(c.k)
		if err := c.extract.Add(set, input.Tree); err != nil {
			return false, err
		}
		return set.Has(c.k, c.space.ID(p)), nil
	})
	if err != nil {
		return nil, err
	}
	if input == nil {
		if !read {
			c.accuse(d)
		}
		return nil, nil
	}
	some := &candidate{Input: input}
	for id := range set.All(c.k) {
		if i, ok := c.at[id]; ok && !c.covered[i] {
			some.has = append(some.has, id)
		}
	}
	return some, nil
}

// accuse notes that a tree could not be written. Paths that are in such trees
// again and again, and in no other, are not packed any more, or they would spoil
// every tree; they get trees of their own.
func (c *Cover) accuse(d *drawing) {
	if d.failed {
		return
	}
	for _, i := range c.undo {
		if c.accused[i]++; c.accused[i] == maxAccused {
			c.count(c.paths[i], -1)
		}
	}
}

// maxAccused is in how many trees that could not be written a path may be.
const maxAccused = 4

// A need is a symbol that some paths cannot do without.
type need struct {
	goal *goal
	free []bool // by node: whether it is had without the symbol
}

// findNeeds finds all that paths may need.
func (c *Cover) findNeeds() {
	root := c.x.grammar.Nodes[c.x.grammar.Rule(c.x.opt.Start).Root]
	for i, symbol := range c.x.needed {
		others := (uint64(1)<<len(c.x.needed) - 1) &^ (1 << i)
		at := slices.IndexFunc(c.x.grammar.Nodes, func(n *grammars.Node) bool { return n.Kind.Symbolic() && n.Text == symbol })
		there := grammars.Occurrence(at)
		c.needs = append(c.needs, need{c.x.newGoal(features.Path{there}, c.x.grammar.Distances(there)), c.x.free(root, others)})
	}
}

// needed returns goals for what a path cannot do without.
func (c *Cover) needed(p features.Path) []*goal {
	var goals []*goal
	for _, n := range c.needs {
		if slices.ContainsFunc(p, func(o grammars.Occurrence) bool { return !n.free[o] }) {
			goals = append(goals, n.goal)
		}
	}
	return goals
}

// way returns the steps from each node to a symbol.
func (c *Cover) way(o grammars.Occurrence) []int {
	if c.target != o {
		c.target, c.toTarget = o, c.x.grammar.Distances(o)
	}
	return c.toTarget
}

// take notes that a path is covered, and returns its index, or -1 if it was
// before.
func (c *Cover) take(id uint64) int {
	i, ok := c.at[id]
	if !ok || c.covered[i] {
		return -1
	}
	c.covered[i] = true
	c.left--
	if c.accused[i] < maxAccused {
		c.count(c.paths[i], -1)
	}
	return i
}

func (c *Cover) untake(i int) {
	c.covered[i] = false
	c.left++
	if c.accused[i] < maxAccused {
		c.count(c.paths[i], 1)
	}
}

// drawn notes the paths that end in a symbol that is drawn.
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

// gain rates what there is to be covered by, and below, what a node of a rule
// derives. A path counts the more the more of it is there already: those that
// would end here count most, and those that would only begin here least.
func (c *Cover) gain(d *drawing, n *grammars.Node, depth int) float64 {
	for len(d.rows) < (depth+1)*c.k {
		d.rows = append(d.rows, make([]uint64, c.k)...)
	}
	sum := 0.0
	for _, s := range c.x.symbols(n) {
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

// begun reports whether a path has begun above a depth already as it would
// there, and can go on where it has. Or what nests in itself would be nested until
// there is no room to go on at all.
func (c *Cover) begun(d *drawing, i int, h uint64, depth int) bool {
	for above := i; above < depth && c.frugal; above++ {
		if d.rows[above*c.k+i] == h && d.awaits(above+1, func(s *grammars.Node) bool { return c.prefixes[features.Extend(h, s.ID)] > 0 }) {
			return true
		}
	}
	return false
}

// leads reports whether something to be covered is below a node, on a way that
// does not come by a symbol again from which there is one still to be drawn.
func (c *Cover) leads(d *drawing, n *grammars.Node, depth int) bool {
	reached := func(s *grammars.Node) bool { return c.distance(s) != grammars.Unreachable }
	for _, s := range c.x.symbols(n) {
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

// pick chooses the node that there is most to be covered by, if it fits, else
// the one from which something to be covered is nearest, else one of the
// smallest.
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

// fits reports whether there is room for a node and some steps below it.
func (c *Cover) fits(d *drawing, n *grammars.Node, depth, steps int) bool {
	least, deep := d.measure(n)
	return d.least()+least+steps <= c.room && depth+deep+steps <= c.x.opt.MaxDepth
}

func (c *Cover) times(_ *drawing, n *grammars.Node, _ int) int {
	if n.Max >= 0 {
		return min(c.x.opt.MaxRepeat, n.Max)
	}
	return c.x.opt.MaxRepeat
}

// again reports whether there is something to be covered by one more.
func (c *Cover) again(d *drawing, n *grammars.Node, depth int) bool {
	body := n.Children[0]
	if unproductive(body) || !c.fits(d, body, depth, 0) {
		return false
	}
	if c.gain(d, body, depth) > 0 {
		return true
	}
	return (!c.frugal || !d.vain) && c.leads(d, body, depth) && c.fits(d, body, depth, c.distance(body))
}
