package generate

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/refine"
)

// maxTokenText limits the text of a token, in bytes.
const maxTokenText = 10_000

// Limits of the search for a token's text that the lexer reads as that token and not,
// say, as a keyword.
const (
	maxTokenDraws = 20 // texts
	maxTurnsBack  = 50 // choices that are made again
)

// token draws the text of a token, or a character of a scannerless grammar.
func (d *drawing) token(n *grammars.Node, kind, depth int) {
	if n.Kind == grammars.CharSet {
		d.Word(depth, n.ID, kind, utf8.AppendRune(nil, d.Char(n.Chars)))
		d.shift(n, kind, nil)
		return
	}
	if d.given(n, kind, depth) {
		d.shift(n, kind, nil)
		return
	}
	plan := d.tokenPlan(n, kind)
	derivations, roots := plan.derivations, plan.roots
	for range maxTokenDraws {
		if len(roots) == 0 {
			break
		}
		goals, size, available := d.goals, d.size, d.available
		root := d.pick(n, roots, depth+1)
		from := derivations[slices.Index(roots, root)]
		scan := d.writer.Scan(kind, from.mode, from.rule)
		t := &spelling{drawing: d, scan: &scan, left: maxTurnsBack}
		t.node(root, depth+1)
		if !d.failed && scan.Done() {
			d.word(n, kind, depth, t.text, from)
			return
		}
		d.goals, d.size, d.available, d.failed = goals, size, available, false
	}
	for _, from := range derivations {
		if len(d.goals) > 0 {
			break // they may be inside the token
		}
		if text := d.writer.Spell(d.rand, kind, from.mode, from.rule); text != nil {
			d.size += max(n.Size-1, 0)
			d.word(n, kind, depth, text, from)
			return
		}
	}
	d.failed = true
}

// anyType chooses a token type of a set that the lexer can read in its state.
func (d *drawing) anyType(n *grammars.Node) int {
	var types []int
	if d.stack != "" {
		types = d.modes.Types(n, d.turn(n))
	} else {
		types = d.readable[n.ID]
	}
	if len(types) == 0 {
		types = n.Types
	}
	return types[d.rand.IntN(len(types))]
}

// word adds the text of a token to the draft.
func (d *drawing) word(n *grammars.Node, kind, depth int, text []byte, from tokenDerivation) {
	d.Word(depth, n.ID, kind, text)
	d.words[len(d.words)-1].Rule = from.rule
	d.shiftTo(n, from.after)
}

// A tokenPlan caches the derivations of a token.
type tokenPlan struct {
	derivations []tokenDerivation
	roots       []*grammars.Node // of the derivations
}

type tokenKey struct {
	node grammars.Occurrence
	kind int
	turn refine.Turn
}

// maxTokenPlans limits the plans that a generator keeps.
const maxTokenPlans = 10_000

// tokenPlan returns the plan of a token in the lexer's state.
func (d *drawing) tokenPlan(n *grammars.Node, kind int) *tokenPlan {
	key := tokenKey{node: n.ID, kind: kind}
	if d.stack != "" {
		key.turn = d.turn(n)
	}
	if p := d.tokens[key]; p != nil {
		return p
	}
	p := &tokenPlan{derivations: d.derivations(n, kind)}
	for i := range p.derivations {
		t := &p.derivations[i]
		t.after = d.reading(n, kind, t.root)
		p.roots = append(p.roots, t.root)
	}
	if len(d.tokens) == maxTokenPlans {
		clear(d.tokens)
	}
	d.tokens[key] = p
	return p
}

// A tokenDerivation is a node that a token can be derived from.
type tokenDerivation struct {
	root *grammars.Node
	rule *grammars.Rule // the lexer rule that ends the token; nil if it is not known
	mode int            // the mode that the token begins in

	after *refine.Reading // how the lexer reads the token; nil if it cannot
}

// derivations returns the nodes that a token can be derived from, and that the lexer
// can read in its state.
func (d *drawing) derivations(n *grammars.Node, kind int) []tokenDerivation {
	var out []tokenDerivation
	add := func(t tokenDerivation) {
		if !unproductive(t.root) && !slices.ContainsFunc(out, func(o tokenDerivation) bool { return o.root == t.root }) {
			out = append(out, t)
		}
	}
	switch {
	case n.Kind == grammars.TokenSet && d.stack == "":
		for _, r := range d.grammar.TokenRules(kind) {
			add(tokenDerivation{d.grammar.Nodes[r.Root], r, grammars.AnyMode, nil})
		}
	case n.Kind == grammars.TokenSet:
		for _, r := range d.readings(n, kind) {
			add(tokenDerivation{d.grammar.Nodes[r.Rule.Root], r.Rule, r.Mode, nil})
		}
	case d.stack != "" && len(n.Children) > 0:
		for _, r := range d.readings(n, kind) {
			add(tokenDerivation{d.modes.Inside(n, r.Rule), r.Rule, r.Mode, nil})
		}
	default:
		for _, root := range n.Children {
			add(tokenDerivation{root, nil, grammars.AnyMode, nil})
		}
	}
	return out
}

// given chooses one of the texts from the options, unless a goal or an uncovered
// path is inside the token. It reports whether it did.
func (d *drawing) given(n *grammars.Node, kind, depth int) bool {
	texts := d.opt.Tokens[kind]
	if names := d.opt.Names[kind]; len(texts) == 0 && len(names) > 0 && d.rand.IntN(4) > 0 {
		texts = names
	}
	if len(texts) == 0 || len(d.goals) > 0 {
		return false
	}
	if c, ok := d.chooser.(*Cover); ok && slices.ContainsFunc(n.Children, func(root *grammars.Node) bool { return c.gain(d, root, depth+1) > 0 }) {
		return false
	}
	for range maxTokenDraws {
		if text := texts[d.rand.IntN(len(texts))]; d.writer.IsToken(kind, text) {
			d.size += max(n.Size-1, 0)
			d.Word(depth, n.ID, kind, text)
			return true
		}
	}
	return false
}

// A spelling is a token's text while it is drawn. A scan follows the text: a choice after
// which the text is no longer a prefix of a token of this type is made again.
type spelling struct {
	*drawing
	text  []byte
	scan  *grammars.Scan
	stuck bool // whether the text cannot be continued
	left  int  // how many choices may still be made again
}

// node draws a derivation of a node of a lexer rule.
func (t *spelling) node(n *grammars.Node, depth int) {
	t.enter(n, depth)
	if len(t.text) > maxTokenText || t.failed {
		t.failed = true
		return
	}
	switch n.Kind {
	case grammars.Alternation:
		t.alternation(n, depth)
	case grammars.Concatenation:
		t.sequence(n, depth, func(c *grammars.Node) { t.node(c, depth) })
	case grammars.Repetition:
		t.repetition(n, depth)
	case grammars.Reference:
		if len(n.Children) > 0 {
			t.node(n.Children[0], depth+1)
		}
	case grammars.Literal:
		for _, c := range t.cased(n) {
			t.put(c, t.scan.Next(c))
		}
	case grammars.CharSet:
		c := t.char(t.chars[n.ID])
		ok := t.scan.Next(c)
		if !ok {
			c, ok = t.scan.NextOf(n.Chars, t.rand)
		}
		t.put(c, ok)
	}
}

// put adds a character if ok, and otherwise fails.
func (t *spelling) put(c rune, ok bool) {
	if !ok {
		t.stuck, t.failed = true, true
		return
	}
	t.text = utf8.AppendRune(t.text, c)
}

// alternation draws an alternative, and others if the lexer cannot read it.
func (t *spelling) alternation(n *grammars.Node, depth int) {
	alts := t.productive[n.ID]
	for {
		turn := t.here()
		alt := t.pick(n, alts, depth)
		if t.node(alt, depth); len(alts) == 1 || !t.back(turn) {
			return
		}
		alts = without(alts, func(other *grammars.Node) bool { return other == alt })
	}
}

// repetition draws a repetition that ends before a round that the lexer cannot read.
func (t *spelling) repetition(n *grammars.Node, depth int) {
	times, full := 0, false
	t.repeat(n, depth, func() {
		if full {
			return
		}
		turn := t.here()
		t.node(n.Children[0], depth)
		if full = times >= n.Min && t.back(turn); !full {
			times++
		}
	})
}

// A turning is a choice that may be made again.
type turning struct {
	text      int
	scan      grammars.Scan
	goals     []*goal
	size      int
	available uint64
}

func (t *spelling) here() turning {
	return turning{len(t.text), *t.scan, t.goals, t.size, t.available}
}

// back returns to a choice if the text is stuck, and reports whether it did.
func (t *spelling) back(to turning) bool {
	if !t.stuck || t.left == 0 {
		return false
	}
	t.left--
	t.stuck, t.failed = false, false
	t.text, *t.scan = t.text[:to.text], to.scan
	t.goals, t.size, t.available = to.goals, to.size, to.available
	return true
}

// cased returns the text of a literal, in random case if case does not matter.
func (x *Generator) cased(n *grammars.Node) string {
	if n.FoldCase && x.rand.IntN(2) == 0 {
		return strings.ToUpper(n.Value)
	}
	return n.Value
}

// Reads reports whether the lexer reads a text alone as a token of a type.
func (x *Generator) Reads(token int, text []byte) bool { return x.writer.IsToken(token, text) }

// Char draws a character of a set. Nine times out of ten it is a printable ASCII
// character, if the set has any.
func (x *Generator) Char(set []g4.RuneRange) rune { return x.char(newCharset(set)) }

// Ordinary draws a character of a set like [Generator.Char], but nine times out of ten
// it is a letter, if the set has any: programs rarely give single letters a meaning.
func (x *Generator) Ordinary(set []g4.RuneRange) rune {
	letters := append(intersect(set, 'A', 'Z'), intersect(set, 'a', 'z')...)
	if len(letters) > 0 && x.rand.IntN(10) > 0 {
		set = letters
	}
	return x.Char(set)
}

func (x *Generator) char(c charset) rune {
	set := c.all
	if len(c.plain) > 0 && x.rand.IntN(10) > 0 {
		set = c.plain
	}
	r := set[x.rand.IntN(len(set))]
	return r.Lo + rune(x.rand.IntN(int(r.Hi-r.Lo)+1))
}

func intersect(set []g4.RuneRange, lo, hi rune) []g4.RuneRange {
	var out []g4.RuneRange
	for _, r := range set {
		if r.Lo <= hi && r.Hi >= lo {
			out = append(out, g4.RuneRange{Lo: max(r.Lo, lo), Hi: min(r.Hi, hi)})
		}
	}
	return out
}

// withoutSurrogates removes surrogates, which UTF-8 text cannot contain.
func withoutSurrogates(set []g4.RuneRange) []g4.RuneRange {
	return append(intersect(set, 0, 0xD7FF), intersect(set, 0xE000, unicode.MaxRune)...)
}
