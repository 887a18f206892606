package features

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// An Extra is a feature beyond the presence of a path, such as that an object
// has the same key twice. It says all about itself: its kind, a bound and one or
// two occurrences are packed in the number.
type Extra uint64

// A Kind is a family of extras.
type Kind uint8

// The kinds of extras. Their numbers are part of the format of models.
const (
	_         Kind = iota
	Repeated       // two children of one node, of the same name, have the same text
	SameStart      // two children of one node, of the same name, begin with the same token
	Length         // a token has at least as many bytes
	Wide           // a token has a character of at least as many bytes
	Digits         // a number has at least as many digits that count
	Large          // a number is at least 10 to that power, whatever its sign
	Small          // a number is below 10 to minus that power, and not 0
	Children       // a node has at least as many children of a name
	Absent         // an optional part is not there
	Count          // a path is there at least so many times
	Before         // trivia stands right before a token; the bound is 1 if it has a line end
	After          // trivia stands right after a token, or first of all
	Unsorted       // of two children of one node, of the same name, the later one begins with the lesser token
	Code           // hexadecimal digits in a row are a code of a kind of characters
	Early          // a token or rule of a name begins within the first so many tokens
	kinds
)

// Kinds is a set of kinds.
type Kinds uint32

// Of returns the set of some kinds.
func Of(kinds ...Kind) Kinds {
	set := Kinds(0)
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// Has reports whether a kind is in the set.
func (s Kinds) Has(k Kind) bool { return s>>k&1 == 1 }

// KindSets returns the groups of kinds by the names that people choose them by.
func KindSets() map[string]Kinds {
	return map[string]Kinds{
		"siblings": Of(Repeated, SameStart, Unsorted),
		"values":   Of(Length, Wide, Digits, Large, Small, Code),
		"children": Of(Children),
		"absent":   Of(Absent),
		"counts":   Of(Count),
		"trivia":   Of(Before, After),
		"early":    Of(Early),
	}
}

const (
	occurrenceBits = 22
	occurrenceMask = 1<<occurrenceBits - 1
	boundBits      = 12
)

// newExtra packs an extra. None as the second occurrence means that there is none.
func newExtra(k Kind, bound int, a, b grammars.Occurrence) Extra {
	return Extra(k)<<(boundBits+2*occurrenceBits) | Extra(bound)<<(2*occurrenceBits) |
		Extra(a+1)<<occurrenceBits | Extra(b+1)
}

// Kind returns the extra's kind.
func (e Extra) Kind() Kind { return Kind(e >> (boundBits + 2*occurrenceBits)) }

// Bound returns the number that the extra compares with.
func (e Extra) Bound() int { return int(e >> (2 * occurrenceBits) & (1<<boundBits - 1)) }

// Path returns the one or two occurrences that the extra is about.
func (e Extra) Path() Path {
	a := grammars.Occurrence(e>>occurrenceBits&occurrenceMask) - 1
	b := grammars.Occurrence(e&occurrenceMask) - 1
	if b == derivation.None {
		return Path{a}
	}
	return Path{a, b}
}

// Valid reports whether the extra is one of a grammar with so many nodes.
func (e Extra) Valid(nodes int) bool {
	if e.Kind() == 0 || e.Kind() >= kinds {
		return false
	}
	p := e.Path()
	return !slices.ContainsFunc(p, func(o grammars.Occurrence) bool { return o < 0 || int(o) >= nodes })
}

// Describe tells people what an input with the extra has.
func (e Extra) Describe(s *Space) string {
	path, bound := e.Path(), e.Bound()
	node := s.grammar.Nodes[path[0]]
	in := ""
	if node.Rule != nil {
		in = node.Rule.Name
	}
	switch e.Kind() {
	case Repeated:
		return fmt.Sprintf("two %s of one %s that are the same", node.Text, in)
	case SameStart:
		return fmt.Sprintf("two %s of one %s that begin with the same token", node.Text, in)
	case Unsorted:
		return fmt.Sprintf("two %s of one %s whose first tokens are out of order", node.Text, in)
	case Code:
		return fmt.Sprintf("%s with a code of %s", in, codeKinds()[min(bound, len(codeKinds())-1)].name)
	case Length:
		return fmt.Sprintf("%s of at least %d bytes in %s", node.Text, bound, in)
	case Wide:
		return fmt.Sprintf("%s in %s with a character of at least %d bytes", node.Text, in, bound)
	case Digits:
		return fmt.Sprintf("%s in %s with at least %d digits that count", node.Text, in, bound)
	case Large:
		return fmt.Sprintf("%s in %s of 1e%d or more", node.Text, in, bound)
	case Small:
		return fmt.Sprintf("%s in %s below 1e-%d, not 0", node.Text, in, bound)
	case Children:
		return fmt.Sprintf("%s with at least %d %s", in, bound, node.Text)
	case Absent:
		return fmt.Sprintf("%s without %s", in, strings.Join(strings.Fields(along{}.write(node)), " "))
	case Count:
		return fmt.Sprintf("at least %d times %s", bound, s.Pattern(path))
	case Early:
		if bound == 1 {
			return node.Text + " at the very start"
		}
		return fmt.Sprintf("%s within the first %d tokens", node.Text, bound)
	default:
		return e.describeTrivia(s)
	}
}

func (e Extra) describeTrivia(s *Space) string {
	path := e.Path()
	text := s.grammar.Nodes[path[0]].Text
	if e.Bound() == 1 {
		text += " with a line end"
	}
	if len(path) == 1 {
		return text + " at the very start"
	}
	where := map[Kind]string{Before: "before", After: "after"}[e.Kind()]
	neighbour := s.grammar.Nodes[path[1]]
	if neighbour.Kind == grammars.End {
		return fmt.Sprintf("%s %s the end", text, where)
	}
	return fmt.Sprintf("%s %s %s in %s", text, where, neighbour.Text, neighbour.Rule.Name)
}

// The bounds that things are compared with.
func bounds(k Kind) []int {
	switch k {
	case Length:
		return []int{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 4000}
	case Wide:
		return []int{2, 3, 4}
	case Digits:
		return []int{2, 3, 4, 6, 8, 10, 15, 16, 17, 18, 19, 20}
	case Large:
		return []int{1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 15, 16, 18, 19, 20, 22, 38, 39, 308, 309}
	case Small:
		return []int{0, 1, 2, 3, 4, 5, 6, 7, 22, 38, 45, 308, 324}
	case Children:
		return []int{2, 3, 4, 5, 8, 10, 16, 32, 64}
	case Count:
		return []int{2, 3}
	case Early:
		return []int{1, 2, 4, 8, 16, 32, 64, 128}
	default:
		return nil
	}
}

// An ExtraExtractor finds the extras of trees of one grammar. It is not safe for
// concurrent use.
type ExtraExtractor struct {
	grammar *grammars.Grammar
	kinds   Kinds
	wanted  map[Extra]struct{}    // all that is reported; nil for all of the kinds
	flags   []Kinds               // by occurrence: which kinds are wanted of it
	inside  []bool                // by occurrence: whether something is wanted inside the token
	lead    []grammars.Occurrence // by occurrence: the first of its name in its rule
	name    []grammars.Occurrence // by occurrence: the first of its name in the grammar
	above   []grammars.Occurrence // by node: the one right above it in its rule
	parts   [][]optional          // by node that is a rule's root: its optional parts
	bounds  [kinds][]int

	most    [kinds]tallies // by kind and occurrence: the most that was found
	pairs   map[[2]grammars.Occurrence]int
	present []uint32 // by node: the last node of a tree that it had a part in
	stamp   uint32
	texts   []siblingText
	last    struct { // the first token of the child before
		lead grammars.Occurrence
		text []byte
	}
	code   hexRun
	leaves []leafAt
	tokens int                // that came before
	once   map[Extra]struct{} // what was found of trivia and codes
	input  []byte
	chars  []byte // what the nodes inside a token are parts of
	found  func(Extra)
}

// A leafAt is a leaf and where it begins.
type leafAt struct {
	start      int32
	occurrence grammars.Occurrence
}

// tallies keep a number for some occurrences.
type tallies struct {
	of      []int32
	touched []grammars.Occurrence
}

func (t *tallies) add(o grammars.Occurrence, n int) {
	if t.of[o] == 0 {
		t.touched = append(t.touched, o)
	}
	t.of[o] += int32(n)
}

func (t *tallies) raise(o grammars.Occurrence, to int) {
	if to > int(t.of[o]) {
		t.add(o, to-int(t.of[o]))
	}
}

func (t *tallies) reset() {
	for _, o := range t.touched {
		t.of[o] = 0
	}
	t.touched = t.touched[:0]
}

// An optional part of a rule is missing where what holds it is there.
type optional struct {
	part   grammars.Occurrence
	holder grammars.Occurrence // the alternative or repetition around it; the rule's root if none
}

// A siblingText is a child, or its first token, as its name and a hash of its text.
type siblingText struct {
	kind Kind
	lead grammars.Occurrence
	hash uint64
}

// NewExtraExtractor returns an extractor of extras of some kinds, and of these, if
// any are given, of the wanted ones alone.
func NewExtraExtractor(g *grammars.Grammar, of Kinds, wanted ...Extra) *ExtraExtractor {
	x := &ExtraExtractor{
		grammar: g, kinds: of, flags: make([]Kinds, len(g.Nodes)), inside: make([]bool, len(g.Nodes)),
		lead:    make([]grammars.Occurrence, len(g.Nodes)),
		name:    make([]grammars.Occurrence, len(g.Nodes)),
		above:   make([]grammars.Occurrence, len(g.Nodes)),
		parts:   make([][]optional, len(g.Nodes)),
		present: make([]uint32, len(g.Nodes)),
		pairs:   map[[2]grammars.Occurrence]int{},
		once:    map[Extra]struct{}{},
	}
	x.last.lead = derivation.None
	for k := range x.most {
		x.most[k].of = make([]int32, len(g.Nodes))
		x.bounds[k] = bounds(Kind(k))
	}
	type named struct {
		rule *grammars.Rule
		text string
	}
	first := map[named]grammars.Occurrence{}
	for _, n := range g.Nodes {
		x.above[n.ID] = derivation.None
		here, anywhere := named{n.Rule, n.Text}, named{nil, n.Text}
		for _, key := range []named{here, anywhere} {
			if _, ok := first[key]; !ok {
				first[key] = n.ID
			}
		}
		x.lead[n.ID], x.name[n.ID] = first[here], first[anywhere]
	}
	for _, r := range g.Rules {
		x.explore(g.Nodes[r.Root], r.Root, r.Root)
	}
	x.want(wanted)
	return x
}

// want notes where extras are looked for.
func (x *ExtraExtractor) want(wanted []Extra) {
	if len(wanted) == 0 {
		for o := range x.flags {
			x.flags[o], x.inside[o] = x.kinds, x.kinds&Of(Absent, Count, Code) != 0
		}
		return
	}
	x.wanted = map[Extra]struct{}{}
	for _, e := range wanted {
		x.wanted[e] = struct{}{}
		path := e.Path()
		at := path[0]
		switch e.Kind() {
		case Count: // noted at the last
			at = path[len(path)-1]
		case Absent: // noted at the rule, by what stands in it
			at = x.grammar.Nodes[at].Rule.Root
		}
		x.flags[at] |= Of(e.Kind())
	}
	for _, n := range x.grammar.Nodes {
		if n.Kind == grammars.Reference {
			x.inside[n.ID] = x.wantsBelow(n, make([]bool, len(x.grammar.Nodes)))
		}
	}
}

// wantsBelow reports whether something is wanted of what a token is made of.
func (x *ExtraExtractor) wantsBelow(n *grammars.Node, seen []bool) bool {
	for work := slices.Clone(n.Children); len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[n.ID] {
			continue
		}
		seen[n.ID] = true
		if x.flags[n.ID]&Of(Absent, Count, Code) != 0 {
			return true
		}
		work = append(work, n.Children...)
	}
	return false
}

// explore finds the optional parts of a rule, and what stands above what.
func (x *ExtraExtractor) explore(n *grammars.Node, root, holder grammars.Occurrence) {
	if n.Kind.Symbolic() {
		return
	}
	if n.Kind == grammars.Repetition {
		if n.Min == 0 {
			x.parts[root] = append(x.parts[root], optional{n.ID, holder})
		}
		holder = n.ID
	}
	for _, c := range n.Children {
		x.above[c.ID] = n.ID
		inside := holder
		if n.Kind == grammars.Alternation {
			inside = c.ID
		}
		x.explore(c, root, inside)
	}
}

// Each calls found for each extra of a tree, once, in no order. The error tells that a token
// takes too long to take apart.
func (x *ExtraExtractor) Each(tree *derivation.Tree, found func(Extra)) error {
	x.found, x.input, x.tokens = found, tree.Input(), 0
	if err := x.walk(tree); err != nil {
		return err
	}
	if x.kinds&Of(Before, After) != 0 {
		x.trivia(tree)
	}
	x.flush()
	return nil
}

// walk looks at all nodes of a tree, and into its tokens.
func (x *ExtraExtractor) walk(tree *derivation.Tree) error {
	dissector := tree.Dissector()
	for _, n := range tree.All() {
		switch n.Kind() {
		case derivation.Rule:
			x.early(n.Occurrence())
			x.rule(n, false)
		case derivation.Leaf:
			o := n.Occurrence()
			x.early(o)
			x.tokens++
			if x.kinds&Of(Before, After) != 0 {
				x.leaves = append(x.leaves, leafAt{n.Token().Start, o})
			}
			if o == derivation.None || x.grammar.Nodes[o].Kind == grammars.End {
				continue
			}
			x.token(n)
			if !x.inside[o] {
				continue
			}
			inside, err := dissector.Leaf(n)
			if err != nil {
				return err
			}
			if inside != nil {
				x.chars = inside.Input() // may be another, where the same token was met first
				for _, m := range inside.All() {
					if m.Kind() == derivation.Rule {
						x.rule(m, true)
					}
				}
			}
		}
	}
	return nil
}

// early notes where a name comes first.
func (x *ExtraExtractor) early(o grammars.Occurrence) {
	if o == derivation.None || x.grammar.Nodes[o].Kind == grammars.End {
		return
	}
	if name := x.name[o]; x.flags[name].Has(Early) && x.most[Early].of[name] == 0 {
		x.most[Early].raise(name, x.tokens+1)
	}
}

func (x *ExtraExtractor) grammarKind(n derivation.Node) grammars.NodeKind {
	if o := n.Occurrence(); o != derivation.None {
		return x.grammar.Nodes[o].Kind
	}
	return grammars.Reference
}

// rule looks at the children of a node.
func (x *ExtraExtractor) rule(n derivation.Node, inToken bool) {
	x.stamp++
	root := derivation.None
	children := &x.most[0] // of this node alone
	for c := range n.Children() {
		o := c.Occurrence()
		if o == derivation.None {
			continue
		}
		node := x.grammar.Nodes[o]
		if node.Kind == grammars.End {
			continue
		}
		if root == derivation.None && node.Rule != nil {
			root = node.Rule.Root
		}
		if root != derivation.None && x.flags[root].Has(Absent) {
			for at := o; at != derivation.None && x.present[at] != x.stamp; at = x.above[at] {
				x.present[at] = x.stamp
			}
		}
		if x.flags[o].Has(Count) {
			x.most[Count].add(o, 1)
			if above := n.Occurrence(); above != derivation.None {
				x.pairs[[2]grammars.Occurrence{above, o}]++
			}
		}
		lead := x.lead[o]
		switch flags := x.flags[lead]; {
		case inToken && flags.Has(Code):
			x.codeDigit(c, lead)
		case inToken:
		default:
			if flags.Has(Children) {
				children.add(lead, 1)
			}
			if flags&Of(Repeated, SameStart, Unsorted) != 0 {
				x.sibling(c, lead)
			}
		}
	}
	x.endCode()
	if !inToken {
		for _, lead := range children.touched {
			x.most[Children].raise(lead, int(children.of[lead]))
		}
		children.reset()
		x.repeated()
	}
	if root != derivation.None && x.flags[root].Has(Absent) {
		for _, p := range x.parts[root] {
			if x.present[p.part] != x.stamp && (p.holder == root || x.present[p.holder] == x.stamp) {
				x.most[Absent].raise(p.part, 1)
			}
		}
	}
}

// Texts that are longer are not compared, nor is the first token looked for
// deeper: deep inputs would take too long.
const (
	maxSiblingText = 256
	maxFirstToken  = 16
)

// sibling notes the text of a child, and that of its first token.
func (x *ExtraExtractor) sibling(c derivation.Node, lead grammars.Occurrence) {
	if x.grammarKind(c) == grammars.Literal {
		return
	}
	first, ok := firstLeaf(c)
	if !ok {
		return
	}
	if start, end := c.Span(); end-start <= maxSiblingText {
		x.texts = append(x.texts, siblingText{Repeated, lead, hashText(string(x.input[start:end]))})
	}
	if start, end := first.Span(); c.Kind() == derivation.Rule && x.grammarKind(first) == grammars.Reference && end-start <= maxSiblingText {
		x.texts = append(x.texts, siblingText{SameStart, lead, hashText(string(x.input[start:end]))})
		if x.last.lead == lead && bytes.Compare(x.last.text, x.input[start:end]) > 0 {
			x.most[Unsorted].raise(lead, 1)
		}
		x.last.lead, x.last.text = lead, x.input[start:end]
	}
}

// firstLeaf returns the first token of a node, unless it is too far down.
func firstLeaf(n derivation.Node) (derivation.Node, bool) {
	for range maxFirstToken {
		if n.Kind() == derivation.Leaf {
			return n, true
		}
		child, ok := firstChild(n)
		if !ok {
			break
		}
		n = child
	}
	return derivation.Node{}, false
}

func firstChild(n derivation.Node) (derivation.Node, bool) {
	for c := range n.Children() {
		return c, true
	}
	return derivation.Node{}, false
}

// repeated finds what was noted twice of one node's children.
func (x *ExtraExtractor) repeated() {
	slices.SortFunc(x.texts, func(a, b siblingText) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.lead, b.lead), cmp.Compare(a.hash, b.hash))
	})
	for i := 1; i < len(x.texts); i++ {
		if x.texts[i] == x.texts[i-1] {
			x.most[x.texts[i].kind].raise(x.texts[i].lead, 1)
		}
	}
	x.texts = x.texts[:0]
	x.last.lead = derivation.None
}

// A hexRun is hexadecimal digits in a row, of one name.
type hexRun struct {
	lead   grammars.Occurrence
	digits int
	value  int
}

// codeDigit goes on with a code, or begins another.
func (x *ExtraExtractor) codeDigit(c derivation.Node, lead grammars.Occurrence) {
	if x.code.lead != lead {
		x.endCode()
	}
	start, end := c.Span()
	digit := -1
	if end-start == 1 {
		digit = strings.IndexByte("0123456789abcdef", x.chars[start]|0x20)
	}
	if digit < 0 || c.Kind() != derivation.Rule {
		x.endCode()
		return
	}
	x.code = hexRun{lead, x.code.digits + 1, min(16*x.code.value+digit, 1<<24)}
}

// endCode notes the kind of a code that has ended.
func (x *ExtraExtractor) endCode() {
	if x.code.digits >= 2 {
		for i, kind := range codeKinds() {
			if x.code.value <= kind.last {
				x.once[newExtra(Code, i, x.code.lead, derivation.None)] = struct{}{}
				break
			}
		}
	}
	x.code = hexRun{}
}

// codeKinds are the ranges of codes that programs tell apart, by their ends.
func codeKinds() []struct {
	name string
	last int
} {
	return []struct {
		name string
		last int
	}{
		{"a control character", 0x1F},
		{"ASCII", 0x7F},
		{"a character of two bytes", 0x7FF},
		{"a character of three bytes", 0xD7FF},
		{"a first surrogate", 0xDBFF},
		{"a second surrogate", 0xDFFF},
		{"a character of three bytes, beyond the surrogates", 0xFFFF},
		{"a character of four bytes", 1 << 24},
	}
}

// token looks at the text of a token.
func (x *ExtraExtractor) token(n derivation.Node) {
	o := n.Occurrence()
	flags := x.flags[o] & Of(Length, Wide, Digits, Large, Small)
	if flags == 0 || x.grammar.Nodes[o].Kind != grammars.Reference {
		return
	}
	token := n.Token()
	text := x.input[token.Start:token.End]
	x.most[Length].raise(o, len(text))
	if flags.Has(Wide) {
		x.most[Wide].raise(o, widest(text))
	}
	if flags&Of(Digits, Large, Small) == 0 {
		return
	}
	if digits, power, ok := decimal(text); ok && digits > 0 {
		x.most[Digits].raise(o, digits)
		if power >= 0 {
			x.most[Large].raise(o, min(power, 4000)+1)
		} else {
			x.most[Small].raise(o, min(-power, 4000))
		}
	}
}

// widest returns the bytes of the longest character.
func widest(text []byte) int {
	most := 0
	for _, c := range text {
		switch {
		case c >= 0xF0:
			return 4
		case c >= 0xE0:
			most = max(most, 3)
		case c >= 0xC0:
			most = max(most, 2)
		}
	}
	return most
}

// decimal reads a text as a decimal number. It returns how many digits count,
// from the first to the last that is not 0, and the power of ten of the first.
func decimal(text []byte) (digits, power int, ok bool) {
	text = bytes.TrimLeft(text, "+-")
	mantissa, exponent := text, 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		if exponent, ok = smallNumber(text[i+1:]); !ok {
			return 0, 0, false
		}
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	if len(whole)+len(fraction) == 0 || !allDigits(whole) || !allDigits(fraction) {
		return 0, 0, false
	}
	zeros := len(whole) - len(bytes.TrimLeft(whole, "0")) // before the first digit that counts
	if zeros == len(whole) {
		zeros += len(fraction) - len(bytes.TrimLeft(fraction, "0"))
	}
	tail := len(fraction) - len(bytes.TrimRight(fraction, "0")) // behind the last
	if tail == len(fraction) {
		tail += len(whole) - len(bytes.TrimRight(whole, "0"))
	}
	return max(0, len(whole)+len(fraction)-zeros-tail), len(whole) - 1 - zeros + exponent, true
}

func allDigits(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// smallNumber reads a whole number. Those that are too large become large ones.
func smallNumber(text []byte) (n int, ok bool) {
	digits := bytes.TrimLeft(text, "+-")
	if len(digits) == 0 || len(text)-len(digits) > 1 || !allDigits(digits) {
		return 0, false
	}
	for _, c := range digits {
		n = min(10*n+int(c-'0'), 1_000_000)
	}
	if text[0] == '-' {
		n = -n
	}
	return n, true
}

// trivia looks at what the parser never saw, and at the tokens around it.
func (x *ExtraExtractor) trivia(tree *derivation.Tree) {
	tokens := tree.Tokens()
	next := 0 // the first leaf that is not before the trivia
	for token, o := range tree.Trivia() {
		if o == derivation.None {
			continue
		}
		start, end := tokens[token].Start, tokens[token].End
		for next < len(x.leaves) && x.leaves[next].start < start {
			next++
		}
		lines := 0
		if bytes.ContainsAny(x.input[start:end], "\n\r") {
			lines = 1
		}
		for line := range lines + 1 {
			before := derivation.None
			if next > 0 {
				before = x.leaves[next-1].occurrence
			}
			x.once[newExtra(After, line, o, before)] = struct{}{}
			if next < len(x.leaves) {
				x.once[newExtra(Before, line, o, x.leaves[next].occurrence)] = struct{}{}
			}
		}
	}
}

// flush reports what was found, and forgets it.
func (x *ExtraExtractor) flush() {
	for k := Repeated; k < kinds; k++ {
		for _, o := range x.most[k].touched {
			if x.kinds.Has(k) {
				x.report(k, o, derivation.None, int(x.most[k].of[o]))
			}
		}
		x.most[k].reset()
	}
	for pair, n := range x.pairs {
		x.report(Count, pair[0], pair[1], n)
	}
	clear(x.pairs)
	for extra := range x.once {
		x.tell(extra)
	}
	clear(x.once)
	x.leaves = x.leaves[:0]
}

// tell reports an extra if it is wanted.
func (x *ExtraExtractor) tell(e Extra) {
	if x.wanted != nil {
		if _, ok := x.wanted[e]; !ok {
			return
		}
	}
	x.found(e)
}

// report reports an extra for each of its kind's bounds that is reached.
func (x *ExtraExtractor) report(k Kind, a, b grammars.Occurrence, most int) {
	switch k {
	case Repeated, SameStart, Unsorted, Absent:
		x.tell(newExtra(k, 0, a, b))
	case Early:
		for _, bound := range x.bounds[k] {
			if bound >= most {
				x.tell(newExtra(k, bound, a, b))
			}
		}
	case Large:
		most-- // kept one larger, so that 0 is something
		fallthrough
	default:
		for _, bound := range x.bounds[k] {
			if bound > most {
				break
			}
			x.tell(newExtra(k, bound, a, b))
		}
	}
}
