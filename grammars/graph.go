package grammars

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/atn"
	"github.com/inroad/inroad/grammars/limit"
)

const (
	maxClasses = 0xFFFF  // character classes of the lexer
	maxLexer   = 1 << 28 // character classes times positions that consume a character
)

// buildGraph builds and numbers the nodes of the grammar.
func (l *loader) buildGraph() {
	g := &Grammar{
		Name:       l.parser.Name,
		Start:      cmp.Or(l.start, l.spec.ParserRules[0].Name),
		Code:       l.parser.code,
		ruleByName: map[string]*Rule{},
		names:      newNames(l.spec.ParserRules, l.tokenNames),

		Scannerless: l.spec.Scannerless,
	}
	if l.lexer != l.parser {
		g.Code = append(slices.Clone(g.Code), l.lexer.code...)
	}
	l.grammar = g
	b := &graphBuilder{loader: l, g: g, roots: map[*Rule]*Node{}, tokens: map[int]*Node{}, items: map[*g4.CharSet][]*Node{}, parts: map[atn.Part]*Node{}, more: map[string][]*Rule{}}
	l.nodes = b
	l.spec.Occurrences = map[g4.Element]int32{}
	l.spec.Empties = map[*g4.Alt]int32{}
	l.spec.Items = map[*g4.CharSet][]int32{}
	l.spec.Parts = map[atn.Part]int32{}
	for i, r := range l.spec.ParserRules {
		b.addRule(&Rule{Pos: r.Pos, Name: r.Name, Index: i, Kind: ParserRule, source: r})
	}
	for i, r := range l.spec.LexerRules {
		rule := &Rule{Pos: r.Pos, Name: r.Name, Index: i, Kind: TokenRule, Mode: r.Mode, Literal: l.implicit[r], source: r}
		if r.Fragment {
			rule.Kind = FragmentRule
		}
		b.addRule(rule)
	}
	for _, rule := range g.Rules {
		b.rule = rule
		b.roots[rule] = b.block(rule.source.Body)
	}
	b.rule = nil
	b.number()
	g.parents = parents(g)
	l.measure()
	l.readNotes()
	g.Digest = digest(g)
}

// A graphBuilder turns rules into graph nodes.
type graphBuilder struct {
	*loader
	g      *Grammar
	rule   *Rule // the current rule
	roots  map[*Rule]*Node
	tokens map[int]*Node // the right-hand side of each token type

	elements []elementNode
	empties  []emptyNode
	items    map[*g4.CharSet][]*Node // nil for redundant items
	parts    map[atn.Part]*Node
	count    int                // nodes so far
	makers   map[int][]int      // lexer rules by token type, computed on demand
	more     map[string][]*Rule // results of moreBefore by mode
	starting map[string]bool    // results of entered by mode
	pushing  []string           // results of pushingModes
	moreInto map[string][]int   // by mode: the rules with `more` that can leave the lexer in the mode
}

// Estimated sizes in bytes of the parts of a loaded grammar, with their share in
// indexes.
const (
	nodeSize   = 400 // a node and the element that it comes from
	rangeSize  = 40  // a range of characters, in the node and on the edges of the networks
	memberSize = 9   // a member of a token set
)

// node counts a new node against the limits and returns it.
func (b *graphBuilder) node(n *Node) *Node {
	if b.count++; b.count > b.limits.Nodes {
		limit.Stop(&limit.Error{What: "nodes of a grammar", Value: strconv.Itoa(b.limits.Nodes), Advice: tooLarge})
	}
	b.meter.Step(1)
	b.take(nodeSize + rangeSize*len(n.Chars) + memberSize*len(n.Types))
	return n
}

type elementNode struct {
	element g4.Element
	node    *Node
}

type emptyNode struct {
	alt  *g4.Alt
	node *Node
}

func (b *graphBuilder) addRule(r *Rule) {
	b.g.Rules = append(b.g.Rules, r)
	b.g.ruleByName[r.Name] = r
}

func (b *graphBuilder) block(block *g4.Block) *Node {
	if len(block.Alts) == 1 {
		return b.alt(block.Alts[0])
	}
	n := b.node(&Node{Pos: block.Pos, Kind: Alternation, Rule: b.rule})
	for _, alt := range block.Alts {
		n.Children = append(n.Children, b.alt(alt))
	}
	n.Probabilities = probabilities(block)
	return n
}

// probabilities returns the probabilities of a block's alternatives, or nil if none is
// stated. Alternatives without one share the remaining probability equally.
func probabilities(block *g4.Block) []float64 {
	out := make([]float64, len(block.Alts))
	stated, others := 0.0, 0
	for i, alt := range block.Alts {
		if out[i] = alt.Probability; !alt.HasProbability {
			others++
		}
		stated += alt.Probability
	}
	if others == len(out) {
		return nil
	}
	sum := 0.0
	for i, alt := range block.Alts {
		if !alt.HasProbability {
			out[i] = max(1-stated, 0) / float64(others)
		}
		sum += out[i]
	}
	for i := range out {
		if out[i] /= sum; sum == 0 {
			out[i] = 1 / float64(len(out))
		}
	}
	return out
}

// alt builds the node of an alternative. EOF is not a symbol: a concatenation
// of EOF and one other element is numbered as if EOF were absent.
func (b *graphBuilder) alt(alt *g4.Alt) *Node {
	n := &Node{Pos: alt.Pos, Kind: Concatenation, Rule: b.rule}
	symbols := 0
	for _, e := range alt.Elements {
		if _, code := e.(*g4.Embedded); code {
			continue
		}
		child := b.element(e)
		n.Children = append(n.Children, child)
		if child.Kind != End {
			symbols++
		}
	}
	switch {
	case len(n.Children) == 0:
		n = b.node(&Node{Pos: alt.Pos, Kind: Empty, Rule: b.rule, Text: `""`})
		b.empties = append(b.empties, emptyNode{alt, n})
		return n
	case len(n.Children) == 1:
		return n.Children[0]
	default:
		n.deferred = symbols < 2
		return b.node(n)
	}
}

func (b *graphBuilder) element(e g4.Element) *Node {
	switch e := e.(type) {
	case *g4.Labeled:
		return b.element(e.Body)
	case *g4.Block:
		return b.block(e)
	case *g4.Repeat:
		return b.repeat(e)
	case *g4.CharSet:
		return b.charSet(e)
	}
	n := b.node(b.symbol(e))
	n.Pos, n.Rule = e.Position(), b.rule
	b.elements = append(b.elements, elementNode{e, n})
	return n
}

func (b *graphBuilder) repeat(e *g4.Repeat) *Node {
	n := b.node(&Node{Pos: e.Pos, Kind: Repetition, Rule: b.rule, Max: -1, NonGreedy: e.NonGreedy})
	switch e.Op {
	case '?':
		n.Max = 1
	case '+':
		n.Min = 1
	case '{':
		n.Min, n.Max = e.Min, e.Max
	}
	n.Children = []*Node{b.element(e.Body)}
	return n
}

// charSet builds a node for each item of a set, below an alternation if there
// are several. Items that add no character get no node.
func (b *graphBuilder) charSet(e *g4.CharSet) *Node {
	n := &Node{Pos: e.Pos, Kind: Alternation, Rule: b.rule}
	var before []g4.RuneRange
	for _, item := range e.Items {
		b.meter.Step(1 + len(item.Ranges))
		chars := item.Ranges
		if !item.IsProperty() {
			chars = b.folded(item.Ranges)
		}
		if covers(before, chars) {
			b.items[e] = append(b.items[e], nil)
			continue
		}
		before = b.withRanges(before, chars)
		child := b.node(&Node{Pos: e.Pos, Kind: CharSet, Rule: b.rule, Text: setText(item), Chars: normalRanges(chars)})
		n.Children = append(n.Children, child)
		b.items[e] = append(b.items[e], child)
	}
	if len(n.Children) == 1 {
		n = n.Children[0]
	} else {
		b.node(n)
	}
	b.elements = append(b.elements, elementNode{e, n})
	return n
}

// setText returns a set item written as a set of its own.
func setText(item g4.SetItem) string { return "[" + item.Text + "]" }

// symbol builds the node of a single symbol, without its position.
func (b *graphBuilder) symbol(e g4.Element) *Node {
	switch e := e.(type) {
	case *g4.Ref:
		return b.ref(e)
	case *g4.Literal:
		n := &Node{Kind: Literal, Text: e.Quoted(), Value: e.Value}
		if b.hasTokens() {
			n.Token = b.spec.Tokens[e.Quoted()]
		} else {
			n.FoldCase = b.folds() && strings.ToUpper(e.Value) != strings.ToLower(e.Value)
		}
		return n
	case *g4.Range:
		return &Node{Kind: CharSet, Text: e.Text, Chars: b.folded([]g4.RuneRange{{Lo: e.Lo, Hi: e.Hi}})}
	case *g4.Dot:
		if b.hasTokens() {
			return &Node{Kind: TokenSet, Text: ".", Types: b.otherTypes(nil)}
		}
		return &Node{Kind: CharSet, Text: ".", Chars: complement(nil)}
	case *g4.Not:
		return b.not(e)
	default:
		panic("grammars: unknown element")
	}
}

func (b *graphBuilder) ref(e *g4.Ref) *Node {
	if e.Name == "EOF" {
		return &Node{Kind: End, Text: "EOF", Token: -1, deferred: true}
	}
	n := &Node{Kind: Reference, Text: e.Name, Target: b.g.ruleByName[e.Name]}
	if b.hasTokens() && g4.IsTokenName(e.Name) {
		n.Token = b.spec.Tokens[e.Name]
	}
	return n
}

func (b *graphBuilder) not(e *g4.Not) *Node {
	var texts []string
	var chars []g4.RuneRange
	var types []int
	add := func(ranges []g4.RuneRange) {
		if b.meter.Step(1 + len(ranges)); !covers(chars, ranges) {
			chars = b.withRanges(chars, ranges)
		}
	}
	for _, item := range e.Items {
		switch item := item.(type) {
		case *g4.Ref:
			texts = append(texts, item.Name)
			types = append(types, b.spec.Tokens[item.Name])
		case *g4.Literal:
			texts = append(texts, item.Quoted())
			types = append(types, b.spec.Tokens[item.Quoted()])
			for _, c := range item.Value {
				add(b.folded([]g4.RuneRange{{Lo: c, Hi: c}}))
			}
		case *g4.Range:
			texts = append(texts, item.Text)
			add(b.folded([]g4.RuneRange{{Lo: item.Lo, Hi: item.Hi}}))
		case *g4.CharSet:
			texts = append(texts, item.Text)
			for _, i := range item.Items {
				if i.IsProperty() {
					add(i.Ranges)
				} else {
					add(b.folded(i.Ranges))
				}
			}
		}
	}
	text := "~" + texts[0]
	if len(texts) > 1 {
		text = "~(" + strings.Join(texts, " | ") + ")"
	}
	if b.hasTokens() {
		return &Node{Kind: TokenSet, Text: text, Types: b.otherTypes(types)}
	}
	return &Node{Kind: CharSet, Text: text, Chars: complement(chars)}
}

// otherTypes returns all token types except those given.
func (b *graphBuilder) otherTypes(but []int) []int {
	b.meter.Step(b.spec.MaxToken)
	excluded := make(map[int]bool, len(but))
	for _, t := range but {
		excluded[t] = true
	}
	out := make([]int, 0, b.spec.MaxToken)
	for t := 1; t <= b.spec.MaxToken; t++ {
		if !excluded[t] {
			out = append(out, t)
		}
	}
	return out
}

// hasTokens reports whether the current rule derives tokens, not characters.
func (b *graphBuilder) hasTokens() bool { return b.rule.Kind == ParserRule && !b.spec.Scannerless }

func (b *graphBuilder) folds() bool { return b.spec.FoldCase[b.rule.source] }

// folded adds the other case of the characters if the rule ignores case.
func (b *graphBuilder) folded(in []g4.RuneRange) []g4.RuneRange {
	if !b.folds() {
		return in
	}
	var out []g4.RuneRange
	for _, r := range in {
		out = append(out, atn.FoldCase(r)...)
	}
	return normalRanges(out)
}

// withRanges adds ranges to a normalized set.
func (b *graphBuilder) withRanges(set, ranges []g4.RuneRange) []g4.RuneRange {
	for _, r := range ranges {
		b.meter.Step(1 + len(set)/64) // adding a range moves the ranges after it
		set = withRange(set, r)
	}
	return set
}

// withRange adds a range to a normalized set.
func withRange(set []g4.RuneRange, r g4.RuneRange) []g4.RuneRange {
	from, _ := slices.BinarySearchFunc(set, r.Lo, func(s g4.RuneRange, lo rune) int { return cmp.Compare(s.Hi, lo-1) })
	to := from
	for ; to < len(set) && set[to].Lo <= r.Hi+1; to++ {
		r.Lo, r.Hi = min(r.Lo, set[to].Lo), max(r.Hi, set[to].Hi)
	}
	return slices.Replace(set, from, to, r)
}

// normalRanges returns the ranges sorted and merged: a normalized set.
func normalRanges(in []g4.RuneRange) []g4.RuneRange {
	if isNormal(in) {
		return in
	}
	in = slices.Clone(in)
	slices.SortFunc(in, func(a, b g4.RuneRange) int { return cmp.Compare(a.Lo, b.Lo) })
	out := in[:0]
	for _, r := range in {
		if n := len(out); n > 0 && r.Lo <= out[n-1].Hi+1 {
			out[n-1].Hi = max(out[n-1].Hi, r.Hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

func isNormal(in []g4.RuneRange) bool {
	for i := 1; i < len(in); i++ {
		if in[i].Lo <= in[i-1].Hi+1 {
			return false
		}
	}
	return true
}

// complement returns the characters outside a normalized set.
func complement(in []g4.RuneRange) []g4.RuneRange {
	const maxRune = 0x10FFFF
	var out []g4.RuneRange
	next := rune(0)
	for _, r := range in {
		if r.Lo > next {
			out = append(out, g4.RuneRange{Lo: next, Hi: r.Lo - 1})
		}
		next = r.Hi + 1
	}
	if next <= maxRune {
		out = append(out, g4.RuneRange{Lo: next, Hi: maxRune})
	}
	return out
}

// covers reports whether a normalized set contains all of the ranges.
func covers(set, ranges []g4.RuneRange) bool {
	for _, r := range ranges {
		i, _ := slices.BinarySearchFunc(set, r.Lo, func(s g4.RuneRange, lo rune) int { return cmp.Compare(s.Hi, lo) })
		if i == len(set) || set[i].Lo > r.Lo || set[i].Hi < r.Hi {
			return false
		}
	}
	return true
}
