package model

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/fxamacker/cbor/v2"

	"github.com/inroad/inroad/model/logit"
)

// Shards compute parts of a training, in this process or in others that have the same
// observations.
type Shards interface {
	// Run returns the results of the shards 0 to n-1 of a training. Trainings with the same
	// plan have the same results. Run calls compute for shards that no other process
	// computes, one call at a time, and others for shards that another process has computed.
	Run(ctx context.Context, plan []byte, n int, compute func(ctx context.Context, shards []int) ([][]byte, error), others func(shards []int)) ([][]byte, error)
}

// maxShards is the maximum number of shards of a training. Each call of compute learns
// the refusals and the outcomes of each fold again.
const maxShards = 8

// runShards grows all trees of the targets and cross-validates them, like runTargets. A
// shard has every n-th group of targets with equal labels. It needs all rows and columns,
// as a whole training does, but its result has only trees and counts.
func (k *task) runShards(ctx context.Context, targets []*target) error {
	groups := groupByLabels(targets)
	if len(groups) == 0 {
		return nil
	}
	shards := make([][]*target, min(maxShards, len(groups)))
	for i, group := range groups {
		for _, t := range group {
			shards[i%len(shards)] = append(shards[i%len(shards)], targets[t])
		}
	}
	plan, err := k.plan(targets)
	if err != nil {
		return err
	}
	compute := func(ctx context.Context, numbers []int) ([][]byte, error) {
		var part []*target
		for _, n := range numbers {
			part = append(part, shards[n]...)
		}
		if err := k.runTargets(ctx, part); err != nil {
			return nil, err
		}
		out := make([][]byte, len(numbers))
		for i, n := range numbers {
			if out[i], err = encodeShard(shards[n]); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	results, err := k.opt.Shards.Run(ctx, plan, len(shards), compute, func(numbers []int) {
		for _, n := range numbers {
			k.progress.add(k.treeCount(shards[n]))
		}
	})
	if err != nil {
		return err
	}
	if len(results) != len(shards) {
		return fmt.Errorf("%d results of shards: must be %d", len(results), len(shards))
	}
	for i, result := range results {
		if err := k.decodeShard(result, shards[i]); err != nil {
			return fmt.Errorf("result of shard %d: %w", i, err)
		}
	}
	return nil
}

// plan returns a digest of everything that the trees of the targets depend on. It
// includes the build of inroad, because another build may learn other trees, or compute
// with another precision.
func (k *task) plan(targets []*target) ([]byte, error) {
	h := sha256.New()
	if build, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(h, build)
	}
	options, err := cbor.Marshal(k.opt.toFile())
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(h, "%x %x %d %q\n", options, k.digest, len(k.view.matrix.columns), k.outcomes)
	for _, t := range targets {
		fmt.Fprintf(h, "%t %q %x\n", t.unit, t.name, t.digest)
	}
	return h.Sum(nil), nil
}

// shardTarget is the encoded result of a target.
type shardTarget struct {
	_          struct{} `cbor:",toarray"`
	Tree       []int32
	Held       Confusion
	Bins       []int32
	Overruled  [2][2]int32
	Allowed    overruling
	Regression *logit.Regression
}

func encodeShard(targets []*target) ([]byte, error) {
	out := make([]shardTarget, len(targets))
	for i, t := range targets {
		o := t.held.overruled
		out[i] = shardTarget{
			Tree: packTree(t.tree), Held: t.held.confusion, Bins: packBins(t.held.bins),
			Overruled: [2][2]int32{{o[0].rows, o[0].positives}, {o[1].rows, o[1].positives}}, Allowed: t.allowed, Regression: t.regression,
		}
	}
	return cbor.Marshal(out)
}

// decodeShard sets the results of targets.
func (k *task) decodeShard(data []byte, targets []*target) error {
	var results []shardTarget
	if err := unmarshal(data, &results); err != nil {
		return err
	}
	if len(results) != len(targets) {
		return fmt.Errorf("%d targets: must be %d", len(results), len(targets))
	}
	columns := int32(len(k.view.matrix.columns))
	for i, r := range results {
		t := targets[i]
		var err error
		if t.tree, err = unpackTree(r.Tree); err == nil {
			err = t.tree.Check(int(columns))
		}
		if err != nil {
			return err
		}
		if t.held.bins, err = unpackBins(r.Bins); err != nil {
			return err
		}
		t.held.confusion, t.allowed, t.regression = r.Held, r.Allowed, r.Regression
		for j, o := range r.Overruled {
			t.held.overruled[j] = bin{o[0], o[1]}
		}
		if r.Regression != nil && slices.ContainsFunc(r.Regression.Terms, func(term logit.Term) bool { return term.Column < 0 || term.Column >= columns }) {
			return errors.New("a term of a regression has an unknown column")
		}
	}
	return nil
}
