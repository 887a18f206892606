package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"github.com/inroad/inroad/grammars"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestReadModelErrors(t *testing.T) {
	good := write(t, train(t, observe(1, 60), Defaults()))
	flipped := slices.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for _, tc := range []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "not a model file"},
		{"another file", []byte("package model\n"), "not a model file"},
		{"a later version", []byte("inroad model 4\n"), `format version "4"`},
		{"a strange version", []byte("inroad model " + strings.Repeat("9", 1000) + "\n"), `format version "99999999999999999999"`},
		{"only the beginning", good[:20], "truncated file"},
		{"cut off", good[:len(good)-1], "digest mismatch"},
		{"changed", flipped, "digest mismatch"},
		{"longer", append(slices.Clone(good), 0), "digest mismatch"},
		{"no CBOR", sealed([]byte{0xff}), "malformed contents"},
		{"an empty map", sealed([]byte{0xa0}), "inconsistent contents"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := ReadModel(context.Background(), bytes.NewReader(tc.file))
			if _, ok := errors.AsType[*FileError](err); !ok || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want a FileError with %q", err, tc.want)
			}
		})
	}
}

// sealed returns a model file with the body and its digest.
func sealed(body []byte) []byte {
	digest := sha256.Sum256(body)
	return slices.Concat([]byte("inroad model 1\n"), digest[:], body)
}

// TestReadHostileModel changes the contents of a model file and updates its
// digest. The file must be rejected, or the model must predict.
func TestReadHostileModel(t *testing.T) {
	m := train(t, observe(1, 60), Defaults())
	for name, change := range map[string]func(*modelFile){
		"numbering":                  func(f *modelFile) { f.Numbering++ },
		"no grammar":                 func(f *modelFile) { f.Sources = nil },
		"another grammar":            func(f *modelFile) { f.Sources[0].Text = "grammar a; a : 'b' EOF ;" },
		"no such start":              func(f *modelFile) { f.Start = "nosuch" },
		"another digest":             func(f *modelFile) { f.Grammar = "0" },
		"no such kind of overruling": func(f *modelFile) { f.Targets[len(f.Targets)-1].Regression = &regressionFile{Allowed: 4} },
		"half a term": func(f *modelFile) {
			f.Targets[len(f.Targets)-1].Regression = &regressionFile{Allowed: 1, Terms: []int32{0}}
		},
		"a weight of an unknown feature": func(f *modelFile) {
			f.Targets[len(f.Targets)-1].Regression = &regressionFile{Allowed: 1, Terms: []int32{1 << 20, 1}}
		},
		"two weights of a feature": func(f *modelFile) {
			f.Targets[len(f.Targets)-1].Regression = &regressionFile{Allowed: 1, Terms: []int32{0, 1, 0, 1}}
		},
		"more overruled positives than rows": func(f *modelFile) {
			f.Targets[len(f.Targets)-1].Regression = &regressionFile{Allowed: 1, Overruled: [4]int32{1, 2, 0, 0}}
		},
		"k of 0":                func(f *modelFile) { f.Options.K = 0 },
		"k of 100":              func(f *modelFile) { f.Options.K = 100 },
		"units out of order":    func(f *modelFile) { slices.Reverse(f.Units) },
		"a unit twice":          func(f *modelFile) { f.Units[1] = f.Units[0] },
		"outcomes out of order": func(f *modelFile) { slices.Reverse(f.Outcomes) },
		"fewer trees":           func(f *modelFile) { f.Targets = f.Targets[1:] },
		"half a tree":           func(f *modelFile) { f.Targets[0].Tree = f.Targets[0].Tree[:3] },
		"no tree":               func(f *modelFile) { f.Targets[3].Tree = nil },
		"a tree in a circle":    func(f *modelFile) { f.Targets[3].Tree = []int32{0, 0, 60, 0} },
		"an unknown feature":    func(f *modelFile) { f.Targets[3].Tree[0] = 1 << 30 },
		"other rows":            func(f *modelFile) { f.Rows++ },
		"negative rows":         func(f *modelFile) { f.Rows = -1 },
		"half a bin":            func(f *modelFile) { f.Targets[3].Bins = []int32{1} },
		"a bin out of bounds":   func(f *modelFile) { f.Targets[3].Bins = []int32{1000, 1, 1} },
		"half a path's ID":      func(f *modelFile) { f.Seen = f.Seen[:4] },
		"IDs out of order":      func(f *modelFile) { slices.Reverse(f.Seen) },
		"a path out of bounds":  func(f *modelFile) { f.Features[0] = featureFile{Path: []grammars.Occurrence{1 << 20}} },
		"a negative path":       func(f *modelFile) { f.Features[0] = featureFile{Path: []grammars.Occurrence{-1}} },
		"an empty feature":      func(f *modelFile) { f.Features[0] = featureFile{} },
		"two features in one":   func(f *modelFile) { f.Features[0].Extra = 1 },
		"a strange extra":       func(f *modelFile) { f.Features[0] = featureFile{Extra: 1 << 63} },
		"an unknown outcome":    func(f *modelFile) { f.Features[0] = featureFile{Outcome: "nosuch"} },
		"fewer reached outside": func(f *modelFile) { f.Outside.Reached = nil },
		"half a digest":         func(f *modelFile) { f.Recorded.Digests = f.Recorded.Digests[1:] },
		"fewer recorded sets":   func(f *modelFile) { f.Recorded.Sets = nil },
		"too many sets":         func(f *modelFile) { f.Recorded.Count = 1 << 40 },
	} {
		t.Run(name, func(t *testing.T) {
			body, err := m.file.encode()
			if err != nil {
				t.Fatal(err)
			}
			var f modelFile
			if err := cbor.Unmarshal(body, &f); err != nil {
				t.Fatal(err)
			}
			change(&f)
			if body, err = f.encode(); err != nil {
				t.Fatal(err)
			}
			_, err = ReadModel(context.Background(), bytes.NewReader(sealed(body)))
			if _, ok := errors.AsType[*FileError](err); !ok {
				t.Errorf("got %v, want a FileError", err)
			}
		})
	}
}

// TestReadDamagedModel changes single bytes of a model file and updates its
// digest. The file must be rejected, or the model must predict.
func TestReadDamagedModel(t *testing.T) {
	m := train(t, observe(1, 40), Defaults())
	body, err := m.file.encode()
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 150 {
		damaged := slices.Clone(body)
		damaged[r.IntN(len(damaged))] = byte(r.Uint32())
		askDamaged(t, sealed(damaged))
	}
}

func askDamaged(t *testing.T, file []byte) {
	t.Helper()
	m, err := ReadModel(context.Background(), bytes.NewReader(file))
	if err != nil {
		if _, ok := errors.AsType[*FileError](err); !ok {
			t.Errorf("got %v, want a FileError", err)
		}
		return
	}
	if _, err := m.Predict(t.Context(), []byte(`[1,{"a":null}]`), grammars.Limits{}); err != nil {
		t.Error(err)
	}
	for unit := range m.Units {
		m.Explain(unit, true)
	}
	for i := range m.Recorded() {
		digest := append(slices.Clone(m.file.Recorded.Digests[i*recordedDigest:][:recordedDigest]), make([]byte, sha256.Size-recordedDigest)...)
		if _, _, err := m.ReachedBy([sha256.Size]byte(digest)); err != nil {
			if _, ok := errors.AsType[*FileError](err); !ok {
				t.Errorf("got %v, want a FileError", err)
			}
		}
	}
}

func FuzzReadModel(f *testing.F) {
	body, err := train(f, observe(1, 20), Defaults()).file.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(body)
	f.Add([]byte{0xa0})
	f.Fuzz(func(t *testing.T, body []byte) { askDamaged(t, sealed(body)) })
}

// TestGoldenModel reads a file of the first format version.
func TestGoldenModel(t *testing.T) {
	const name = "testdata/version1.model"
	if *update {
		if err := os.WriteFile(name, write(t, train(t, observe(1, 600), Defaults())), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	m, err := ReadModel(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Predict(t.Context(), []byte("[null]"), grammars.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var reached []string
	for i, p := range a.Methods {
		if p.Reached {
			reached = append(reached, m.Units[i].ID)
		}
	}
	if got, want := strings.Join(reached, ", "), "always, array, null and array"; got != want {
		t.Errorf("[null] reaches %s, want %s", got, want)
	}
}
