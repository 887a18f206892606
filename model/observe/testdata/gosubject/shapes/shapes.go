// Package shapes has functions of all shapes. Each body names its unit.
package shapes

import (
	"errors"
	"io"
)

func Parse(r io.Reader) error {
	text, err := io.ReadAll(r) // in: Parse
	if err != nil {
		return err
	}
	var s stack[byte]
	for _, c := range text {
		switch c {
		case 'p':
			s.push(
				c)
		case 'o':
			s.pop()
		case 'l':
			literal(c)
		case 'e':
			empty()
		case 'v':
			(value{}).method()
		case 'x':
			return errors.New("x")
		}
	}
	return nil
}

func init() {
	_ = 1 // in: init@35
}

func init() {
	_ = 2 // in: init@39
}

type stack[T any] struct{ items []T }

func (s *stack[T]) push(
	item T, // in: (*stack).push
) {
	s.items = append(s.items, item)
}

func (s *stack[T]) pop() (item T) {
	if n := len(s.items); n > 0 {
		item, s.items = s.items[n-1], s.items[:n-1] // in: (*stack).pop
	}
	return item
}

type value struct{}

func (value) method() {
	func() {
		_ = 3 // in: value.method
	}()
}

var literal = func(c byte) {
	_ = c // in: func:66
}

func empty() {}

func never() {
	_ = 4 // in: never
}

// Silent takes what the harness cannot give.
func Silent(n int) {}

// Text is of a type of its own, and has more behind it.
type Text []byte

// Options are taken after a context would be.
func Options(t Text, options ...int) bool { return len(t) > 0 }

// Into is like json.Unmarshal.
func Into(s string, v any) error {
	*v.(*any) = s
	return nil
}
