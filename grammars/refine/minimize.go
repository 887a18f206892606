package refine

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
)

// minimize merges bodies that have the same derivations. Modes that read a rule
// alike need no separate bodies: a literal is the same symbol whichever lexer rule
// makes it. Bodies with the same root are in one class until their parts, or the
// classes of the bodies below, differ.
func (g *Graph) minimize(meter *limit.Meter) {
	class := make([]int32, len(g.Bodies))
	roots := map[grammars.Occurrence]int32{}
	for i := range g.Bodies {
		root := g.Bodies[i].root.ID
		if _, ok := roots[root]; !ok {
			roots[root] = int32(len(roots))
		}
		class[i] = roots[root]
	}
	for count := len(roots); ; {
		numbers := map[string]int32{}
		next := make([]int32, len(g.Bodies))
		var merged []Body
		for i := range g.Bodies {
			meter.Step(len(g.Bodies[i].Parts) + len(g.Bodies[i].Kids) + len(g.Bodies[i].Rounds))
			m := &merger{body: &g.Bodies[i], class: class, numbers: map[string]int32{}}
			m.merge()
			key := string(binary.AppendUvarint(m.signature, uint64(class[i])))
			if _, ok := numbers[key]; !ok {
				numbers[key] = int32(len(numbers))
				merged = append(merged, m.out)
			}
			next[i] = numbers[key]
		}
		if len(numbers) == count { // classes are numbered by their first body, as before
			g.Bodies, g.Start, g.Trivia, g.AllTrivia = merged, next[g.Start], next[g.Trivia], next[g.AllTrivia]
			return
		}
		class, count = next, len(numbers)
	}
}

// A merger merges the equal parts of a body, given the classes of the bodies below.
type merger struct {
	body      *Body
	class     []int32
	numbers   map[string]int32 // of parts, by signature
	signature []byte           // of all parts
	at        []int32          // by part of the body: the merged part
	out       Body
}

func (m *merger) merge() {
	m.out.root, m.out.makers = m.body.root, m.body.makers
	for i := range m.body.Parts {
		x := &m.body.Parts[i]
		part := int32(none)
		switch x.Kind {
		case Either:
			part = m.either(x)
		case Both:
			part = m.add(Part{Kind: Both, Node: x.Node, A: m.at[x.A], B: m.at[x.B], Below: -1, makers: -1}, nil)
		case Many:
			if x.States > 0 {
				part = m.many(int32(i))
			}
		default:
			merged := *x
			if x.Below >= 0 {
				merged.Below = m.class[x.Below]
			}
			var makers []uint64
			if x.makers >= 0 {
				for _, r := range m.body.makers[x.makers] {
					makers = append(makers, uint64(r.Index))
				}
			}
			part = m.add(merged, makers)
		}
		m.at = append(m.at, part)
	}
	whole := m.at[len(m.at)-1]
	m.out.Parts = m.out.Parts[:whole+1] // the whole needs none of the others
	m.signature = binary.AppendUvarint(m.signature, uint64(whole))
}

// add returns the number of a part, and adds the part if no equal part exists. Equal
// parts have the same kind, node, halves and body below, and the same numbers in more.
func (m *merger) add(p Part, more []uint64) int32 {
	key := []byte{byte(p.Kind)}
	if p.Node != nil {
		key = binary.AppendVarint(key, int64(p.Node.ID)+2)
	} else {
		key = binary.AppendVarint(key, 0)
	}
	if p.Kind == Both {
		key = binary.AppendVarint(binary.AppendVarint(key, int64(p.A)), int64(p.B))
	}
	key = binary.AppendVarint(key, int64(p.Below))
	key = binary.AppendUvarint(key, uint64(len(more)))
	for _, u := range more {
		key = binary.AppendUvarint(key, u)
	}
	if part, ok := m.numbers[string(key)]; ok {
		return part
	}
	m.out.Parts = append(m.out.Parts, p)
	part := int32(len(m.out.Parts) - 1)
	m.numbers[string(key)] = part
	m.signature = append(m.signature, key...)
	return part
}

// either merges a choice. A choice between mode stacks that has one option left is
// replaced by the option.
func (m *merger) either(x *Part) int32 {
	var kids []Kid
	seen := make(map[Kid]struct{}, x.B-x.A)
	for _, k := range m.body.Kids[x.A:x.B] {
		merged := Kid{m.at[k.Part], k.Choice}
		if _, ok := seen[merged]; !ok {
			seen[merged] = struct{}{}
			kids = append(kids, merged)
		}
	}
	if x.Node == nil && len(kids) == 1 {
		return kids[0].Part
	}
	var more []uint64
	for _, k := range kids {
		more = append(more, uint64(k.Part), uint64(k.Choice))
	}
	from := int32(len(m.out.Kids))
	m.out.Kids = append(m.out.Kids, kids...)
	return m.add(Part{Kind: Either, Node: x.Node, A: from, B: int32(len(m.out.Kids)), Below: -1, makers: -1}, more)
}

// A move leads from a state of a repetition through a round to the next state or, if
// next is -1, to the end.
type move struct{ part, next int32 }

// many merges the states of a repetition that allow the same rounds.
func (m *merger) many(last int32) int32 {
	n := m.body.Parts[last].States
	first := last - n + 1
	state := make([]int32, n) // by old state: the class it is in
	var moves [][]move        // by class
	for before := -1; before != len(moves); {
		before, moves = len(moves), nil
		next := make([]int32, n)
		for i := range n {
			own := m.moves(first, first+i, state)
			at := slices.IndexFunc(moves, func(other []move) bool { return slices.Equal(own, other) })
			if at < 0 {
				at = len(moves)
				moves = append(moves, own)
			}
			next[i] = int32(at)
		}
		state = next
	}
	return m.addMany(m.body.Parts[last].Node, moves, state[n-1])
}

// moves returns the moves of a state, given the classes of states.
func (m *merger) moves(first, part int32, class []int32) []move {
	var out []move
	x := &m.body.Parts[part]
	for _, r := range m.body.Rounds[x.A:x.B] {
		if r.Ends {
			out = append(out, move{m.at[r.Part], -1})
		}
		if r.Next >= 0 {
			out = append(out, move{m.at[r.Part], class[r.Next-first]})
		}
	}
	slices.SortFunc(out, func(a, b move) int { return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.next, b.next)) })
	return slices.Compact(out)
}

// addMany adds the parts of a repetition. The part of its first state comes last.
func (m *merger) addMany(n *grammars.Node, moves [][]move, start int32) int32 {
	place := make([]int32, len(moves)) // by state: its part, from the first on
	for i := range place {
		switch at := int32(i); {
		case at == start:
			place[i] = int32(len(moves)) - 1
		case at > start:
			place[i] = at - 1
		default:
			place[i] = at
		}
	}
	ordered := make([][]move, len(moves))
	var more []uint64
	for i, own := range moves {
		ordered[place[i]] = own
	}
	for _, own := range ordered {
		more = append(more, uint64(len(own)))
		for _, mv := range own {
			next := uint64(0)
			if mv.next >= 0 {
				next = uint64(place[mv.next]) + 1
			}
			more = append(more, uint64(mv.part), next)
		}
	}
	first := int32(len(m.out.Parts))
	var parts []Part
	for _, own := range ordered {
		from := int32(len(m.out.Rounds))
		for i := 0; i < len(own); i++ {
			r := Round{own[i].part, -1, own[i].next < 0}
			if r.Ends && i+1 < len(own) && own[i+1].part == r.Part { // the same round can be followed by others
				i++
			}
			if own[i].next >= 0 {
				r.Next = first + place[own[i].next]
			}
			m.out.Rounds = append(m.out.Rounds, r)
		}
		parts = append(parts, Part{Kind: Many, Node: n, A: from, B: int32(len(m.out.Rounds)), Below: -1, makers: -1})
	}
	parts[len(parts)-1].States = int32(len(parts))
	m.out.Parts = append(m.out.Parts, parts[:len(parts)-1]...)
	part := m.add(parts[len(parts)-1], more)
	if int(part) < int(first) { // an equal repetition exists
		m.out.Parts = m.out.Parts[:first]
	}
	return part
}
