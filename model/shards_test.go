package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
)

// memoryShards shares shards among trainings of this process.
type memoryShards struct {
	claim int // shards of a call of compute

	mu       sync.Mutex
	changed  *sync.Cond
	plan     []byte
	claimed  int
	results  [][]byte
	computed int
	shared   int // shards that another training has computed
}

func newMemoryShards(claim int) *memoryShards {
	s := &memoryShards{claim: claim}
	s.changed = sync.NewCond(&s.mu)
	return s
}

var errPlan = errors.New("another plan")

// Run implements [Shards].
func (s *memoryShards) Run(ctx context.Context, plan []byte, n int, compute func(ctx context.Context, shards []int) ([][]byte, error), others func(shards []int)) ([][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.results == nil {
		s.plan, s.results = plan, make([][]byte, n)
	}
	if !bytes.Equal(plan, s.plan) || n != len(s.results) {
		return nil, errPlan
	}
	own := 0
	for s.claimed < n {
		var shards []int
		for ; len(shards) < s.claim && s.claimed < n; s.claimed++ {
			shards = append(shards, s.claimed)
		}
		own += len(shards)
		s.mu.Unlock()
		results, err := compute(ctx, shards)
		s.mu.Lock()
		if err != nil {
			return nil, err
		}
		for i, shard := range shards {
			s.results[shard] = results[i]
			s.computed++
		}
		s.changed.Broadcast()
	}
	for s.computed < n {
		s.changed.Wait()
	}
	for range n - own {
		others([]int{0})
		s.shared++
	}
	return s.results, nil
}

// trainShared returns a model of a training that shares its shards with others.
func trainShared(t *testing.T, s Shards, observations []observation.Observation, before *Model, opt Options) (*Model, error) {
	t.Helper()
	folder := &scratchFolder{dir: t.TempDir()}
	opt.Shards, opt.Scratch = s, folder.create
	trainer, err := NewTrainer(t.Context(), "", jsonSources(t), opt)
	if err != nil {
		return nil, err
	}
	trainer.AddHeader(observation.Header{Subject: "rules"})
	if err := trainer.Add(t.Context(), observations); err != nil {
		return nil, err
	}
	m, err := trainer.Train(t.Context(), before)
	return m, errors.Join(err, trainer.Close())
}

// A model has the same bytes whether one training computes all shards or several do, with
// data in memory or in scratch files, also if it reuses trees of an earlier model.
func TestShardsSameBytes(t *testing.T) {
	observations := contradictory(150)
	opt := Defaults()
	opt.Folds = 3
	before := train(t, observations, opt)
	for _, reused := range []*Model{nil, before} {
		if reused != nil {
			for i := range observations { // one label changes
				if i%7 == 0 && observations[i].Methods != nil {
					observations[i].Methods = append(slices.Clone(observations[i].Methods), "added")
				}
			}
		}
		m, err := trainShared(t, nil, observations, reused, opt)
		if err != nil {
			t.Fatal(err)
		}
		want := write(t, m)
		for _, trainings := range []int{1, 2, 4} {
			t.Run(fmt.Sprintf("%d trainings, reused %t", trainings, reused != nil), func(t *testing.T) {
				shared := newMemoryShards(1 + trainings%2)
				var group errgroup.Group
				for i := range trainings {
					group.Go(func() error {
						opt := opt
						opt.Memory, opt.Workers = int64(i%2)<<18, 1+i%2
						last, total := 0, 0
						opt.Progress = func(done, of int) { last, total = done, of }
						m, err := trainShared(t, shared, observations, reused, opt)
						if err != nil {
							return err
						}
						if !bytes.Equal(write(t, m), want) {
							return errors.New("the model differs from that of a training alone")
						}
						if last > total || total == 0 {
							return fmt.Errorf("progress: %d of %d trees", last, total)
						}
						return nil
					})
				}
				if err := group.Wait(); err != nil {
					t.Error(err)
				}
				if n := len(shared.results); n < 2 || shared.shared != (trainings-1)*n {
					t.Errorf("%d trainings used %d results of %d shards of each other, want %d", trainings, shared.shared, n, (trainings-1)*n)
				}
			})
		}
	}
}

// trainedShards returns the shards of a training, with its observations and options.
func trainedShards(t *testing.T) (*memoryShards, []observation.Observation, Options) {
	t.Helper()
	observations := contradictory(60)
	opt := Defaults()
	opt.Folds = 2
	shared := newMemoryShards(1)
	if _, err := trainShared(t, shared, observations, nil, opt); err != nil {
		t.Fatal(err)
	}
	return shared, observations, opt
}

// Trainings with other observations or options have another plan.
func TestShardsPlan(t *testing.T) {
	shared, observations, opt := trainedShards(t)
	if _, err := trainShared(t, shared, observations[1:], nil, opt); !errors.Is(err, errPlan) {
		t.Errorf("other observations: %v, want %v", err, errPlan)
	}
	renamed := slices.Clone(observations)
	for i, o := range renamed {
		renamed[i].Methods = nil
		for _, m := range o.Methods {
			renamed[i].Methods = append(renamed[i].Methods, "x"+m)
		}
	}
	if _, err := trainShared(t, shared, renamed, nil, opt); !errors.Is(err, errPlan) {
		t.Errorf("other methods: %v, want %v", err, errPlan)
	}
	opt.Seed++
	if _, err := trainShared(t, shared, observations, nil, opt); !errors.Is(err, errPlan) {
		t.Errorf("another seed: %v, want %v", err, errPlan)
	}
}

// Results that do not fit are an error.
func TestShardsDamaged(t *testing.T) {
	shared, observations, opt := trainedShards(t)
	whole := shared.results
	for _, damage := range []func(results [][]byte){
		func(results [][]byte) { results[0] = nil },
		func(results [][]byte) { results[0] = results[0][:len(results[0])/2] },
		func(results [][]byte) { results[0] = []byte{0x80} }, // no targets
	} {
		shared.results = slices.Clone(whole)
		damage(shared.results)
		if _, err := trainShared(t, shared, observations, nil, opt); err == nil {
			t.Error("a damaged result: got no error")
		}
	}
}

// TestLargeShard checks that the result of a shard with a large tree can be decoded.
func TestLargeShard(t *testing.T) {
	const leaves = 40_000
	var tree dtree.Tree // the children of an inner node are a leaf and the next inner node
	for i := range int32(leaves - 1) {
		tree = append(tree, dtree.Node{Absent: 2*i + 1, Rows: leaves - i}, dtree.Node{Column: -1, Rows: 1})
	}
	tree = append(tree, dtree.Node{Column: -1, Rows: 1})
	data, err := encodeShard([]*target{{tree: tree}})
	if err != nil {
		t.Fatal(err)
	}
	k := &task{view: &view{matrix: &matrix{columns: make([]Feature, 1)}}}
	var decoded target
	if err := k.decodeShard(data, []*target{&decoded}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(decoded.tree, tree) {
		t.Error("the decoded tree differs")
	}
}
