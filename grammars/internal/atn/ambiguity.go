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
	sim, list, begin := r.startFull(p)
	for i := r.pos; i < r.pos+maxAmbiguityTokens && len(sim.stacks.nodes) <= maxFullStacks; i++ {
		t := r.types[i]
		var next []config
		if t == eof {
			next = sim.endAlts(list, begin)
		} else {
			next = slices.Clone(sim.reach(list, t, begin))
		}
		begin.level = noLevel
		if len(next) == 0 || uniqueAlt(next) != 0 {
			return
		}
		list = next
		if t != eof {
			next = sim.expand(list)
		}
		if alts := sim.places.commonAlts(next); alts != nil {
			first, last := r.tokens[r.visible[r.pos]], r.tokens[r.visible[i]]
			r.ambiguous(Ambiguity{Rule: int(p.rule), Alts: alts, Start: int(first.Start), End: int(last.End)})
			return
		}
		if t == eof {
			return
		}
	}
}
