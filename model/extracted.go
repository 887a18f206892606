package model

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/parallel"
	"github.com/inroad/inroad/model/internal/spill"
	"github.com/inroad/inroad/model/observation"
)

// extractionVersion is the version of feature extraction. It must be increased whenever
// extraction changes, because callers keep features.
const extractionVersion = 1

// FeatureKey returns a digest of everything that the features of an input depend on: the
// grammar and options of the trainer. [Trainer.Decode] decodes the features that a trainer
// with the same key has encoded.
func (t *Trainer) FeatureKey() [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "extraction %d, numbering %d, grammar %s, start %q, k %d, trivia %t, extras %d, limits %+v",
		extractionVersion, grammars.NumberingVersion, t.grammar.Digest, t.grammar.Start, t.opt.K, t.opt.Trivia, t.opt.Extras, t.opt.Limits)
	return [sha256.Size]byte(h.Sum(nil))
}

// Extracted holds the features of a block of inputs. It belongs to the trainer that
// returned it.
type Extracted struct {
	trainer *Trainer
	inputs  []extracted

	// If the features were decoded, the inputs refer to this list.
	list  []Feature
	index []int32 // by position in list: index into Trainer.features, or -1
}

// Extract extracts the features of the inputs of observations.
func (t *Trainer) Extract(ctx context.Context, observations []observation.Observation) (*Extracted, error) {
	x := &Extracted{trainer: t, inputs: make([]extracted, len(observations))}
	err := t.eachInput(ctx, len(observations), func(ctx context.Context, s *trainingExtractor, i int) {
		x.inputs[i] = s.extract(ctx, observations[i].Input)
	})
	return x, err
}

// eachInput calls extract for each input, in one goroutine per extractor.
func (t *Trainer) eachInput(ctx context.Context, inputs int, extract func(ctx context.Context, s *trainingExtractor, i int)) error {
	group, ctx := parallel.WithContext(ctx)
	for w, s := range t.extractors {
		group.Go(func() error {
			for i := w; i < inputs; i += len(t.extractors) {
				extract(ctx, s, i)
				if err := context.Cause(ctx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// pathOf returns the path with an ID that was extracted.
func (t *Trainer) pathOf(id uint64) features.Path {
	for _, s := range t.extractors {
		if p := s.paths[id]; p != nil {
			return p
		}
	}
	return nil
}

// AddExtracted adds observations. x has the features of their inputs; it is an error if the
// numbers of inputs differ. After any other error, which comes from the scratch files, the
// trainer cannot be used any more.
func (t *Trainer) AddExtracted(observations []observation.Observation, x *Extracted) error {
	if len(observations) != len(x.inputs) {
		return fmt.Errorf("features of %d inputs: must be those of %d observations", len(x.inputs), len(observations))
	}
	for i, o := range observations {
		if err := t.add(o, x, i); err != nil {
			return err
		}
	}
	return t.spillContents()
}

// featuresOf returns the indices of the features of an input and their first positions. It
// adds the features to the trainer if needed.
func (t *Trainer) featuresOf(x *Extracted, input int) (indices, at []int32) {
	f := &x.inputs[input]
	if f.listed != nil {
		indices = make([]int32, len(f.listed))
		for i, at := range f.listed {
			if x.index[at] < 0 {
				x.index[at] = t.indexOf(x.list[at])
			}
			indices[i] = x.index[at]
		}
		return indices, f.pathAt
	}
	indices = make([]int32, 0, len(f.paths)+len(f.extras))
	for _, id := range f.paths {
		i, ok := t.pathIndex[id]
		if !ok {
			i = t.addPath(id, t.pathOf(id))
		}
		indices = append(indices, i)
	}
	for _, e := range f.extras {
		indices = append(indices, t.indexOf(Feature{Extra: e}))
	}
	return indices, slices.Concat(f.pathAt, f.extraAt)
}

// indexOf returns the index of a path or an extra feature, which it adds if needed.
func (t *Trainer) indexOf(f Feature) int32 {
	if f.Extra == 0 {
		id := pathID(f.Path)
		if i, ok := t.pathIndex[id]; ok {
			return i
		}
		return t.addPath(id, f.Path)
	}
	i, ok := t.extraIndex[f.Extra]
	if !ok {
		i = int32(len(t.features))
		t.extraIndex[f.Extra] = i
		t.features = append(t.features, f)
	}
	return i
}

func (t *Trainer) addPath(id uint64, p features.Path) int32 {
	i := int32(len(t.features))
	t.pathIndex[id] = i
	t.features = append(t.features, Feature{Path: p})
	return i
}

// pathID returns the ID of a path.
func pathID(p features.Path) uint64 {
	id := uint64(0)
	for _, o := range p {
		id = features.Extend(id, o)
	}
	return id
}

// extractedFile is the encoded form of [Extracted].
type extractedFile struct {
	_      struct{}                `cbor:",toarray"`
	Paths  [][]grammars.Occurrence // features of the block: first its paths
	Extras []features.Extra        // then the others
	Kinds  []byte                  // by input
	Rows   []byte                  // of each input with features: its features, ascending, and their first positions
	Errors []grammars.SyntaxError  // of each input outside the grammar
}

// Kinds of inputs in an [extractedFile].
const (
	withFeatures   = iota
	outsideGrammar // has a syntax error
	notExtracted   // exceeds a limit, which may depend on the time
)

// Encode encodes features that [Trainer.Extract] returned.
func (x *Extracted) Encode() ([]byte, error) {
	if x.list != nil {
		return nil, errors.New("decoded features cannot be encoded")
	}
	f := extractedFile{Kinds: make([]byte, len(x.inputs))}
	paths, extras := map[uint64]int32{}, map[features.Extra]int32{}
	for _, in := range x.inputs {
		for _, id := range in.paths {
			if _, ok := paths[id]; !ok {
				paths[id] = int32(len(f.Paths))
				f.Paths = append(f.Paths, x.trainer.pathOf(id))
			}
		}
		for _, e := range in.extras {
			extras[e] = 0
		}
	}
	f.Extras = slices.Sorted(maps.Keys(extras)) // the extractor has no order
	for i, e := range f.Extras {
		extras[e] = int32(len(f.Paths) + i)
	}
	var cells []cell
	var indices, at []int32
	for i, in := range x.inputs {
		if in.err != nil {
			f.Kinds[i] = notExtracted
			if syntax, ok := errors.AsType[*grammars.SyntaxError](in.err); ok {
				f.Kinds[i] = outsideGrammar
				f.Errors = append(f.Errors, *syntax)
			}
			continue
		}
		cells = cells[:0]
		for j, id := range in.paths {
			cells = append(cells, cell{paths[id], in.pathAt[j]})
		}
		for j, e := range in.extras {
			cells = append(cells, cell{extras[e], in.extraAt[j]})
		}
		slices.SortFunc(cells, func(a, b cell) int { return cmp.Compare(a.feature, b.feature) })
		indices, at = indices[:0], at[:0]
		for _, c := range cells {
			indices, at = append(indices, c.feature), append(at, c.at)
		}
		f.Rows = spill.AppendNumbers(spill.AppendAscending(f.Rows, indices), at)
	}
	return cbor.Marshal(f)
}

// A cell is a feature of an input with its first position.
type cell struct{ feature, at int32 }

var errExtracted = errors.New("encoded features: unexpected contents")

// Decode decodes the features of the inputs of observations, which a trainer with the same
// [Trainer.FeatureKey] has encoded. If an input exceeded a limit then, Decode extracts its
// features.
func (t *Trainer) Decode(ctx context.Context, data []byte, observations []observation.Observation) (*Extracted, error) {
	var f extractedFile
	if err := unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("encoded features: %w", err)
	}
	if len(f.Kinds) != len(observations) {
		return nil, errExtracted
	}
	x := &Extracted{trainer: t, inputs: make([]extracted, len(f.Kinds)), list: make([]Feature, 0, len(f.Paths)+len(f.Extras))}
	for _, p := range f.Paths {
		x.list = append(x.list, Feature{Path: p})
	}
	for _, e := range f.Extras {
		x.list = append(x.list, Feature{Extra: e})
	}
	if slices.ContainsFunc(x.list, func(f Feature) bool { return !f.valid(t.grammar) }) {
		return nil, errExtracted
	}
	x.index = slices.Repeat([]int32{-1}, len(x.list))
	limited, err := x.decodeInputs(&f)
	if err != nil {
		return nil, err
	}
	err = t.eachInput(ctx, len(limited), func(ctx context.Context, s *trainingExtractor, i int) {
		x.inputs[limited[i]] = s.extract(ctx, observations[limited[i]].Input)
	})
	return x, err
}

// decodeInputs decodes the features of the inputs. It returns the indices of the inputs
// that exceeded a limit.
func (x *Extracted) decodeInputs(f *extractedFile) (limited []int, err error) {
	rows, syntax := f.Rows, f.Errors
	for i, kind := range f.Kinds {
		in := &x.inputs[i]
		switch {
		case kind == withFeatures:
			if in.listed, rows, err = spill.DecodeAscending(rows, []int32{}); err == nil {
				in.pathAt, rows, err = spill.DecodeNumbers(rows, make([]int32, 0, len(in.listed)))
			}
			if err != nil {
				return nil, err
			}
			for _, n := range in.listed {
				if n < 0 || int(n) >= len(x.list) {
					return nil, errExtracted
				}
			}
			if len(in.listed) != len(in.pathAt) {
				return nil, errExtracted
			}
		case kind == outsideGrammar && len(syntax) > 0:
			in.err, syntax = &syntax[0], syntax[1:]
		case kind == notExtracted:
			limited = append(limited, i)
		default:
			return nil, errExtracted
		}
	}
	if len(rows) > 0 || len(syntax) > 0 {
		return nil, errExtracted
	}
	return limited, nil
}
