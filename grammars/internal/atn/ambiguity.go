package atn

import "slices"

// An Ambiguity is a place in an input where several alternatives derive the same
// tokens, so that the order of the grammar decides between them.
type Ambiguity struct {
	Rule       int     // that the decision stands in, by index
	Alts       []int32 // that remain, from 1, in order
	Start, End int     // the tokens that all of them derive, in bytes
}

// maxExamined is how many tokens ahead an ambiguity is looked for.
const maxExamined = 1000

// examine reports whether the tokens ahead really are ambiguous at a decision
// where looking at them without the whole stack could not tell.
func (r *run) examine(p *place) {
	if at := [2]int{int(p.decision), r.pos}; r.examined[at] { // by the parse that failed
		return
	} else if r.examined == nil {
		r.examined = map[[2]int]bool{at: true}
	} else {
		r.examined[at] = true
	}
	sim, list := r.startFull(p)
	for i := r.pos; i < r.pos+maxExamined && sim.stacks.size() <= maxFullStacks; i++ {
		i := min(i, len(r.types)-1)
		next := sim.reach(list, r.types[i])
		if len(next) == 0 || uniqueAlt(next) != 0 {
			return
		}
		if alts := agreed(next); alts != nil {
			first, last := r.tokens[r.visible[r.pos]], r.tokens[r.visible[i]]
			r.ambiguous(Ambiguity{Rule: int(p.rule), Alts: alts, Start: int(first.Start), End: int(last.End)})
			return
		}
		if r.types[i] == eof {
			return
		}
		list = append(list[:0], next...)
	}
}

// agreed returns the alternatives that come to each of the places, nil if some
// place is not come to by all of them.
func agreed(list []config) []int32 {
	alts := map[readPlace][]int32{}
	for _, c := range list {
		p := readPlace{c.state, c.stack}
		alts[p] = append(alts[p], c.alt)
	}
	var all []int32
	for _, here := range alts {
		slices.Sort(here)
		if len(here) < 2 || all != nil && !slices.Equal(all, here) {
			return nil
		}
		all = here
	}
	return all
}
