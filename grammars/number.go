package grammars

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/atn"
)

// number links references to their targets and numbers the nodes breadth-first: from
// the parser rules in order, from the trivia, and from the remaining rules. The
// numbers must not change: models and observations store them.
func (b *graphBuilder) number() {
	q := &numbering{b: b, seen: map[*Node]bool{}}
	for _, rule := range b.g.Rules {
		if rule.Kind == ParserRule {
			q.from(b.roots[rule])
		}
	}
	trivia := b.trivia()
	q.from(trivia)
	for _, rule := range b.g.Rules {
		q.from(b.roots[rule])
	}
	b.g.Nodes = append(q.nodes, q.deferred...)
	for i, n := range b.g.Nodes {
		n.ID = Occurrence(i)
	}
	b.g.Trivia = trivia.ID
	for _, rule := range b.g.Rules {
		rule.Root = b.roots[rule].ID
	}
	for _, e := range b.elements {
		b.spec.Occurrences[e.element] = int32(e.node.ID)
	}
	for _, e := range b.empties {
		b.spec.Empties[e.alt] = int32(e.node.ID)
	}
	for set, nodes := range b.items {
		for _, n := range nodes {
			o := int32(-1)
			if n != nil {
				o = int32(n.ID)
			}
			b.spec.Items[set] = append(b.spec.Items[set], o)
		}
	}
	for part, n := range b.parts {
		b.spec.Parts[part] = int32(n.ID)
	}
	b.spec.Trivia = make([]int32, len(b.spec.LexerRules))
	for i := range b.spec.Trivia {
		b.spec.Trivia[i] = -1
	}
	for _, n := range trivia.Children {
		b.spec.Trivia[n.Target.Index] = int32(n.ID)
	}
	b.g.makers, b.g.modes = map[int][]*Rule{}, b.spec.Modes
	for i := range b.spec.LexerRules {
		for _, t := range slices.Compact(slices.Sorted(slices.Values(b.typesMade(i)))) {
			b.g.makers[t] = append(b.g.makers[t], b.lexerRule(i))
		}
	}
	for _, rule := range b.g.ParserRules() {
		b.operators(rule)
	}
	names := b.g.names
	for _, n := range b.g.Nodes {
		names.Symbols = append(names.Symbols, n.Text)
		names.Deep = append(names.Deep, n.Kind == Reference && len(n.Children) > 0)
	}
	b.spec.Symbols = names.Symbols
}

// operators records the operator precedence of a left-recursive rule's
// alternatives.
func (b *graphBuilder) operators(rule *Rule) {
	primaries, operators, ok := atn.Operators(rule.source)
	if !ok {
		return
	}
	alts := b.roots[rule].Children
	if len(rule.source.Body.Alts) == 1 {
		alts = []*Node{b.roots[rule]}
	}
	rule.Operators = make([]Operator, len(alts))
	for _, op := range slices.Concat(primaries, operators) {
		b.meter.Step(1)
		i := op.Index
		out := Operator{Alt: alts[i], Precedence: op.Precedence, Left: derivation.None, Right: derivation.None, RightPrec: op.RightPrec}
		if op.Left != nil {
			out.Left = Occurrence(b.spec.Occurrences[op.Left])
		}
		if op.Right != nil {
			out.Right = Occurrence(b.spec.Occurrences[op.Right])
		}
		rule.Operators[i] = out
	}
}

type numbering struct {
	b        *graphBuilder
	seen     map[*Node]bool
	nodes    []*Node
	deferred []*Node
}

// from numbers all unnumbered nodes reachable from root.
func (q *numbering) from(root *Node) {
	queue := q.enter(nil, root)
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		q.b.link(n)
		q.b.meter.Step(1 + len(n.Children))
		for _, child := range n.Children {
			queue = q.enter(queue, child)
		}
	}
}

// enter numbers a node and queues it. A deferred node yields its number to its
// children.
func (q *numbering) enter(queue []*Node, n *Node) []*Node {
	if q.seen[n] {
		return queue
	}
	q.seen[n] = true
	if !n.deferred {
		q.nodes = append(q.nodes, n)
		return append(queue, n)
	}
	q.deferred = append(q.deferred, n)
	for _, child := range n.Children {
		queue = q.enter(queue, child)
	}
	return queue
}

// link sets the child of a reference to the right-hand side of its target.
func (b *graphBuilder) link(n *Node) {
	if n.Kind != Reference || n.Children != nil {
		return
	}
	var child *Node
	switch {
	case n.Token > 0:
		child = b.token(n.Token)
	case n.Target != nil:
		child = b.roots[n.Target]
	}
	if child != nil {
		n.Children = []*Node{child}
	}
}

// token returns the right-hand side of a token type, nil if no rule produces
// it. If several rules do, it is an alternation over them. Rules with another
// name are entered by reference, so that paths show the rule that matched.
func (b *graphBuilder) token(t int) *Node {
	if n, ok := b.tokens[t]; ok {
		return n
	}
	n := &Node{Kind: Alternation}
	for _, i := range b.makersOf(t) {
		b.meter.Step(1)
		rule := b.lexerRule(i)
		end := b.roots[rule]
		if b.spec.RuleTypes[i] != t {
			end = b.node(&Node{Pos: rule.Pos, Kind: Reference, Text: rule.Name, Target: rule})
			b.parts[atn.Part{Type: t, End: i, Rule: i}] = end
		}
		n.Children = append(n.Children, b.afterMore(t, rule, end))
	}
	switch len(n.Children) {
	case 0:
		n = nil
	case 1:
		n = n.Children[0]
	default:
		b.node(n)
	}
	b.tokens[t] = n
	return n
}

func (b *graphBuilder) lexerRule(i int) *Rule { return b.g.Rules[len(b.spec.ParserRules)+i] }

// makersOf returns the indexes of the lexer rules that produce a token type.
func (b *graphBuilder) makersOf(t int) []int {
	if b.makers == nil {
		b.makers = map[int][]int{}
		for i, source := range b.spec.LexerRules {
			if source.Fragment {
				continue
			}
			for _, t := range slices.Compact(slices.Sorted(slices.Values(b.typesMade(i)))) {
				b.makers[t] = append(b.makers[t], i)
			}
		}
	}
	return b.makers[t]
}

// typesMade returns the token types that a lexer rule produces.
func (b *graphBuilder) typesMade(i int) []int {
	var out []int
	for _, alt := range b.spec.LexerRules[i].Body.Alts {
		t := b.spec.RuleTypes[i]
		ends := true
		for _, c := range alt.Commands {
			switch c.Name {
			case "type":
				t = b.constant(b.spec.Tokens, c.Arg)
			case "more":
				ends = false
			}
		}
		if ends && t > 0 {
			out = append(out, t)
		}
	}
	return out
}

// afterMore returns the right-hand side of a token that ends with the given
// rule. If other rules can precede it by `more`, it is a repetition of those
// rules followed by end. The type is the token's, 0 for trivia.
func (b *graphBuilder) afterMore(t int, rule *Rule, end *Node) *Node {
	before := b.moreBefore(rule.Mode)
	if len(before) == 0 {
		return end
	}
	parts := b.node(&Node{Pos: rule.Pos, Kind: Alternation})
	for _, r := range before {
		n := b.node(&Node{Pos: r.Pos, Kind: Reference, Text: r.Name, Target: r})
		b.parts[atn.Part{Type: t, End: rule.Index, Rule: r.Index}] = n
		parts.Children = append(parts.Children, n)
	}
	if len(parts.Children) == 1 {
		parts = parts.Children[0]
	}
	repeated := b.node(&Node{Pos: rule.Pos, Kind: Repetition, Max: -1, Children: []*Node{parts}})
	if !b.entered(rule.Mode) {
		repeated.Min = 1
	}
	return b.node(&Node{Pos: rule.Pos, Kind: Concatenation, Children: []*Node{repeated, end}})
}

// moreBefore returns the rules that, by `more`, can precede the end of a token
// in the mode, directly or not.
func (b *graphBuilder) moreBefore(mode string) []*Rule {
	if known, ok := b.more[mode]; ok {
		return known
	}
	if b.moreInto == nil {
		b.moreInto = map[string][]int{}
		for i, r := range b.spec.LexerRules {
			if !r.Fragment && hasCommand(r, "more") {
				for _, after := range b.modesAfter(r) {
					b.meter.Step(1)
					b.moreInto[after] = append(b.moreInto[after], i)
				}
			}
		}
	}
	out := []*Rule{}
	found := map[int]bool{}
	modes := map[string]bool{mode: true}
	for queue := []string{mode}; len(queue) > 0; queue = queue[1:] {
		for _, i := range b.moreInto[queue[0]] {
			if b.meter.Step(1); found[i] {
				continue
			}
			found[i] = true
			out = append(out, b.lexerRule(i))
			if from := b.spec.LexerRules[i].Mode; !modes[from] {
				modes[from] = true
				queue = append(queue, from)
			}
		}
	}
	slices.SortFunc(out, func(a, b *Rule) int { return a.Index - b.Index })
	b.more[mode] = out
	return out
}

// entered reports whether a token can begin in the mode.
func (b *graphBuilder) entered(mode string) bool {
	if b.starting == nil {
		b.starting = map[string]bool{g4.DefaultMode: true}
		for _, r := range b.spec.LexerRules {
			if r.Fragment || hasCommand(r, "more") {
				continue
			}
			for _, after := range b.modesAfter(r) {
				if b.meter.Step(1); after != r.Mode {
					b.starting[after] = true
				}
			}
		}
	}
	return b.starting[mode]
}

func hasCommand(r *g4.Rule, name string) bool {
	for _, alt := range r.Body.Alts {
		for _, c := range alt.Commands {
			if c.Name == name {
				return true
			}
		}
	}
	return false
}

// modesAfter returns the possible lexer modes after a rule.
func (b *graphBuilder) modesAfter(r *g4.Rule) []string {
	var out []string
	for _, alt := range r.Body.Alts {
		after := []string{r.Mode}
		for _, c := range alt.Commands {
			switch c.Name {
			case "mode", "pushMode":
				after = []string{b.modeName(c.Arg)}
			case "popMode":
				after = b.pushingModes()
			}
		}
		out = append(out, after...)
	}
	return out
}

// pushingModes returns the modes that popMode can return to.
func (b *graphBuilder) pushingModes() []string {
	if b.pushing == nil {
		b.pushing = []string{}
		seen := map[string]bool{}
		for _, r := range b.spec.LexerRules {
			if hasCommand(r, "pushMode") && !seen[r.Mode] {
				seen[r.Mode] = true
				b.pushing = append(b.pushing, r.Mode)
			}
		}
	}
	return b.pushing
}

// trivia returns an alternation of the tokens that the parser never sees.
func (b *graphBuilder) trivia() *Node {
	n := b.node(&Node{Kind: Alternation, Text: "trivia"})
	for i, r := range b.spec.LexerRules {
		if !r.Fragment && b.isTrivia(r) {
			rule := b.lexerRule(i)
			body := b.afterMore(0, rule, b.roots[rule])
			n.Children = append(n.Children, b.node(&Node{Pos: r.Pos, Kind: Reference, Text: r.Name, Target: rule, Children: []*Node{body}}))
		}
	}
	return n
}

// isTrivia reports whether any alternative of a lexer rule is skipped or sent
// to a channel that the parser does not read.
func (l *loader) isTrivia(r *g4.Rule) bool {
	for _, alt := range r.Body.Alts {
		for _, c := range alt.Commands {
			if c.Name == "skip" || c.Name == "channel" && l.constant(l.spec.Channels, c.Arg) != 0 {
				return true
			}
		}
	}
	return false
}

// digest returns a digest of the numbered graph and of everything else that
// determines the grammar's trees and generated inputs.
func digest(g *Grammar) string {
	h := sha256.New()
	out := bufio.NewWriter(h)
	fmt.Fprintf(out, "numbering %d\n", NumberingVersion)
	if g.Scannerless {
		fmt.Fprintln(out, "scannerless")
	}
	for _, r := range g.Rules {
		fmt.Fprintf(out, "rule %s %d %s %d\n", r.Name, r.Kind, r.Mode, r.Root)
		for i, alt := range r.source.Body.Alts {
			if alt.RightAssoc {
				fmt.Fprintf(out, "right %d\n", i)
			}
			for _, c := range alt.Commands {
				fmt.Fprintf(out, "command %d %s %s\n", i, c.Name, c.Arg)
			}
		}
	}
	var line []byte
	for _, n := range g.Nodes {
		line = append(n.appendDescription(line[:0]), '\n')
		out.Write(line)
		if n.Probabilities != nil { // they change the generated inputs, as notes do
			fmt.Fprintln(out, "probabilities", n.Probabilities)
		}
	}
	for _, r := range g.Rules { // notes change the generated inputs
		for _, note := range r.source.Notes {
			fmt.Fprintf(out, "note %s %s\n", r.Name, note.Text)
		}
	}
	out.Flush() //nolint:errcheck // a hash takes everything
	return hex.EncodeToString(h.Sum(nil))
}

// appendDescription appends a one-line description of a node for the digest. Package
// fmt would take most of the time of a digest.
func (n *Node) appendDescription(b []byte) []byte {
	b = strconv.AppendInt(b, int64(n.ID), 10)
	b = append(append(b, ' '), n.Kind.String()...)
	switch n.Kind {
	case Repetition:
		b = strconv.AppendInt(append(b, ' '), int64(n.Min), 10)
		b = strconv.AppendInt(append(b, ' '), int64(n.Max), 10)
		if n.NonGreedy {
			b = append(b, " non-greedy"...)
		}
	case Reference:
		b = append(append(b, ' '), n.Text...)
	case Literal:
		b = strconv.AppendQuote(append(b, ' '), n.Value)
		if n.FoldCase {
			b = append(b, " either case"...)
		}
	case CharSet:
		for _, r := range n.Chars {
			b = appendHex(append(b, ' '), r.Lo)
			b = appendHex(append(b, '-'), r.Hi)
		}
	case TokenSet:
		b = fmt.Appendf(b, " %d", n.Types)
	}
	for i, child := range n.Children {
		if i == 0 {
			b = append(b, " >"...)
		}
		b = strconv.AppendInt(append(b, ' '), int64(child.ID), 10)
	}
	return b
}

// appendHex appends a character's number with upper-case digits.
func appendHex(b []byte, r rune) []byte {
	from := len(b)
	b = strconv.AppendInt(b, int64(r), 16)
	copy(b[from:], bytes.ToUpper(b[from:]))
	return b
}
