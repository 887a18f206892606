package grammars

// An Operator is an alternative of a left-recursive rule.
type Operator struct {
	Alt        *Node
	Precedence int        // a tighter operator has a higher one
	Left       Occurrence // the left operand; none in a primary or a prefix operator
	Right      Occurrence // the operand that ends the alternative; none in a primary or a suffix operator
	RightPrec  int        // the least precedence of operators in the right operand that are not in brackets
}
