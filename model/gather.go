package model

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/internal/spill"
)

// gather lists the rows of the task, with their features and labels. The order of the
// rows depends on their contents only.
func (k *task) gather(ctx context.Context, t *Trainer) error {
	k.outside = Outside{Reached: make([]int, len(k.units)), Outcomes: map[string]int{}}
	k.recorded = newRecorder(len(k.units))
	k.longestExample = t.examples.longest()
	k.targets = nil
	for _, u := range k.units {
		k.targets = append(k.targets, &target{name: u.ID, unit: true})
	}
	order := make([]int32, len(t.records))
	rows := 0
	for i := range order {
		order[i] = int32(i)
		rows += btoi(!t.records[i].outside)
	}
	slices.SortFunc(order, func(a, b int32) int { return compareRecords(&t.records[a], &t.records[b]) })
	k.rows = make([]*record, 0, rows)
	if t.log != nil {
		return k.gatherStored(ctx, t, order, rows)
	}
	k.sortEqual(t, order, func(i int) []int32 { return t.records[order[i]].methods })
	for _, i := range order {
		k.take(t, &t.records[i], t.records[i].methods, rows)
	}
	k.cells = &memoryCells{rows: k.rows, features: len(t.features)}
	return nil
}

// compareRecords orders records by everything that they contain except methods.
func compareRecords(a, b *record) int {
	return cmp.Or(bytes.Compare(a.digest[:], b.digest[:]), cmp.Compare(a.outcome, b.outcome), btoi(a.unlabelled)-btoi(b.unlabelled))
}

// sortEqual sorts records that differ in their methods only. methods returns the methods
// of the record at a position of order.
func (k *task) sortEqual(t *Trainer, order []int32, methods func(i int) []int32) {
	for start := 0; start < len(order); {
		end := start + 1
		for end < len(order) && compareRecords(&t.records[order[start]], &t.records[order[end]]) == 0 {
			end++
		}
		if end > start+1 {
			type keyed struct {
				record  int32
				methods []int32
			}
			var equal []keyed
			for i := start; i < end; i++ {
				equal = append(equal, keyed{order[i], methods(i)})
			}
			slices.SortFunc(equal, func(a, b keyed) int {
				return slices.CompareFunc(a.methods, b.methods, func(a, b int32) int { return cmp.Compare(k.index[a], k.index[b]) })
			})
			for i, e := range equal {
				order[start+i] = e.record
			}
		}
		start = end
	}
}

// take adds a record. Records are taken in order.
func (k *task) take(t *Trainer, r *record, methods []int32, rows int) {
	if !r.unlabelled && t.commits[r.commit] == t.commit {
		set := k.recorded.of([recordedDigest]byte(r.digest[:]))
		for _, m := range methods {
			set[k.index[m]/8] |= 1 << (k.index[m] % 8)
		}
	}
	if r.outside {
		k.outside.add(r, methods, k.index)
		return
	}
	row := int32(len(k.rows))
	k.rows = append(k.rows, r)
	if r.unlabelled {
		return
	}
	k.labelled = append(k.labelled, row)
	for _, m := range methods {
		t := k.targets[k.index[m]]
		if t.labels == nil {
			t.labels = dtree.NewBits(rows)
		}
		t.labels.Set(row)
	}
}

// gatherStored is gather for records whose contents are in the trainer's log. It reads
// the log several times, and each time sorts as many records as fit into memory.
func (k *task) gatherStored(ctx context.Context, t *Trainer, order []int32, rows int) error {
	stored, columns, err := k.opt.newSpillRows(true, len(t.features))
	if err != nil {
		return err
	}
	k.cells = &storedCells{stored, columns}
	rank := make([]int32, len(order))
	for i, r := range order {
		rank[r] = int32(i)
	}
	var parts partReader
	for start := 0; start < len(order); {
		if err := parts.read(ctx, t, rank, order, start, k.opt.Memory/sortShare); err != nil {
			return err
		}
		part := order[start : start+len(parts.bodies)]
		if err := k.takeStored(t, part, parts.bodies, rows); err != nil {
			return err
		}
		start += len(part)
	}
	return errors.Join(stored.Finish(), columns.Finish())
}

// takeStored adds records with the given contents.
func (k *task) takeStored(t *Trainer, part []int32, bodies [][]byte, rows int) error {
	at := map[int32]int{} // of records in part; filled for equal records only
	var failed error
	decode := func(body []byte) (methods []int32, rest []byte) {
		methods, rest, err := spill.DecodeAscending(body, nil)
		failed = cmp.Or(failed, err)
		return methods, rest
	}
	k.sortEqual(t, part, func(i int) []int32 {
		at[part[i]] = i
		methods, _ := decode(bodies[i])
		return methods
	})
	stored := k.cells.(*storedCells)
	var features []int32
	for i, r := range part {
		if from, ok := at[r]; ok {
			i = from
		}
		methods, body := decode(bodies[i])
		if failed != nil {
			return failed
		}
		record := &t.records[r]
		row := int32(len(k.rows))
		k.take(t, record, methods, rows)
		if len(k.rows) == int(row) { // not a row
			continue
		}
		var err error
		if features, _, err = spill.DecodeAscending(body, features[:0]); err != nil {
			return err
		}
		if err := errors.Join(stored.rows.AddEncoded(body), stored.columns.Add(row, features)); err != nil {
			return err
		}
	}
	return nil
}

// A partReader reads the contents of records from the log of a trainer.
type partReader struct {
	bodies [][]byte // in order
	arena  []byte
}

// read reads the contents of successive records from start on in order. It reads about
// limit bytes, but does not separate records that differ in their methods only.
func (p *partReader) read(ctx context.Context, t *Trainer, rank, order []int32, start int, limit int64) error {
	mean := t.log.Size()/int64(len(order)) + 1
	end := start + int(min(max(limit/mean, 1), int64(len(order)-start)))
	for end < len(order) && compareRecords(&t.records[order[end-1]], &t.records[order[end]]) == 0 {
		end++
	}
	p.bodies = slices.Grow(p.bodies[:0], end-start)[:end-start]
	p.arena = p.arena[:0]
	type span struct{ from, to int }
	spans := make([]span, end-start)
	err := t.log.Each(func(i int, body []byte) error {
		if i%1024 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if at := int(rank[i]); at >= start && at < end {
			from := len(p.arena)
			p.arena = append(p.arena, body...)
			spans[at-start] = span{from, len(p.arena)}
		}
		return nil
	})
	for i, s := range spans {
		p.bodies[i] = p.arena[s.from:s.to:s.to]
	}
	return err
}
