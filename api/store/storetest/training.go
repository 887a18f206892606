package storetest

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// testTraining trains on stored observations. The model equals, byte for byte, one that
// is trained on a file of the observations, whatever the memory limit and the number of
// workers.
func testTraining(t *testing.T, open func() store.Store) {
	s := open()
	want := PutTraining(t, s)
	const little = 2 << 20
	for _, memory := range []int64{0, little, little + 1<<19} {
		for _, workers := range []int{1, 2, 4} {
			e := &api.Engine{Library: &api.Files{}, Workers: workers, MaxMemory: memory}
			if got := trainWith(t, e, storedBlocks(t.Context(), s)); !bytes.Equal(got, want) {
				t.Errorf("%d bytes of memory, %d workers: the model differs from that of the file", memory, workers)
			}
		}
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "absent"))
	t.Setenv("TMP", filepath.Join(t.TempDir(), "absent"))
	e := &api.Engine{Library: &api.Files{}, Workers: 1, MaxMemory: little}
	if _, err := learn(t.Context(), e, api.Learning{Blocks: storedBlocks(t.Context(), s)}); err == nil || !strings.HasPrefix(err.Error(), "create a temporary file: ") {
		t.Errorf("without a folder for temporary files: got %v, want an error", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// PutTraining stores observations, and returns a model that is trained on a file of them.
func PutTraining(t *testing.T, s store.Store) []byte {
	t.Helper()
	var file bytes.Buffer
	all := trainingData()
	header := observation.Header{Subject: "p", Commit: "c", Units: []observation.Unit{
		{ID: "f#read", Kind: observation.KindMethod, Name: "read"}, {ID: "f#never", Kind: observation.KindMethod, Name: "never"},
	}}
	w, err := observation.NewWriter(&file, header)
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(all, 30) {
		if _, err := s.AddObservations(t.Context(), "p", "c", header.Units, part); err != nil {
			t.Fatal(err)
		}
		for _, o := range part {
			if err := w.Write(o); err != nil {
				t.Fatal(err)
			}
		}
	}
	return trainWith(t, &api.Engine{Library: &api.Files{}, Workers: 1}, (observation.Sources{Files: []observation.File{{Reader: &file}}}).Blocks())
}

// Train trains a model on the observations of PutTraining, which it reads from a store.
func Train(ctx context.Context, s store.Store, shards model.Shards) ([]byte, error) {
	e := &api.Engine{Library: &api.Files{}, Workers: 1}
	return learn(ctx, e, api.Learning{Blocks: storedBlocks(ctx, s), Shards: shards})
}

// trainingData returns observations of a program that reads JSON.
func trainingData() []observation.Observation {
	var out []observation.Observation
	for i := range 120 {
		o := observed(fmt.Sprintf(`{"k%d": [%d, %t], "s": "%s"}`, i%7, i, i%3 == 0, strings.Repeat("x", i%11)), "f#read", fmt.Sprint("f#k", i%7))
		if i%3 == 0 {
			o.Methods = append(o.Methods, "f#bool")
		}
		if i%10 == 4 {
			o.Outcome, o.Failure = observation.Failed, &observation.Failure{Type: "E"}
		}
		out = append(out, o.Normalized())
	}
	return out
}

func storedBlocks(ctx context.Context, s store.Store) iter.Seq2[observation.Block, error] {
	return func(yield func(observation.Block, error) bool) {
		header, err := s.Header(ctx, "p", "c")
		if !yield(observation.Block{Header: header}, err) || err != nil {
			return
		}
		for block, err := range s.Observations(ctx, "p", "c") {
			if !yield(observation.Block{Observations: block}, err) {
				return
			}
		}
	}
}

// trainWith returns the bytes of a model.
func trainWith(t *testing.T, e *api.Engine, blocks iter.Seq2[observation.Block, error]) []byte {
	file, err := learn(t.Context(), e, api.Learning{Blocks: blocks})
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func learn(ctx context.Context, e *api.Engine, l api.Learning) ([]byte, error) {
	g, err := e.Library.Grammar(ctx, "json")
	if err != nil {
		return nil, err
	}
	l.Grammar, l.Options = g, openapi.TrainOptions{Folds: 2, K: 2, Seed: new(openapi.Seed(1))}
	m, err := e.Learn(ctx, l)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = m.Write(&out)
	return out.Bytes(), err
}
