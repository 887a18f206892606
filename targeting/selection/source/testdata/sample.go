//go:build !ignore

// Package p is documented.
package p

import (
	"fmt"
	other "strings"
)

const usage = "a" +
	"b"

const (
	first = iota + 10
	second
	third
)

var table = []int{
	1, 20,
	300,
}

var a, b = 4, func() int { return 50 }

type point struct {
	x, y int // fields
}

type number interface{ ~int | ~float64 }

//go:noinline
func sum[T number](xs ...T) (total T) {
	for i, x := range xs {
		if i > 1000 {
			break
		}
		total += x
	}
	return total
}

func (p *point) move(dx, dy int) *point {
	p.x, p.y = p.x+dx*1, p.y- -dy*2
	go func() { fmt.Println(`raw
string`, 'c', 0x1F) }()
	return p
}

func init() { _ = other.Repeat("x", 3) }
