package model

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"hash/maphash"
	"math/rand/v2"
	"path"
	"slices"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/parallel"
	"github.com/inroad/inroad/grammars/tribble"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/internal/spill"
	"github.com/inroad/inroad/model/logit"
	"github.com/inroad/inroad/model/observation"
)

// ErrNoObservations reports that a trainer has no observation with methods of
// an input in the grammar.
var ErrNoObservations = errors.New("no observation has methods and an input in the grammar")

// A Trainer collects observations and trains models. It extracts the features
// of each input once, so that adding observations and training again is cheap.
// It is not safe for concurrent use.
type Trainer struct {
	grammar    *grammars.Grammar
	sources    []grammars.Source
	opt        Options
	subject    string
	commit     string
	units      []observation.Unit
	unitIndex  map[string]int32 // by ID
	extractors []*trainingExtractor

	features   []Feature
	pathIndex  map[uint64]int32
	extraIndex map[features.Extra]int32
	records    []record
	byDigest   map[[sha256.Size]byte]int32 // index of the first record by input digest
	commits    []string                    // of the records
	outcomes   map[string]string           // names of outcomes, which records share
	seed       maphash.Seed                // of the hashes of methods
	log        *spill.Log                  // contents of the records; nil if they are in memory
	examples   exampleLengths
	draw       draw
	sample     sample
	size       Size
	stats      Stats
	unusable   unusable
}

// A record is an observation with the features of its input.
type record struct {
	*content   // nil if it is in the log of the trainer
	digest     [sha256.Size]byte
	reached    uint64 // hash of the methods
	outcome    string
	input      []byte // nil if it is too long to be an example, or outside the grammar
	place      int32  // offset of the place that the failure message names, or unknownPlace
	commit     int32  // of the program; index into Trainer.commits
	next       int32  // the next record with the same input, or 0
	outside    bool   // the input is outside the grammar
	unlabelled bool   // the methods are unknown
}

// A content holds the features of an input and the methods that it reached.
type content struct {
	features []int32 // indices into Trainer.features
	at       []int32 // first positions of the features
	methods  []int32 // indices into Trainer.units, sorted
}

// Stats counts the observations given to a trainer.
type Stats struct {
	Observations  int // total
	Duplicates    int // same input, outcome and methods as an earlier observation; ignored
	Contradictory int // same input as an earlier observation with another outcome or other methods; used
	Outside       int // input outside the grammar
	Unknown       int // methods unknown; used only to learn outcomes
	Limited       int // input exceeds a limit of the parser; ignored
	// Unsampled counts the observations that are not in the sample that was learned from,
	// see [Options.Sample]. Repetitions of the same observation may count several times.
	Unsampled int `cbor:",omitempty"`
}

// NewTrainer returns a trainer for the grammar in sources. start names the
// start rule; if empty, the first rule is used.
func NewTrainer(ctx context.Context, start string, sources []grammars.Source, opt Options) (*Trainer, error) {
	g, err := grammars.LoadWith(ctx, grammars.LoadOptions{Start: start}, sources...)
	if err != nil {
		return nil, err
	}
	return NewTrainerOf(g, sources, opt)
}

// NewTrainerOf is like [NewTrainer], for a grammar that was loaded from sources. Models of
// the trainer share the grammar and its analyses.
func NewTrainerOf(g *grammars.Grammar, sources []grammars.Source, opt Options) (*Trainer, error) {
	opt = opt.withDefaults()
	if err := opt.check(); err != nil {
		return nil, err
	}
	t := &Trainer{
		grammar: g, sources: renameSources(g, sources), opt: opt, unitIndex: map[string]int32{},
		pathIndex: map[uint64]int32{}, extraIndex: map[features.Extra]int32{}, byDigest: map[[sha256.Size]byte]int32{},
		outcomes: map[string]string{}, seed: maphash.MakeSeed(), examples: exampleLengths{most: maxExample},
	}
	for range opt.Workers {
		t.extractors = append(t.extractors, &trainingExtractor{
			extractor: *newExtractor(g, opt, opt.Extras),
			seen:      map[uint64]int32{}, paths: map[uint64]features.Path{},
		})
	}
	return t, nil
}

// renameSources names the sources after the grammar, so that models do not
// contain file names.
func renameSources(g *grammars.Grammar, sources []grammars.Source) []grammars.Source {
	out := slices.Clone(sources)
	for i := range out {
		ext := ".g4"
		if path.Ext(out[i].Name) == tribble.Extension { // the notation depends on it
			ext = tribble.Extension
		}
		out[i].Name = g.Name + ext
		if len(out) > 1 {
			out[i].Name = fmt.Sprintf("%s-%d%s", g.Name, i+1, ext)
		}
	}
	return out
}

// Grammar returns the grammar of the inputs.
func (t *Trainer) Grammar() *grammars.Grammar { return t.grammar }

// AddHeader sets the program's name and version, and adds its units.
func (t *Trainer) AddHeader(h observation.Header) {
	t.subject, t.commit = cmp.Or(h.Subject, t.subject), cmp.Or(h.Commit, t.commit)
	for _, u := range h.Units {
		if i, ok := t.unitIndex[u.ID]; ok {
			t.units[i] = u
		} else {
			t.unitOf(u.ID)
			t.units[len(t.units)-1] = u
		}
	}
}

// unitOf returns the index of a unit, which it adds if needed.
func (t *Trainer) unitOf(id string) int32 {
	if i, ok := t.unitIndex[id]; ok {
		return i
	}
	i := int32(len(t.units))
	t.unitIndex[id] = i
	t.units = append(t.units, observation.Unit{ID: id, Kind: observation.KindMethod})
	return i
}

// Add adds observations. If the context ends, it adds none of them. After another error,
// which comes from the scratch files, the trainer cannot be used any more.
func (t *Trainer) Add(ctx context.Context, observations []observation.Observation) error {
	x, err := t.Extract(ctx, observations)
	if err != nil {
		return err
	}
	return t.AddExtracted(observations, x)
}

// add adds an observation. Its input is the one with the given index in x.
func (t *Trainer) add(o observation.Observation, x *Extracted, input int) error {
	f := &x.inputs[input]
	t.stats.Observations++
	r := record{digest: sha256.Sum256(o.Input), outcome: t.outcomeName(o), place: failurePlace(o), unlabelled: o.Methods == nil, commit: t.commitIndex()}
	t.stats.Unknown += btoi(r.unlabelled)
	t.unusable.add(o.Input, r.unlabelled, f.err)
	switch _, syntax := errors.AsType[*grammars.SyntaxError](f.err); {
	case syntax && r.unlabelled:
		return nil
	case syntax:
		r.outside = true
	case f.err != nil:
		t.stats.Limited++
		return nil
	}
	r.content = &content{methods: t.methodsOf(o)}
	r.reached = t.hashMethods(r.methods)
	first, known := t.byDigest[r.digest]
	contradicts, last := false, int32(-1)
	for i := first; known; i = t.records[i].next {
		before := &t.records[i]
		if r.subsumedBy(before) {
			t.stats.Duplicates++
			before.commit = r.commit
			return nil
		}
		contradicts, last = contradicts || !before.subsumedBy(&r), i
		known = before.next != 0
	}
	t.stats.Contradictory += btoi(contradicts)
	t.stats.Outside += btoi(r.outside)
	if last < 0 && !r.outside {
		t.sample.add(r.digest, o.Input, t.opt.Inputs)
	}
	r.features, r.at = t.featuresOf(x, input)
	if !r.outside && t.keepsExample(len(o.Input)) {
		r.input = o.Input
	}
	if last < 0 {
		t.byDigest[r.digest] = int32(len(t.records))
	} else {
		t.records[last].next = int32(len(t.records))
	}
	t.size.count(r.outcome, len(r.features), len(r.methods))
	if t.draws() {
		t.draw.meet(t.number(&r), &r)
	}
	if t.log != nil {
		if err := t.spillContent(&r); err != nil {
			return err
		}
	}
	t.records = append(t.records, r)
	return t.dropSome()
}

// outcomeName returns the name of an outcome, which records with the outcome share.
func (t *Trainer) outcomeName(o observation.Observation) string {
	name := OutcomeName(o)
	if _, ok := t.outcomes[name]; !ok {
		t.outcomes[name] = name
	}
	return t.outcomes[name]
}

// commitIndex returns the index of the current commit, which it adds if needed.
func (t *Trainer) commitIndex() int32 {
	if n := len(t.commits); n > 0 && t.commits[n-1] == t.commit {
		return int32(n - 1)
	}
	i := slices.Index(t.commits, t.commit)
	if i < 0 {
		i = len(t.commits)
		t.commits = append(t.commits, t.commit)
	}
	return int32(i)
}

// methodsOf returns the indices of the methods of an observation, sorted. It adds the
// methods if needed.
func (t *Trainer) methodsOf(o observation.Observation) []int32 {
	out := make([]int32, 0, len(o.Methods))
	for _, id := range o.Methods {
		out = append(out, t.unitOf(id))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// hashMethods returns a hash of methods. Sets of methods with the same hash count as
// equal: the hash is random for each trainer, so that it cannot be foreseen.
func (t *Trainer) hashMethods(methods []int32) uint64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	var word [4]byte
	for _, m := range methods {
		binary.LittleEndian.PutUint32(word[:], uint32(m))
		_, _ = h.Write(word[:])
	}
	return h.Sum64()
}

// subsumedBy reports whether other, an observation of the same input, contains
// all that r contains.
func (r *record) subsumedBy(other *record) bool {
	return r.outcome == other.outcome && (r.unlabelled || !other.unlabelled && r.reached == other.reached)
}

func btoi(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// A sample is a set of inputs that does not depend on the order of insertion:
// the inputs with the smallest digests.
type sample []sampledInput

type sampledInput struct {
	digest [sha256.Size]byte
	input  []byte
}

// maxSampledInput is the maximum length of a sampled input.
const maxSampledInput = 4096

// add inserts an input. The sample keeps at least the n smallest digests.
func (s *sample) add(digest [sha256.Size]byte, input []byte, n int) {
	if len(input) > maxSampledInput {
		return
	}
	*s = append(*s, sampledInput{digest, input})
	if len(*s) >= 4*max(n, 64) {
		*s = s.first(n)
	}
}

// first returns the n inputs with the smallest digests, in order.
func (s *sample) first(n int) sample {
	slices.SortFunc(*s, func(a, b sampledInput) int { return bytes.Compare(a.digest[:], b.digest[:]) })
	return slices.Clone((*s)[:min(n, len(*s))])
}

// Stats returns counts of the observations added so far.
func (t *Trainer) Stats() Stats { return t.stats }

// Train trains a model on all observations added so far. It reuses the trees of
// before whose training data did not change; before may be nil.
func (t *Trainer) Train(ctx context.Context, before *Model) (m *Model, err error) {
	task, err := t.task(ctx)
	if task != nil {
		defer func() { err = errors.Join(err, task.close()) }()
	}
	if err != nil {
		return nil, err
	}
	if before != nil {
		task.reuse(before)
	}
	if err := task.run(ctx); err != nil {
		return nil, err
	}
	return task.model(t)
}

// Train trains a model on the observations.
func Train(ctx context.Context, start string, sources []grammars.Source, h observation.Header, observations []observation.Observation, opt Options) (m *Model, err error) {
	t, err := NewTrainer(ctx, start, sources, opt)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	t.AddHeader(h)
	if err := t.Add(ctx, observations); err != nil {
		return nil, err
	}
	return t.Train(ctx, nil)
}

// A task is one training run.
type task struct {
	opt       Options
	units     []observation.Unit // sorted by ID
	index     []int32            // by unit of the trainer: index in units
	rows      []*record
	cells     cells     // features of the rows
	labelled  []int32   // rows with known methods
	features  []Feature // of the records
	order     *featureOrder
	outcomes  []string // sorted; empty if all rows have the same outcome
	outcomeOf []int32  // by row: index of its outcome
	phases    []int    // by outcome: the phase that it stops, or 0
	view      *view    // of all rows
	targets   []*target
	digest    [sha256.Size]byte // of the rows with their features and outcomes
	outside   Outside
	recorded  recorder
	progress  progress

	longestExample int // maximum length of example inputs

	ignorePlaces bool           // do not trust the places that failure messages name
	grown        map[int]*grown // by fold: trees that were grown to choose ignorePlaces
}

// A target is a class to learn: an outcome, or whether a unit is reached.
type target struct {
	name       string
	unit       bool
	labels     dtree.Bits
	tree       dtree.Tree
	digest     [8]byte // of the labels
	held       heldOut
	byDepth    []heldOut           // cross-validation results of the tree cut at each depth
	overruled  [bothWays][]heldOut // by overruling - 1: changes of byDepth by a regression; nil if none is tried
	regression *logit.Regression   // may overrule the tree; nil if none may
	allowed    overruling
	reused     bool // tree taken from an earlier model
}

// constant reports whether all rows of the target have the same label.
func (k *task) constant(t *target) bool {
	rows := len(k.rows)
	if t.unit {
		rows = len(k.labelled)
	}
	n := t.labels.Count()
	return n == 0 || n == rows
}

// varying returns the targets that are not constant.
func (k *task) varying(targets []*target) []*target {
	return slices.DeleteFunc(slices.Clone(targets), k.constant)
}

// task prepares a training run. The order of rows and columns does not depend
// on the order of the observations. The caller closes the task, even after an error.
func (t *Trainer) task(ctx context.Context) (*task, error) {
	if err := t.dropRecords(); err != nil {
		return nil, err
	}
	k := &task{opt: t.opt, units: slices.Clone(t.units), features: t.features}
	slices.SortFunc(k.units, func(a, b observation.Unit) int { return cmp.Compare(a.ID, b.ID) })
	k.index = make([]int32, len(t.units)) // index in t.units to index in k.units
	for i, u := range k.units {
		k.index[t.unitIndex[u.ID]] = int32(i)
	}
	if err := k.gather(ctx, t); err != nil {
		return k, err
	}
	if len(k.labelled) == 0 {
		return k, t.unusable.explain(t.stats.Observations, t.grammar.Name)
	}
	k.order = newFeatureOrder(k.features)
	k.findOutcomes()
	k.buildTargets()
	k.findPhases()
	if err := k.choosePlaces(ctx); err != nil {
		return k, err
	}
	var err error
	if k.view, err = k.newView(ctx, nil, nil); err != nil {
		return k, err
	}
	k.digest, err = k.view.matrix.digest(k.rows)
	return k, err
}

// close removes the task's scratch files.
func (k *task) close() error {
	var err error
	if k.view != nil {
		err = k.view.close()
	}
	if k.cells != nil {
		err = errors.Join(err, k.cells.close())
	}
	return err
}

// minOutcome is the minimum number of observations for an outcome with a
// failure type to be learned separately.
const minOutcome = 5

// buildTargets adds a target per outcome before those of the units.
func (k *task) buildTargets() {
	units := k.targets
	k.targets = nil
	for i, outcome := range k.outcomes {
		t := &target{name: outcome, labels: dtree.NewBits(len(k.rows))}
		for r, o := range k.outcomeOf {
			if int(o) == i {
				t.labels.Set(int32(r))
			}
		}
		k.targets = append(k.targets, t)
	}
	k.targets = append(k.targets, units...)
	none := dtree.NewBits(len(k.rows))
	for _, t := range k.targets {
		if t.labels == nil {
			t.labels = none
		}
		h := fnv.New64a()
		_ = binary.Write(h, binary.LittleEndian, []uint64(t.labels))
		h.Sum(t.digest[:0])
	}
}

// run grows all trees and cross-validates them.
func (k *task) run(ctx context.Context) error {
	var rest []*target
	for _, t := range k.targets {
		if !t.reused {
			rest = append(rest, t)
		}
	}
	k.progress.report, k.progress.total = k.opt.Progress, k.treeCount(rest)
	if k.opt.Shards != nil {
		return k.runShards(ctx, rest)
	}
	return k.runTargets(ctx, rest)
}

// runTargets grows the trees of targets and cross-validates them. The result of a target
// does not depend on the others.
func (k *task) runTargets(ctx context.Context, rest []*target) error {
	trees, err := k.learn(ctx, k.view, rest, nil)
	if err != nil {
		return err
	}
	depths := k.opt.depths()
	for i, t := range rest {
		t.tree, t.byDepth = trees[i], make([]heldOut, len(depths))
		if t.unit && k.opt.Regressions && k.opt.Folds > 1 && !k.constant(t) {
			t.tryRegression(len(depths))
		}
	}
	for fold := range min(k.opt.Folds, len(k.rows)) {
		if k.opt.Folds == 1 {
			break
		}
		if err := k.validateFold(ctx, rest, fold); err != nil {
			return err
		}
		for _, t := range rest {
			t.dropRegression(fold + 1)
		}
	}
	var overruled []*target
	for _, t := range rest {
		i := choose(t.byDepth)
		t.held = t.byDepth[i]
		if depth, o := t.overruling(i); o != 0 {
			i, t.held, t.allowed = depth, t.withRegression(o)[depth], o
			overruled = append(overruled, t)
		}
		t.tree = t.tree.Cut(depths[i])
	}
	return k.fitFinal(ctx, overruled)
}

// learn grows the trees of the targets on the given rows, or on all rows if
// rows is nil. Targets with equal labels, such as methods that always call each
// other, share a tree.
func (k *task) learn(ctx context.Context, v *view, targets []*target, rows []int32) ([]dtree.Tree, error) {
	groups := groupByLabels(targets)
	trees := make([]dtree.Tree, len(targets))
	known := k.known(rows)
	group, ctx := parallel.WithContext(ctx)
	for w := range k.opt.Workers {
		group.Go(func() error {
			var outcomes, units TreeLearner // created on demand, because they are large
			for i := w; i < len(groups); i += k.opt.Workers {
				if err := context.Cause(ctx); err != nil {
					return err
				}
				t, learner := targets[groups[i][0]], &outcomes
				if t.unit {
					learner = &units
				}
				tree := v.grown.tree(t)
				switch {
				case tree != nil:
				case *learner == nil && t.unit:
					units = k.opt.Learner.New(v.withOutcomes, known, k.opt.tree())
				case *learner == nil:
					outcomes = k.opt.Learner.New(v.withoutOutcomes, rows, k.opt.tree())
				}
				if tree == nil {
					var err error
					if tree, err = (*learner).Learn(t.labels, t.rand(k.opt.Seed)); err != nil {
						return fmt.Errorf("learn %s: %w", t.name, err)
					}
				}
				for _, j := range groups[i] {
					trees[j] = tree
				}
				k.progress.add(len(groups[i]))
			}
			return nil
		})
	}
	return trees, group.Wait()
}

// known returns the rows whose methods are known, of the given rows or of all if rows
// is nil.
func (k *task) known(rows []int32) []int32 {
	if rows == nil {
		return k.labelled
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r int32) bool { return k.rows[r].unlabelled })
}

// groupByLabels groups the indices of targets of the same kind with the same
// labels.
func groupByLabels(targets []*target) [][]int {
	type key struct {
		unit   bool
		digest [8]byte
	}
	index := map[key][]int{} // groups with the digest
	var out [][]int
	for i, t := range targets {
		k := key{t.unit, t.digest}
		at := slices.IndexFunc(index[k], func(group int) bool { return slices.Equal(targets[out[group][0]].labels, t.labels) })
		if at < 0 {
			index[k] = append(index[k], len(out))
			out = append(out, []int{i})
			continue
		}
		group := index[k][at]
		out[group] = append(out[group], i)
	}
	return out
}

// rand returns the target's random source. It depends only on the seed and the
// labels, so that scheduling and other targets have no influence.
func (t *target) rand(seed uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, binary.LittleEndian.Uint64(t.digest[:])))
}

// digest returns a digest of the rows and their columns.
func (m *matrix) digest(rows []*record) ([sha256.Size]byte, error) {
	h := sha256.New()
	reader := m.table.Reader()
	var cells []byte
	for i, r := range rows {
		row, err := reader.Row(int32(i))
		if err != nil {
			return [sha256.Size]byte{}, err
		}
		cells = append(append(cells[:0], r.digest[:]...), byte(btoi(r.unlabelled)))
		cells = binary.LittleEndian.AppendUint32(cells, uint32(len(row)))
		for _, c := range row {
			cells = binary.LittleEndian.AppendUint32(cells, uint32(c))
		}
		_, _ = h.Write(cells)
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
