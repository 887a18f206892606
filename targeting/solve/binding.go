package solve

import (
	"encoding/binary"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// Bindings are the ways in which a left-recursive rule can be bound, those that
// come to the same as one class. By class and alternative they tell what is
// allowed and how the operands are bound. Class 0 is that of what stands alone.
type bindings [][]alternative

type alternative struct {
	allowed               bool
	left, right           grammars.Occurrence // the operands, if any
	leftClass, rightClass int32
}

func (b bindings) allows(class, op int32) bool { return b[class][op].allowed }

// operand returns the class of a reference in an alternative.
func (b bindings) operand(class, op int32, o grammars.Occurrence) int32 {
	switch a := &b[class][op]; o {
	case a.left:
		return a.leftClass
	case a.right:
		return a.rightClass
	default:
		return 0
	}
}

// maxBindings is how many ways of being bound are told apart. A rule that has
// more is not refined: what its trees are read as shows when they are parsed
// back.
const maxBindings = 10_000

// newBindings finds the classes of a rule's bindings: it tells bindings apart by
// what they allow, then by the classes of their operands, until nothing changes.
func newBindings(r *grammars.Rule) bindings {
	all, ok := reachable(r)
	if !ok {
		return bindings{classed(r, grammars.Loose(), nil)}
	}
	class := map[grammars.Binding]int32{}
	var out bindings
	for before := -1; before != len(out); {
		before, out = len(out), nil
		found := map[string]int32{}
		refined := make(map[grammars.Binding]int32, len(all))
		for _, b := range all {
			alternatives := classed(r, b, class)
			key := signature(alternatives)
			if _, ok := found[key]; !ok {
				found[key] = int32(len(out))
				out = append(out, alternatives)
			}
			refined[b] = found[key]
		}
		class = refined
	}
	return out
}

// reachable returns the ways in which a rule can be bound, that of what stands
// alone first, and whether they are not too many.
func reachable(r *grammars.Rule) ([]grammars.Binding, bool) {
	all := []grammars.Binding{grammars.Loose()}
	seen := map[grammars.Binding]bool{all[0]: true}
	for i := 0; i < len(all) && len(all) <= maxBindings; i++ {
		for j := range r.Operators {
			op := &r.Operators[j]
			if !all[i].Allows(op) {
				continue
			}
			operands := all[i].Operands(op)
			for _, o := range [...]grammars.Occurrence{op.Left, op.Right} {
				if b, ok := operands[o]; ok && !seen[b] {
					seen[b] = true
					all = append(all, b)
				}
			}
		}
	}
	return all, len(all) <= maxBindings
}

// classed tells what a binding allows, by the classes so far.
func classed(r *grammars.Rule, b grammars.Binding, class map[grammars.Binding]int32) []alternative {
	out := make([]alternative, len(r.Operators))
	for i := range r.Operators {
		op := &r.Operators[i]
		out[i] = alternative{left: derivation.None, right: derivation.None}
		if !b.Allows(op) {
			continue
		}
		operands := b.Operands(op)
		out[i] = alternative{true, op.Left, op.Right, class[operands[op.Left]], class[operands[op.Right]]}
	}
	return out
}

func signature(alternatives []alternative) string {
	var s []byte
	for _, a := range alternatives {
		if !a.allowed {
			s = append(s, 0)
			continue
		}
		s = binary.AppendUvarint(append(s, 1), uint64(a.leftClass))
		s = binary.AppendUvarint(s, uint64(a.rightClass))
	}
	return string(s)
}
