package model

import (
	"encoding/binary"
	"errors"
	"slices"

	"github.com/inroad/inroad/model/internal/spill"
)

// A draw chooses the observations to learn from if there are more than [Options.Sample].
// Each input has a random number, which depends on the seed. The draw keeps the
// observations with the smallest numbers and, for each method and each outcome, those
// with the smallest numbers among the observations that reached the method or had the
// outcome. So the choice does not depend on the order of the observations, and a dropped
// observation is never needed again.
type draw struct {
	units    []smallest          // by unit of the trainer
	outcomes map[string]smallest // by name
	dropAt   int                 // number of records at which some are dropped
}

// keptPerClass is the number of observations of each method and each outcome that a
// sample keeps. A method that fewer observations reached keeps all of them.
const keptPerClass = 100

// smallest holds the smallest numbers of a set as a heap, greatest first.
type smallest []uint64

// add adds a number.
func (s *smallest) add(n uint64) {
	h := *s
	if len(h) < keptPerClass {
		h = append(h, n)
		for i := len(h) - 1; i > 0 && h[(i-1)/2] < h[i]; i = (i - 1) / 2 {
			h[i], h[(i-1)/2] = h[(i-1)/2], h[i]
		}
		*s = h
		return
	}
	if n >= h[0] {
		return
	}
	h[0] = n
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1] > h[child] {
			child++
		}
		if child >= len(h) || h[child] <= h[i] {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

// has reports whether a number that was added is still among the smallest.
func (s smallest) has(n uint64) bool { return len(s) < keptPerClass || n <= s[0] }

// number returns the random number of an input.
func (t *Trainer) number(r *record) uint64 {
	x := binary.LittleEndian.Uint64(r.digest[:]) + t.opt.Seed*0x9e3779b97f4a7c15 // SplitMix64
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// draws reports whether the trainer may drop observations.
func (t *Trainer) draws() bool { return t.opt.Sample > 0 }

// meet adds a new record to the draw. The content of the record is in memory.
func (d *draw) meet(number uint64, r *record) {
	for _, m := range r.methods {
		for int(m) >= len(d.units) {
			d.units = append(d.units, nil)
		}
		d.units[m].add(number)
	}
	if d.outcomes == nil {
		d.outcomes = map[string]smallest{}
	}
	s := d.outcomes[r.outcome]
	s.add(number)
	d.outcomes[r.outcome] = s
}

// keeps reports whether the draw keeps a record because of its methods or outcome.
func (d *draw) keeps(number uint64, r *record, methods []int32) bool {
	return d.outcomes[r.outcome].has(number) || slices.ContainsFunc(methods, func(m int32) bool { return d.units[m].has(number) })
}

// dropSome drops the records that cannot be in the sample, if there are many.
func (t *Trainer) dropSome() error {
	if !t.draws() || len(t.records) < max(t.draw.dropAt, 2*t.opt.Sample) {
		return nil
	}
	err := t.dropRecords()
	t.draw.dropAt = len(t.records) + len(t.records)/2
	return err
}

// dropRecords drops all records that are not in the sample.
func (t *Trainer) dropRecords() error {
	if !t.draws() || len(t.records) <= t.opt.Sample {
		return nil
	}
	numbers := make([]uint64, len(t.records))
	for i := range t.records {
		numbers[i] = t.number(&t.records[i])
	}
	sorted := slices.Clone(numbers)
	slices.Sort(sorted)
	most := sorted[t.opt.Sample-1]
	var kept []record
	t.size = Size{}
	keep := func(i int, methods []int32, features int) bool {
		r := &t.records[i]
		if numbers[i] > most && !t.draw.keeps(numbers[i], r, methods) {
			t.stats.Unsampled++
			return false
		}
		t.size.count(r.outcome, features, len(methods))
		kept = append(kept, *r)
		return true
	}
	if t.log == nil {
		for i := range t.records {
			keep(i, t.records[i].methods, len(t.records[i].features))
		}
	} else if err := t.dropStored(keep); err != nil {
		return err
	}
	t.records = slices.Clip(kept)
	clear(t.byDigest)
	last := map[int32]int32{} // by first record of an input with several records: its last record
	for i := range t.records {
		r := &t.records[i]
		r.next = 0
		first, known := t.byDigest[r.digest]
		if !known {
			t.byDigest[r.digest] = int32(i)
			continue
		}
		before, several := last[first]
		if !several {
			before = first
		}
		t.records[before].next = int32(i)
		last[first] = int32(i)
	}
	return nil
}

// dropStored writes a new log with the contents of the records to keep.
func (t *Trainer) dropStored(keep func(i int, methods []int32, features int) bool) error {
	file, err := t.opt.Scratch.create()
	if err != nil {
		return err
	}
	before, now := t.log, spill.NewLog(file)
	t.log = now
	var methods []int32
	err = before.Each(func(i int, body []byte) error {
		var rest []byte
		var err error
		if methods, rest, err = spill.DecodeAscending(body, methods[:0]); err != nil {
			return err
		}
		features, err := spill.Count(rest)
		if err == nil && keep(i, methods, features) {
			err = now.Append(body)
		}
		return err
	})
	return errors.Join(err, before.Close())
}
