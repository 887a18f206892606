package grammars

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/limit"
)

// checkNames reports undefined names.
func (l *loader) checkNames() {
	known := map[string]*g4.Rule{}
	for _, r := range slices.Concat(l.spec.ParserRules, l.spec.LexerRules) {
		known[r.Name] = r
	}
	for _, r := range l.spec.ParserRules {
		for e := range l.elements(r) {
			if ref, ok := e.(*g4.Ref); ok && l.isRuleName(ref.Name) && known[ref.Name] == nil {
				l.errorf(ref.Pos, "undefined rule %s", ref.Name)
			}
		}
	}
	for _, r := range l.spec.LexerRules {
		for e := range l.elements(r) {
			if ref, ok := e.(*g4.Ref); ok && ref.Name != "EOF" && known[ref.Name] == nil {
				l.errorf(ref.Pos, "undefined lexer rule %s", ref.Name)
			}
		}
		for _, alt := range r.Body.Alts {
			for _, c := range alt.Commands {
				l.meter.Step(1)
				l.checkCommand(c)
			}
		}
	}
}

// isRuleName reports whether a name in a parser rule is that of a parser rule, not of a
// token.
func (l *loader) isRuleName(name string) bool {
	return !g4.IsTokenName(name) || l.spec.Scannerless && name != "EOF"
}

func (l *loader) checkCommand(c g4.Command) {
	switch c.Name {
	case "mode", "pushMode":
		if _, ok := l.modeIndex[l.modeName(c.Arg)]; !ok {
			l.errorf(c.Pos, "%s(%s): undefined mode", c.Name, c.Arg)
		}
	case "type":
		switch token, named := l.spec.Tokens[c.Arg]; {
		case l.constant(l.spec.Tokens, c.Arg) <= 0:
			l.errorf(c.Pos, "type(%s): undefined token", c.Arg)
		case named && token > l.spec.LexerTokens && l.lexer == l.parser:
			l.warnf(c.Pos, "type(%s): the ANTLR tool rejects a token without a lexer rule in a combined grammar", c.Arg)
		}
	case "channel":
		if l.constant(l.spec.Channels, c.Arg) < 0 {
			l.errorf(c.Pos, "channel(%s): undefined channel", c.Arg)
		}
	}
}

// constant returns the value of a lexer command's argument, a name or a number,
// or -1 if it is undefined.
func (l *loader) constant(names map[string]int, arg string) int {
	if v, ok := names[arg]; ok {
		return v
	}
	if v, err := strconv.Atoi(arg); err == nil && v <= math.MaxInt16 {
		return v
	}
	return -1
}

// modeName returns the mode that a command's argument denotes by name or
// number.
func (l *loader) modeName(arg string) string {
	if i, err := strconv.Atoi(arg); err == nil && 0 <= i && i < len(l.spec.Modes) {
		return l.spec.Modes[i]
	}
	return arg
}

// checkGraph reports rules that cannot be parsed, derive nothing, or are never
// used.
func (l *loader) checkGraph() {
	g := l.grammar
	c := &checker{loader: l, g: g, nullable: l.nullable(), ends: l.ends()}
	c.split = map[*Rule]alternatives{}
	for _, rule := range g.Rules {
		c.split[rule] = c.splitOperators(rule)
	}
	c.recursion()
	c.loops()
	c.productive()
	c.reachable()
	c.alternatives()
	c.tokens()
}

type checker struct {
	*loader
	g        *Grammar
	nullable []bool // by node: it can derive the empty string
	ends     []bool // by node: it can derive the empty string or EOF alone
	split    map[*Rule]alternatives
}

// alternatives are the alternatives of a rule: primaries and operators.
type alternatives struct{ primaries, operators []*Node }

// nullable finds the nodes that can derive the empty string. Tokens in parser
// rules and EOF cannot.
func (l *loader) nullable() []bool { return l.fixpoint(vanishes) }

// ends finds the nodes that can derive the empty string or EOF alone. EOF
// consumes nothing, so it can match again.
func (l *loader) ends() []bool {
	return l.fixpoint(func(n *Node) verdict {
		if n.Kind == End {
			return holds
		}
		return vanishes(n)
	})
}

// vanishes returns the verdict on whether a node can derive the empty string.
func vanishes(n *Node) verdict {
	switch {
	case n.Kind == Empty, n.Kind == Repetition && n.Min == 0:
		return holds
	case !n.Kind.Symbolic() && n.Kind != End, n.Kind == Reference && n.Token == 0:
		return depends
	default:
		return fails
	}
}

// A verdict tells whether a property holds for a node.
type verdict int

const (
	fails   verdict = iota
	holds           // whatever its children
	depends         // if it holds for all children of a concatenation, or a child of another node
)

// fixpoint computes the least set of nodes for which a property holds. It takes
// time linear in the size of the graph.
func (l *loader) fixpoint(property func(n *Node) verdict) []bool {
	g := l.grammar
	known := make([]bool, len(g.Nodes))
	missing := make([]int32, len(g.Nodes)) // children for which it must hold; 0 if the verdict does not depend on them
	var queue []Occurrence
	for _, n := range g.Nodes {
		switch v := property(n); {
		case v == holds:
			known[n.ID] = true
			queue = append(queue, n.ID)
		case v == depends && n.Kind == Concatenation:
			missing[n.ID] = int32(len(n.Children))
		case v == depends:
			missing[n.ID] = 1
		}
	}
	for len(queue) > 0 {
		parents := g.parents[queue[0]]
		queue = queue[1:]
		l.meter.Step(1 + len(parents))
		for _, p := range parents {
			if known[p] || missing[p] == 0 {
				continue
			}
			if missing[p]--; missing[p] == 0 {
				known[p] = true
				queue = append(queue, p)
			}
		}
	}
	return known
}

// recursion reports left recursion other than the direct left recursion that
// the parser supports.
func (c *checker) recursion() {
	if !c.findCycles(c.nullable, "unsupported left recursion: %s; an alternative may be left-recursive only if it begins with its own rule") {
		c.findCycles(c.ends, "infinite recursion at the end of the input, where EOF consumes nothing: %s")
	}
	for _, rule := range c.g.Rules {
		c.checkOperators(rule)
	}
}

// findCycles reports rules that call themselves with only skippable nodes before the
// call, and returns whether there are any.
func (c *checker) findCycles(skippable []bool, format string) bool {
	leftCorners := map[*Rule][]*Node{}
	for _, rule := range c.g.Rules {
		leftCorners[rule] = c.leftCorners(rule, skippable)
		c.meter.Step(1 + len(leftCorners[rule]))
	}
	found := false
	done := map[*Rule]bool{}
	for _, rule := range c.g.Rules {
		if cycle := findCycle(rule, leftCorners, done); cycle != nil {
			found = true
			c.reportCycle(cycle, format)
		}
	}
	return found
}

// findCycle searches depth-first from a rule for a left-recursive cycle and
// returns the references along it.
func findCycle(from *Rule, leftCorners map[*Rule][]*Node, done map[*Rule]bool) []*Node {
	type visit struct {
		rule *Rule
		next int
	}
	var path []*Node
	open := map[*Rule]int{from: 0}
	stack := []visit{{from, 0}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if done[top.rule] || top.next == len(leftCorners[top.rule]) {
			done[top.rule] = true
			delete(open, top.rule)
			stack = stack[:len(stack)-1]
			path = path[:max(len(path)-1, 0)]
			continue
		}
		ref := leftCorners[top.rule][top.next]
		top.next++
		if i, ok := open[ref.Target]; ok {
			for rule := range open { // report the rules on the path only once
				done[rule] = true
			}
			return append(path[i:], ref)
		}
		if !done[ref.Target] {
			open[ref.Target] = len(stack)
			path = append(path, ref)
			stack = append(stack, visit{ref.Target, 0})
		}
	}
	return nil
}

// reportCycle reports a cycle; the middle of a long one is left out.
func (c *checker) reportCycle(refs []*Node, format string) {
	names := []string{refs[0].Rule.Name}
	for i, ref := range refs {
		switch at := len(refs) - i; {
		case i < maxListed || at <= maxListed:
			names = append(names, ref.Target.Name)
		case i == maxListed:
			names = append(names, "...")
		}
	}
	c.errorf(refs[0].Pos, format, strings.Join(names, " -> "))
}

// leftCorners returns the references that can come first in a rule, after
// skippable nodes only. The part of a left-recursive alternative after its left
// operand follows a primary.
func (c *checker) leftCorners(rule *Rule, skippable []bool) []*Node {
	root := c.g.Nodes[rule.Root]
	primaries, operators := c.split[rule].primaries, c.split[rule].operators
	if operators == nil {
		return first(nil, root, skippable)
	}
	var out []*Node
	empty := false
	for _, alt := range primaries {
		out = first(out, alt, skippable)
		empty = empty || skippable[alt.ID]
	}
	for _, alt := range operators {
		if empty {
			out = firstOf(out, afterOperand(alt), skippable)
		}
	}
	return out
}

// afterOperand returns the part of an operator alternative after its left
// operand.
func afterOperand(alt *Node) []*Node {
	if alt.Kind != Concatenation {
		return nil
	}
	return alt.Children[1:]
}

// checkOperators reports left-recursive rules without a primary, and operators
// that could match repeatedly without consuming input.
func (c *checker) checkOperators(rule *Rule) {
	primaries, operators := c.split[rule].primaries, c.split[rule].operators
	if operators != nil && primaries == nil {
		c.errorf(rule.Pos, "every alternative of rule %s is left-recursive; at least one must not be", rule.Name)
	}
	for _, alt := range operators {
		not := func(known []bool) bool {
			return slices.ContainsFunc(afterOperand(alt), func(n *Node) bool { return !known[n.ID] })
		}
		switch {
		case !not(c.nullable):
			c.errorf(alt.Pos, "alternative of left-recursive rule %s can match nothing after its left operand", rule.Name)
		case !not(c.ends):
			c.errorf(alt.Pos, "alternative of left-recursive rule %s can match only EOF after its left operand", rule.Name)
		}
	}
}

// splitOperators splits the alternatives of a directly left-recursive parser
// rule into primaries and operators, as the automaton does. Other rules have no
// operators. An alternative that is only the rule itself counts as an operator
// without a right part.
func (c *checker) splitOperators(rule *Rule) (out alternatives) {
	if rule.Kind != ParserRule {
		return out
	}
	root := c.g.Nodes[rule.Root]
	nodes := []*Node{root}
	if len(rule.source.Body.Alts) > 1 {
		nodes = root.Children
	}
	c.meter.Step(len(nodes))
	for i, n := range nodes {
		if n.Target == rule || rule.Operators != nil && rule.Operators[i].Left != derivation.None {
			out.operators = append(out.operators, n)
		} else {
			out.primaries = append(out.primaries, n)
		}
	}
	return out
}

// first appends the references that can come first in a node.
func first(out []*Node, n *Node, skippable []bool) []*Node {
	switch n.Kind {
	case Reference:
		if n.Token == 0 && n.Target != nil {
			out = append(out, n)
		}
	case Concatenation:
		out = firstOf(out, n.Children, skippable)
	case Alternation, Repetition:
		for _, child := range n.Children {
			out = first(out, child, skippable)
		}
	}
	return out
}

func firstOf(out []*Node, sequence []*Node, skippable []bool) []*Node {
	for _, n := range sequence {
		out = first(out, n, skippable)
		if !skippable[n.ID] {
			break
		}
	}
	return out
}

// loops reports repetitions whose body can match without consuming input.
func (c *checker) loops() {
	for _, n := range c.g.Nodes {
		c.meter.Step(1)
		if n.Kind != Repetition || n.Rule == nil {
			continue
		}
		switch body := n.Children[0]; {
		case n.Max != 1 && c.nullable[body.ID] && c.spec.Scannerless && c.emptyLast(body):
			c.spec.EmptyRounds = true
			c.warnf(n.Pos, "rule %s repeats an element that can be empty; after an empty round, the repetition ends", n.Rule.Name)
		case n.Max != 1 && c.nullable[body.ID] && c.spec.Scannerless:
			c.errorf(n.Pos, "rule %s repeats an element that can be empty: its alternatives that can be empty must come last, and its repetitions must be greedy", n.Rule.Name)
		case n.Max != 1 && c.nullable[body.ID]:
			c.errorf(n.Pos, "rule %s repeats an element that can be empty; the parser would loop forever", n.Rule.Name)
		case n.Max != 1 && c.ends[body.ID]:
			c.errorf(n.Pos, "rule %s repeats an element that can match only EOF; the parser would loop forever", n.Rule.Name)
		case n.Max == 1 && c.nullable[body.ID] && n.Rule.Kind == ParserRule:
			c.warnf(n.Pos, "rule %s makes an element optional that can already be empty", n.Rule.Name)
		}
	}
}

// emptyLast reports whether the parser takes an empty derivation of a node only if it can
// take no other: alternatives that can be empty come last, and repetitions are greedy.
func (c *checker) emptyLast(body *Node) bool {
	seen := map[*Node]bool{}
	for work := []*Node{body}; len(work) > 0; {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if c.meter.Step(1); seen[n] || !c.nullable[n.ID] {
			continue
		}
		seen[n] = true
		for i, child := range n.Children {
			if n.Kind == Alternation && c.nullable[child.ID] && i < len(n.Children)-1 {
				return false
			}
		}
		if n.Kind == Repetition && n.NonGreedy {
			return false
		}
		work = append(work, n.Children...)
	}
	return true
}

// productive reports rules without a finite derivation. If only tokens are
// missing that no rule produces, it warns: target-language code may produce
// them in the generated lexer.
func (c *checker) productive() {
	derives := c.derives()
	for _, rule := range c.g.Rules {
		primaries, operators := c.split[rule].primaries, c.split[rule].operators
		switch {
		case c.g.Nodes[rule.Root].Size != Unproductive:
		case operators != nil && primaries == nil: // already reported by checkOperators
		case derives[rule.Root]:
			c.warnf(rule.Pos, "rule %s derives nothing: every alternative needs a token that no lexer rule produces", rule.Name)
		case rule.Name == c.g.Start:
			c.errorf(rule.Pos, "start rule %s derives nothing: every alternative recurses forever", rule.Name)
		default:
			c.warnf(rule.Pos, "rule %s derives nothing: every alternative recurses forever", rule.Name)
		}
	}
}

// derives finds the nodes with a finite derivation, assuming that every token
// can be produced.
func (l *loader) derives() []bool {
	return l.fixpoint(func(n *Node) verdict {
		switch {
		case n.Kind == Alternation, n.Kind == Concatenation, n.Kind == Repetition && n.Min > 0, n.Kind == Reference && len(n.Children) > 0:
			return depends
		default:
			return holds
		}
	})
}

// reachable warns about rules that no input uses.
func (c *checker) reachable() {
	used := c.reach(c.g.ruleByName[c.g.Start].Root, c.g.Trivia)
	var tokens []Occurrence
	for _, rule := range c.g.Rules {
		if rule.Kind == TokenRule {
			tokens = append(tokens, rule.Root)
		}
	}
	inTokens := c.reach(tokens...)
	for _, rule := range c.g.Rules {
		switch {
		case rule.Literal || used[rule.Root]:
		case rule.Kind == ParserRule:
			c.warnf(rule.Pos, "rule %s is unreachable from start rule %s", rule.Name, c.g.Start)
		case rule.Kind == FragmentRule && !inTokens[rule.Root]:
			c.warnf(rule.Pos, "fragment %s is not used by any token", rule.Name)
		case rule.Kind == TokenRule && !hasCommand(rule.source, "more") && !rule.unused && !c.rejects(rule.source):
			c.warnf(rule.Pos, "token %s is not used by any rule reachable from start rule %s", rule.Name, c.g.Start)
		}
	}
}

// rejects reports whether a rule produces a token that is only declared. Such a
// rule is useful although no parser rule uses the token: it makes the parser
// reject the text, say 1a, instead of lexing it as two tokens, a number and a
// name.
func (c *checker) rejects(r *g4.Rule) bool {
	for _, alt := range r.Body.Alts {
		for _, cmd := range alt.Commands {
			if cmd.Name == "type" && c.declared(cmd.Arg) {
				return true
			}
		}
	}
	return false
}

// reach returns the nodes reachable from the given ones. Literals and token
// sets in parser rules lead to the lexer rules that produce their tokens.
func (c *checker) reach(from ...Occurrence) []bool {
	makers := map[int][]Occurrence{}
	for i := range c.spec.LexerRules {
		for _, t := range c.nodes.typesMade(i) {
			makers[t] = append(makers[t], c.nodes.lexerRule(i).Root)
		}
	}
	reached := make([]bool, len(c.g.Nodes))
	made := make([]bool, c.spec.MaxToken+1) // by token type
	for stack := from; len(stack) > 0; {
		n := c.g.Nodes[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		if reached[n.ID] {
			continue
		}
		reached[n.ID] = true
		c.meter.Step(1 + len(n.Children) + len(n.Types))
		for _, child := range n.Children {
			stack = append(stack, child.ID)
		}
		for _, t := range n.types() {
			if !made[t] {
				made[t] = true
				stack = append(stack, makers[t]...)
			}
		}
	}
	return reached
}

// alternatives warns about alternatives made redundant by earlier ones.
func (c *checker) alternatives() {
	shapes := &shapes{map[string]uint32{}, map[*Node]uint32{}}
	for _, n := range c.g.Nodes {
		if n.Kind != Alternation || n.Rule == nil {
			continue
		}
		first := map[string]int{}
		taken := map[int]bool{}
		for i, alt := range n.Children {
			c.meter.Step(1 + len(alt.Children) + len(alt.Types))
			shape := shapes.of(alt)
			if j, ok := first[shape]; ok {
				c.warnf(alt.Pos, "alternative %d in rule %s is the same as alternative %d", i+1, n.Rule.Name, j+1)
				continue
			}
			first[shape] = i
			types := alt.types()
			if types != nil && !slices.ContainsFunc(types, func(t int) bool { return !taken[t] }) {
				c.warnf(alt.Pos, "alternative %d in rule %s is never chosen: earlier alternatives match everything it matches", i+1, n.Rule.Name)
			}
			for _, t := range types {
				taken[t] = true
			}
		}
	}
}

// types returns the token types that a node of a parser rule matches. It is nil
// for nodes that do not match exactly one token.
func (n *Node) types() []int {
	switch {
	case n.Kind == TokenSet:
		return n.Types
	case n.Token > 0:
		return []int{n.Token}
	default:
		return nil
	}
}

// shapes assigns equal numbers to equal constructs.
type shapes struct {
	numbers map[string]uint32
	known   map[*Node]uint32
}

// of returns the shape of a node: its number or, for a concatenation, the numbers of
// its parts.
func (s *shapes) of(n *Node) string { return string(s.add(nil, n)) }

func (s *shapes) add(shape []byte, n *Node) []byte {
	if n.Kind != Concatenation {
		return binary.LittleEndian.AppendUint32(shape, s.number(n))
	}
	for _, child := range n.Children {
		shape = s.add(shape, child)
	}
	return shape
}

func (s *shapes) number(n *Node) uint32 {
	if number, ok := s.known[n]; ok {
		return number
	}
	var key []byte
	switch n.Kind {
	case Alternation:
		for _, child := range n.Children {
			key = append(s.add(append(key, '|'), child), " |"...)
		}
	case Repetition:
		key = append(s.add(key, n.Children[0]), n.Quantifier()...)
		if n.NonGreedy {
			key = append(key, '?')
		}
	default:
		key = append(key, n.Text...)
	}
	key = append(key, byte(min(n.Kind, Reference)))
	number, ok := s.numbers[string(key)]
	if !ok {
		number = uint32(len(s.numbers))
		s.numbers[string(key)] = number
	}
	s.known[n] = number
	return number
}

// tokens warns about tokens that no rule produces, that can never match, or
// that can be empty.
func (c *checker) tokens() {
	warned := map[int]bool{}
	entered := c.enteredModes()
	for _, n := range c.g.Nodes {
		if n.Kind == Reference && n.Token > 0 && len(n.Children) == 0 && n.Target == nil && !warned[n.Token] {
			warned[n.Token] = true
			if c.declared(n.Text) {
				c.warnf(n.Pos, "token %s is declared, but no lexer rule produces it; it never matches", n.Text)
			}
		}
	}
	for _, rule := range c.g.Rules {
		switch {
		case rule.Kind != TokenRule:
		case c.nullable[rule.Root]:
			c.warnf(rule.Pos, "token %s can match the empty string; the lexer ignores such a match", rule.Name)
		case rule.Mode != g4.DefaultMode && !entered[rule.Mode]:
			c.warnf(rule.Pos, "token %s never matches: no rule enters mode %s", rule.Name, rule.Mode)
		}
	}
}

// declared reports whether a tokens block declares a token.
func (l *loader) declared(name string) bool {
	if l.declaredTokens == nil {
		l.declaredTokens = map[string]bool{}
		for _, n := range slices.Concat(l.parser.tokens, l.lexer.tokens) {
			l.declaredTokens[n.Text] = true
		}
	}
	return l.declaredTokens[name]
}

// enteredModes returns the modes that some rule switches to.
func (c *checker) enteredModes() map[string]bool {
	out := map[string]bool{}
	for _, r := range c.spec.LexerRules {
		for _, alt := range r.Body.Alts {
			for _, cmd := range alt.Commands {
				if cmd.Name == "mode" || cmd.Name == "pushMode" {
					out[c.modeName(cmd.Arg)] = true
				}
			}
		}
	}
	return out
}

// maxShadowSteps limits the steps to find tokens that can never match.
const maxShadowSteps = 2_000_000

// checkShadowed warns about tokens with a fixed text that an earlier rule also
// matches.
func (l *loader) checkShadowed(ctx context.Context) {
	match := l.grammar.machine.TokenRules(ctx, maxShadowSteps)
	for i, r := range l.spec.LexerRules {
		lit := soleLiteral(r)
		if lit == nil {
			continue
		}
		winner, err := match(l.modeIndex[r.Mode], lit.Value)
		var over *limit.Error
		switch {
		case errors.As(err, &over):
			l.warnf(r.Pos, "tokens from %s on were not checked for earlier rules that match the same text: %v", l.describeRule(r), over)
			return
		case err != nil:
			limit.Stop(err)
		case winner != i && winner >= 0:
			first := l.describeRule(l.spec.LexerRules[winner])
			l.warnf(r.Pos, "token %s never matches: %s comes first and matches the same text", l.describeRule(r), first)
		}
	}
}

func (l *loader) describeRule(r *g4.Rule) string {
	if l.implicit[r] {
		return soleLiteral(r).Quoted()
	}
	return r.Name
}
