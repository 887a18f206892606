package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
)

// A model file consists of a line with the format version, the SHA-256 of the
// rest, and the model as CBOR. It contains no time, file name or host name:
// equal observations and options give equal bytes.
const (
	fileMagic   = "inroad model "
	fileVersion = 3 // version 1 has no refusals, version 2 no regressions
)

// MaxFileSize is the maximum size of a model file.
const MaxFileSize = 256 << 20

// A FileError reports a file that is not a readable model.
type FileError struct {
	Reason string
	Err    error // cause; may be nil
}

func (e *FileError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("cannot read model: %s: %v", e.Reason, e.Err)
	}
	return "cannot read model: " + e.Reason
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// modelFile is the encoded form of a model.
type modelFile struct {
	Numbering int                `cbor:"numbering"` // grammars.NumberingVersion
	Sources   []grammars.Source  `cbor:"sources"`
	Start     string             `cbor:"start"`
	Grammar   string             `cbor:"grammar"` // digest
	Subject   string             `cbor:"subject"`
	Commit    string             `cbor:"commit"`
	Options   optionsFile        `cbor:"options"`
	Units     []observation.Unit `cbor:"units"`
	Outcomes  []string           `cbor:"outcomes"`
	Features  []featureFile      `cbor:"features"`
	Refusals  []refusalFile      `cbor:"refusals,omitempty"`
	Rows      int                `cbor:"rows"`
	Known     int                `cbor:"known"` // rows with known methods
	Columns   int                `cbor:"columns"`
	Matrix    []byte             `cbor:"matrix"` // digest of the training data
	Targets   []targetFile       `cbor:"targets"`
	Seen      []byte             `cbor:"seen"`               // sorted path IDs of the training inputs
	Inputs    [][]byte           `cbor:"inputs"`             // sample of the training inputs
	Examples  [][]byte           `cbor:"examples,omitempty"` // short training inputs for the leaves
	Outside   Outside            `cbor:"outside"`
	Stats     Stats              `cbor:"gathered"`
	Recorded  *recordedFile      `cbor:"recorded,omitempty"`
}

type optionsFile struct {
	K           int
	NoTrivia    bool
	Extras      features.Kinds
	Margin      float64
	MaxDepth    int
	MinLeaf     int
	Balance     dtree.Balance
	NoOutcome   bool
	Refusals    bool `cbor:",omitempty"`
	Regressions bool `cbor:"Second,omitempty"`
	Folds       int
	Inputs      int
	Sample      int `cbor:",omitempty"`
	Seed        uint64
	Learner     string
}

// featureFile is an encoded feature with its equals. Exactly one of Path, Extra, Refusal
// and Outcome is set.
type featureFile struct {
	Path    features.Path  `cbor:"p,omitempty"`
	Extra   features.Extra `cbor:"x,omitempty"`
	Outcome string         `cbor:"o,omitempty"`
	Refusal int            `cbor:"r,omitempty"`
	Before  int            `cbor:"b,omitempty"`
	Equal   []featureFile  `cbor:"e,omitempty"`
}

// refusalFile is an encoded refusal.
type refusalFile struct {
	Feature featureFile `cbor:"f"`
	Phase   int         `cbor:"p"`
	Outcome string      `cbor:"o"`
	Rows    int         `cbor:"n"`
	Failed  int         `cbor:"d"`
}

// targetFile is the encoded tree of an outcome or unit with its
// cross-validation results.
type targetFile struct {
	Tree   []int32   `cbor:"t"` // four numbers per node
	Labels []byte    `cbor:"l"` // digest
	Held   Confusion `cbor:"h"`
	Bins   []int32   `cbor:"b"` // three numbers per non-empty bin
	// Regression is the regression that may overrule the tree of a unit.
	Regression *regressionFile `cbor:"s,omitempty"`
}

// Encoded columns of leaves.
const (
	leafNegative = -1
	leafPositive = -2
)

func packTree(t dtree.Tree) []int32 {
	out := make([]int32, 0, 4*len(t))
	for _, n := range t {
		column := n.Column
		if column < 0 && n.Positive {
			column = leafPositive
		}
		out = append(out, column, n.Absent, n.Rows, n.Positives)
	}
	return out
}

func unpackTree(numbers []int32) (dtree.Tree, error) {
	if len(numbers)%4 != 0 {
		return nil, errors.New("tree: length must be a multiple of 4")
	}
	var t dtree.Tree
	for n := range slices.Chunk(numbers, 4) {
		node := dtree.Node{Column: n[0], Absent: n[1], Rows: n[2], Positives: n[3]}
		if node.Column == leafPositive {
			node.Column, node.Positive = -1, true
		}
		t = append(t, node)
	}
	return t, nil
}

func packBins(bins [calibrationBins]bin) []int32 {
	var out []int32
	for i, b := range bins {
		if b.rows > 0 {
			out = append(out, int32(i), b.rows, b.positives)
		}
	}
	return out
}

func unpackBins(numbers []int32) (bins [calibrationBins]bin, err error) {
	if len(numbers)%3 != 0 {
		return bins, errors.New("bins: length must be a multiple of 3")
	}
	for n := range slices.Chunk(numbers, 3) {
		if n[0] < 0 || n[0] >= calibrationBins || n[1] < 0 || n[2] < 0 || n[2] > n[1] {
			return bins, fmt.Errorf("bin %v: index must be between 0 and %d, and counts consistent", n, calibrationBins-1)
		}
		bins[n[0]] = bin{n[1], n[2]}
	}
	return bins, nil
}

// Sources returns the files of the grammar that the model was trained with.
func (m *Model) Sources() []grammars.Source { return m.file.Sources }

// Write writes the model file to w.
func (m *Model) Write(w io.Writer) error {
	body, err := m.file.encode()
	if err != nil {
		return err
	}
	digest := sha256.Sum256(body)
	_, err = w.Write(slices.Concat(fmt.Appendf(nil, "%s%d\n", fileMagic, fileVersion), digest[:], body))
	return err
}

func (f *modelFile) encode() ([]byte, error) {
	mode, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		return nil, err
	}
	return mode.Marshal(f)
}

// unmarshal decodes CBOR whose arrays may have more elements than the library allows by
// default, 131,072: a tree has four numbers per node.
func unmarshal(data []byte, v any) error {
	mode, err := cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		MaxNestedLevels:  8,
		MaxArrayElements: 32 << 20,
		MaxMapPairs:      1 << 20,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
	}.DecMode()
	if err != nil {
		return err
	}
	return mode.Unmarshal(data, v)
}

// ReadModel reads a model file. An error is a *[FileError] or comes from r.
func ReadModel(ctx context.Context, r io.Reader) (*Model, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFileSize+1))
	if err != nil {
		return nil, err
	}
	if len(data) > MaxFileSize {
		return nil, &FileError{"too large", &limit.Error{What: "size of a model", Value: fmt.Sprintf("%d MiB", MaxFileSize>>20)}}
	}
	body, err := checkFile(data)
	if err != nil {
		return nil, err
	}
	var f modelFile
	if err := unmarshal(body, &f); err != nil {
		return nil, &FileError{"malformed contents", err}
	}
	m, err := newModel(ctx, &f)
	if err != nil {
		return nil, &FileError{"inconsistent contents", err}
	}
	digest := sha256.Sum256(body)
	m.Digest = hex.EncodeToString(digest[:])
	return m, nil
}

// checkFile verifies the version and the digest, and returns the encoded model.
func checkFile(data []byte) ([]byte, error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	version, ok := strings.CutPrefix(string(line), fileMagic)
	switch {
	case !ok:
		return nil, &FileError{"not a model file", nil}
	case version != "1" && version != "2" && version != fmt.Sprint(fileVersion):
		return nil, &FileError{fmt.Sprintf("format version %.20q: must be between 1 and %d", version, fileVersion), nil}
	case len(rest) < sha256.Size:
		return nil, &FileError{"truncated file", nil}
	}
	body := rest[sha256.Size:]
	if digest := sha256.Sum256(body); !bytes.Equal(digest[:], rest[:sha256.Size]) {
		return nil, &FileError{"digest mismatch: the file is truncated or was modified", nil}
	}
	return body, nil
}

// newModel validates an encoded model and decodes it.
func newModel(ctx context.Context, f *modelFile) (*Model, error) {
	if f.Numbering != grammars.NumberingVersion {
		return nil, fmt.Errorf("grammar numbering version %d: must be %d", f.Numbering, grammars.NumberingVersion)
	}
	g, err := grammars.LoadWith(ctx, grammars.LoadOptions{Start: f.Start}, f.Sources...)
	if err != nil {
		return nil, fmt.Errorf("grammar: %w", err)
	}
	if g.Digest != f.Grammar {
		return nil, errors.New("grammar does not match its digest")
	}
	return newModelOf(g, f)
}

// newModelOf validates and decodes an encoded model whose grammar is g. The model shares
// g and its analyses.
func newModelOf(g *grammars.Grammar, f *modelFile) (*Model, error) {
	m := &Model{
		Grammar: g, Subject: f.Subject, Commit: f.Commit, Options: f.Options.fromFile(),
		Units: f.Units, Outcomes: f.Outcomes, Rows: f.Rows, Columns: f.Columns,
		Outside: f.Outside, Stats: f.Stats,
		file: f, space: features.NewSpace(g, features.Options{}),
	}
	for _, check := range []func() error{m.Options.check, m.checkUnits, m.decodeRefusals, m.decodeFeatures, m.decodeTrees, m.decodeSeen, m.checkRecorded} {
		if err := check(); err != nil {
			return nil, err
		}
	}
	m.prepare()
	return m, nil
}

func (f optionsFile) fromFile() Options {
	return Options{
		K: f.K, Trivia: !f.NoTrivia, Extras: f.Extras, Margin: f.Margin, MaxDepth: f.MaxDepth, MinLeaf: f.MinLeaf,
		Balance: f.Balance, Outcome: !f.NoOutcome, Refusals: f.Refusals, Regressions: f.Regressions, Folds: f.Folds, Inputs: f.Inputs, Sample: f.Sample, Seed: f.Seed, Learner: Learner{Name: f.Learner},
	}
}

func (opt Options) toFile() optionsFile {
	return optionsFile{
		K: opt.K, NoTrivia: !opt.Trivia, Extras: opt.Extras, Margin: opt.Margin, MaxDepth: opt.MaxDepth, MinLeaf: opt.MinLeaf,
		Balance: opt.Balance, NoOutcome: !opt.Outcome, Refusals: opt.Refusals, Regressions: opt.Regressions, Folds: opt.Folds, Inputs: opt.Inputs, Sample: opt.Sample, Seed: opt.Seed, Learner: opt.Learner.Name,
	}
}

// checkUnits validates the units, the outcomes and the counts.
func (m *Model) checkUnits() error {
	for i := 1; i < len(m.Units); i++ {
		if m.Units[i-1].ID >= m.Units[i].ID {
			return fmt.Errorf("unit %.100q: units must be sorted by ID", m.Units[i].ID)
		}
	}
	for i := 1; i < len(m.Outcomes); i++ {
		if m.Outcomes[i-1] >= m.Outcomes[i] {
			return fmt.Errorf("outcome %.100q: outcomes must be sorted", m.Outcomes[i])
		}
	}
	switch {
	case len(m.Outside.Reached) != len(m.Units):
		return fmt.Errorf("%d counts of inputs outside the grammar for %d units", len(m.Outside.Reached), len(m.Units))
	case m.Rows < 0 || m.Rows > math.MaxInt32 || m.file.Known < 0 || m.file.Known > m.Rows || m.Columns < 0 || m.Outside.Rows < 0:
		return errors.New("observation or feature count out of range")
	}
	return nil
}

func (m *Model) decodeFeatures() error {
	for i, f := range m.file.Features {
		feature := f.feature()
		feature.Equal = nil
		for _, e := range f.Equal {
			feature.Equal = append(feature.Equal, e.feature())
		}
		for _, each := range append(slices.Clip(feature.Equal), feature) {
			if !each.valid(m.Grammar) || each.Refusal > len(m.Refusals) || each.Outcome != "" && !slices.Contains(m.Outcomes, each.Outcome) {
				return fmt.Errorf("feature %d is not a feature of the grammar", i)
			}
		}
		m.Features = append(m.Features, feature)
	}
	return nil
}

func (f featureFile) feature() Feature {
	return Feature{Path: f.Path, Extra: f.Extra, Outcome: f.Outcome, Refusal: f.Refusal, Before: f.Before}
}

// toFile encodes a feature without its equals.
func (f Feature) toFile() featureFile {
	return featureFile{Path: f.Path, Extra: f.Extra, Outcome: f.Outcome, Refusal: f.Refusal, Before: f.Before}
}

func (m *Model) decodeRefusals() error {
	for i, f := range m.file.Refusals {
		r := Refusal{f.Feature.feature(), f.Phase, f.Outcome, f.Rows, f.Failed}
		if !r.Feature.valid(m.Grammar) || r.Feature.Outcome != "" || r.Feature.Refusal != 0 || r.Feature.Before != 0 {
			return fmt.Errorf("refusal %d is not a feature of the grammar", i)
		}
		if r.Rows < 0 || r.Failed < 0 || r.Failed > r.Rows || r.Rows > m.Rows {
			return fmt.Errorf("refusal %d: %d failures of %d inputs: must be between 0 and the number of inputs", i, r.Failed, r.Rows)
		}
		if r.Phase < 1 || r.Phase > maxPhases {
			return fmt.Errorf("refusal %d: phase %d: must be between 1 and %d", i, r.Phase, maxPhases)
		}
		m.Refusals = append(m.Refusals, r)
	}
	return nil
}

func (m *Model) decodeTrees() error {
	if len(m.file.Targets) != len(m.Outcomes)+len(m.Units) {
		return fmt.Errorf("%d trees for %d outcomes and %d units", len(m.file.Targets), len(m.Outcomes), len(m.Units))
	}
	var all [calibrationBins]bin
	for i, t := range m.file.Targets {
		tree, err := unpackTree(t.Tree)
		if err == nil {
			err = tree.Check(len(m.Features))
		}
		rows := m.Rows
		if i >= len(m.Outcomes) {
			rows = m.file.Known
		}
		if err == nil && int(tree[0].Rows) != rows {
			err = fmt.Errorf("%d observations: must be %d", tree[0].Rows, rows)
		}
		if err == nil && i < len(m.Outcomes) && slices.ContainsFunc(tree.Columns(), func(c int32) bool { return m.Features[c].Outcome != "" }) {
			err = errors.New("the tree of an outcome must not test outcomes")
		}
		bins, binErr := unpackBins(t.Bins)
		if err := errors.Join(err, binErr); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
		m.trees = append(m.trees, tree)
		if i < len(m.Outcomes) {
			continue
		}
		var regression *unitRegression
		if t.Regression != nil {
			if regression, err = t.Regression.decode(m.Features); err != nil {
				return fmt.Errorf("regression %d: %w", i, err)
			}
		}
		m.unitRegressions = append(m.unitRegressions, regression)
		for b := range bins {
			all[b].rows += bins[b].rows
			all[b].positives += bins[b].positives
		}
	}
	m.calibration = newCalibration(all)
	return nil
}

func (m *Model) decodeSeen() error {
	if len(m.file.Examples) > maxExamples || slices.ContainsFunc(m.file.Examples, func(e []byte) bool { return len(e) > maxExample }) {
		return fmt.Errorf("examples: must be at most %d inputs of at most %d bytes", maxExamples, maxExample)
	}
	if len(m.file.Seen)%8 != 0 {
		return errors.New("path IDs: length must be a multiple of 8")
	}
	for id := range slices.Chunk(m.file.Seen, 8) {
		m.seen = append(m.seen, binary.LittleEndian.Uint64(id))
	}
	if !slices.IsSorted(m.seen) {
		return errors.New("path IDs must be sorted")
	}
	return nil
}

// model returns the trained model.
func (k *task) model(t *Trainer) (*Model, error) {
	f := &modelFile{
		Numbering: grammars.NumberingVersion, Sources: t.sources, Start: t.grammar.Start, Grammar: t.grammar.Digest,
		Subject: t.subject, Commit: t.commit, Options: k.opt.toFile(), Units: k.units, Outcomes: k.outcomes,
		Rows: len(k.rows), Known: len(k.labelled), Columns: len(k.view.matrix.columns), Matrix: k.digest[:], Outside: k.outside, Stats: t.stats,
	}
	index := k.usedFeatures(f)
	for _, target := range k.targets {
		tree := slices.Clone(target.tree)
		for i, n := range tree {
			if n.Column >= 0 {
				tree[i].Column = index[n.Column]
			}
		}
		f.Targets = append(f.Targets, targetFile{packTree(tree), target.digest[:], target.held.confusion, packBins(target.held.bins), target.regressionFile(index)})
	}
	var err error
	if f.Examples, err = k.examples(index); err != nil {
		return nil, err
	}
	for _, kept := range t.sample.first(k.opt.Inputs) {
		f.Inputs = append(f.Inputs, kept.input)
	}
	ids := make([]uint64, 0, len(t.pathIndex))
	for id, feature := range t.pathIndex {
		if k.view.matrix.present.Has(feature) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		f.Seen = binary.LittleEndian.AppendUint64(f.Seen, id)
	}
	if f.Recorded, err = k.recorded.pack(); err != nil {
		return nil, err
	}
	m, err := newModelOf(t.grammar, f)
	if err != nil {
		return nil, err
	}
	body, err := f.encode()
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(body)
	m.Digest = hex.EncodeToString(digest[:])
	return m, nil
}

// usedFeatures adds the features that the trees test to f, and returns their
// indices by column.
func (k *task) usedFeatures(f *modelFile) map[int32]int32 {
	var used []int32
	for _, t := range k.targets {
		used = append(used, t.tree.Columns()...)
		if t.regression != nil {
			for _, term := range t.regression.Terms {
				used = append(used, term.Column)
			}
		}
	}
	slices.Sort(used)
	index := map[int32]int32{}
	for _, c := range slices.Compact(used) {
		index[c] = int32(len(f.Features))
		from := k.view.matrix.columns[c]
		to := from.toFile()
		for _, e := range from.Equal {
			to.Equal = append(to.Equal, e.toFile())
		}
		f.Features = append(f.Features, to)
	}
	for _, r := range k.view.refusals {
		f.Refusals = append(f.Refusals, refusalFile{r.Feature.toFile(), r.Phase, r.Outcome, r.Rows, r.Failed})
	}
	return index
}

// reuse takes trees from before whose training data, options and labels are the
// same.
func (k *task) reuse(before *Model) {
	if !bytes.Equal(before.file.Matrix, k.digest[:]) || before.file.Options != k.opt.toFile() {
		return
	}
	column := make([]int32, len(before.Features))
	for i, f := range before.Features {
		c, ok := slices.BinarySearchFunc(k.view.matrix.columns, f, compareFeatures)
		if !ok {
			return
		}
		column[i] = int32(c)
	}
	for _, t := range k.targets {
		i, ok := before.treeIndex(t)
		if !ok || !bytes.Equal(before.file.Targets[i].Labels, t.digest[:]) {
			continue
		}
		t.reused = true
		t.tree = slices.Clone(before.trees[i])
		for j, n := range t.tree {
			if n.Column >= 0 {
				t.tree[j].Column = column[n.Column]
			}
		}
		t.held.confusion = before.file.Targets[i].Held
		t.held.bins, _ = unpackBins(before.file.Targets[i].Bins) // validated by newModel
		if !t.unit {
			continue
		}
		if s := before.unitRegressions[i-len(before.Outcomes)]; s != nil {
			t.regression, t.allowed, t.held.overruled = s.reuse(column), s.allowed, s.overruled
		}
	}
}
