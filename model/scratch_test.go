package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
)

// scratchFolder creates scratch files and counts those that are open.
type scratchFolder struct {
	dir           string
	created, open atomic.Int64
}

func (s *scratchFolder) create() (ScratchFile, error) {
	f, err := os.CreateTemp(s.dir, "")
	if err != nil {
		return nil, err
	}
	s.created.Add(1)
	s.open.Add(1)
	return &scratchFile{f, s}, nil
}

type scratchFile struct {
	*os.File
	folder *scratchFolder
}

func (f *scratchFile) Close() error {
	f.folder.open.Add(-1)
	return f.File.Close()
}

// contradictory returns observations with refusals, inputs outside the grammar, unknown
// methods, duplicates, and different results for the same input.
func contradictory(n int) []observation.Observation {
	all := observe(1, n)
	for i := range all {
		switch i % 17 {
		case 3:
			again := all[i]
			again.Methods = append(slices.Clone(again.Methods), fmt.Sprint("sometimes", i%5))
			all = append(all, again, all[i])
		case 5:
			all[i].Methods = nil
		case 7:
			all[i].Outcome, all[i].Failure = observation.Failed, &observation.Failure{Type: fmt.Sprint("E", i%2), Message: "line 1, column 2"}
			all[i].Methods = all[i].Methods[:len(all[i].Methods)/2]
		case 11:
			all[i].Input = append([]byte("]"), all[i].Input...)
		case 13:
			all[i].Outcome = observation.Crashed
		}
	}
	return all
}

// The model has the same bytes whether training data is in memory or in scratch files,
// whatever the memory, the size of the blocks and the number of workers.
func TestScratchSameBytes(t *testing.T) {
	observations := contradictory(150)
	opt := Defaults()
	opt.Folds = 3
	want := write(t, train(t, observations, opt))
	for _, memory := range []int64{1, 1 << 18, 1 << 20} {
		for _, workers := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%d bytes, %d workers", memory, workers), func(t *testing.T) {
				folder := &scratchFolder{dir: t.TempDir()}
				opt := opt
				opt.Memory, opt.Workers, opt.Scratch = memory, workers, folder.create
				trainer, err := NewTrainer(t.Context(), "", jsonSources(t), opt)
				if err != nil {
					t.Fatal(err)
				}
				trainer.AddHeader(observation.Header{Subject: "rules"})
				for part := range slices.Chunk(observations, 7*workers) {
					if err := trainer.Add(t.Context(), part); err != nil {
						t.Fatal(err)
					}
				}
				for range 2 { // a trainer can be used again
					m, err := trainer.Train(t.Context(), nil)
					if err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(write(t, m), want) {
						t.Error("the model differs from that of a training in memory")
					}
				}
				if err := trainer.Close(); err != nil {
					t.Error(err)
				}
				if folder.created.Load() == 0 || folder.open.Load() != 0 {
					t.Errorf("%d scratch files created, %d still open", folder.created.Load(), folder.open.Load())
				}
			})
		}
	}
}

// A scratch file that fails ends the training with its error, and no file stays open.
func TestScratchErrors(t *testing.T) {
	failure := errors.New("no space left")
	observations := contradictory(60)
	ended := false
	for calls := 1; !ended; calls += 1 + calls/8 {
		folder := &scratchFolder{dir: t.TempDir()}
		left := int64(calls)
		opt := Defaults()
		opt.Memory, opt.Folds = 1, 2
		opt.Scratch = func() (ScratchFile, error) {
			f, err := folder.create()
			return &failingFile{f, &left, failure}, err
		}
		_, err := Train(t.Context(), "", jsonSources(t), observation.Header{}, observations, opt)
		ended = err == nil
		if !ended && !errors.Is(err, failure) {
			t.Fatalf("after %d calls: got %v, want %v", calls, err, failure)
		}
		if n := folder.open.Load(); n != 0 {
			t.Fatalf("after %d calls: %d scratch files are open", calls, n)
		}
	}
}

// A failingFile fails after some calls.
type failingFile struct {
	ScratchFile
	left *int64
	err  error
}

func (f *failingFile) ReadAt(p []byte, at int64) (int, error) {
	if atomic.AddInt64(f.left, -1) < 0 {
		return 0, f.err
	}
	return f.ScratchFile.ReadAt(p, at)
}

func (f *failingFile) WriteAt(p []byte, at int64) (int, error) {
	if atomic.AddInt64(f.left, -1) < 0 {
		return 0, f.err
	}
	return f.ScratchFile.WriteAt(p, at)
}

// A training with scratch files ends when its context ends.
func TestScratchCancel(t *testing.T) {
	folder := &scratchFolder{dir: t.TempDir()}
	cause := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	opt := Defaults()
	opt.Memory, opt.Scratch = 1, folder.create
	opt.Progress = func(int, int) { cancel(cause) }
	_, err := Train(ctx, "", jsonSources(t), observation.Header{}, contradictory(100), opt)
	if diff := cmp.Diff(cause.Error(), fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
	if n := folder.open.Load(); n != 0 {
		t.Errorf("%d scratch files are open", n)
	}
}
