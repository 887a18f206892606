package generate

import (
	"cmp"
	"context"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/refine"
)

// A mark is the state of a drawing before a node, so that the node's subtree can be drawn
// again.
type mark struct {
	binding   refine.Binding
	stack     refine.Stack // before the subtree
	after     refine.StackSet
	goals     []*goal // still to be reached when the subtree begins
	goalsLeft int     // the number of goals still to be reached when it ends
	available uint64
	size      int // the number of symbols: 1, and those inside a token
}

// mark adds the mark of the next node of the draft and returns the node's index.
func (d *drawing) mark(b refine.Binding) int {
	d.marks = append(d.marks, mark{b, d.stack, d.after, d.goals, len(d.goals), d.available, 1})
	return len(d.marks) - 1
}

// finish writes the tree. If its text is misread, it redraws the subtree around the
// first misread symbol, then larger subtrees, and tries at most the given number of
// texts. The input is nil if none of them is wanted. The second result is the number
// of texts.
func (d *drawing) finish(ctx context.Context, wanted func(*Input) (bool, error), tries int) (*Input, int, error) {
	if d.failed {
		return nil, 1, nil
	}
	at := ladder{misread: -1}
	for try := 1; ; try++ {
		input, misread, err := d.locate(ctx, &d.Draft, wanted)
		if input != nil {
			input.Repairs = try - 1
		}
		if input != nil || err != nil || try >= tries || misread < 0 || !d.repair(&at, misread) {
			return input, try, err
		}
	}
}

// A ladder is the state of a repair: the misread node, and how often a subtree around it
// was redrawn in vain.
type ladder struct{ misread, rung int }

// Each subtree around a misread node is redrawn by the chooser, and the last time
// as one of its smallest derivations.
const (
	rungTries = 4 // for a subtree
	maxSame   = 4 // redrawings that are the same as before, for a try
)

// repair redraws a subtree around a misread node. It reports whether there is a
// subtree left to redraw.
func (d *drawing) repair(at *ladder, misread int) bool {
	if misread > at.misread {
		at.rung = 0 // the text before it is right now
	}
	at.misread = misread
	for {
		i := d.ancestor(misread, at.rung/rungTries)
		if i < 0 {
			return false
		}
		by := cmp.Or(d.redraws, d.chooser)
		if at.rung%rungTries == rungTries-1 {
			by = shortest{}
		}
		at.rung++
		for range maxSame {
			if d.redraw(i, by) {
				return true
			}
		}
	}
}

// ancestor returns the node that is redrawn at a step of a repair: the misread node,
// its parent, then an ancestor twice as far up at each step; -1 if there is none.
func (d *drawing) ancestor(misread, step int) int {
	up := 0
	if step > 0 {
		up = 1 << (step - 1)
	}
	depth := d.nodes[misread].depth - up
	if depth < 0 {
		return -1
	}
	i := misread
	for d.nodes[i].depth > depth {
		i--
	}
	return i
}

// redraw replaces the subtree of a node by another one. It reports whether it succeeded.
func (d *drawing) redraw(i int, by chooser) bool {
	m, end := d.marks[i], d.end(i)
	n := d.grammar.Nodes[d.nodes[i].occurrence]
	if n.Kind != grammars.Reference && n.Kind != grammars.TokenSet && n.Kind != grammars.CharSet {
		return false
	}
	part := d.newDrawing()
	part.chooser, part.limit, part.expansions = by, d.limit, d.expansions
	part.stack, part.after, part.goals, part.available = m.stack, m.after, m.goals, m.available
	part.size = 1
	for j, m := range d.marks { // the rest of the tree counts
		if j >= i && j < end {
			continue
		}
		if part.size += m.size; d.nodes[j].word >= 0 {
			part.owedTokens++
		}
	}
	part.chain = d.chainTo(i)
	if d.nodes[i].word >= 0 {
		part.leaf(n, d.words[d.nodes[i].word].Type, d.nodes[i].depth)
	} else {
		part.mark(m.binding)
		part.Symbol(d.nodes[i].depth, n.ID)
		part.rule(n.Target, d.nodes[i].depth+1, m.binding)
		part.marks[0].goalsLeft = len(part.goals)
	}
	if part.failed || len(part.goals) > m.goalsLeft || part.stack != d.stackBefore(end) || d.has(i, end, &part.Draft) {
		return false
	}
	// The symbols and goals of the new subtree are those before it.
	part.marks[0].goals, part.marks[0].available = m.goals, m.available
	d.Draft = *assemble(piece{&d.Draft, 0, i, 0}, piece{&part.Draft, 0, len(part.nodes), 0}, piece{&d.Draft, end, len(d.nodes), 0})
	d.marks = append(append(d.marks[:i:i], part.marks...), d.marks[end:]...)
	return true
}

// chainTo returns the symbols of a node and those above it, from the top.
func (t *Draft) chainTo(i int) []grammars.Occurrence {
	chain := make([]grammars.Occurrence, t.nodes[i].depth+1)
	for depth := len(chain); i >= 0 && depth > 0; i-- {
		if t.nodes[i].depth < depth {
			depth = t.nodes[i].depth
			chain[depth] = t.nodes[i].occurrence
		}
	}
	return chain
}

// has reports whether a draft is the same as the nodes of a range.
func (t *Draft) has(from, to int, part *Draft) bool {
	return slices.EqualFunc(t.nodes[from:to], part.nodes, func(a, b drawn) bool {
		return a.depth == b.depth && a.occurrence == b.occurrence && (a.word < 0) == (b.word < 0) &&
			(a.word < 0 || string(t.words[a.word].Text) == string(part.words[b.word].Text))
	})
}

// stackBefore returns the mode stack before a node, or at the end of the draft.
func (d *drawing) stackBefore(i int) refine.Stack {
	if i < len(d.marks) {
		return d.marks[i].stack
	}
	return d.stack
}

// nodeOf returns the node of a token; -1 if there is none.
func (t *Draft) nodeOf(word int) int {
	for i, n := range t.nodes {
		if n.word == word && word >= 0 {
			return i
		}
	}
	return -1
}
