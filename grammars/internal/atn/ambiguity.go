package atn

import "slices"

// An Ambiguity is a part of an input that several alternatives of a decision
// derive. The first alternative wins.
type Ambiguity struct {
	Rule       int     // index of the decision's rule
	Alts       []int32 // the ambiguous alternatives, from 1, in order
	Start, End int     // byte range of the tokens that all of them derive
}

// maxAmbiguityTokens is the lookahead, in tokens, for detecting an ambiguity.
const maxAmbiguityTokens = 1000

// checkAmbiguity reports an ambiguity at a decision where SLL prediction found
// a conflict, if full-context prediction confirms it.
func (r *run) checkAmbiguity(p *flatState) {
	if at := [2]int{int(p.decision), r.pos}; r.checkedAmbiguity[at] { // in the SLL parse
		return
	} else if r.checkedAmbiguity == nil {
		r.checkedAmbiguity = map[[2]int]bool{at: true}
	} else {
		r.checkedAmbiguity[at] = true
	}
	sim, list := r.startFull(p)
	for i := r.pos; i < r.pos+maxAmbiguityTokens && sim.stacks.size() <= maxFullStacks; i++ {
		i := min(i, len(r.types)-1)
		next := sim.reach(list, r.types[i])
		if len(next) == 0 || uniqueAlt(next) != 0 {
			return
		}
		if alts := commonAlts(next); alts != nil {
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

// commonAlts returns the alternatives of the configurations if every state and
// stack has the same alternatives, and more than one; otherwise nil.
func commonAlts(list []config) []int32 {
	alts := map[stateStack][]int32{}
	for _, c := range list {
		p := stateStack{c.state, c.stack}
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
