package atn

import (
	"fmt"
	"math/rand/v2"
	"unicode"
	"unicode/utf8"
)

// A symbol is a set of characters that all edges of the lexer's network treat alike. It
// is the union of character classes.
type symbol struct {
	classes []int32
	plain   []interval // its printable ASCII characters
}

// symbolsOf returns the symbols of a lexer. Surrogates, which UTF-8 text cannot
// contain, are not part of any symbol.
func symbolsOf(net *network, classes *classes) []symbol {
	alike := make([]int32, classes.count) // by class: the number of its symbol so far
	count := int32(1)
	done := map[string]bool{}
	for _, s := range net.states {
		for _, e := range s.edges {
			if !e.consumes() {
				continue
			}
			set := classes.of(e)
			key := fmt.Sprint(set)
			if done[key] {
				continue
			}
			done[key] = true
			split := map[int32]int32{}
			for class, kind := range alike {
				if !set.has(int32(class)) {
					continue
				}
				if _, ok := split[kind]; !ok {
					split[kind] = count
					count++
				}
				alike[class] = split[kind]
			}
		}
	}
	out := make([]symbol, 0, 64)
	number := map[int32]int{}
	for class, kind := range alike {
		lo, hi := classes.span(class)
		if lo >= surrogateMin && hi <= surrogateMax {
			continue
		}
		i, ok := number[kind]
		if !ok {
			i = len(out)
			number[kind] = i
			out = append(out, symbol{})
		}
		out[i].classes = append(out[i].classes, int32(class))
		if lo, hi = max(lo, ' '), min(hi, '~'); lo <= hi {
			out[i].plain = append(out[i].plain, interval{lo, hi})
		}
	}
	return out
}

const (
	surrogateMin = 0xD800
	surrogateMax = 0xDFFF
)

// draw returns a character of a symbol and its class. Nine times out of ten it is
// a printable ASCII character, if the symbol has any. Without a source of
// randomness it is always the same character.
func (x *symbol) draw(c *classes, r *rand.Rand) (class int, char rune) {
	if r == nil {
		return x.first(c)
	}
	if len(x.plain) > 0 && r.IntN(10) > 0 {
		one := x.plain[r.IntN(len(x.plain))]
		char = one.lo + rune(r.IntN(int(one.hi-one.lo)+1))
		return int(c.ascii[char]), char
	}
	class = int(x.classes[r.IntN(len(x.classes))])
	lo, hi := c.span(class)
	char = lo + rune(r.IntN(int(hi-lo)+1))
	if !utf8.ValidRune(char) {
		char = lo
		if !utf8.ValidRune(lo) {
			char = min(hi, unicode.MaxRune)
		}
	}
	return class, char
}

// first returns a character of a symbol and its class.
func (x *symbol) first(c *classes) (class int, char rune) {
	if len(x.plain) > 0 {
		char = x.plain[0].lo
		return int(c.ascii[char]), char
	}
	class = int(x.classes[0])
	if char, _ = c.span(class); !utf8.ValidRune(char) {
		_, char = c.span(class)
	}
	return class, char
}
