package draw

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A statement is one line of a drawing.
type statement struct {
	kind    string // its first word
	name    string // let: the name; group: the title
	value   *expr  // let, repeat
	left    *expr  // if
	test    string // if: the comparison
	right   *expr  // if
	body    []statement
	orElse  []statement
	hasElse bool
	shape   *shape
}

// A shape is drawn.
type shape struct {
	kind   string
	sizes  []*expr
	points []point
	text   string
	at     *point
	styles []style
}

type point struct{ x, y *expr }

type style struct {
	kind  string
	color string
	width *expr // nil if it has none
}

// An expr is a number, a name, or an operator with operands.
type expr struct {
	op          string // "" for a number or a name
	number      int
	name        string
	left, right *expr // left is nil for a sign
}

// errSyntax reports a text that is not a drawing.
var errSyntax = errors.New("not a drawing")

// maxDepth limits the nesting of a drawing.
const maxDepth = 1000

type parser struct {
	words []string
	depth int
}

// parse reads a drawing.
func parse(text string) ([]statement, error) {
	words, err := split(text)
	if err != nil {
		return nil, err
	}
	p := &parser{words: words}
	out, err := p.statements()
	if err == nil && len(p.words) > 0 {
		err = fmt.Errorf("%w: unexpected %s", errSyntax, p.words[0])
	}
	return out, err
}

// split returns the words of a text.
func split(text string) ([]string, error) {
	var out []string
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return out, nil
		}
		n := wordLength(text)
		if n == 0 {
			return nil, fmt.Errorf("%w: unexpected %q", errSyntax, text[0])
		}
		out, text = append(out, text[:n]), text[n:]
	}
}

func wordLength(text string) int {
	span := func(chars string) int { return len(text) - len(strings.TrimLeft(text[1:], chars)) }
	switch c := text[0]; {
	case c == '"':
		if end := strings.IndexByte(text[1:], '"'); end >= 0 {
			return end + 2
		}
		return 0
	case c == '#':
		return span("0123456789abcdef")
	case c >= '0' && c <= '9':
		return span("0123456789")
	case c >= 'a' && c <= 'z':
		return span("abcdefghijklmnopqrstuvwxyz")
	case strings.HasPrefix(text, "=="):
		return 2
	case strings.IndexByte("=;{}<>(),*/+-", c) >= 0:
		return 1
	default:
		return 0
	}
}

func (p *parser) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.words[0]
}

func (p *parser) next() string {
	word := p.peek()
	if word != "" {
		p.words = p.words[1:]
	}
	return word
}

func (p *parser) has(word string) bool {
	if p.peek() != word {
		return false
	}
	p.next()
	return true
}

func (p *parser) need(word string) error {
	if !p.has(word) {
		return fmt.Errorf("%w: expected %s, got %q", errSyntax, word, p.peek())
	}
	return nil
}

func (p *parser) enter() error {
	if p.depth++; p.depth > maxDepth {
		return fmt.Errorf("%w: nested too deeply", errSyntax)
	}
	return nil
}

func (p *parser) statements() ([]statement, error) {
	var out []statement
	for len(p.words) > 0 && p.peek() != "}" {
		s, err := p.statement()
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (p *parser) block() ([]statement, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	if err := p.need("{"); err != nil {
		return nil, err
	}
	out, err := p.statements()
	if err == nil {
		err = p.need("}")
	}
	return out, err
}

func (p *parser) statement() (s statement, err error) {
	switch s.kind = p.next(); s.kind {
	case "let":
		s.name = p.next()
		if err = p.need("="); err == nil {
			s.value, err = p.expr()
		}
		if err == nil {
			err = p.need(";")
		}
	case "repeat":
		if s.value, err = p.expr(); err == nil {
			s.body, err = p.block()
		}
	case "if":
		err = p.conditional(&s)
	case "group":
		s.name = p.next()
		if !strings.HasPrefix(s.name, `"`) {
			return s, fmt.Errorf("%w: a group without a title", errSyntax)
		}
		s.body, err = p.block()
	case "draw":
		if s.shape, err = p.shape(); err == nil {
			err = p.need(";")
		}
	case "undo":
		err = p.need(";")
	default:
		err = fmt.Errorf("%w: unknown statement %q", errSyntax, s.kind)
	}
	return s, err
}

func (p *parser) conditional(s *statement) (err error) {
	if s.left, err = p.expr(); err != nil {
		return err
	}
	s.test = p.next()
	if s.right, err = p.expr(); err != nil {
		return err
	}
	if s.body, err = p.block(); err != nil || !p.has("else") {
		return err
	}
	s.hasElse = true
	s.orElse, err = p.block()
	return err
}

func (p *parser) shape() (s *shape, err error) {
	s = &shape{kind: p.next()}
	switch s.kind {
	case "circle":
		err = p.sizes(s, 1)
	case "box":
		err = p.sizes(s, 2)
	case "line":
		err = p.points(s, 2)
	case "path":
		if err = p.points(s, 1); err == nil {
			err = p.morePoints(s)
		}
	case "text":
		s.text = strings.Trim(p.next(), `"`)
	default:
		err = fmt.Errorf("%w: unknown shape %q", errSyntax, s.kind)
	}
	if err == nil && p.has("at") {
		s.at = &point{}
		*s.at, err = p.point()
	}
	for more := true; more && err == nil; {
		more, err = p.style(s)
	}
	return s, err
}

func (p *parser) sizes(s *shape, n int) error {
	for i := range n {
		if i > 0 {
			if err := p.need(","); err != nil {
				return err
			}
		}
		e, err := p.expr()
		if err != nil {
			return err
		}
		s.sizes = append(s.sizes, e)
	}
	return nil
}

func (p *parser) points(s *shape, n int) error {
	for range n {
		at, err := p.point()
		if err != nil {
			return err
		}
		s.points = append(s.points, at)
	}
	return nil
}

func (p *parser) morePoints(s *shape) error {
	for p.has(",") {
		if err := p.points(s, 1); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) point() (out point, err error) {
	if err = p.need("("); err != nil {
		return out, err
	}
	if out.x, err = p.expr(); err != nil {
		return out, err
	}
	if err = p.need(","); err != nil {
		return out, err
	}
	if out.y, err = p.expr(); err != nil {
		return out, err
	}
	return out, p.need(")")
}

// style reads a style of a shape, and reports whether there is one.
func (p *parser) style(s *shape) (bool, error) {
	switch {
	case p.has("fill"):
		s.styles = append(s.styles, style{kind: "fill", color: p.next()})
	case p.has("stroke"):
		st := style{kind: "stroke", color: p.next()}
		if next := p.peek(); next != "" && strings.IndexByte("0123456789(-", next[0]) >= 0 || isName(next) {
			e, err := p.expr()
			if err != nil {
				return false, err
			}
			st.width = e
		}
		s.styles = append(s.styles, st)
	case p.has("dashed"):
		s.styles = append(s.styles, style{kind: "dashed"})
	default:
		return false, nil
	}
	return true, nil
}

// isName reports whether a word is a name and not a style.
func isName(word string) bool {
	return word != "" && word[0] >= 'a' && word[0] <= 'z' && word != "fill" && word != "stroke" && word != "dashed"
}

func (p *parser) expr() (*expr, error) {
	return p.binary("+-", func() (*expr, error) { return p.binary("*/", p.operand) })
}

func (p *parser) binary(ops string, operand func() (*expr, error)) (*expr, error) {
	left, err := operand()
	for err == nil && p.peek() != "" && strings.Contains(ops, p.peek()) {
		op := p.next()
		var right *expr
		if right, err = operand(); err == nil {
			left = &expr{op: op, left: left, right: right}
		}
	}
	return left, err
}

func (p *parser) operand() (*expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	switch word := p.next(); {
	case word == "-":
		e, err := p.operand()
		return &expr{op: "-", right: e}, err
	case word == "(":
		e, err := p.expr()
		if err == nil {
			err = p.need(")")
		}
		return e, err
	case word != "" && word[0] >= '0' && word[0] <= '9':
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, fmt.Errorf("%w: number %s", errSyntax, word)
		}
		return &expr{number: n}, nil
	case word != "" && word[0] >= 'a' && word[0] <= 'z':
		return &expr{name: word}, nil
	default:
		return nil, fmt.Errorf("%w: expected a value, got %q", errSyntax, word)
	}
}
