package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

// newTrainer returns a trainer for JSON.
func newTrainer(tb testing.TB, opt Options) *Trainer {
	tb.Helper()
	trainer, err := NewTrainer(tb.Context(), "", jsonSources(tb), opt)
	if err != nil {
		tb.Fatal(err)
	}
	return trainer
}

// encodeFeatures returns the encoded features of the inputs of observations.
func encodeFeatures(tb testing.TB, trainer *Trainer, observations []observation.Observation) []byte {
	tb.Helper()
	x, err := trainer.Extract(tb.Context(), observations)
	if err != nil {
		tb.Fatal(err)
	}
	data, err := x.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// A model has the same bytes whether features were extracted or decoded, also if inputs
// are outside the grammar or exceed a limit, and if data is in scratch files.
func TestDecodedSameBytes(t *testing.T) {
	observations := contradictory(150)
	observations[20].Input = []byte(strings.Repeat("[", 40) + strings.Repeat("]", 40))
	opt := Defaults()
	opt.Folds, opt.Limits = 3, grammars.Limits{Depth: 50}
	want := write(t, train(t, observations, opt))
	for i, memory := range []int64{0, 1 << 18} {
		folder := &scratchFolder{dir: t.TempDir()}
		opt := opt
		opt.Memory, opt.Workers, opt.Scratch = memory, 1+i, folder.create
		trainer := newTrainer(t, opt)
		trainer.AddHeader(observation.Header{Subject: "rules"})
		for i, part := range slices.Collect(slices.Chunk(observations, 31)) {
			var x *Extracted
			var err error
			if i%3 == 1 { // a mixture
				x, err = trainer.Extract(t.Context(), part)
			} else {
				x, err = trainer.Decode(t.Context(), encodeFeatures(t, newTrainer(t, opt), part), part)
			}
			if err == nil {
				err = trainer.AddExtracted(part, x)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got := trainer.Stats(); got.Limited == 0 || got.Outside == 0 {
			t.Errorf("no input was limited or outside the grammar: %+v", got)
		}
		m, err := trainer.Train(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(write(t, m), want) {
			t.Errorf("%d bytes of memory: the model differs from that of extracted features", memory)
		}
		if err := trainer.Close(); err != nil {
			t.Error(err)
		}
	}
}

// The error of a training without usable observations is the same with decoded features.
func TestDecodedSyntaxError(t *testing.T) {
	outside := []observation.Observation{{Input: []byte(`{"a" 1}`), Methods: []string{"f"}, Outcome: observation.OK}}
	var texts []string
	for _, decode := range []bool{false, true} {
		trainer := newTrainer(t, Defaults())
		x, err := trainer.Extract(t.Context(), outside)
		if decode {
			x, err = trainer.Decode(t.Context(), encodeFeatures(t, trainer, outside), outside)
		}
		if err == nil {
			err = trainer.AddExtracted(outside, x)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = trainer.Train(t.Context(), nil)
		texts = append(texts, fmt.Sprint(err))
	}
	if texts[0] != texts[1] || !strings.Contains(texts[0], "outside grammar") {
		t.Errorf("got %q, want %q", texts[1], texts[0])
	}
}

// Options that change the features of an input change the key.
func TestFeatureKey(t *testing.T) {
	seen := map[[sha256.Size]byte]string{}
	for name, change := range map[string]func(opt *Options){
		"none": func(*Options) {}, "k": func(opt *Options) { opt.K = 3 }, "trivia": func(opt *Options) { opt.Trivia = false },
		"extras": func(opt *Options) { opt.Extras = 0 }, "limits": func(opt *Options) { opt.Limits.Depth = 7 },
	} {
		opt := Defaults()
		change(&opt)
		key := newTrainer(t, opt).FeatureKey()
		if other, ok := seen[key]; ok {
			t.Errorf("%s and %s have the same key", name, other)
		}
		seen[key] = name
	}
	opt := Defaults()
	opt.Seed, opt.MaxDepth, opt.Workers, opt.Memory = 9, 3, 2, 1<<30
	if _, ok := seen[newTrainer(t, opt).FeatureKey()]; !ok {
		t.Error("options that do not change the features change the key")
	}
}

// Features of earlier versions are kept. If this test fails because inputs have other
// features on purpose, increase extractionVersion.
func TestExtractionVersion(t *testing.T) {
	opt := Defaults()
	opt.Extras = features.AllKinds()
	var all []observation.Observation
	for _, input := range []string{`{}`, `[1, -2.5e3, [], {"a": "b", "a": null}]`, `{"k": [true, false, "\u00e4\n"]} `, "\t[ ]", `[`} {
		all = append(all, observation.Observation{Input: []byte(input)})
	}
	digest := sha256.Sum256(encodeFeatures(t, newTrainer(t, opt), all))
	const want = "1 ebe9bcb310547581"
	if got := fmt.Sprintf("%d %s", extractionVersion, hex.EncodeToString(digest[:8])); got != want {
		t.Errorf("got features %s, want %s", got, want)
	}
}

// Damaged features are an error.
func FuzzDecode(f *testing.F) {
	observations := contradictory(20)
	data := encodeFeatures(f, newTrainer(f, Defaults()), observations)
	f.Add(data)
	for i := 0; i < len(data); i += 97 {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x41
		f.Add(damaged)
		f.Add(data[:i])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fresh := newTrainer(t, Defaults())
		x, err := fresh.Decode(t.Context(), data, observations)
		if err != nil {
			return
		}
		if err := fresh.AddExtracted(observations, x); err != nil {
			t.Error(err)
		}
	})
}

// BenchmarkFeatures extracts the features of a block of 512 inputs, and decodes them.
func BenchmarkFeatures(b *testing.B) {
	observations := observe(1, 512)
	trainer := newTrainer(b, Defaults())
	data := encodeFeatures(b, trainer, observations)
	size := 0
	for _, o := range observations {
		size += len(o.Input)
	}
	b.Run("extract", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			if _, err := trainer.Extract(b.Context(), observations); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(size))
		b.ReportMetric(float64(len(data))/float64(size), "encoded/input")
		for b.Loop() {
			if _, err := trainer.Decode(b.Context(), data, observations); err != nil {
				b.Fatal(err)
			}
		}
	})
}
