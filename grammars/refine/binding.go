package refine

import (
	"encoding/binary"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// A Binding is a class of equivalent restrictions on an operand of a left-recursive
// rule. The operators around the operand impose them. The parser returns the operand
// in its place only if the operand respects the binding.
type Binding int32

// Loose is the binding of an operand that no operator stands next to.
const Loose Binding = 0

// Bindings are the operator bindings of one left-recursive rule.
type Bindings struct {
	rule         *grammars.Rule
	alternatives [][]alternative // by binding, then by alternative of the rule
}

// An alternative is an alternative of a left-recursive rule under a binding.
type alternative struct {
	allowed                   bool
	left, right               grammars.Occurrence // the operands, if any
	leftBinding, rightBinding Binding
}

// Allows reports whether an operand with a binding can be derived by an
// alternative, which is given by its index.
func (b *Bindings) Allows(binding Binding, alt int) bool { return b.alternatives[binding][alt].allowed }

// Operand returns the binding of a symbol in an alternative that is derived under
// a binding. It is [Loose] unless the symbol is the left or the right operand.
func (b *Bindings) Operand(binding Binding, alt int, o grammars.Occurrence) Binding {
	switch a := &b.alternatives[binding][alt]; o {
	case a.left:
		return a.leftBinding
	case a.right:
		return a.rightBinding
	default:
		return Loose
	}
}

// A restriction limits the operators of an operand, so that the parser returns the
// operand in its place.
type restriction struct {
	least int // the least precedence of its operators, except in operands that end it
	most  int // operands that end it have no operator up to this precedence; -1 for any
}

func unrestricted() restriction { return restriction{0, -1} }

func (r restriction) allows(op *grammars.Operator) bool {
	if op.Left != derivation.None && op.Precedence < r.least {
		return false
	}
	return op.Right == derivation.None || op.RightPrec > r.most
}

func (r restriction) left(op *grammars.Operator) restriction {
	return restriction{r.least, op.Precedence}
}

func (r restriction) right(op *grammars.Operator) restriction {
	return restriction{op.RightPrec, r.most}
}

// maxRestrictions is the maximum number of distinct restrictions of a rule. A rule
// with more restrictions is not refined.
const maxRestrictions = 10_000

// newBindings partitions the restrictions of a rule: first by the alternatives that
// they allow, then by the classes of the operands, until no class is split.
func newBindings(rule *grammars.Rule) *Bindings {
	all, ok := restrictions(rule)
	if !ok {
		return &Bindings{rule, [][]alternative{unrefined(rule)}}
	}
	class := map[restriction]Binding{}
	var out [][]alternative
	for before := -1; before != len(out); {
		before, out = len(out), nil
		found := map[string]Binding{}
		refined := make(map[restriction]Binding, len(all))
		for _, r := range all {
			alternatives := classify(rule, r, class)
			key := signature(alternatives)
			if _, ok := found[key]; !ok {
				found[key] = Binding(len(out))
				out = append(out, alternatives)
			}
			refined[r] = found[key]
		}
		class = refined
	}
	return &Bindings{rule, out}
}

// restrictions returns the restrictions that operands of a rule can have, beginning
// with the unrestricted operand. It reports whether there are at most maxRestrictions.
func restrictions(rule *grammars.Rule) ([]restriction, bool) {
	all := []restriction{unrestricted()}
	seen := map[restriction]bool{all[0]: true}
	add := func(r restriction) {
		if !seen[r] {
			seen[r] = true
			all = append(all, r)
		}
	}
	for i := 0; i < len(all) && len(all) <= maxRestrictions; i++ {
		for j := range rule.Operators {
			op := &rule.Operators[j]
			if !all[i].allows(op) {
				continue
			}
			if op.Left != derivation.None {
				add(all[i].left(op))
			}
			if op.Right != derivation.None {
				add(all[i].right(op))
			}
		}
	}
	return all, len(all) <= maxRestrictions
}

// unrefined allows every alternative with loose operands.
func unrefined(rule *grammars.Rule) []alternative {
	out := make([]alternative, len(rule.Operators))
	for i := range out {
		out[i] = alternative{allowed: true, left: derivation.None, right: derivation.None}
	}
	return out
}

// classify returns the alternatives under a restriction, given the current classes.
func classify(rule *grammars.Rule, r restriction, class map[restriction]Binding) []alternative {
	out := make([]alternative, len(rule.Operators))
	for i := range rule.Operators {
		op := &rule.Operators[i]
		out[i] = alternative{left: derivation.None, right: derivation.None}
		if !r.allows(op) {
			continue
		}
		if out[i].allowed = true; op.Left != derivation.None {
			out[i].left, out[i].leftBinding = op.Left, class[r.left(op)]
		}
		if op.Right != derivation.None {
			out[i].right, out[i].rightBinding = op.Right, class[r.right(op)]
		}
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
		s = binary.AppendUvarint(append(s, 1), uint64(a.leftBinding))
		s = binary.AppendUvarint(s, uint64(a.rightBinding))
	}
	return string(s)
}
