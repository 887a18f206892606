// Package calc simplifies arithmetic expressions.
//
// It is the program under test of an example: [Optimize] parses an expression,
// applies the rules of an optimiser, and prints the result.
package calc

import (
	"fmt"
	"math/big"
)

// An expression is one of the types below.
type expression any

type (
	number   struct{ value *big.Int }
	variable struct{ name byte }
	group    struct{ inside expression } // in brackets
	unary    struct {
		op      string // + - ++ --
		operand expression
	}
	binary struct {
		op          byte // + - * / %
		left, right expression
	}
)

// A parser is a recursive descent parser of expressions.
type parser struct {
	text string
	at   int
}

// parse parses text as one expression.
func parse(text string) (expression, error) {
	p := &parser{text: text}
	e, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.peek() != 0 {
		return nil, p.unexpected()
	}
	return e, nil
}

// peek skips white space and returns the next character, or 0 at the end.
func (p *parser) peek() byte {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\r', '\n':
			p.at++
		default:
			return c
		}
	}
	return 0
}

func (p *parser) unexpected() error {
	if p.at == len(p.text) {
		return fmt.Errorf("unexpected end of input")
	}
	return fmt.Errorf("unexpected %q at %d", p.text[p.at], p.at)
}

func (p *parser) sum() (expression, error) {
	left, err := p.product()
	for err == nil {
		op := p.peek()
		if op != '+' && op != '-' {
			return left, nil
		}
		p.at++
		var right expression
		right, err = p.product()
		left = binary{op, left, right}
	}
	return nil, err
}

func (p *parser) product() (expression, error) {
	left, err := p.factor()
	for err == nil {
		op := p.peek()
		if op != '*' && op != '/' && op != '%' {
			return left, nil
		}
		p.at++
		var right expression
		right, err = p.factor()
		left = binary{op, left, right}
	}
	return nil, err
}

func (p *parser) factor() (expression, error) {
	switch c := p.peek(); {
	case c == '+' || c == '-':
		return p.prefixed(c)
	case c == '(':
		return p.bracketed()
	case '0' <= c && c <= '9':
		return p.digits()
	case 'x' <= c && c <= 'z':
		p.at++
		return variable{c}, nil
	default:
		return nil, p.unexpected()
	}
}

func (p *parser) prefixed(sign byte) (expression, error) {
	op := string(sign)
	p.at++
	if p.at < len(p.text) && p.text[p.at] == sign {
		op += string(sign)
		p.at++
	}
	operand, err := p.factor()
	return unary{op, operand}, err
}

func (p *parser) bracketed() (expression, error) {
	p.at++
	inside, err := p.sum()
	if err != nil {
		return nil, err
	}
	if p.peek() != ')' {
		return nil, p.unexpected()
	}
	p.at++
	return group{inside}, nil
}

// digits parses a number. The grammar has a token per digit, so white space may
// separate digits.
func (p *parser) digits() (expression, error) {
	var text []byte
	for c := p.peek(); '0' <= c && c <= '9'; c = p.peek() {
		text = append(text, c)
		p.at++
	}
	value, _ := new(big.Int).SetString(string(text), 10)
	return number{value}, nil
}
