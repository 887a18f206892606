package generate

import (
	"context"
	"errors"
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
	ByLikely                    // by the probabilities of the generator's options
	ByPaths                     // the alternative that leads to uncovered paths, as in packed trees
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
	near     *refine.Nearest // to the nodes that begin an uncovered path
	undo     []int           // the paths that the current drawing covers
	failures []uint8         // by path: the number of inputs in whose trees it was drawn but not read, up to maxFailures
	blamed   []int           // by path: the last input that it was blamed for
	number   int             // of the current input
	searched []int           // by path: the number of trees that were drawn below references to its rule
	trees    int             // the number of trees that were tried so far

	target   grammars.Occurrence // the symbol that toTarget leads to
	toTarget []int               // by node: the distance to the target
	frugal   bool                // whether the current tree avoids needless recursion

	needs []need

	plan  []stage // the current stage and the stages after it
	queue []int   // the paths to visit in the current stage
	tried []bool  // by path: whether it had a tree of its own
	alone int     // the number of uncovered paths when the last single stage began

	pool    *pool                         // parts of the trees that were read
	misses  []int                         // by node: see miss
	grafts  []uint64                      // by path: the grafts that were tried, as bits
	buds    []uint8                       // by path: the number of times that grow tried it
	planted []bool                        // by node: see plant
	pending map[grammars.Occurrence][]int // by symbol: the paths to graft that begin with it
}

// A stage is a way to cover the paths that earlier stages left uncovered.
type stage int

const (
	packing  stage = iota // draws trees with as many paths as fit
	grafting              // combines parts of trees that were read
	single                // draws trees for one path
)

// maxCoverPaths limits the paths to cover.
const maxCoverPaths = 5_000_000

// Limits on the trees that are drawn for a path in vain.
const (
	packTries   = 6
	singleTries = 30
	// The same for all paths through a symbol that was never read.
	packMisses   = 12
	singleMisses = 64
)

// NewCover returns a cover of the paths of length k.
func NewCover(x *Generator, k int, opt CoverOptions) (*Cover, error) {
	if opt.CloseOff == ByLikely && x.opt.Probabilities == nil {
		return nil, errors.New("closing off by probability: needs probabilities")
	}
	space := features.NewSpace(x.grammar, features.Options{Start: x.opt.Start, Possible: !x.opt.unparsed(x.grammar)})
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
		paths: paths, covered: make([]bool, len(paths)), failures: make([]uint8, len(paths)), blamed: make([]int, len(paths)), searched: make([]int, len(paths)), left: len(paths),
		at: map[uint64]int{}, prefixes: map[uint64]int{}, starts: make([]int, len(x.grammar.Nodes)), near: refine.NewNearest(x.grammar),
		pool: newPool(k), misses: make([]int, len(x.grammar.Nodes)), grafts: make([]uint64, len(paths)), buds: make([]uint8, len(paths)), planted: make([]bool, len(x.grammar.Nodes)),
		plan: []stage{packing, grafting, single, grafting}, tried: make([]bool, len(paths)), alone: len(paths),
	}
	if opt.OneTarget {
		c.plan = []stage{single, grafting}
		c.closing = c.closeOff(opt.CloseOff)
	}
	for i, p := range paths {
		c.at[space.ID(p)] = i
		c.count(p, 1)
	}
	c.begin()
	c.findNeeds()
	return c
}

// closeOff returns the chooser that closes off trees.
func (c *Cover) closeOff(by CloseOff) chooser {
	switch by {
	case ByChance:
		return uniform{c.x.opt}
	case ByLeastUsed:
		return leastUsed{uniform{c.x.opt}, map[choice]int{}}
	case ByLikely:
		return newLikely(c.x.grammar, c.x.opt)
	case ByPaths:
		return c
	default:
		return shortest{}
	}
}

// count adds to the numbers of uncovered paths that begin with each prefix of p.
func (c *Cover) count(p features.Path, by int) {
	for length := 1; length <= len(p); length++ {
		c.prefixes[c.space.ID(p[:length])] += by
	}
	c.starts[p[0]] += by
	c.near.SetTarget(p[0], c.starts[p[0]] > 0)
}

// distance returns the distance from a node to the nearest node that begins an
// uncovered path, or [refine.Unreachable].
func (c *Cover) distance(n *grammars.Node) int { return c.near.Distance(n.ID) }

// Covered returns the number of paths that the inputs so far cover, and the number
// of all paths.
func (c *Cover) Covered() (covered, all int) { return len(c.paths) - c.left, len(c.paths) }

// Covers reports whether the inputs so far cover a path.
func (c *Cover) Covers(p features.Path) bool {
	i, ok := c.at[c.space.ID(p)]
	return ok && c.covered[i]
}

// Has reports whether p is one of the paths to cover.
func (c *Cover) Has(p features.Path) bool {
	_, ok := c.at[c.space.ID(p)]
	return ok
}

// Tried returns the number of trees that were drawn or combined so far.
func (c *Cover) Tried() int { return c.trees }

// Parsed reports whether the paths to cover are those of trees that the parser returns,
// and not all paths of the grammar graph.
func (c *Cover) Parsed() bool { return !c.x.opt.unparsed(c.x.grammar) }

// Length returns the length of the paths to cover.
func (c *Cover) Length() int { return c.k }

// Reads reports whether any text that was parsed so far has a symbol, even if it did not
// become an input.
func (c *Cover) Reads(o grammars.Occurrence) bool { return c.pool.has(o) }

// Unrealised returns the paths that no input covers. After the last input, these are
// the paths that were given up.
func (c *Cover) Unrealised() []features.Path {
	var out []features.Path
	for i, p := range c.paths {
		if !c.covered[i] {
			out = append(out, p)
		}
	}
	return out
}

// Next returns an input that covers a new path; nil if all paths are covered or given
// up. Paths that cannot be packed are covered by combining trees that the parser read,
// or else by trees of their own.
func (c *Cover) Next(ctx context.Context) (*Input, error) {
	for len(c.plan) > 0 {
		for len(c.queue) > 0 {
			i := c.queue[0]
			c.queue = c.queue[1:]
			if c.covered[i] {
				continue
			}
			best, err := c.cover(ctx, i)
			if err != nil {
				return nil, err
			}
			if best != nil {
				for _, id := range best.has {
					c.take(id)
				}
				return best.Input, nil
			}
		}
		c.advance()
	}
	return nil, nil
}

// advance begins the next stage. Trees that one stage finds help the other, so the last
// two stages are repeated while they cover paths.
func (c *Cover) advance() {
	if c.plan = c.plan[1:]; len(c.plan) == 0 && 0 < c.left && c.left < c.alone {
		c.plan = []stage{single, grafting}
	}
	if len(c.plan) > 0 {
		c.begin()
	}
}

// begin begins the first stage of the plan: it queues the uncovered paths.
func (c *Cover) begin() {
	c.queue = c.queue[:0]
	for i := range c.paths {
		if !c.covered[i] {
			c.queue = append(c.queue, i)
		}
	}
	switch c.plan[0] {
	case single:
		c.alone = c.left
	default:
		c.pending = map[grammars.Occurrence][]int{}
		for _, i := range c.queue {
			c.pending[c.paths[i][0]] = append(c.pending[c.paths[i][0]], i)
		}
	}
}

// cover returns an input for a path, or else one that covers other new paths; nil
// if there is none.
func (c *Cover) cover(ctx context.Context, i int) (*candidate, error) {
	switch p := c.paths[i]; c.plan[0] {
	case grafting:
		return c.graft(ctx, i)
	case packing:
		best, err := c.best(ctx, p, nil, packTries, packMisses)
		if best == nil || err != nil || best.Draws <= 2 { // later trees are smaller
			return best, err
		}
		return c.grow(ctx, best)
	default:
		if c.tried[i] || c.missed(p) >= singleMisses {
			return nil, nil
		}
		c.tried[i] = true
		closing := c.closing
		if closing == nil {
			closing = shortest{}
		}
		return c.best(ctx, p, closing, singleTries, singleMisses)
	}
}

// Search looks for an input with a path that [Cover.Next] gave up. It draws up to tries
// trees in each of three ways: below the path's first symbol in trees that were read, from
// the start rule, and below references that lead to the rule of this symbol. It returns an
// input that covers the path, or else another new path; nil if there is none.
func (c *Cover) Search(ctx context.Context, p features.Path, tries int) (*Input, error) {
	best, err := c.regrow(ctx, p, tries)
	if best == nil && err == nil {
		best, err = c.best(ctx, p, shortest{}, tries, c.missed(p)+tries)
	}
	if best == nil && err == nil {
		best, err = c.inContexts(ctx, p, tries)
	}
	if best == nil || err != nil {
		return nil, err
	}
	for _, id := range best.has {
		c.take(id)
	}
	return best.Input, nil
}

// inContexts draws up to tries trees for a path, each below another reference, because the
// parser may prefer another tree in the nearest place. It returns an input that covers the
// path; nil if there is none.
func (c *Cover) inContexts(ctx context.Context, p features.Path, tries int) (*candidate, error) {
	i := c.at[c.space.ID(p)]
	contexts := c.contexts(p)
	for range tries {
		if len(contexts) == 0 {
			break
		}
		try := c.searched[i]
		c.searched[i]++
		place := contexts[try%len(contexts)]
		d := c.draw([]*goal{c.x.newGoal(place, refine.Distances(c.x.grammar, place[0]))}, c.varied(p, try/len(contexts)), 0, try%2 == 1)
		if some, err := c.finish(ctx, d, p); err != nil || some != nil && some.covers {
			return some, err
		}
	}
	return nil, nil
}

// maxContexts limits the places in which a path is drawn.
const maxContexts = 200

// contexts extends a path upwards. For each reference that leads to the rule of the path's
// first symbol, it returns the shortest path from the reference through p, nearest first.
func (c *Cover) contexts(p features.Path) []features.Path {
	var out []features.Path
	seen := map[*grammars.Rule]bool{}
	for work := []features.Path{p}; len(work) > 0 && len(out) < maxContexts; work = work[1:] {
		rule := c.x.grammar.Nodes[work[0][0]].Rule
		if seen[rule] {
			continue
		}
		seen[rule] = true
		for _, n := range c.x.grammar.Nodes {
			if n.Kind == grammars.Reference && n.Token == 0 && n.Target == rule && rule != nil && !unproductive(n) {
				place := append(features.Path{n.ID}, work[0]...)
				out, work = append(out, place), append(work, place)
			}
		}
	}
	return out
}

// miss records that a tree for a path was not read with the path. It counts the tree for
// each symbol of the path that was never read, so that paths share these counts.
func (c *Cover) miss(p features.Path) {
	for _, o := range p {
		if !c.pool.has(o) {
			c.misses[o]++
		}
	}
}

// missed returns the highest number of trees that were drawn in vain for a symbol of a
// path.
func (c *Cover) missed(p features.Path) int {
	most := 0
	for _, o := range p {
		if !c.pool.has(o) {
			most = max(most, c.misses[o])
		}
	}
	return most
}

// Credit marks the paths of a tree as covered and returns the number of newly covered
// paths. Afterwards, [Cover.Next] may find further inputs.
func (c *Cover) Credit(tree *derivation.Tree) (int, error) {
	set := features.NewSet(c.k)
	if err := c.extract.Add(set, tree); err != nil {
		return 0, err
	}
	before := c.left
	for id := range set.All(c.k) {
		c.take(id)
	}
	if len(c.plan) == 0 {
		c.plan = []stage{grafting}
		c.begin()
	}
	return before - c.left, c.pool.add(tree, set)
}

// A candidate is an input that covers a new path.
type candidate struct {
	*Input
	has    []uint64 // its uncovered paths
	covers bool     // whether it covers the path that it was drawn for
	size   int      // of a graft: the number of symbols
}

// best draws trees for a path and returns the input that covers most new paths. If
// no input covers the path, it returns one that covers others; nil if there is none.
// Trees are packed if closing is nil, or else closed off.
func (c *Cover) best(ctx context.Context, p features.Path, closing chooser, tries, misses int) (*candidate, error) {
	var best, other *candidate
	found := 0
	c.number++
	goals := append([]*goal{c.x.newGoal(p, c.way(p[0]))}, c.needed(p)...)
	wanted := c.wanted(closing)
	for failed := 0; failed < tries && found < wanted+wanted/2 && c.missed(p) < misses; {
		late, needs := failed >= tries/2, len(goals)
		if late {
			needs = 1 // a needed symbol may keep the tree from being written
		}
		// The shortest way to a path may leave no room for others: a number may be the whole
		// input. So the last packed trees take detours.
		detours := closing == nil && found >= wanted || closing != nil && late
		d := c.draw(goals[:needs], c.chooser(p, closing, late, failed), failed, detours)
		some, err := c.finish(ctx, d, p)
		if err != nil {
			return nil, err
		}
		if some != nil && some.covers {
			if found++; best == nil || len(some.has) > len(best.has) {
				some.Draws = failed + 1 // this tree, and the failed trees before it
				best = some
			}
			continue
		}
		failed++
		c.miss(p)
		if some != nil && len(some.has) > 0 && (other == nil || len(some.has) > len(other.has)) {
			other = some
		}
	}
	if best == nil {
		return other, nil
	}
	return best, nil
}

// wanted returns how many candidates are compared for an input: more if there are
// few paths, because then a better input is worth the time.
func (c *Cover) wanted(closing chooser) int {
	if closing != nil {
		return 1
	}
	return min(max(20_000/len(c.paths), 1), 8)
}

// chooser returns the chooser of a tree. Late tries use another chooser, because the
// smallest derivation may be misread.
func (c *Cover) chooser(p features.Path, closing chooser, late bool, failed int) chooser {
	switch {
	case closing == nil:
		return c
	case !late:
		return closing
	case closing == shortest{}:
		return c.varied(p, failed)
	default:
		return shortest{}
	}
}

// varied returns the chooser of the tree with a number in a series of trees for a path. The
// chooser is uniform, local in the rules of the path and perhaps the rules that they refer
// to, or sparse.
func (c *Cover) varied(p features.Path, number int) chooser {
	switch u := (uniform{c.x.opt}); {
	case number%8 == 0:
		return u
	case number%3 == 2:
		return newLocal(c.x.opt, c.rulesOf(p, number%2 == 1), number%4 == 3)
	default:
		return sparse{u, 1 + number%4}
	}
}

// rulesOf returns the parser rules that have the symbols of a path and, if below is true,
// the rules that these refer to.
func (c *Cover) rulesOf(p features.Path, below bool) []*grammars.Rule {
	var out []*grammars.Rule
	for _, o := range p {
		if r := c.x.grammar.Nodes[o].Rule; r != nil && r.Kind == grammars.ParserRule && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	for _, r := range slices.Clone(out) {
		for _, n := range c.x.symbols.In(c.x.grammar.Nodes[r.Root]) {
			if below && n.Target != nil && n.Token == 0 && !slices.Contains(out, n.Target) {
				out = append(out, n.Target)
			}
		}
	}
	return out
}

// draw draws a tree with goals. The size limit shrinks with the number of failures, because
// a packed path may keep the tree from being written. With detours, it varies instead.
func (c *Cover) draw(goals []*goal, by chooser, failed int, detours bool) *drawing {
	c.trees++
	d := c.x.newDrawing()
	d.detours = detours
	d.goals, d.chooser, d.redraws = goals, by, uniform{c.x.opt}
	if d.limit.nodes = c.x.opt.MaxNodes >> min(failed/2, 16); detours {
		d.limit.nodes = c.x.opt.MaxNodes >> (failed % 4)
	}
	c.frugal = !c.frugal
	c.undo = c.undo[:0]
	d.start()
	for _, i := range c.undo { // only the parsed tree counts
		c.untake(i)
	}
	return d
}

// finish writes a tree for a path and returns the input that was read last; nil if no text
// was read.
func (c *Cover) finish(ctx context.Context, d *drawing, p features.Path) (*candidate, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	var some *candidate // the last one that was read
	_, _, err := d.finish(ctx, func(input *Input) (bool, error) {
		var set *features.Set
		var err error
		if some, set, err = c.candidate(input, p); err != nil {
			return false, err
		}
		c.blame(d, set)
		return some.covers, nil
	}, coverTexts)
	if err != nil {
		return nil, err
	}
	if some == nil {
		c.blame(d, nil)
	}
	return some, nil
}

// candidate returns an input that was generated for a path, and its paths.
func (c *Cover) candidate(input *Input, p features.Path) (*candidate, *features.Set, error) {
	set := features.NewSet(c.k)
	if err := c.extract.Add(set, input.Tree); err != nil {
		return nil, nil, err
	}
	some := &candidate{Input: input, covers: set.Has(c.k, c.space.ID(p))}
	for id := range set.All(c.k) {
		if i, ok := c.at[id]; ok && !c.covered[i] {
			some.has = append(some.has, id)
		}
	}
	return some, set, c.pool.add(input.Tree, set)
}

// coverTexts limits the texts that are tried for a tree. Another tree for the same
// path is drawn after that.
const coverTexts = 3

// blame records the paths that were drawn but not read: all of them if set is nil. A path
// that is never read is no longer packed, because it would spoil every tree, but gets a
// tree of its own. The trees that are compared for one input count once: a single path can
// spoil all of them, which is no evidence against their other paths.
func (c *Cover) blame(d *drawing, set *features.Set) {
	if d.failed {
		return
	}
	for _, i := range c.undo {
		if set != nil && set.Has(c.k, c.space.ID(c.paths[i])) {
			continue
		}
		if c.blamed[i] == c.number || c.failures[i] == maxFailures {
			continue
		}
		c.blamed[i] = c.number
		if c.failures[i]++; c.failures[i] == maxFailures {
			c.count(c.paths[i], -1)
		}
	}
	c.undo = c.undo[:0] // redrawn parts are not blamed
}

// maxFailures is the number of inputs for which a path is drawn but not read before it is no
// longer packed. In an ambiguous grammar, most paths of a packed tree may be misread, although
// each of them is read with other neighbours.
const maxFailures = 32

// A need is a symbol that some rules require, according to a note of the grammar.
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
