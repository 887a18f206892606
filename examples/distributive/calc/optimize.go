package calc

import (
	"fmt"
	"math/big"
	"strings"
)

// Optimize returns an expression with the same value that is cheaper to
// compute.
func Optimize(text string) (string, error) {
	e, err := parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	write(&b, optimize(e))
	return b.String(), nil
}

// optimize applies the rules to an expression and its operands.
func optimize(e expression) expression {
	switch e := e.(type) {
	case group:
		return simplifyGroup(group{optimize(e.inside)})
	case unary:
		return simplifyUnary(unary{e.op, optimize(e.operand)})
	case binary:
		if sum, other, ok := sumInProduct(e); ok {
			return distributiveRule(e, sum, other)
		}
		return simplifyBinary(binary{e.op, optimize(e.left), optimize(e.right)})
	default:
		return e
	}
}

// sumInProduct returns the operand of a product, quotient or remainder that is a
// sum in brackets, and the other operand.
func sumInProduct(e binary) (sum binary, other expression, ok bool) {
	if e.op == '+' || e.op == '-' {
		return sum, nil, false
	}
	if sum, ok = bracketedSum(e.right); ok {
		return sum, e.left, true
	}
	sum, ok = bracketedSum(e.left)
	return sum, e.right, ok
}

func bracketedSum(e expression) (sum binary, ok bool) {
	g, ok := e.(group)
	if !ok {
		return sum, false
	}
	sum, ok = g.inside.(binary)
	return sum, ok && (sum.op == '+' || sum.op == '-')
}

// maxCopied is the size of the largest expression that distributiveRule copies.
const maxCopied = 50

// distributiveRule rewrites a * (b + c) to a * b + a * c, so that each product can
// be simplified. It does not rewrite quotients and remainders, nor products whose
// other operand is too large to copy.
func distributiveRule(e, sum binary, other expression) expression {
	if e.op != '*' || size(other) > maxCopied {
		return binary{e.op, optimize(e.left), optimize(e.right)}
	}
	left := optimize(binary{'*', other, inBrackets(sum.left)})
	right := optimize(binary{'*', other, inBrackets(sum.right)})
	return group{binary{sum.op, left, right}}
}

// inBrackets adds brackets to an expression that needs them as an operand.
func inBrackets(e expression) expression {
	if b, ok := e.(binary); ok {
		return group{b}
	}
	return e
}

// size returns the number of operators and operands of an expression.
func size(e expression) int {
	switch e := e.(type) {
	case group:
		return size(e.inside)
	case unary:
		return 1 + size(e.operand)
	case binary:
		return 1 + size(e.left) + size(e.right)
	default:
		return 1
	}
}

// simplifyGroup removes brackets that are not needed.
func simplifyGroup(g group) expression {
	switch inside := g.inside.(type) {
	case group, number, variable:
		return inside
	default:
		return g
	}
}

// simplifyUnary applies signs to numbers, and removes double minus and plus signs.
func simplifyUnary(u unary) expression {
	if n, ok := u.operand.(number); ok {
		return foldSign(u.op, n)
	}
	if inner, ok := u.operand.(unary); ok && u.op == "-" && inner.op == "-" {
		return inner.operand
	}
	if u.op == "+" {
		return u.operand
	}
	return u
}

func foldSign(op string, n number) expression {
	one := big.NewInt(1)
	switch op {
	case "-":
		if n.value.Sign() != 0 {
			return group{unary{"-", n}}
		}
		return n
	case "++":
		return number{new(big.Int).Add(n.value, one)}
	case "--":
		if n.value.Sign() == 0 {
			return group{unary{"-", number{one}}}
		}
		return number{new(big.Int).Sub(n.value, one)}
	default:
		return n
	}
}

// simplifyBinary folds operations on two numbers, and drops neutral operands.
func simplifyBinary(e binary) expression {
	left, isLeft := e.left.(number)
	right, isRight := e.right.(number)
	switch {
	case isLeft && isRight:
		return foldNumbers(e, left.value, right.value)
	case isRight && isNeutral(e.op, right.value):
		return dropNeutral(e.left)
	case isLeft && (e.op == '+' || e.op == '*') && isNeutral(e.op, left.value):
		return dropNeutral(e.right)
	default:
		return e
	}
}

// foldNumbers computes an operation on two numbers. Divisions by zero, and results
// that are negative or not an integer, stay unevaluated.
func foldNumbers(e binary, a, b *big.Int) expression {
	switch e.op {
	case '+':
		return number{new(big.Int).Add(a, b)}
	case '*':
		return number{new(big.Int).Mul(a, b)}
	case '-':
		if a.Cmp(b) >= 0 {
			return number{new(big.Int).Sub(a, b)}
		}
		return e
	}
	if b.Sign() == 0 {
		return e
	}
	quotient, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	switch {
	case e.op == '%':
		return number{rest}
	case rest.Sign() == 0:
		return number{quotient}
	default:
		return e
	}
}

// isNeutral reports whether n is a neutral right operand of op.
func isNeutral(op byte, n *big.Int) bool {
	switch op {
	case '+', '-':
		return n.Sign() == 0
	case '*', '/':
		return n.IsInt64() && n.Int64() == 1
	default:
		return false
	}
}

func dropNeutral(e expression) expression { return e }

// write prints an expression.
func write(b *strings.Builder, e expression) {
	switch e := e.(type) {
	case number:
		b.WriteString(e.value.String())
	case variable:
		b.WriteByte(e.name)
	case group:
		b.WriteByte('(')
		write(b, e.inside)
		b.WriteByte(')')
	case unary:
		b.WriteString(e.op)
		b.WriteByte(' ')
		write(b, e.operand)
	case binary:
		write(b, e.left)
		fmt.Fprintf(b, " %c ", e.op)
		write(b, e.right)
	}
}
