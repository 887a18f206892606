package refine

import (
	"maps"
	"slices"

	"github.com/inroad/inroad/grammars/limit"
)

func sortedStacks[V any](m map[Stack]V) []Stack { return slices.Sorted(maps.Keys(m)) }

// mark marks the parts that some finite derivation contains.
func (g *Graph) mark(m *limit.Meter) {
	productive := make([][]bool, len(g.Bodies)) // by body and part
	above := make([][]int32, len(g.Bodies))
	for i := range g.Bodies {
		productive[i] = make([]bool, len(g.Bodies[i].Parts))
		for _, x := range g.Bodies[i].Parts {
			if x.Below >= 0 {
				above[x.Below] = append(above[x.Below], int32(i))
			}
		}
	}
	derives := func(body int32) bool { return productive[body][len(productive[body])-1] }
	var queue []int32
	queued := make([]bool, len(g.Bodies))
	for i := len(g.Bodies) - 1; i >= 0; i-- { // bodies below mostly come later
		queue, queued[i] = append(queue, int32(i)), true
	}
	for len(queue) > 0 {
		i := queue[0]
		queue, queued[i] = queue[1:], false
		if derives(i) {
			continue
		}
		m.Step(len(g.Bodies[i].Parts))
		if g.Bodies[i].derive(productive[i], derives); !derives(i) {
			continue
		}
		for _, a := range above[i] {
			if !queued[a] {
				queue, queued[a] = append(queue, a), true
			}
		}
	}
	for i := range g.Bodies {
		g.Bodies[i].derive(productive[i], derives) // bodies below may have become productive since
		g.Bodies[i].markFrom(int32(len(productive[i])-1), productive[i])
	}
}

// derive finds the productive parts of a body, given the productive bodies.
func (b *Body) derive(productive []bool, derives func(body int32) bool) {
	for i := range b.Parts {
		switch x := &b.Parts[i]; x.Kind {
		case End, Symbol, Absent:
			productive[i] = true
		case Reference:
			productive[i] = x.Below >= 0 && derives(x.Below)
		case Either:
			productive[i] = slices.ContainsFunc(b.Kids[x.A:x.B], func(k Kid) bool { return productive[k.Part] })
		case Both:
			productive[i] = productive[x.A] && productive[x.B]
		case Many:
			b.deriveRounds(int32(i), productive)
		}
	}
}

// deriveRounds finds the productive parts of a repetition, at its last part.
func (b *Body) deriveRounds(last int32, productive []bool) {
	for changed := true; changed; {
		changed = false
		for i := last - b.Parts[last].States + 1; i <= last; i++ {
			x := &b.Parts[i]
			if !productive[i] && slices.ContainsFunc(b.Rounds[x.A:x.B], func(r Round) bool { return r.leads(productive) }) {
				productive[i], changed = true, true
			}
		}
	}
}

// leads reports whether a repetition can end after a round, or after further rounds.
func (r Round) leads(productive []bool) bool {
	return productive[r.Part] && (r.Ends || r.Next >= 0 && productive[r.Next])
}

// markFrom marks a part and the parts below it as useful, except where they are not
// productive.
func (b *Body) markFrom(part int32, productive []bool) {
	for work := []int32{part}; len(work) > 0; {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		x := &b.Parts[i]
		if !productive[i] || x.Useful {
			continue
		}
		switch x.Useful = true; x.Kind {
		case Either:
			for _, k := range b.Kids[x.A:x.B] {
				work = append(work, k.Part)
			}
		case Both:
			work = append(work, x.A, x.B)
		case Many:
			for _, r := range b.Rounds[x.A:x.B] {
				if r.leads(productive) {
					if work = append(work, r.Part); r.Next >= 0 {
						work = append(work, r.Next)
					}
				}
			}
		}
	}
}
