package g4

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A char is one character of a literal or a set.
type char struct {
	Pos
	text  string
	value rune
	valid bool

	property bool
	ranges   []RuneRange // of the property
}

// A cursor reads a literal or a set character by character.
type cursor struct {
	p    *parser
	pos  Pos
	rest string
	set  bool // a set, whose escapes differ from a literal's
}

// next reads one character and reports invalid escapes.
func (c *cursor) next() char {
	ch := char{Pos: c.pos, valid: true}
	var size int
	switch {
	case c.rest[0] != '\\':
		ch.value, size = utf8.DecodeRuneInString(c.rest)
	case c.set && (strings.HasPrefix(c.rest, `\p`) || strings.HasPrefix(c.rest, `\P`)):
		ch.property = true
		ch.ranges, size = c.p.propertyEscape(c.rest)
		ch.valid = len(ch.ranges) > 0
	default:
		ch.value, size, ch.valid = unescape(c.rest, c.set)
	}
	ch.text = c.rest[:size]
	c.rest = c.rest[size:]
	c.pos.Column += utf8.RuneCountInString(ch.text)
	switch {
	case ch.valid:
	case ch.property:
		c.p.errorf(ch.Pos, "unknown Unicode property %s", ch.text)
	default:
		c.p.errorf(ch.Pos, "invalid escape %s", ch.text)
	}
	return ch
}

// unescape decodes the escape at the start of text. The size is that of the
// escape even if it is invalid.
func unescape(text string, set bool) (value rune, size int, valid bool) {
	if strings.HasPrefix(text, `\u`) {
		return unescapeHex(text, set)
	}
	_, n := utf8.DecodeRuneInString(text[1:])
	size = 1 + n
	switch text[1:size] {
	case "n":
		return '\n', size, true
	case "r":
		return '\r', size, true
	case "t":
		return '\t', size, true
	case "b":
		return '\b', size, true
	case "f":
		return '\f', size, true
	case `\`:
		return '\\', size, true
	case "'":
		return '\'', size, !set
	case "]", "-":
		return rune(text[1]), size, set
	}
	return 0, size, false
}

// unescapeHex decodes \uXXXX or \u{X...}. ANTLR allows any number of digits
// between the braces in sets, but at most six in literals.
func unescapeHex(text string, set bool) (value rune, size int, valid bool) {
	braced := strings.HasPrefix(text, `\u{`)
	start := len(`\u`)
	if braced {
		start = len(`\u{`)
	}
	end := start + prefix(text[start:], isHexDigit)
	size = end
	if braced {
		if valid = end < len(text) && text[end] == '}'; valid {
			size++
		}
		valid = valid && (set || end-start <= 6)
	} else {
		end = min(end, start+4)
		size = end
		valid = end == start+4
	}
	n, err := strconv.ParseUint(text[start:end], 16, 32)
	if err != nil || n > unicode.MaxRune {
		return 0, size, false
	}
	return rune(n), size, valid
}

func isHexDigit(r rune) bool {
	return '0' <= r && r <= '9' || 'a' <= r && r <= 'f' || 'A' <= r && r <= 'F'
}

// maxProperty exceeds the length of any property escape. It limits the search for the
// closing brace.
const maxProperty = 200

// propertyEscape reads the \p{...} or \P{...} at the start of text. It returns
// no ranges for an unknown property.
func (p *parser) propertyEscape(text string) (ranges []RuneRange, size int) {
	end := strings.IndexByte(text[:min(len(text), maxProperty)], '}')
	if len(text) < 3 || text[2] != '{' || end < 0 {
		return nil, 2
	}
	size = end + 1
	key := text[1:2] + foldProperty(text[3:end]) // not the escape: a long name has millions of spellings
	if known, ok := p.properties[key]; ok {
		return known, size
	}
	ranges, _ = property(text[3:end])
	if text[1] == 'P' {
		ranges = complement(ranges)
	}
	p.properties[key] = ranges
	return ranges, size
}

// complement returns the characters outside ranges, which must be sorted and
// disjoint. The complement of no ranges, an unknown property, is no ranges.
func complement(ranges []RuneRange) []RuneRange {
	if len(ranges) == 0 {
		return nil
	}
	var out []RuneRange
	next := rune(0)
	for _, r := range ranges {
		if r.Lo > next {
			out = append(out, RuneRange{next, r.Lo - 1})
		}
		next = r.Hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, RuneRange{next, unicode.MaxRune})
	}
	return out
}

// cursor returns a cursor over the text between the quotes or brackets that
// open at pos.
func (p *parser) cursor(pos Pos, text string, set bool) *cursor {
	pos.Column++
	return &cursor{p: p, pos: pos, rest: text, set: set}
}

// unquote returns the text between the quotes of a literal, and its code
// points. Two escapes that form a surrogate pair make one code point.
func (p *parser) unquote(t token) (text string, runes []rune) {
	text = t.text[1:]
	if !t.unclosed {
		text = text[:len(text)-1]
	}
	for c := p.cursor(t.Pos, text, false); c.rest != ""; {
		ch := c.next()
		if !ch.valid {
			continue
		}
		if n := len(runes); n > 0 && utf16.DecodeRune(runes[n-1], ch.value) != unicode.ReplacementChar {
			runes[n-1] = utf16.DecodeRune(runes[n-1], ch.value)
			continue
		}
		runes = append(runes, ch.value)
	}
	return text, runes
}

// literal returns the element of a quoted token. A lone surrogate, which ANTLR allows
// but no text contains, becomes a range, because the value of a literal is UTF-8.
func (p *parser) literal(t token) Element {
	text, runes := p.unquote(t)
	if text == "" && !t.unclosed {
		p.errorf(t.Pos, "a literal cannot be empty")
	}
	if len(runes) == 0 {
		runes = []rune{unicode.ReplacementChar} // already reported; a literal always has a value
	}
	switch half := slices.ContainsFunc(runes, utf16.IsSurrogate); {
	case half && len(runes) == 1 && p.hasCharacters():
		p.warnf(t.Pos, "%s is half of a surrogate pair, which never occurs in text: it matches nothing", t)
		return &Range{Pos: t.Pos, Text: t.text, Lo: runes[0], Hi: runes[0]}
	case half:
		p.errorf(t.Pos, `%s has half of a surrogate pair, which never occurs in text: expected a pair, such as '\uD83D\uDE00', or a code point, such as '\u{1F600}'`, t)
	}
	return &Literal{Pos: t.Pos, Text: text, Value: string(runes)}
}

// characterRange returns the element of a range. The range is empty if a bound
// is not a single character.
func (p *parser) characterRange(from, to token) *Range {
	r := &Range{Pos: from.Pos, Text: from.text + ".." + to.text}
	lo, okLo := p.bound(from)
	hi, okHi := p.bound(to)
	if !okLo || !okHi {
		return r
	}
	if lo > hi {
		p.errorf(from.Pos, "range is empty: %s", r.Text)
		return r
	}
	r.Lo, r.Hi = lo, hi
	p.checkCase(r.Pos, r.Text, RuneRange{lo, hi})
	return r
}

// bound returns the character of a literal that is one end of a range. It
// reports a literal that is not a single character.
func (p *parser) bound(t token) (rune, bool) {
	text, runes := p.unquote(t)
	if len(runes) == 1 {
		return runes[0], true
	}
	if text == "" || len(runes) > 1 { // otherwise its escapes were already reported
		p.errorf(t.Pos, "range bounds must be single characters, found %s", t)
	}
	return 0, false
}

// A placedItem is a set item with its position.
type placedItem struct {
	Pos
	SetItem
}

// charSet reads the set whose opening bracket is the current token.
func (p *parser) charSet() *CharSet {
	open := p.tok
	body, closed := p.scan.set()
	set := &CharSet{Pos: open.Pos, Text: "[" + body + "]"}
	p.next()
	if !closed {
		p.errorf(open.Pos, "set is not closed")
		return set
	}
	if body == "" {
		p.errorf(open.Pos, "a set cannot be empty")
	}
	var items []placedItem
	for c := p.cursor(open.Pos, body, true); c.rest != ""; {
		if item, ok := p.setItem(c); ok {
			items = append(items, item)
			set.Items = append(set.Items, item.SetItem)
		}
	}
	p.checkRepeats(items)
	return set
}

// setItem reads a character, a range or a property. A hyphen makes a range only
// between two characters; at either end of a set and after a range it is an
// ordinary character.
func (p *parser) setItem(c *cursor) (item placedItem, ok bool) {
	from := c.next()
	to := from
	text := from.text
	if len(c.rest) > 1 && c.rest[0] == '-' {
		c.next()
		to = c.next()
		text += "-" + to.text
	}
	item = placedItem{Pos: from.Pos, SetItem: SetItem{Text: text}}
	switch {
	case !from.valid || !to.valid:
		return item, false
	case from.property && text == from.text:
		item.Ranges = from.ranges
		return item, true
	case from.property || to.property:
		p.errorf(from.Pos, "a property cannot be part of a range: %s", text)
		return item, false
	case from.value > to.value:
		p.errorf(from.Pos, "range is empty: %s", text)
		return item, false
	}
	item.Ranges = []RuneRange{{from.value, to.value}}
	p.checkCase(item.Pos, text, item.Ranges[0])
	return item, true
}

// checkCase warns about ranges such as A-z, which include more than letters.
func (p *parser) checkCase(pos Pos, text string, r RuneRange) {
	mixed := (unicode.ToLower(r.Lo) == r.Lo) != (unicode.ToLower(r.Hi) == r.Hi)
	if !mixed || r.Hi >= utf8.RuneSelf {
		return
	}
	var others []rune
	for c := r.Lo; c < r.Hi; c++ {
		if !unicode.IsLetter(c) {
			others = append(others, c)
		}
	}
	if len(others) > 0 {
		p.warnf(pos, "range %s spans upper and lower case and includes %q", text, string(others))
	}
}

// checkRepeats warns about items that repeat characters of other items. It
// ignores properties, which overlap by nature.
func (p *parser) checkRepeats(items []placedItem) {
	type span struct {
		RuneRange
		item int
	}
	var spans []span
	for i, item := range items {
		if item.IsProperty() {
			continue
		}
		for _, r := range p.foldings(item.Ranges[0]) {
			spans = append(spans, span{r, i})
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.Lo, b.Lo) })
	repeats := make([]bool, len(items))
	for i, reaching := 1, 0; i < len(spans); i++ {
		a, b := spans[reaching], spans[i]
		if later := max(a.item, b.item); b.Lo <= a.Hi && a.item != b.item && !repeats[later] {
			repeats[later] = true
			p.warnf(items[later].Pos, "\"%s\" repeats characters that are already in the set", items[later].Text)
		}
		if b.Hi > a.Hi {
			reaching = i
		}
	}
}

// characters returns the single characters and ranges among elements as set
// items.
func characters(elements []Element) []placedItem {
	var items []placedItem
	for _, e := range elements {
		switch e := e.(type) {
		case *Literal:
			r, _ := utf8.DecodeRuneInString(e.Value)
			if r == utf8.RuneError { // also the replacement for half of a surrogate pair
				continue
			}
			items = append(items, placedItem{Pos: e.Pos, SetItem: SetItem{e.Text, []RuneRange{{r, r}}}})
		case *Range:
			items = append(items, placedItem{Pos: e.Pos, SetItem: SetItem{e.Text, []RuneRange{{e.Lo, e.Hi}}}})
		}
	}
	return items
}

// checkChoice warns about repeated characters in a choice between single
// characters, which ANTLR turns into a set.
func (p *parser) checkChoice(b *Block) {
	var choice []Element
	for _, alt := range b.Alts {
		if len(alt.Elements) != 1 || len(alt.Commands) > 0 {
			return
		}
		switch e := alt.Elements[0].(type) {
		case *Range:
		case *Literal:
			if utf8.RuneCountInString(e.Value) > 1 {
				return
			}
		default:
			return
		}
		choice = append(choice, alt.Elements[0])
	}
	p.checkRepeats(characters(choice))
}

// foldings returns r and, if the rule ignores case, its other case. Like ANTLR,
// it folds only the bounds, and only if both cases of the range have the same
// length.
func (p *parser) foldings(r RuneRange) []RuneRange {
	lower := RuneRange{unicode.ToLower(r.Lo), unicode.ToLower(r.Hi)}
	upper := RuneRange{unicode.ToUpper(r.Lo), unicode.ToUpper(r.Hi)}
	mixed := (lower.Lo == r.Lo) != (lower.Hi == r.Hi)
	if !p.caseless || lower == upper || mixed || lower.Hi-lower.Lo != upper.Hi-upper.Lo {
		return []RuneRange{r}
	}
	return []RuneRange{lower, upper}
}
