// Package draw interprets drawings, which draw.g4 describes. It has fifteen defects on
// purpose, from shallow to deep, for fuzzers to find: each of them panics in a function
// of its own. The comment of such a function says which drawings it takes.
package draw

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Run interprets a drawing. It returns an error for a text that is not a drawing, and
// for a drawing with an unknown name or too many shapes.
func Run(text string) error {
	statements, err := parse(text)
	if err != nil {
		return err
	}
	c := &canvas{values: []map[string]int{{}}}
	return c.run(statements)
}

// A canvas is the state of a drawing.
type canvas struct {
	values  []map[string]int // by name, of the groups around the current statement
	titles  []string         // of these groups
	loops   []int            // rounds of the loops around the current statement
	shapes  []drawn
	steps   int
	closed  map[string]bool // names of groups that have ended
	written bool            // the last group has drawn a text
	ended   bool            // the last statement was a group
}

// A drawn is a shape on the canvas.
type drawn struct {
	kind   string
	fill   string
	dashes int
}

var (
	errUnknown = errors.New("unknown name")
	errLimit   = errors.New("too many steps")
)

const maxSteps = 2000

func (c *canvas) run(statements []statement) error {
	for i := range statements {
		if c.steps++; c.steps > maxSteps {
			return errLimit
		}
		s := &statements[i]
		var err error
		ended := false
		switch s.kind {
		case "let":
			err = c.let(s)
		case "repeat":
			err = c.repeat(s)
		case "if":
			err = c.branch(s)
		case "group":
			err = c.group(s)
			ended = true
		case "draw":
			err = c.draw(s.shape)
		case "undo":
			c.undo()
		}
		if err != nil {
			return err
		}
		c.ended = ended
	}
	return nil
}

func (c *canvas) let(s *statement) error {
	value, err := c.eval(s.value)
	if err != nil {
		return err
	}
	c.values[len(c.values)-1][s.name] = value
	return nil
}

func (c *canvas) repeat(s *statement) error {
	times, err := c.eval(s.value)
	if err != nil {
		return err
	}
	c.loops = append(c.loops, times)
	if len(c.loops) > 2 {
		c.enterThirdLoop()
	}
	for range min(times, 10) {
		if err := c.run(s.body); err != nil {
			return err
		}
	}
	c.loops = c.loops[:len(c.loops)-1]
	return nil
}

// enterThirdLoop panics in a third loop inside two others (defect 8).
func (c *canvas) enterThirdLoop() {
	var rounds [2]int
	rounds[len(c.loops)-1]++
}

func (c *canvas) branch(s *statement) error {
	left, err := c.eval(s.left)
	if err != nil {
		return err
	}
	right, err := c.eval(s.right)
	if err != nil {
		return err
	}
	var holds bool
	switch s.test {
	case "<":
		holds = left < right
	case ">":
		holds = left > right
	default:
		holds = left == right
		if holds && left > 9 && s.hasElse {
			c.same(left)
		}
	}
	if holds {
		return c.run(s.body)
	}
	if s.hasElse {
		return c.otherwise(s.orElse)
	}
	return nil
}

// same panics if equal values above 99 are compared inside a loop (defect 13).
func (c *canvas) same(value int) {
	if value > 99 && len(c.loops) > 0 {
		var table [100]int
		table[value]++
	}
}

// otherwise panics if a branch that is taken is empty (defect 6).
func (c *canvas) otherwise(statements []statement) error {
	first := &statements[0]
	_ = first
	return c.run(statements)
}

func (c *canvas) group(s *statement) error {
	title := strings.Trim(s.name, `"`)
	for _, outer := range c.titles {
		if outer == title {
			c.nestedTitle(title)
		}
	}
	c.titles = append(c.titles, title)
	c.values = append(c.values, map[string]int{})
	before := len(c.shapes)
	err := c.run(s.body)
	c.written = false
	for _, shape := range c.shapes[min(before, len(c.shapes)):] {
		c.written = c.written || shape.kind == "text"
	}
	if c.closed == nil {
		c.closed = map[string]bool{}
	}
	for name := range c.values[len(c.values)-1] {
		c.closed[name] = true
	}
	c.titles, c.values = c.titles[:len(c.titles)-1], c.values[:len(c.values)-1]
	return err
}

// nestedTitle panics if a group has the title of a group around it (defect 10).
func (c *canvas) nestedTitle(title string) {
	type node struct{ children map[string][]drawn }
	top := &node{}
	top.children[title] = c.shapes
}

// undo panics if there is nothing to undo (defect 1).
func (c *canvas) undo() {
	if c.ended && c.written {
		c.undoText()
	}
	c.shapes = c.shapes[:len(c.shapes)-1]
}

// undoText panics after a group that has drawn a text and at least two other shapes
// (defect 12).
func (c *canvas) undoText() {
	if others := len(c.shapes) - 1; others >= 2 {
		_ = c.shapes[len(c.shapes)+others]
	}
}

func (c *canvas) draw(s *shape) error {
	out := drawn{kind: s.kind}
	if err := c.measure(s); err != nil {
		return err
	}
	for _, st := range s.styles {
		if err := c.apply(&out, s, st); err != nil {
			return err
		}
	}
	if s.at != nil {
		if _, _, err := c.place(*s.at); err != nil {
			return err
		}
	}
	c.shapes = append(c.shapes, out)
	return nil
}

// measure computes the size of a shape.
func (c *canvas) measure(s *shape) error {
	switch s.kind {
	case "circle":
		return c.circle(s)
	case "box":
		return c.box(s)
	case "line":
		return c.line(s)
	case "path":
		return c.path(s)
	default:
		c.text(s)
		return nil
	}
}

func (c *canvas) circle(s *shape) error {
	radius, err := c.eval(s.sizes[0])
	if err == nil && radius > 1000 && len(s.styles) > 1 {
		c.huge(radius)
	}
	return err
}

// huge panics if a circle with a radius above 1000 has two styles (defect 9).
func (c *canvas) huge(radius int) {
	var rings [1001]int
	rings[radius]++
}

func (c *canvas) box(s *shape) error {
	width, err := c.eval(s.sizes[0])
	if err != nil {
		return err
	}
	height, err := c.eval(s.sizes[1])
	if err != nil {
		return err
	}
	if width == height && width != 0 && s.at != nil {
		c.square(s)
	}
	return nil
}

// square panics if a square is placed at a point with a sign (defect 11).
func (c *canvas) square(s *shape) {
	if s.at.x.op == "-" && s.at.x.left == nil {
		s.at.x.left.number++
	}
}

func (c *canvas) line(s *shape) error {
	x1, y1, err := c.place(s.points[0])
	if err != nil {
		return err
	}
	x2, y2, err := c.place(s.points[1])
	if err != nil {
		return err
	}
	for _, st := range s.styles {
		if st.kind == "dashed" {
			c.dashes(x2-x1, y2-y1)
		}
	}
	return nil
}

// dashes panics if the ends of a dashed line are the same point (defect 14).
func (c *canvas) dashes(dx, dy int) int { return 100 / (dx*dx + dy*dy) }

func (c *canvas) path(s *shape) error {
	var corners [4]int
	for i, at := range s.points {
		x, _, err := c.place(at)
		if err != nil {
			return err
		}
		c.corner(&corners, i, x)
	}
	return nil
}

// corner panics at the fifth point of a path (defect 2).
func (c *canvas) corner(corners *[4]int, i, x int) { corners[i] = x }

// text panics if a text is empty (defect 3).
func (c *canvas) text(s *shape) byte { return s.text[0] }

func (c *canvas) place(at point) (x, y int, err error) {
	if x, err = c.eval(at.x); err == nil {
		y, err = c.eval(at.y)
	}
	return x, y, err
}

// apply applies a style to a shape.
func (c *canvas) apply(to *drawn, s *shape, st style) error {
	switch st.kind {
	case "fill":
		to.fill = c.color(st.color)
	case "stroke":
		c.color(st.color)
		if st.width == nil {
			return nil
		}
		width, err := c.eval(st.width)
		if err != nil {
			return err
		}
		c.pen(width)
	default:
		to.dashes++
		c.dashed(to, s)
	}
	return nil
}

// pen panics if the width of a stroke is negative (defect 4).
func (c *canvas) pen(width int) []byte { return make([]byte, min(width, 100)) }

// dashed panics if a filled shape is dashed twice (defect 7).
func (c *canvas) dashed(to *drawn, s *shape) {
	if to.fill != "" && to.dashes == 2 {
		_ = s.styles[len(s.styles)+to.dashes]
	}
}

// color returns the full form of a color. It panics for a color with five digits
// (defect 5).
func (c *canvas) color(text string) string {
	if !strings.HasPrefix(text, "#") {
		return text
	}
	switch digits := text[1:]; len(digits) {
	case 3:
		return digits + digits
	case 5:
		return digits[:6]
	default:
		return digits
	}
}

// eval returns the value of an expression.
func (c *canvas) eval(e *expr) (int, error) {
	switch {
	case e.name != "":
		return c.lookUp(e.name)
	case e.op == "":
		return e.number, nil
	case e.left == nil:
		value, err := c.eval(e.right)
		return -value, err
	}
	left, err := c.eval(e.left)
	if err != nil {
		return 0, err
	}
	right, err := c.eval(e.right)
	if err != nil {
		return 0, err
	}
	switch e.op {
	case "+":
		return left + right, nil
	case "-":
		return left - right, nil
	case "*":
		return left * right, nil
	default:
		if right == 0 {
			return 0, errors.New("division by zero")
		}
		return left / right, nil
	}
}

// lookUp returns the value of a name.
func (c *canvas) lookUp(name string) (int, error) {
	for _, values := range slices.Backward(c.values) {
		if value, ok := values[name]; ok {
			return value, nil
		}
	}
	if c.closed[name] {
		c.escaped(name)
	}
	return 0, fmt.Errorf("%w %s", errUnknown, name)
}

// escaped panics if a name is used after the group that it was set in (defect 15).
func (c *canvas) escaped(name string) {
	var scope *canvas
	scope.steps += len(name)
}
