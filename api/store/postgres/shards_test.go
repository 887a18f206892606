//go:build unix

package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/queue"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/postgres"
	"github.com/inroad/inroad/api/store/storetest"
	"github.com/inroad/inroad/model"
)

// A claim is a call of a replica to compute shards.
type claim struct {
	replica int
	job     uint64
	shards  []int
	proceed chan struct{}   // closed when the test lets the replica compute
	ctx     context.Context //nolint:containedctx // of the call
}

// trainers are replicas that train on the observations of [storetest.PutTraining].
type trainers struct {
	queues []queue.Queue
	store  *postgres.Store
	db     *pgx.Conn
	want   []byte // the model of a training alone
	claims chan claim
}

// startTrainers starts replicas, and waits until all are idle.
func startTrainers(t *testing.T, replicas int) *trainers {
	t.Helper()
	url := database.Database(t)
	out := &trainers{store: open(t, url), claims: make(chan claim)}
	out.want = storetest.PutTraining(t, out.store)
	var err error
	if out.db, err = pgx.Connect(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = out.db.Close(context.Background()) })
	ctx, cancel := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	t.Cleanup(func() { cancel(); serving.Wait() })
	for i := range replicas {
		s := join(t, url)
		q, err := queue.New(s, queue.Options{
			MaxQueued: 10, Log: slog.New(slog.DiscardHandler), Describe: func(err error) (text, problem string) { return err.Error(), "kind" },
		})
		if err != nil {
			t.Fatal(err)
		}
		out.queues = append(out.queues, q)
		serving.Go(func() {
			if err := q.Serve(ctx, func(ctx context.Context, j store.Job, w queue.Work) (queue.Result, error) {
				file, err := storetest.Train(ctx, s, &toldShards{w.Shards, out, i, j.ID})
				return queue.Result{Model: store.Model{ID: fmt.Sprint("model", j.ID)}, File: file}, err
			}); err != nil {
				t.Error(err)
			}
		})
	}
	waitFor(t, "idle replicas", func() bool { return out.count(t, "select count(*) from inroad.replicas where idle") == replicas })
	return out
}

// count returns the number that a query returns.
func (r *trainers) count(t *testing.T, query string) (n int) {
	t.Helper()
	if err := r.db.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// train adds a job.
func (r *trainers) train(t *testing.T) uint64 {
	t.Helper()
	j, err := r.queues[0].Add(t.Context(), store.Job{Subject: "p", Commit: "c"}, "")
	if err != nil {
		t.Fatal(err)
	}
	return j.ID
}

// ended waits for the end of a job, and checks its model.
func (r *trainers) ended(t *testing.T, id uint64, want store.JobState) {
	t.Helper()
	waitFor(t, "the end of a job", func() bool {
		j, err := r.store.Job(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if j.State.Ended() && j.State != want {
			t.Fatalf("the job ended as %+v, want %s", j, want)
		}
		return j.State.Ended()
	})
	if n := r.count(t, fmt.Sprint("select count(*) from inroad.shards where job_id = ", id)); n != 0 {
		t.Errorf("%d shards are left", n)
	}
	if want != store.Done {
		return
	}
	m, err := r.store.Model(t.Context(), fmt.Sprint("model", id))
	if err != nil {
		t.Fatal(err)
	}
	if file, err := r.store.ModelFile(t.Context(), m); err != nil || !bytes.Equal(file, r.want) {
		t.Errorf("the model differs from that of a training alone: %v", err)
	}
}

// finish lets all replicas compute shards until jobs are done. It returns the shards.
func (r *trainers) finish(t *testing.T, jobs ...uint64) (computed []int) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, id := range jobs {
			for changed := make(<-chan struct{}); changed != nil; {
				var err error
				if _, changed, err = r.queues[0].Get(t.Context(), id); err != nil {
					t.Error(err)
					return
				}
				if changed != nil {
					<-changed
				}
			}
		}
	}()
	for {
		select {
		case c := <-r.claims:
			computed = append(computed, c.shards...)
			close(c.proceed)
			continue
		case <-done:
		}
		break
	}
	for _, id := range jobs {
		r.ended(t, id, store.Done)
	}
	return computed
}

// toldShards compute shards when the test tells them to.
type toldShards struct {
	model.Shards
	trainers *trainers
	replica  int
	job      uint64
}

// Run implements [model.Shards].
func (s *toldShards) Run(ctx context.Context, plan []byte, n int, compute func(ctx context.Context, shards []int) ([][]byte, error), others func(shards []int)) ([][]byte, error) {
	return s.Shards.Run(ctx, plan, n, func(ctx context.Context, shards []int) ([][]byte, error) {
		c := claim{s.replica, s.job, shards, make(chan struct{}), ctx}
		select {
		case s.trainers.claims <- c:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		select {
		case <-c.proceed:
			return compute(ctx, shards)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}, others)
}

// Replicas compute the shards of one training. Each shard is computed once, and the model
// has the same bytes as that of a training alone.
func TestShards(t *testing.T) {
	for _, replicas := range []int{1, 2, 4} {
		t.Run(fmt.Sprintf("%d replicas", replicas), func(t *testing.T) {
			t.Parallel()
			r := startTrainers(t, replicas)
			id := r.train(t)
			computed, working := map[int]int{}, map[int]bool{}
			var first []claim
			for len(working) < replicas { // all claim shards before any computes some
				c := <-r.claims
				first = append(first, c)
				working[c.replica] = true
			}
			if n := r.count(t, "select count(distinct owner) from inroad.shards"); n != replicas {
				t.Errorf("%d owners, want %d", n, replicas)
			}
			if replicas == 1 && len(first[0].shards) != r.count(t, "select count(*) from inroad.shards") {
				t.Errorf("a replica alone claims shards %v first, want all", first[0].shards)
			}
			all := r.count(t, "select count(*) from inroad.shards")
			compute := func(c claim) {
				for _, shard := range c.shards {
					computed[shard]++
				}
				close(c.proceed)
			}
			for _, c := range first {
				compute(c)
			}
			for len(computed) < all {
				compute(<-r.claims)
			}
			r.ended(t, id, store.Done)
			for shard, n := range computed {
				if n != 1 {
					t.Errorf("shard %d was computed %d times", shard, n)
				}
			}
		})
	}
}

// The shards of a replica that was killed are computed by another one.
func TestShardsKilled(t *testing.T) {
	t.Parallel()
	r := startTrainers(t, 2)
	id := r.train(t)
	a, b := <-r.claims, <-r.claims
	// As if the second replica had died: its lease expires, and nobody renews it.
	if _, err := r.db.Exec(t.Context(), "update inroad.shards set owner = 'dead', lease = clock_timestamp() where number = any($1)", b.shards); err != nil {
		t.Fatal(err)
	}
	<-b.ctx.Done() // it notices that it has lost the shards
	close(a.proceed)
	r.finish(t, id)
}

// The replica that runs a job can be replaced. The results of shards are kept.
func TestShardsTakenOver(t *testing.T) {
	t.Parallel()
	r := startTrainers(t, 2)
	id := r.train(t)
	a, b := <-r.claims, <-r.claims // of the replica that has the job, and of the other one
	close(b.proceed)
	waitFor(t, "the results of a replica", func() bool {
		return r.count(t, "select count(*) from inroad.shards where result is not null") == len(b.shards)
	})
	if _, err := r.db.Exec(t.Context(), "update inroad.jobs set lease = clock_timestamp()"); err != nil {
		t.Fatal(err)
	}
	<-a.ctx.Done()
	for _, shard := range r.finish(t, id) {
		if slices.Contains(b.shards, shard) {
			t.Errorf("shard %d is computed again", shard)
		}
	}
	if j, err := r.store.Job(t.Context(), id); err != nil || j.Attempts != 2 || j.Blocks == 0 {
		t.Errorf("got %+v, %v; want 2 attempts on a number of blocks", j, err)
	}
}

// A replica that helps claims no shards of a later attempt with another plan, whose numbers
// it may not know.
func TestShardsOtherPlan(t *testing.T) {
	t.Parallel()
	r := startTrainers(t, 2)
	id := r.train(t)
	a, b := <-r.claims, <-r.claims // of the replica that has the job, and of the other one
	for _, change := range []string{
		"update inroad.jobs set plan = 'other ' || plan",
		"insert into inroad.shards (job_id, number) select id, 99 from inroad.jobs",
	} {
		if _, err := r.db.Exec(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	close(b.proceed)
	waitFor(t, "a replica to leave the job", func() bool {
		return r.count(t, "select count(distinct owner) from inroad.shards") == 1
	})
	if n := r.count(t, "select count(*) from inroad.shards where result is not null"); n != 0 {
		t.Errorf("%d results of another plan are stored", n)
	}
	for _, change := range []string{
		"delete from inroad.shards where number = 99",
		"update inroad.jobs set plan = substring(plan from 7)",
	} {
		if _, err := r.db.Exec(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	close(a.proceed)
	r.finish(t, id)
}

// A cancelled job ends the work of all replicas.
func TestShardsCancelled(t *testing.T) {
	t.Parallel()
	r := startTrainers(t, 2)
	id := r.train(t)
	a, b := <-r.claims, <-r.claims
	if a.replica == b.replica {
		t.Fatal("one replica has all claims")
	}
	if err := r.queues[0].Cancel(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	<-a.ctx.Done()
	<-b.ctx.Done()
	r.ended(t, id, store.Cancelled)
}

// A replica stops helping when it gets a job of its own.
func TestShardsOwnJob(t *testing.T) {
	t.Parallel()
	r := startTrainers(t, 2)
	first := r.train(t)
	a, b := <-r.claims, <-r.claims // of the replica that has the job, and of the other one
	second := r.train(t)
	<-b.ctx.Done()
	c := <-r.claims
	if c.replica != b.replica || c.job != second {
		t.Errorf("replica %d claims shards of job %d, want %d and %d", c.replica, c.job, b.replica, second)
	}
	close(a.proceed)
	close(c.proceed)
	r.finish(t, first, second)
	if cause := context.Cause(b.ctx); cause == nil || errors.Is(cause, queue.ErrCancelled) {
		t.Errorf("the help ended with %v", cause)
	}
}
