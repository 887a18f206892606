package refine

import (
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/limit"
)

// A Stack is the part of the lexer's mode stack that replaces the mode in which a
// derivation began: a byte per mode, the current mode last. It is empty if the
// derivation popped that mode.
type Stack string

// Mode returns the current mode.
func (s Stack) Mode() byte { return s[len(s)-1] }

// then returns the stack after a derivation that began in the current mode and
// ended with another stack.
func (s Stack) then(end Stack) Stack { return s[:len(s)-1] + end }

func stackOf(mode byte) Stack { return Stack([]byte{mode}) }

// endings holds, for each node and each mode to begin in, the mode stacks that
// derivations can end with. It is immutable once complete.
type endings struct {
	grammar *grammars.Grammar
	modes   []string
	effects map[*grammars.Rule]Stack // by token rule
	tokens  []bool                   // by node: whether it derives a token
	of      [][]ending               // by cell
	asked   []cell                   // in order
	known   []bool                   // by cell: whether it is in asked
	changed bool
	failed  bool
	done    bool // whether the analysis is complete; the endings are only read afterwards
}

// An ending is a stack that a derivation can end with, and the least size and depth
// of those derivations.
type ending struct {
	stack       Stack
	size, depth int
}

// A cell is a node together with the lexer mode that its derivation begins in.
type cell struct {
	node grammars.Occurrence
	mode byte
}

// Limits of the analysis. Modes of a grammar that exceeds them are not refined.
const (
	maxModes  = 64
	maxStack  = 8         // modes of a stack
	maxStacks = 64        // endings of a cell
	maxAsked  = 200_000   // cells that derivations reach
	maxCells  = 2_000_000 // nodes times modes
)

// maxMeasure limits sizes while they are computed.
const maxMeasure = 1 << 30

// findEndings returns the endings of derivations from a start rule. It returns nil if
// modes are not refined: if the lexer has only one mode, if the mode after a token
// depends on more than the rule that made the token, or if a limit is exceeded.
func findEndings(m *limit.Meter, g *grammars.Grammar, start string) *endings {
	modes := g.Modes()
	if len(modes) < 2 || len(modes) > maxModes || len(g.Nodes)*len(modes) > maxCells || !g.Exact() {
		return nil
	}
	e := &endings{
		grammar: g, modes: modes, effects: map[*grammars.Rule]Stack{}, tokens: derivesToken(g),
		of: make([][]ending, len(g.Nodes)*len(modes)), known: make([]bool, len(g.Nodes)*len(modes)),
	}
	for _, r := range g.Rules {
		if r.Kind != grammars.TokenRule {
			continue
		}
		effect, ok := e.effectOf(r)
		if !ok || isTrivia(g, r) && effect != stackOf(e.number(r.Mode)) {
			return nil
		}
		e.effects[r] = effect
	}
	root := cell{g.Rule(start).Root, 0}
	e.ask(root)
	for e.changed && !e.failed {
		e.changed = false
		for i := len(e.asked) - 1; i >= 0 && !e.failed; i-- { // cells that were asked for later are mostly below
			m.Step(1 + len(g.Nodes[e.asked[i].node].Children))
			e.improve(e.asked[i])
		}
	}
	if e.failed || len(e.of[e.index(root)]) == 0 {
		return nil
	}
	e.done = true
	return e
}

// failIf gives up the analysis if a limit is exceeded.
func (e *endings) failIf(exceeded bool) {
	if exceeded && !e.done {
		e.failed = true
	}
}

// derivesToken finds the nodes of parser rules from which some derivation has a token.
func derivesToken(g *grammars.Grammar) []bool {
	out := make([]bool, len(g.Nodes))
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(g.Nodes) { // children mostly come later
			if !out[n.ID] && (n.Token > 0 || n.Kind == grammars.TokenSet || slices.ContainsFunc(n.Children, func(c *grammars.Node) bool { return out[c.ID] })) {
				out[n.ID], changed = true, true
			}
		}
	}
	return out
}

func isTrivia(g *grammars.Grammar, r *grammars.Rule) bool {
	trivia := g.Nodes[g.Trivia]
	if trivia.Kind == grammars.Reference {
		return trivia.Target == r
	}
	return slices.ContainsFunc(trivia.Children, func(n *grammars.Node) bool { return n.Target == r })
}

func (e *endings) number(mode string) byte { return byte(slices.Index(e.modes, mode)) }

// effectOf returns the stack that a token leaves in place of the mode that it is
// read in. It reports false if that depends on more than the token's rule.
func (e *endings) effectOf(r *grammars.Rule) (Stack, bool) {
	stack := []byte{e.number(r.Mode)}
	for _, c := range r.Commands() {
		mode := c.Arg
		if mode == "0" {
			mode = g4.DefaultMode
		}
		switch {
		case c.Name == "more" || (c.Name == "mode" || c.Name == "popMode") && len(stack) == 0:
			return "", false
		case c.Name == "mode":
			stack[len(stack)-1] = e.number(mode)
		case c.Name == "pushMode":
			stack = append(stack, e.number(mode))
		case c.Name == "popMode":
			stack = stack[:len(stack)-1]
		}
	}
	return Stack(stack), true
}

func (e *endings) index(c cell) int { return int(c.node)*len(e.modes) + int(c.mode) }

// ask returns the endings of a cell found so far, and has the cell analysed.
func (e *endings) ask(c cell) []ending {
	i := e.index(c)
	if !e.known[i] && !e.done {
		e.known[i], e.changed = true, true
		e.asked = append(e.asked, c)
		e.failIf(len(e.asked) > maxAsked)
	}
	return e.of[i]
}

// improve computes the endings of a cell from those of the cells below it.
func (e *endings) improve(c cell) {
	n := e.grammar.Nodes[c.node]
	here := []ending{{stack: stackOf(c.mode)}}
	var out []ending
	switch {
	case n.Kind == grammars.Alternation:
		for _, alt := range n.Children {
			out = append(out, e.ask(cell{alt.ID, c.mode})...)
		}
	case n.Kind == grammars.Concatenation:
		out = here
		for _, part := range n.Children {
			out = e.step(out, part)
		}
	case n.Kind == grammars.Repetition:
		out = e.repeat(here, n)
	case n.Kind == grammars.Reference && n.Token == 0 && n.Target != nil:
		for _, end := range e.ask(cell{n.Target.Root, c.mode}) {
			out = append(out, ending{end.stack, end.size + 1, end.depth + 1})
		}
	case n.Kind == grammars.Empty:
		out = []ending{{stackOf(c.mode), 1, 1}}
	case n.Kind == grammars.End:
		out = here
	case n.Size != grammars.Unproductive:
		for _, r := range e.makers(n, c.mode) {
			out = append(out, ending{e.effects[r], n.Size, n.Depth})
		}
	}
	out = e.merge(out)
	if i := e.index(c); !slices.Equal(out, e.of[i]) {
		e.of[i], e.changed = out, true
	}
}

// merge returns one ending per stack, with the least size and depth.
func (e *endings) merge(all []ending) []ending {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b ending) int { return strings.Compare(string(a.stack), string(b.stack)) })
	out := all[:0]
	for _, end := range all {
		if last := len(out) - 1; last >= 0 && out[last].stack == end.stack {
			out[last].size, out[last].depth = min(out[last].size, end.size), min(out[last].depth, end.depth)
		} else {
			out = append(out, end)
		}
	}
	e.failIf(len(out) > maxStacks)
	return out
}

// step returns the endings of a sequence with one more part.
func (e *endings) step(from []ending, part *grammars.Node) []ending {
	var out []ending
	for _, before := range from {
		for _, end := range e.next(before.stack, part) {
			out = append(out, ending{end.stack, min(before.size+end.size, maxMeasure), max(before.depth, end.depth)})
		}
	}
	return e.merge(out)
}

// next returns the endings of a part that begins with a stack. After an empty
// stack the mode is not known, so that no token can follow within the analysis.
func (e *endings) next(s Stack, part *grammars.Node) []ending {
	if s == "" {
		e.failIf(e.tokens[part.ID])
		if part.Size == grammars.Unproductive {
			return nil
		}
		return []ending{{s, part.Size, part.Depth}}
	}
	var out []ending
	for _, end := range e.ask(cell{part.ID, s.Mode()}) {
		if len(s)+len(end.stack)-1 > maxStack {
			e.failIf(true)
			return nil
		}
		out = append(out, ending{s.then(end.stack), end.size, end.depth})
	}
	return out
}

// repeat returns the endings of a repetition.
func (e *endings) repeat(from []ending, n *grammars.Node) []ending {
	body := n.Children[0]
	once := e.step(from, body)
	out := once
	if n.Min == 0 {
		out = e.merge(slices.Concat(from, once))
	}
	for n.Max < 0 || n.Max > 1 {
		more := e.merge(slices.Concat(out, e.step(once, body)))
		if slices.Equal(more, out) || e.failed {
			break
		}
		out, once = more, more
	}
	return out
}

// makers returns the lexer rules that can make the token of a symbol in a mode.
func (e *endings) makers(n *grammars.Node, mode byte) []*grammars.Rule {
	types := n.Types
	if n.Kind != grammars.TokenSet {
		types = []int{n.Token}
	}
	var out []*grammars.Rule
	for _, t := range types {
		for _, r := range e.grammar.TokenRules(t) {
			if r.Mode == e.modes[mode] {
				out = append(out, r)
			}
		}
	}
	return out
}

// leads reports whether a part can lead from a stack to one of the good stacks.
func (e *endings) leads(s Stack, part *grammars.Node, good map[Stack]bool) bool {
	return slices.ContainsFunc(e.next(s, part), func(end ending) bool { return good[end.stack] })
}

// inside returns the node below a token if a lexer rule makes it.
func inside(g *grammars.Grammar, n *grammars.Node, r *grammars.Rule) *grammars.Node {
	rules := g.TokenRules(n.Token)
	if len(rules) < 2 {
		return n.Children[0]
	}
	return n.Children[0].Children[slices.Index(rules, r)]
}
