package atn

import (
	"strings"
	"unicode"

	"github.com/inroad/inroad/grammars/g4"
)

// A Spec is a grammar with all names resolved, from which the networks are
// built. Every reference in it must be defined.
type Spec struct {
	ParserRules []*g4.Rule
	LexerRules  []*g4.Rule
	Modes       []string
	Tokens      map[string]int // token types by name and by quoted literal, including EOF
	RuleTypes   []int          // token types by lexer rule, 0 for none
	MaxToken    int
	LexerTokens int // the highest token type of the lexer
	Channels    map[string]int
	FoldCase    map[*g4.Rule]bool // rules with characters that ignore case
	EmptyRounds bool              // a repetition of a parser rule can have empty rounds, which ANTLR does not allow
	Scannerless bool              // characters are the tokens: there are no lexer rules, and MaxToken and Tokens are not used

	// Occurrences has the graph nodes of elements, Items those of the items of a
	// set (none for redundant items), Empties those of empty alternatives, and
	// Parts those of rules inside tokens that several rules produce. Symbols has
	// the texts of all nodes.
	Occurrences map[g4.Element]int32
	Items       map[*g4.CharSet][]int32
	Empties     map[*g4.Alt]int32
	Parts       map[Part]int32
	Trivia      []int32 // by lexer rule: the node of its trivia, or -1
	Symbols     []string

	// Step, if not nil, counts the steps of building; Take counts the bytes that the
	// machine takes. Both panic to stop building.
	Step, Take func(n int)
}

func (s *Spec) step(n int) {
	if s.Step != nil {
		s.Step(n)
	}
}

func (s *Spec) take(n int) {
	if s.Take != nil {
		s.Take(n)
	}
}

// A fragment is a part of a network under construction, with its entry and exit
// states.
type fragment struct{ left, right *state }

type builder struct {
	*network
	chars      bool // whether rules derive characters, not tokens
	spec       *Spec
	rule       int
	fold       bool
	ruleIndex  map[string]int
	rightPrec  map[*g4.Ref]int
	actionAt   map[lexerAction]int
	modeIndex  map[string]int
	predicates int
	customs    int
}

// parserNetwork builds the parser's network.
func parserNetwork(spec *Spec) *network {
	b := &builder{network: &network{maxToken: spec.MaxToken}, chars: spec.Scannerless, spec: spec, rightPrec: map[*g4.Ref]int{}}
	b.addRules(spec.ParserRules)
	b.newState(basic) // the ANTLR tool's state for the end of the input
	b.compact()
	if spec.Scannerless {
		b.classify()
	}
	return b.network
}

// lexerNetwork builds the lexer's network.
func lexerNetwork(spec *Spec) *network {
	b := newLexerBuilder(spec)
	b.mergeSets()
	b.compact()
	return b.network
}

// rawLexerNetwork builds the lexer's network without merging alternatives, so
// that each occurrence has its own edge.
func rawLexerNetwork(spec *Spec) *network {
	b := newLexerBuilder(spec)
	b.compact()
	return b.network
}

func newLexerBuilder(spec *Spec) *builder {
	b := &builder{
		network:  &network{lexer: true, maxToken: spec.LexerTokens, types: spec.RuleTypes},
		chars:    true,
		spec:     spec,
		rule:     -1,
		actionAt: map[lexerAction]int{}, modeIndex: map[string]int{},
	}
	for i, mode := range spec.Modes {
		b.modeIndex[mode] = i
		start := b.newState(tokensStart)
		b.decide(start)
		b.modes = append(b.modes, start)
	}
	b.addRules(spec.LexerRules)
	for i, rule := range spec.LexerRules {
		if !rule.Fragment {
			link(b.modes[b.modeIndex[rule.Mode]], b.starts[i])
		}
	}
	return b
}

func (b *builder) addRules(rules []*g4.Rule) {
	b.ruleIndex = make(map[string]int, len(rules))
	for i, rule := range rules {
		b.ruleIndex[rule.Name] = i
		b.rules = append(b.rules, rule.Name)
		b.rule = i
		start := b.newState(ruleStart)
		start.leftRec = !b.lexer && directlyRecursive(rule)
		b.starts = append(b.starts, start)
		b.stops = append(b.stops, b.newState(ruleStop))
	}
	for i, rule := range rules {
		b.rule, b.fold = i, b.spec.FoldCase[rule]
		body := b.ruleBody(rule)
		link(b.starts[i], body.left)
		link(body.right, b.stops[i])
	}
}

func (b *builder) ruleBody(rule *g4.Rule) fragment {
	if !b.lexer {
		if primaries, operators, ok := Operators(rule); ok {
			return b.recursiveRule(primaries, operators)
		}
	}
	if members := b.setMembers(rule.Body, rule.Body.Alts[0].Label != ""); members != nil {
		return b.memberSet(members)
	}
	return b.choice(b.alts(rule.Body))
}

// recursiveRule builds (primaries) (operators)*, with a precedence predicate on
// each operator.
func (b *builder) recursiveRule(primaries, operators []Operator) fragment {
	for _, ops := range [][]Operator{primaries, operators} {
		for _, op := range ops {
			if op.Right != nil {
				b.rightPrec[op.Right] = op.RightPrec
			}
		}
	}
	var alts []fragment
	for i, op := range primaries {
		var lead []fragment
		if i == 0 { // the ANTLR tool puts an empty action here
			lead = append(lead, b.step(edge{kind: action, rule: b.rule, index: -1}))
		}
		alts = append(alts, b.alt(op.Alt, op.Rest, lead))
	}
	first := b.choice(alts)
	var tails []fragment
	for _, op := range operators {
		guard := b.step(edge{kind: precedence, precedence: op.Precedence, operand: b.spec.Occurrences[op.Left]})
		b.predicates++
		tails = append(tails, b.alt(op.Alt, op.Rest, []fragment{guard}))
	}
	return b.chain([]fragment{first, b.star(tails, false)})
}

func (b *builder) alts(block *g4.Block) []fragment {
	var out []fragment
	for _, alt := range block.Alts {
		out = append(out, b.alt(alt, alt.Elements, nil))
	}
	return out
}

// alt builds the elements of an alternative after the leading fragments.
func (b *builder) alt(alt *g4.Alt, elements []g4.Element, lead []fragment) fragment {
	parts := lead
	if len(elements) == 0 && len(lead) == 0 {
		left, right := b.newState(basic), b.newState(basic)
		link(left, right)
		parts = []fragment{{left, right}}
	}
	for _, e := range elements {
		parts = append(parts, b.element(e))
	}
	f := b.chain(parts)
	if o, ok := b.spec.Empties[alt]; ok {
		f.left.edges[0].occurrence = o
	}
	if len(alt.Commands) > 0 {
		var commands []fragment
		for _, c := range alt.Commands {
			commands = append(commands, b.act(b.command(c)))
		}
		c := b.chain(commands)
		link(f.right, c.left)
		f.right = c.right
	}
	return f
}

func (b *builder) element(e g4.Element) fragment {
	o, ok := b.spec.Occurrences[e]
	if !ok {
		o = none
	}
	switch e := e.(type) {
	case *g4.Labeled:
		return b.element(e.Body)
	case *g4.Ref:
		return b.ref(e, o)
	case *g4.Literal:
		if b.chars {
			return b.text(e, o)
		}
		t := int32(b.spec.Tokens[e.Quoted()])
		return b.step(edge{kind: atom, lo: t, hi: t, occurrence: o})
	case *g4.Range:
		left, right := b.newState(basic), b.newState(basic)
		left.edges = append(left.edges, b.symbol(b.folded(e.Lo, e.Hi), right, o))
		return fragment{left, right}
	case *g4.CharSet:
		return b.step(edge{kind: set, set: b.charSet(e), occurrence: o, members: b.itemLabels(e)})
	case *g4.Not:
		var all union
		for _, item := range e.Items {
			all.add(b.memberRanges(item)...)
		}
		return b.step(edge{kind: notSet, set: normal(all.intervals), occurrence: o})
	case *g4.Dot:
		return b.step(edge{kind: wildcard, occurrence: o})
	case *g4.Embedded:
		return b.embedded(e)
	case *g4.Block:
		if members := b.setMembers(e, false); members != nil {
			return b.memberSet(members)
		}
		return b.choice(b.alts(e))
	case *g4.Repeat:
		return b.repeat(e)
	default:
		panic("atn: unknown element")
	}
}

func (b *builder) ref(ref *g4.Ref, occurrence int32) fragment {
	if ref.Name == "EOF" {
		return b.step(edge{kind: atom, lo: eof, hi: eof, occurrence: occurrence})
	}
	if g4.IsTokenName(ref.Name) && !b.chars {
		t := int32(b.spec.Tokens[ref.Name])
		return b.step(edge{kind: atom, lo: t, hi: t, occurrence: occurrence})
	}
	rule := b.ruleIndex[ref.Name]
	return b.step(edge{kind: ruleCall, rule: rule, precedence: b.rightPrec[ref], occurrence: occurrence})
}

// text builds a literal with one edge per character. The first
// edge carries the occurrence.
func (b *builder) text(lit *g4.Literal, occurrence int32) fragment {
	left := b.newState(basic)
	last := left
	for _, c := range lit.Value {
		next := b.newState(basic)
		e := b.symbol(b.folded(c, c), next, occurrence)
		e.continues = last != left
		last.edges = append(last.edges, e)
		last, occurrence = next, none
	}
	return fragment{left, last}
}

func (b *builder) embedded(e *g4.Embedded) fragment {
	if e.Kind == g4.Predicate {
		b.predicates++
		b.preds = append(b.preds, Predicate{e.Pos, b.rules[b.rule], e.Text})
		return b.step(edge{kind: predicate, rule: b.rule, index: b.predicates - 1, inContext: mentionsAttribute(e.Text), pred: int32(len(b.preds))})
	}
	if b.lexer {
		b.customs++
		return b.act(lexerAction{actCustom, b.rule, b.customs - 1})
	}
	return b.step(edge{kind: action, rule: b.rule, index: -1})
}

// mentionsAttribute reports whether code mentions an attribute, such as $x, of
// its rule. The ANTLR runtime then evaluates it only within that rule.
func mentionsAttribute(code string) bool {
	for i := strings.IndexByte(code, '$'); i >= 0 && i+1 < len(code); {
		if c := rune(code[i+1]); c == '_' || unicode.IsLetter(c) {
			return true
		}
		next := strings.IndexByte(code[i+1:], '$')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return false
}

func (b *builder) repeat(r *g4.Repeat) fragment {
	if r.Op == '{' {
		return b.counted(r)
	}
	return b.repeated(r, r.Op)
}

// counted builds an element that is repeated between Min and Max times: as often as it
// must be, and then each time as an option of the time before.
func (b *builder) counted(r *g4.Repeat) fragment {
	parts := make([]fragment, 0, r.Min+1)
	for range r.Min {
		parts = append(parts, b.element(r.Body))
	}
	switch {
	case r.Max < 0:
		parts = append(parts, b.repeated(r, '*'))
	case r.Max > r.Min:
		rest := b.repeated(r, '?')
		for range r.Max - r.Min - 1 {
			rest = b.optional([]fragment{b.chain([]fragment{b.element(r.Body), rest})}, r.NonGreedy)
		}
		parts = append(parts, rest)
	}
	return b.chain(parts)
}

// repeated builds an element with a suffix.
func (b *builder) repeated(r *g4.Repeat, op byte) fragment {
	var alts []fragment
	if block, ok := r.Body.(*g4.Block); ok && b.setMembers(block, false) == nil {
		alts = b.alts(block)
	} else {
		alts = []fragment{b.element(r.Body)}
	}
	switch op {
	case '?':
		return b.optional(alts, r.NonGreedy)
	case '*':
		return b.star(alts, r.NonGreedy)
	default:
		return b.plus(alts, r.NonGreedy)
	}
}

// act builds an edge for a lexer action. Equal actions share a number.
func (b *builder) act(a lexerAction) fragment {
	i, ok := b.actionAt[a]
	if !ok {
		i = len(b.actions)
		b.actionAt[a] = i
		b.actions = append(b.actions, a)
	}
	return b.step(edge{kind: action, rule: b.rule, index: i})
}

func (b *builder) command(c g4.Command) lexerAction {
	switch c.Name {
	case "skip":
		return lexerAction{kind: actSkip}
	case "more":
		return lexerAction{kind: actMore}
	case "popMode":
		return lexerAction{kind: actPopMode}
	case "mode":
		return lexerAction{kind: actMode, a: b.mode(c.Arg)}
	case "pushMode":
		return lexerAction{kind: actPushMode, a: b.mode(c.Arg)}
	case "type":
		return lexerAction{kind: actType, a: constant(b.spec.Tokens, c.Arg)}
	case "channel":
		return lexerAction{kind: actChannel, a: constant(b.spec.Channels, c.Arg)}
	default:
		panic("atn: unknown lexer command " + c.Name)
	}
}

func (b *builder) mode(arg string) int {
	if i, ok := b.modeIndex[arg]; ok {
		return i
	}
	return constant(nil, arg)
}

// setMembers returns the elements of a block whose alternatives are all single
// tokens, or single characters or ranges in a lexer. ANTLR turns such a block
// into one edge. It returns nil for any other block.
func (b *builder) setMembers(block *g4.Block, labeled bool) []g4.Element {
	if len(block.Alts) < 2 || labeled {
		return nil
	}
	var members []g4.Element
	for _, alt := range block.Alts {
		if len(alt.Elements) != 1 || len(alt.Commands) > 0 || !b.setMember(alt.Elements[0]) {
			return nil
		}
		members = append(members, alt.Elements[0])
	}
	return members
}

func (b *builder) setMember(e g4.Element) bool {
	switch e := e.(type) {
	case *g4.Literal:
		return !b.chars || len([]rune(e.Value)) == 1
	case *g4.Ref:
		return !b.chars && g4.IsTokenName(e.Name)
	case *g4.Range:
		return b.chars
	default:
		return false
	}
}

// memberSet builds one edge for all members.
func (b *builder) memberSet(members []g4.Element) fragment {
	var all []interval
	var labels []label
	for _, m := range members {
		for _, r := range b.memberRanges(m) {
			labels = append(labels, label{r.lo, r.hi, b.spec.Occurrences[m]})
			all = append(all, r)
		}
	}
	merged := normal(all)
	if b.chars && len(merged) == 1 {
		left, right := b.newState(basic), b.newState(basic)
		e := b.symbol(merged, right, none)
		e.members = labels
		left.edges = append(left.edges, e)
		return fragment{left, right}
	}
	return b.step(edge{kind: set, set: merged, occurrence: none, members: labels})
}

// memberRanges returns the symbols of an element of a set.
func (b *builder) memberRanges(e g4.Element) []interval {
	switch e := e.(type) {
	case *g4.CharSet:
		return b.charSet(e)
	case *g4.Range:
		return b.folded(e.Lo, e.Hi)
	case *g4.Literal:
		if b.chars {
			c := []rune(e.Value)[0]
			return b.folded(c, c)
		}
		t := int32(b.spec.Tokens[e.Quoted()])
		return []interval{{t, t}}
	case *g4.Ref:
		t := int32(b.spec.Tokens[e.Name])
		return []interval{{t, t}}
	default:
		panic("atn: unknown set element")
	}
}

func (b *builder) charSet(s *g4.CharSet) ranges {
	var all union
	for _, item := range s.Items {
		b.spec.step(1 + len(item.Ranges))
		for _, r := range item.Ranges {
			if item.IsProperty() { // the ANTLR tool does not fold its case
				all.add(interval{r.Lo, r.Hi})
				continue
			}
			all.add(b.folded(r.Lo, r.Hi)...)
		}
	}
	return normal(all.intervals)
}

// itemLabels returns the occurrences of the items of a set.
func (b *builder) itemLabels(s *g4.CharSet) []label {
	var labels []label
	for i, item := range s.Items {
		o := b.spec.Items[s][i]
		if o == none {
			continue
		}
		for _, r := range item.Ranges {
			rs := []interval{{r.Lo, r.Hi}}
			if !item.IsProperty() {
				rs = b.folded(r.Lo, r.Hi)
			}
			for _, r := range rs {
				labels = append(labels, label{r.lo, r.hi, o})
			}
		}
	}
	return labels
}

// folded returns the range and, in a rule that ignores case, its other case.
func (b *builder) folded(lo, hi rune) []interval {
	if !b.fold {
		return []interval{{lo, hi}}
	}
	var out []interval
	for _, r := range FoldCase(g4.RuneRange{Lo: lo, Hi: hi}) {
		out = append(out, interval{r.Lo, r.Hi})
	}
	return normal(out)
}

// FoldCase returns a range and its other case. Like the ANTLR tool, it folds
// only ranges whose bounds have the same case and whose cases have the same
// length.
func FoldCase(r g4.RuneRange) []g4.RuneRange {
	lower := g4.RuneRange{Lo: unicode.ToLower(r.Lo), Hi: unicode.ToLower(r.Hi)}
	upper := g4.RuneRange{Lo: unicode.ToUpper(r.Lo), Hi: unicode.ToUpper(r.Hi)}
	mixed := (lower.Lo == r.Lo) != (lower.Hi == r.Hi)
	if lower == upper || mixed || lower.Hi-lower.Lo != upper.Hi-upper.Lo {
		return []g4.RuneRange{r}
	}
	return []g4.RuneRange{lower, upper}
}

// symbol returns an edge that matches one of the characters.
func (b *builder) symbol(rs []interval, target *state, occurrence int32) *edge {
	e := &edge{target: target, occurrence: occurrence}
	switch {
	case len(rs) > 1:
		e.kind, e.set = set, rs
	case rs[0].lo == rs[0].hi:
		e.kind, e.lo, e.hi = atom, rs[0].lo, rs[0].lo
	default:
		e.kind, e.lo, e.hi = charRange, rs[0].lo, rs[0].hi
	}
	return e
}
