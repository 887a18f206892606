package tribble

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compile returns the smallest automaton of a regular expression, in this notation:
//
//	a|b    either           a&b    both             ab     one after the other
//	a? a* a+ a{n} a{n,} a{n,m}   repeated           ~a     any text but those of a
//	[a-z] [^a-z] .          one character           ()     the empty text
//	"text" \c               these characters themselves
//
// An operator where a character must come is that character, as in the library
// dk.brics.automaton, whose notation this is. TRIBBLE enables only complement and
// intersection of the library's optional syntax, so that #, @ and < are characters and not
// the empty language, any text or an interval.
func compile(ctx context.Context, pattern string) (a *automaton, err error) {
	x := &regex{network: &network{ctx: ctx}, rest: pattern}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case stop:
			a, err = nil, e.err
		default:
			panic(e)
		}
	}()
	whole := x.union()
	if x.rest != "" {
		x.failf("unexpected %q", x.rest)
	}
	return x.minimize(x.determine(whole)), nil
}

// A regex is a regular expression while it is parsed.
type regex struct {
	*network
	rest    string
	nesting int
}

func (x *regex) failf(format string, args ...any) { panic(stop{fmt.Errorf(format, args...)}) }

// accept consumes a symbol and reports whether it was there.
func (x *regex) accept(symbol byte) bool {
	if !x.at(symbol) {
		return false
	}
	x.rest = x.rest[1:]
	return true
}

func (x *regex) at(symbol byte) bool { return x.rest != "" && x.rest[0] == symbol }

// char consumes any character.
func (x *regex) char() rune {
	c, width := utf8.DecodeRuneInString(x.rest)
	if width == 0 {
		x.failf("unexpected end")
	}
	x.rest = x.rest[width:]
	return c
}

// enter limits nesting.
func (x *regex) enter() func() {
	if x.nesting++; x.nesting > maxNesting {
		x.failf("nested more than %d deep", maxNesting)
	}
	return func() { x.nesting-- }
}

func (x *regex) union() part {
	defer x.enter()()
	p := x.intersection()
	for x.accept('|') {
		p = x.network.union(p, x.intersection())
	}
	return p
}

func (x *regex) intersection() part {
	p := x.concatenation()
	for x.accept('&') {
		both := x.intersect(x.minimize(x.determine(p)), x.minimize(x.determine(x.concatenation())))
		p = x.insert(x.minimize(both))
	}
	return p
}

func (x *regex) concatenation() part {
	p := x.repetition()
	for x.rest != "" && !strings.ContainsRune(")|&", rune(x.rest[0])) {
		p = x.concat(p, x.repetition())
	}
	return p
}

func (x *regex) repetition() part {
	text := x.rest
	p := x.complemented()
	text = text[:len(text)-len(x.rest)]
	for x.rest != "" {
		before := x.rest
		switch {
		case x.accept('?'):
			p = x.option(p)
		case x.accept('*'):
			p = x.star(p)
		case x.accept('+'):
			p = x.concat(p, x.star(x.again(text)))
		case x.accept('{'):
			p = x.counted(p, text)
		default:
			return p
		}
		text += before[:len(before)-len(x.rest)]
	}
	return p
}

// again adds a part once more, given its text.
func (x *regex) again(text string) part {
	rest := x.rest
	x.rest = text
	p := x.repetition()
	x.rest = rest
	return p
}

// counted reads the bounds of a repetition.
func (x *regex) counted(p part, text string) part {
	low := x.number()
	high := low
	if x.accept(',') {
		if high = -1; !x.at('}') {
			high = x.number()
		}
	}
	switch {
	case !x.accept('}'):
		x.failf("expected } after the bounds of a repetition")
	case high >= 0 && low > high:
		x.failf("{%d,%d}: the first bound must not exceed the second", low, high)
	}
	out := x.empty()
	for i := range low {
		if i > 0 {
			p = x.again(text)
		}
		out = x.concat(out, p)
	}
	if high < 0 {
		return x.concat(out, x.star(x.again(text)))
	}
	for range high - low {
		out = x.concat(out, x.option(x.again(text)))
	}
	return out
}

func (x *regex) number() int {
	end := strings.IndexFunc(x.rest, func(c rune) bool { return c < '0' || c > '9' })
	if end <= 0 {
		x.failf("expected a number after {")
	}
	n, err := strconv.Atoi(x.rest[:end])
	if err != nil || n > maxStates {
		panic(stop{errTooLarge})
	}
	x.rest = x.rest[end:]
	return n
}

func (x *regex) complemented() part {
	if !x.accept('~') {
		return x.simple()
	}
	defer x.enter()()
	return x.insert(x.minimize(x.complement(x.minimize(x.determine(x.complemented())))))
}

func (x *regex) simple() part {
	switch {
	case x.accept('['):
		return x.class()
	case x.accept('.'):
		return x.chars([]edge{{lo: 0, hi: unicode.MaxRune}})
	case x.accept('"'):
		text, rest, ok := strings.Cut(x.rest, `"`)
		if !ok {
			x.failf("expected a closing quote")
		}
		x.rest = rest
		p := x.empty()
		for _, c := range text {
			p = x.concat(p, x.chars([]edge{{lo: c, hi: c}}))
		}
		return p
	case x.accept('('):
		if x.accept(')') {
			return x.empty()
		}
		p := x.union()
		if !x.accept(')') {
			x.failf("expected )")
		}
		return p
	}
	c := x.escapable()
	return x.chars([]edge{{lo: c, hi: c}})
}

// escapable reads a character that may follow a backslash.
func (x *regex) escapable() rune {
	x.accept('\\')
	return x.char()
}

// class reads a class of characters after its opening bracket.
func (x *regex) class() part {
	negated := x.accept('^')
	var ranges []edge
	for first := true; first || !x.at(']'); first = false {
		lo := x.escapable()
		hi := lo
		if x.at('-') && !strings.HasPrefix(x.rest, "-]") {
			x.accept('-')
			hi = x.escapable()
		}
		if lo > hi {
			x.failf("range %q-%q: the first character must not come after the last", lo, hi)
		}
		ranges = append(ranges, edge{lo: lo, hi: hi})
	}
	x.accept(']')
	if negated {
		ranges = x.others(ranges)
	}
	return x.chars(ranges)
}

// others returns the characters outside some ranges.
func (x *regex) others(ranges []edge) []edge {
	var out []edge
	next := rune(0)
	x.each(ranges, func(lo, hi rune, _ []int) {
		if lo > next {
			out = append(out, edge{lo: next, hi: lo - 1})
		}
		next = hi + 1
	})
	if next <= unicode.MaxRune {
		out = append(out, edge{lo: next, hi: unicode.MaxRune})
	}
	return out
}
