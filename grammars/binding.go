package grammars

import "github.com/inroad/inroad/grammars/derivation"

// An Operator is an alternative of a left-recursive rule.
type Operator struct {
	Alt        *Node
	Precedence int        // how tightly it binds
	Left       Occurrence // the left operand; none in a primary or a prefix operator
	Right      Occurrence // the operand that ends it; none in a primary or a suffix operator
	RightPrec  int        // the least precedence of operators in that operand that are not in brackets
}

// A Binding is what an operand of a left-recursive rule must respect to be read
// back as that operand.
type Binding struct {
	Least int // operators in it, but for those in operands that end it, bind at least so tightly
	Most  int // operands that end it take no operator that binds less than this; -1 for any
}

// Loose returns the binding of what stands alone.
func Loose() Binding { return Binding{0, -1} }

// Allows reports whether an operand may be derived by an alternative.
func (b Binding) Allows(op *Operator) bool {
	if op.Left != derivation.None && op.Precedence < b.Least {
		return false
	}
	return op.Right == derivation.None || op.RightPrec > b.Most
}

// Operands returns how the operands of an alternative are bound, for what is
// bound by b itself.
func (b Binding) Operands(op *Operator) map[Occurrence]Binding {
	out := map[Occurrence]Binding{}
	if op.Left != derivation.None {
		out[op.Left] = Binding{b.Least, op.Precedence}
	}
	if op.Right != derivation.None {
		out[op.Right] = Binding{op.RightPrec, b.Most}
	}
	return out
}
