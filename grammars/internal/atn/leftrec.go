package atn

import (
	"slices"

	"github.com/inroad/inroad/grammars/g4"
)

// An Operator is an alternative of a left-recursive rule in terms of operator
// precedence.
type Operator struct {
	Alt        *g4.Alt
	Index      int     // of the alternative in its rule
	Left       *g4.Ref // the left operand; nil for a primary or a prefix operator
	Rest       []g4.Element
	Precedence int     // higher binds tighter; later alternatives bind less
	Right      *g4.Ref // the rightmost reference, parsed with RightPrec; may be nil
	RightPrec  int
}

// Operators splits a directly left-recursive rule into primary alternatives,
// including prefix operators, and operators. It returns ok = false for any
// other rule.
func Operators(rule *g4.Rule) (primaries, operators []Operator, ok bool) {
	if !directlyRecursive(rule) {
		return nil, nil, false
	}
	var binaries, suffixes []Operator
	for i, alt := range rule.Body.Alts {
		op := Operator{Alt: alt, Index: i, Rest: alt.Elements, Precedence: len(rule.Body.Alts) - i}
		first, last := selfRef(alt.Elements, 0, rule.Name), selfRef(alt.Elements, lastSymbol(alt.Elements), rule.Name)
		switch {
		case first != nil && last != nil && last != first:
			op.Left, op.Rest = first, alt.Elements[1:]
			op.RightPrec = op.Precedence + 1
			if alt.RightAssoc {
				op.RightPrec = op.Precedence
			}
			op.Right = rightmost(op.Rest, rule)
			binaries = append(binaries, op)
		case first == nil && last != nil && len(alt.Elements) > 1:
			op.RightPrec = op.Precedence
			op.Right = rightmost(op.Rest, rule)
			primaries = append(primaries, op)
		case first != nil && len(alt.Elements) > 1:
			op.Left, op.Rest = first, alt.Elements[1:]
			suffixes = append(suffixes, op)
		default:
			primaries = append(primaries, op)
		}
	}
	return primaries, append(binaries, suffixes...), true
}

// directlyRecursive reports whether an alternative of the rule begins with the
// rule itself.
func directlyRecursive(rule *g4.Rule) bool {
	for _, alt := range rule.Body.Alts {
		if selfRef(alt.Elements, 0, rule.Name) != nil {
			return true
		}
	}
	return false
}

// selfRef returns element i if it is a reference, possibly labeled, to the
// named rule.
func selfRef(elements []g4.Element, i int, name string) *g4.Ref {
	if i < 0 || i >= len(elements) {
		return nil
	}
	if ref, ok := unlabeled(elements[i]).(*g4.Ref); ok && ref.Name == name {
		return ref
	}
	return nil
}

// lastSymbol returns the index of the last element that is not an action or a
// predicate, or -1.
func lastSymbol(elements []g4.Element) int {
	for i, e := range slices.Backward(elements) {
		if _, embedded := e.(*g4.Embedded); !embedded {
			return i
		}
	}
	return -1
}

// rightmost returns the last reference to a parser rule in the elements, at any
// nesting depth, if it refers to the given rule.
func rightmost(elements []g4.Element, rule *g4.Rule) *g4.Ref {
	var last *g4.Ref
	whole := &g4.Block{Alts: []*g4.Alt{{Elements: elements}}}
	for e := range whole.Elements() {
		if ref, ok := e.(*g4.Ref); ok && (rule.Scannerless || !g4.IsTokenName(ref.Name)) {
			last = ref
		}
	}
	if last == nil || last.Name != rule.Name {
		return nil
	}
	return last
}

func unlabeled(e g4.Element) g4.Element {
	if l, ok := e.(*g4.Labeled); ok {
		return l.Body
	}
	return e
}
