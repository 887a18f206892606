package model

import (
	"context"
	"errors"
	"slices"

	"github.com/inroad/inroad/grammars/parallel"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/logit"
)

// heldOut holds the cross-validation results of a target.
type heldOut struct {
	confusion Confusion
	bins      [calibrationBins]bin
	overruled [2]bin // rows whose tree was overruled, by the prediction of the tree
}

// add counts a prediction with a probability in the given bin.
func (h *heldOut) add(at int, positive, actual bool) {
	h.confusion.Add(positive, actual)
	h.bins[at].rows++
	h.bins[at].positives += int32(btoi(actual))
}

// overrule replaces a prediction of a tree, with a probability in the given bin, by the
// opposite prediction of a regression with the given log odds.
func (h *heldOut) overrule(at int, logOdds float64, tree, actual bool) {
	h.confusion.remove(tree, actual)
	h.bins[at].rows--
	h.bins[at].positives -= int32(btoi(actual))
	h.add(binIndex(sigmoid(logOdds)), !tree, actual)
	b := &h.overruled[btoi(tree)]
	b.rows++
	b.positives += int32(btoi(actual))
}

// plus returns the sum of two results.
func (h heldOut) plus(other heldOut) heldOut {
	h.confusion = h.confusion.Plus(other.confusion)
	for i, b := range other.bins {
		h.bins[i].rows += b.rows
		h.bins[i].positives += b.positives
	}
	for i, b := range other.overruled {
		h.overruled[i].rows += b.rows
		h.overruled[i].positives += b.positives
	}
	return h
}

// depths returns the depths to choose the depth of a tree from, ascending.
func (opt Options) depths() []int {
	var out []int
	for _, d := range []int{2, 3, 5, 8, 12, 16} {
		if d < opt.MaxDepth && opt.Folds > 1 {
			out = append(out, d)
		}
	}
	return append(out, opt.MaxDepth)
}

// Limits of the choice of a depth.
const (
	lowF1          = 0.5  // below it, cross-validation tells little about the depth
	depthTolerance = 0.05 // F1 that a deeper tree may then lose on held-out rows
)

// choose returns the index of the depth with the best F1 on held-out rows. Ties go to
// the smaller depth. But if the best F1 is low, few rows decide, and the trees of
// cross-validation grew on fewer rows than the final tree. Then choose returns the
// greatest depth that is close to the best.
func choose(held []heldOut) int {
	best := 0
	for i := range held {
		if held[i].confusion.F1() > held[best].confusion.F1()+1e-9 {
			best = i
		}
	}
	if f1 := held[best].confusion.F1(); f1 < lowF1 {
		for i := range held {
			if held[i].confusion.F1() >= f1-depthTolerance {
				best = i
			}
		}
	}
	return best
}

// leafProbability returns the share of positives in a leaf, with half an
// observation of each class added to account for small leaves.
func leafProbability(n dtree.Node) float64 {
	return (float64(n.Positives) + 0.5) / (float64(n.Rows) + 1)
}

// A marginalizer evaluates trees on inputs whose outcome is unknown. At a test
// of an outcome it descends into both children and weights them by the
// outcome's probability.
type marginalizer struct {
	outcomeColumns []int32 // column of each outcome
}

// probability returns the probability of the positive class, and whether the
// tree predicts it. The tree is cut at the given depth.
func (m marginalizer) probability(t dtree.Tree, row dtree.Bits, outcomes []float64, depth int) (p float64, positive bool) {
	return m.below(t, 0, row, outcomes, depth)
}

// below is probability for the subtree at a node.
func (m marginalizer) below(t dtree.Tree, at int32, row dtree.Bits, outcomes []float64, depth int) (p float64, positive bool) {
	for ; t[at].Column >= 0 && depth > 0; depth-- {
		n := t[at]
		for i, c := range m.outcomeColumns {
			if c == n.Column {
				without, _ := m.below(t, n.Absent, row, outcomes, depth-1)
				with, _ := m.below(t, n.Absent+1, row, outcomes, depth-1)
				p := without + (with-without)*outcomes[i]
				return p, p > 0.5
			}
		}
		at = n.Absent + int32(btoi(row.Has(n.Column)))
	}
	return leafProbability(t[at]), t[at].Positive
}

// outcomeProbabilities stores the normalized probabilities of the outcomes in
// out.
func outcomeProbabilities(trees []dtree.Tree, row dtree.Bits, out []float64) {
	sum := 0.0
	for i, t := range trees {
		out[i] = leafProbability(t[t.Leaf(row)])
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
}

// A fold scores models that were learned from the rows outside it.
type fold struct {
	task         *task
	view         *view
	rows         []int32 // in the fold
	outcomeTrees []dtree.Tree
	candidates   []candidate
}

// A candidate is the model of a target that a fold scores.
type candidate struct {
	*target
	tree       dtree.Tree
	regression logit.Regression
}

// validateFold trains on the rows outside the fold and scores the rows in it.
// Outcome trees are trained in any case, because methods depend on them.
func (k *task) validateFold(ctx context.Context, rest []*target, number int) (err error) {
	var in, out []int32
	for r := range int32(len(k.rows)) {
		if int(r)%k.opt.Folds == number {
			out = append(out, r)
		} else {
			in = append(in, r)
		}
	}
	targets := k.varying(rest)
	if len(targets) == 0 || len(in) == 0 {
		return nil
	}
	v, err := k.newView(ctx, in, k.grown[number])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, v.close()) }()
	f := &fold{task: k, view: v, rows: out}
	if err := f.learn(ctx, targets, in); err != nil {
		return err
	}
	if k.view == nil { // while choosing places: the fold is validated again later
		k.grown[number] = f.grown()
	}
	if err := f.score(ctx, f.scoreTree); err != nil {
		return err
	}
	return f.tryRegressions(ctx, in)
}

// learn grows the trees of all outcomes and of the targets on the given rows.
func (f *fold) learn(ctx context.Context, targets []*target, rows []int32) error {
	outcomes := len(f.task.outcomes)
	all := slices.DeleteFunc(slices.Clone(targets), func(t *target) bool { return !t.unit })
	all = append(slices.Clone(f.task.targets[:outcomes]), all...)
	trees, err := f.task.learn(ctx, f.view, all, rows)
	if err != nil {
		return err
	}
	f.outcomeTrees = trees[:outcomes]
	for i, t := range all {
		if t.unit || slices.Contains(targets, t) {
			f.candidates = append(f.candidates, candidate{target: t, tree: trees[i]})
		}
	}
	return nil
}

// grown holds trees that were grown with some refusals on the rows outside a fold.
type grown struct {
	ignorePlaces bool
	refused      []refused
	trees        map[*target]dtree.Tree
}

// tree returns the tree of a target, or nil if there is none.
func (g *grown) tree(t *target) dtree.Tree {
	if g == nil {
		return nil
	}
	return g.trees[t]
}

// grown returns the trees of the fold.
func (f *fold) grown() *grown {
	out := &grown{f.task.ignorePlaces, f.view.refused, map[*target]dtree.Tree{}}
	for i, t := range f.outcomeTrees {
		out.trees[f.task.targets[i]] = t
	}
	for _, c := range f.candidates {
		out.trees[c.target] = c.tree
	}
	return out
}

// tryRegressions fits regressions to the given rows, for the targets that are tried with
// one, and scores them.
func (f *fold) tryRegressions(ctx context.Context, rows []int32) error {
	f.candidates = slices.DeleteFunc(f.candidates, func(c candidate) bool { return !c.tried() || c.wellPredicted() })
	targets := make([]*target, len(f.candidates))
	for i, c := range f.candidates {
		targets[i] = c.target
	}
	regressions, err := f.task.fit(ctx, f.view, targets, rows)
	if err != nil {
		return err
	}
	for i := range f.candidates {
		f.candidates[i].regression = regressions[i]
	}
	return f.score(ctx, f.scoreRegression)
}

// A heldRow is a row of a fold.
type heldRow struct {
	at       int32
	columns  dtree.Bits
	outcomes []float64 // predicted probabilities
}

// score calls use with each candidate and the rows of the fold that its target has a
// label for.
func (f *fold) score(ctx context.Context, use func(s *scorer, c *candidate, rows []heldRow)) error {
	const batch = 256 // rows; limits the memory for dense rows
	reader := f.view.withoutOutcomes.Reader()
	for rows := range slices.Chunk(f.rows, batch) {
		if len(f.candidates) == 0 {
			return nil
		}
		all, known, err := f.read(reader, rows)
		if err != nil {
			return err
		}
		group, ctx := parallel.WithContext(ctx)
		workers := f.task.opt.Workers
		for w := range workers {
			group.Go(func() error {
				s := f.newScorer()
				for i := w; i < len(f.candidates); i += workers {
					c, rows := &f.candidates[i], all
					if c.unit {
						rows = known
					}
					s.use(c.tree)
					use(s, c, rows)
				}
				return context.Cause(ctx)
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// read returns the given rows, and those of them whose methods are known.
func (f *fold) read(reader dtree.Reader, rows []int32) (all, known []heldRow, err error) {
	for _, r := range rows {
		row := heldRow{r, dtree.NewBits(len(f.view.matrix.columns)), make([]float64, len(f.outcomeTrees))}
		columns, err := reader.Row(r)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range columns {
			row.columns.Set(c)
		}
		outcomeProbabilities(f.outcomeTrees, row.columns, row.outcomes)
		all = append(all, row)
		if !f.task.rows[r].unlabelled {
			known = append(known, row)
		}
	}
	return all, known, nil
}

// scoreTree adds the predictions of a tree to the results of its target.
func (f *fold) scoreTree(s *scorer, c *candidate, rows []heldRow) {
	for _, row := range rows {
		actual := c.labels.Has(row.at)
		s.predict(row, func(depth, bin int, positive bool) { c.byDepth[depth].add(bin, positive, actual) })
	}
}

// scoreRegression adds the changes that overruling the tree with a regression makes to
// the results of the target.
func (f *fold) scoreRegression(s *scorer, c *candidate, rows []heldRow) {
	for _, row := range rows {
		logOdds := c.regression.LogOdds(row.columns)
		if !bothWays.overrules(logOdds, false) && !bothWays.overrules(logOdds, true) {
			continue
		}
		actual := c.labels.Has(row.at)
		s.predict(row, func(depth, bin int, positive bool) {
			for o := range c.overruled {
				if overruling(o+1).overrules(logOdds, positive) {
					c.overruled[o][depth].overrule(bin, logOdds, positive, actual)
				}
			}
		})
	}
}

// A scorer predicts rows with a tree that is cut at each of some depths.
type scorer struct {
	marginalizer
	depths []int
	tree   dtree.Tree
	bins   []int8 // by node: the bin of its probability, or -1 if it is not known yet
}

func (f *fold) newScorer() *scorer {
	s := &scorer{depths: f.task.opt.depths()}
	if f.task.opt.Outcome {
		s.outcomeColumns = f.view.outcomeColumns
	}
	return s
}

// use makes the scorer predict with a tree.
func (s *scorer) use(t dtree.Tree) {
	s.tree, s.bins = t, s.bins[:0]
	for range t {
		s.bins = append(s.bins, -1)
	}
}

// predict calls found with the index of each depth, and the prediction and the bin of
// its probability for a row.
func (s *scorer) predict(row heldRow, found func(depth, bin int, positive bool)) {
	at, depth := int32(0), 0
	for i, most := range s.depths {
		for depth < most && s.tree[at].Column >= 0 && !slices.Contains(s.outcomeColumns, s.tree[at].Column) {
			at = s.tree[at].Absent + int32(btoi(row.columns.Has(s.tree[at].Column)))
			depth++
		}
		if depth < most && s.tree[at].Column >= 0 {
			p, positive := s.below(s.tree, at, row.columns, row.outcomes, most-depth)
			found(i, binIndex(p), positive)
			continue
		}
		if s.bins[at] < 0 {
			s.bins[at] = int8(binIndex(leafProbability(s.tree[at])))
		}
		found(i, int(s.bins[at]), s.tree[at].Positive)
	}
}
