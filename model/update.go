package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/inroad/inroad/model/dtree"
	"github.com/inroad/inroad/model/observation"
)

// An Update describes a later version of the program, for [Model.Update].
type Update struct {
	Header       observation.Header // of the later version
	Observations []observation.Observation
	// Affected are the units that changed since the commit of the model. Recorded
	// inputs that reached one of them and that Observations lack are no longer recorded.
	Affected []int
	All      bool // all units may have changed
}

// Update returns the model with the record and the units of a later version. The trees
// stay the same: they predict the units that inputs reached at the commit of the training
// observations. kept and dropped count the recorded inputs that were not observed again.
func (m *Model) Update(ctx context.Context, u Update) (updated *Model, kept, dropped int, err error) {
	f := *m.file
	f.Commit = u.Header.Commit
	index := f.addUnits(m, u)
	record, kept, dropped, err := m.updatedRecord(&f, index, u)
	if err != nil {
		return nil, 0, 0, err
	}
	if f.Recorded, err = record.pack(len(f.Units)); err != nil {
		return nil, 0, 0, err
	}
	if updated, err = newModel(ctx, &f); err != nil {
		return nil, 0, 0, err
	}
	body, err := f.encode()
	if err != nil {
		return nil, 0, 0, err
	}
	digest := sha256.Sum256(body)
	updated.Digest = hex.EncodeToString(digest[:])
	return updated, kept, dropped, nil
}

// addUnits replaces the lines of units by those of a later version, and adds new units
// without an observation. Units that the later version lacks have no lines. It returns
// the new index of each unit.
func (f *modelFile) addUnits(m *Model, u Update) []int {
	later := map[string]observation.Unit{}
	for _, unit := range u.Header.Units {
		later[unit.ID] = unit
	}
	units := slices.Clone(m.Units)
	for i, unit := range units {
		if now, ok := later[unit.ID]; ok {
			units[i] = now
		} else if len(u.Header.Units) > 0 {
			units[i] = observation.Unit{ID: unit.ID, Kind: unit.Kind, Name: unit.Name}
		}
		delete(later, unit.ID)
	}
	for _, o := range u.Observations {
		for _, id := range o.Methods {
			if _, known := m.unitByID(id); !known && later[id].ID == "" {
				later[id] = observation.Unit{ID: id, Kind: observation.KindMethod, Name: id}
			}
		}
	}
	before := len(units)
	for _, unit := range later {
		units = append(units, unit)
	}
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return strings.Compare(units[a].ID, units[b].ID) })
	index := make([]int, before)
	outcomes := len(f.Outcomes)
	targets := slices.Clone(f.Targets[:outcomes])
	f.Units, f.Outside.Reached = nil, nil
	for to, from := range order {
		f.Units = append(f.Units, units[from])
		if from < before {
			index[from] = to
			targets = append(targets, m.file.Targets[outcomes+from])
			f.Outside.Reached = append(f.Outside.Reached, m.Outside.Reached[from])
			continue
		}
		never := dtree.Tree{{Column: -1, Rows: int32(f.Known)}}
		targets = append(targets, targetFile{Tree: packTree(never), Labels: make([]byte, 8)})
		f.Outside.Reached = append(f.Outside.Reached, 0)
	}
	f.Targets = targets
	return index
}

// A reachRecord maps the digests of inputs to the units that they reached, as bits.
type reachRecord map[[recordedDigest]byte][]byte

// updatedRecord returns the record of the updated model.
func (m *Model) updatedRecord(f *modelFile, index []int, u Update) (out reachRecord, kept, dropped int, err error) {
	size := (len(f.Units) + 7) / 8
	out = reachRecord{}
	units := map[string]int{}
	for i, unit := range f.Units {
		units[unit.ID] = i
	}
	for _, o := range u.Observations {
		if o.Methods == nil {
			continue
		}
		digest := sha256.Sum256(o.Input)
		set := out.of([recordedDigest]byte(digest[:recordedDigest]), size)
		for _, id := range o.Methods {
			set[units[id]/8] |= 1 << (units[id] % 8)
		}
	}
	affected := make([]bool, len(m.Units))
	for _, unit := range u.Affected {
		affected[unit] = true
	}
	for i := range m.Recorded() {
		digest := [recordedDigest]byte(m.file.Recorded.Digests[i*recordedDigest:])
		if out[digest] != nil {
			continue
		}
		reached, err := m.recordedSet(int(binary.LittleEndian.Uint32(m.file.Recorded.Sets[4*i:])))
		if err != nil {
			return nil, 0, 0, err
		}
		if u.All || slices.ContainsFunc(reached, func(unit int) bool { return affected[unit] }) {
			dropped++
			continue
		}
		kept++
		set := out.of(digest, size)
		for _, unit := range reached {
			set[index[unit]/8] |= 1 << (index[unit] % 8)
		}
	}
	return out, kept, dropped, nil
}

// of returns the set of an input, which it adds if needed.
func (r reachRecord) of(digest [recordedDigest]byte, size int) []byte {
	if r[digest] == nil {
		r[digest] = make([]byte, size)
	}
	return r[digest]
}

// sorted returns the digests in order.
func (r reachRecord) sorted() [][recordedDigest]byte {
	out := make([][recordedDigest]byte, 0, len(r))
	for d := range r {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b [recordedDigest]byte) int { return bytes.Compare(a[:], b[:]) })
	return out
}
