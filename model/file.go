package model

import (
	"bytes"
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

// A file of a model is a line with the version of the format, the SHA-256 of
// what follows, and the model as CBOR. It has neither clock, path nor host in
// it: the same observations and options give the same bytes.
const (
	fileMagic   = "inroad model "
	fileVersion = 1
)

// MaxFile is the size of the largest file of a model that is read.
const MaxFileSize = 256 << 20

// A FileError tells that a file is no model that can be read.
type FileError struct {
	Reason string
	Err    error // nil if the reason says all
}

func (e *FileError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("cannot read model: %s: %v", e.Reason, e.Err)
	}
	return "cannot read model: " + e.Reason
}

// Unwrap returns what is wrong in detail.
func (e *FileError) Unwrap() error { return e.Err }

// modelFile is a model as it is written.
type modelFile struct {
	Numbering int                `cbor:"numbering"` // how nodes of grammars are numbered
	Sources   []grammars.Source  `cbor:"sources"`
	Start     string             `cbor:"start"`
	Grammar   string             `cbor:"grammar"` // its digest
	Subject   string             `cbor:"subject"`
	Commit    string             `cbor:"commit"`
	Options   optionsFile        `cbor:"options"`
	Units     []observation.Unit `cbor:"units"`
	Outcomes  []string           `cbor:"outcomes"`
	Features  []featureFile      `cbor:"features"`
	Rows      int                `cbor:"rows"`
	Known     int                `cbor:"known"` // of them say which methods were reached
	Columns   int                `cbor:"columns"`
	Matrix    []byte             `cbor:"matrix"` // digest of what it was learned from
	Targets   []targetFile       `cbor:"targets"`
	Seen      []byte             `cbor:"seen"`   // IDs of the paths of the training, sorted
	Inputs    [][]byte           `cbor:"inputs"` // some of the training
	Outside   Outside            `cbor:"outside"`
	Stats     Stats              `cbor:"gathered"`
}

type optionsFile struct {
	K         int
	NoTrivia  bool
	Extras    features.Kinds
	Margin    float64
	MaxDepth  int
	MinLeaf   int
	Balance   dtree.Balance
	NoOutcome bool
	Folds     int
	Inputs    int
	Seed      uint64
	Learner   string
}

// featureFile is a feature with those equal to it; in each, one of the fields is set.
type featureFile struct {
	Path    features.Path  `cbor:"p,omitempty"`
	Extra   features.Extra `cbor:"x,omitempty"`
	Outcome string         `cbor:"o,omitempty"`
	Equal   []featureFile  `cbor:"e,omitempty"`
}

// targetFile is the tree of an outcome or a unit, and how its like did.
type targetFile struct {
	Tree   []int32   `cbor:"t"` // four numbers for each node
	Labels []byte    `cbor:"l"` // digest of the labels
	Held   Confusion `cbor:"h"`
	Bins   []int32   `cbor:"b"` // three numbers for each bin that is not empty
}

// Numbers that stand for the column of a leaf.
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
		return nil, errors.New("a tree with part of a node")
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
		return bins, errors.New("a part of a bin")
	}
	for n := range slices.Chunk(numbers, 3) {
		if n[0] < 0 || n[0] >= calibrationBins || n[1] < 0 || n[2] < 0 || n[2] > n[1] {
			return bins, fmt.Errorf("a bin %v", n)
		}
		bins[n[0]] = bin{n[1], n[2]}
	}
	return bins, nil
}

// Write writes the model.
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

// ReadModel reads a model that [Model.Write] wrote. Whatever is in the file, the
// error is a *[FileError] or that of r.
func ReadModel(r io.Reader) (*Model, error) {
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
	mode, err := cbor.DecOptions{
		DupMapKey:        cbor.DupMapKeyEnforcedAPF,
		MaxNestedLevels:  8,
		MaxArrayElements: 32 << 20,
		MaxMapPairs:      1 << 20,
		IndefLength:      cbor.IndefLengthForbidden,
		TagsMd:           cbor.TagsForbidden,
	}.DecMode()
	if err != nil {
		return nil, err
	}
	var f modelFile
	if err := mode.Unmarshal(body, &f); err != nil {
		return nil, &FileError{"its contents are malformed", err}
	}
	m, err := newModel(&f)
	if err != nil {
		return nil, &FileError{"its contents are inconsistent", err}
	}
	digest := sha256.Sum256(body)
	m.Digest = hex.EncodeToString(digest[:])
	return m, nil
}

// checkFile returns what follows the digest, having seen that it is what was written.
func checkFile(data []byte) ([]byte, error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	version, ok := strings.CutPrefix(string(line), fileMagic)
	switch {
	case !ok:
		return nil, &FileError{"it is no file of a model", nil}
	case version != fmt.Sprint(fileVersion):
		return nil, &FileError{fmt.Sprintf("its format is version %.20q, and this program knows version %d", version, fileVersion), nil}
	case len(rest) < sha256.Size:
		return nil, &FileError{"it is cut off", nil}
	}
	body := rest[sha256.Size:]
	if digest := sha256.Sum256(body); !bytes.Equal(digest[:], rest[:sha256.Size]) {
		return nil, &FileError{"it was cut off or changed after it was written: its digest does not match", nil}
	}
	return body, nil
}

// newModel makes a model of what a file says, having checked that.
func newModel(f *modelFile) (*Model, error) {
	if f.Numbering != grammars.NumberingVersion {
		return nil, fmt.Errorf("grammars are numbered by version %d, and this program knows version %d", f.Numbering, grammars.NumberingVersion)
	}
	g, err := grammars.LoadFrom(f.Start, f.Sources...)
	if err != nil {
		return nil, fmt.Errorf("grammar: %w", err)
	}
	if g.Digest != f.Grammar {
		return nil, errors.New("the grammar is not the one that its digest names")
	}
	m := &Model{
		Grammar: g, Subject: f.Subject, Commit: f.Commit, Options: f.Options.fromFile(),
		Units: f.Units, Outcomes: f.Outcomes, Rows: f.Rows, Columns: f.Columns,
		Outside: f.Outside, Stats: f.Stats,
		file: f, space: features.NewSpace(g, features.Options{}),
	}
	for _, check := range []func() error{m.Options.check, m.checkUnits, m.decodeFeatures, m.decodeTrees, m.decodeSeen} {
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
		Balance: f.Balance, Outcome: !f.NoOutcome, Folds: f.Folds, Inputs: f.Inputs, Seed: f.Seed, Learner: Learner{Name: f.Learner},
	}
}

func (opt Options) toFile() optionsFile {
	return optionsFile{
		K: opt.K, NoTrivia: !opt.Trivia, Extras: opt.Extras, Margin: opt.Margin, MaxDepth: opt.MaxDepth, MinLeaf: opt.MinLeaf,
		Balance: opt.Balance, NoOutcome: !opt.Outcome, Folds: opt.Folds, Inputs: opt.Inputs, Seed: opt.Seed, Learner: opt.Learner.Name,
	}
}

// checkTable checks the units and outcomes.
func (m *Model) checkUnits() error {
	for i := 1; i < len(m.Units); i++ {
		if m.Units[i-1].ID >= m.Units[i].ID {
			return fmt.Errorf("unit %.100q is out of order", m.Units[i].ID)
		}
	}
	for i := 1; i < len(m.Outcomes); i++ {
		if m.Outcomes[i-1] >= m.Outcomes[i] {
			return fmt.Errorf("outcome %.100q is out of order", m.Outcomes[i])
		}
	}
	switch {
	case len(m.Outside.Reached) != len(m.Units):
		return errors.New("it does not say of all units how many inputs outside the grammar reached them")
	case m.Rows < 0 || m.Rows > math.MaxInt32 || m.file.Known < 0 || m.file.Known > m.Rows || m.Columns < 0 || m.Outside.Rows < 0:
		return errors.New("a number that cannot be")
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
			if !each.valid(m.Grammar) || each.Outcome != "" && !slices.Contains(m.Outcomes, each.Outcome) {
				return fmt.Errorf("feature %d is none of the grammar", i)
			}
		}
		m.Features = append(m.Features, feature)
	}
	return nil
}

func (f featureFile) feature() Feature {
	return Feature{Path: f.Path, Extra: f.Extra, Outcome: f.Outcome}
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
			err = fmt.Errorf("a tree of %d observations of %d", tree[0].Rows, rows)
		}
		if err == nil && i < len(m.Outcomes) && slices.ContainsFunc(tree.Columns(), func(c int32) bool { return m.Features[c].Outcome != "" }) {
			err = errors.New("the tree of an outcome asks for an outcome")
		}
		bins, binErr := unpackBins(t.Bins)
		if err := errors.Join(err, binErr); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
		m.trees = append(m.trees, tree)
		if i < len(m.Outcomes) {
			continue
		}
		for b := range bins {
			all[b].rows += bins[b].rows
			all[b].positives += bins[b].positives
		}
	}
	m.calibration = newCalibration(all)
	return nil
}

func (m *Model) decodeSeen() error {
	if len(m.file.Seen)%8 != 0 {
		return errors.New("a part of a path's ID")
	}
	for id := range slices.Chunk(m.file.Seen, 8) {
		m.seen = append(m.seen, binary.LittleEndian.Uint64(id))
	}
	if !slices.IsSorted(m.seen) {
		return errors.New("paths are out of order")
	}
	return nil
}

// model makes a model of what was learned.
func (k *task) model(t *Trainer) (*Model, error) {
	f := &modelFile{
		Numbering: grammars.NumberingVersion, Sources: t.sources, Start: t.grammar.Start, Grammar: t.grammar.Digest,
		Subject: t.subject, Commit: t.commit, Options: k.opt.toFile(), Units: k.units, Outcomes: k.outcomes,
		Rows: len(k.rows), Known: len(k.labelled), Columns: len(k.matrix.columns), Matrix: k.digest[:], Outside: k.outside, Stats: t.stats,
	}
	place := k.usedFeatures(f)
	for _, target := range k.targets {
		tree := slices.Clone(target.tree)
		for i, n := range tree {
			if n.Column >= 0 {
				tree[i].Column = place[n.Column]
			}
		}
		f.Targets = append(f.Targets, targetFile{packTree(tree), target.digest[:], target.held.confusion, packBins(target.held.bins)})
	}
	for _, kept := range t.sample.first(k.opt.Inputs) {
		f.Inputs = append(f.Inputs, kept.input)
	}
	ids := make([]uint64, 0, len(t.pathIndex))
	for id := range t.pathIndex {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		f.Seen = binary.LittleEndian.AppendUint64(f.Seen, id)
	}
	m, err := newModel(f)
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

// usedFeatures puts the features that trees ask for into the file, and returns
// their places in it by column.
func (k *task) usedFeatures(f *modelFile) map[int32]int32 {
	var used []int32
	for _, t := range k.targets {
		used = append(used, t.tree.Columns()...)
	}
	slices.Sort(used)
	place := map[int32]int32{}
	for _, c := range slices.Compact(used) {
		place[c] = int32(len(f.Features))
		from := k.matrix.columns[c]
		to := featureFile{Path: from.Path, Extra: from.Extra, Outcome: from.Outcome}
		for _, e := range from.Equal {
			to.Equal = append(to.Equal, featureFile{Path: e.Path, Extra: e.Extra})
		}
		f.Features = append(f.Features, to)
	}
	return place
}

// reuse takes the trees from an earlier model that would come out the same: it
// was learned from the same rows in the same way, and the labels are the same.
func (k *task) reuse(before *Model) {
	if !bytes.Equal(before.file.Matrix, k.digest[:]) || before.file.Options != k.opt.toFile() {
		return
	}
	column := make([]int32, len(before.Features))
	for i, f := range before.Features {
		c, ok := slices.BinarySearchFunc(k.matrix.columns, f, compareFeatures)
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
		t.held.bins, _ = unpackBins(before.file.Targets[i].Bins) // checked when it was read
	}
}
