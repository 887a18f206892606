package generate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/refine"
)

// A Mutation changes a tree at a random place. Splice takes a part of another tree;
// all other mutations ignore it. A mutation reports whether the tree has a place for
// it. The text of the draft may parse to another tree; [Generator.Mutate] checks.
type Mutation func(x *Generator, tree, other *derivation.Tree) (*Draft, bool)

// Mutations returns all mutations.
func Mutations() []Mutation { return []Mutation{Regenerate, Splice, Swap, Repeat, Drop, Deepen} }

// Regenerate replaces a subtree by a new random one.
func Regenerate(x *Generator, tree, _ *derivation.Tree) (*Draft, bool) {
	t := x.source(tree)
	if len(t.nodes) == 0 {
		return nil, false
	}
	i := x.rand.IntN(len(t.nodes))
	defer func(usual size) { x.limit = usual }(x.limit)
	if x.opt.VaryParts {
		x.limit.nodes = x.logUniform(minNodes, x.opt.MaxNodes)
	}
	return x.redrawn(t.Draft, i, x.chooser)
}

// Splice replaces a subtree by one of another tree, of the same rule or token.
func Splice(x *Generator, tree, other *derivation.Tree) (*Draft, bool) {
	t, from := x.source(tree), x.source(other)
	return x.paired(t, from, func(int) (int, int) { return 0, len(from.nodes) }, func(i, j int) *Draft { return t.with(i, from.Draft, j) })
}

// Swap exchanges two subtrees of the same rule or token.
func Swap(x *Generator, tree, _ *derivation.Tree) (*Draft, bool) {
	t := x.source(tree)
	return x.paired(t, t, func(i int) (int, int) { return t.end(i), len(t.nodes) }, func(i, j int) *Draft {
		there := t.with(i, t.Draft, j)
		return there.with(j+len(there.nodes)-len(t.nodes), t.Draft, i)
	})
}

// Repeat duplicates one round of a repetition.
func Repeat(x *Generator, tree, _ *derivation.Tree) (*Draft, bool) {
	t := x.source(tree)
	return x.changeRound(t, func(r round) bool { return r.of.Max < 0 || r.times < r.of.Max }, func(r round) *Draft {
		return assemble(piece{t.Draft, 0, r.to, 0}, piece{t.Draft, r.from, r.to, 0}, piece{t.Draft, r.to, len(t.nodes), 0})
	})
}

// Drop removes one round of a repetition.
func Drop(x *Generator, tree, _ *derivation.Tree) (*Draft, bool) {
	t := x.source(tree)
	return x.changeRound(t, round.removable, func(r round) *Draft { return t.without(r) })
}

// Deepen repeats a recursion: a subtree replaces a smaller one of the same rule
// inside it.
func Deepen(x *Generator, tree, _ *derivation.Tree) (*Draft, bool) {
	t := x.source(tree)
	return x.paired(t, t, func(i int) (int, int) { return i + 1, t.end(i) }, func(i, j int) *Draft { return t.with(j, t.Draft, i) })
}

// maxMutations limits the mutations that are tried for an input.
const maxMutations = 100

// Mutate applies one of the mutations, chosen at random, to a tree and returns the
// input. The error wraps [ErrUnwritten] if no mutation applies or none gives a text
// that parses back.
func (x *Generator) Mutate(ctx context.Context, tree, other *derivation.Tree, mutations ...Mutation) (*Input, error) {
	for draws := 1; draws <= maxMutations; draws++ {
		t, ok := mutations[x.rand.IntN(len(mutations))](x, tree, other)
		if !ok {
			continue
		}
		x.likely = x.like(x.source(tree))
		input, err := x.write(ctx, t, anyInput)
		x.likely = nil
		if err != nil {
			return nil, err
		}
		if input != nil {
			input.Draws = draws
			if x.latest = nil; !input.ReadOtherwise {
				t = x.accepted
				x.latest = &source{Draft: t, tree: input.Tree, written: x.writer.Written(t.words, input.Text)}
			}
			return input, nil
		}
	}
	return nil, fmt.Errorf("grammar %s: %w in %d mutations", x.grammar.Name, ErrUnwritten, maxMutations)
}

// maxRepeats limits the consecutive mutations that give an input which is not new.
const maxRepeats = 200

// Mutants yields different inputs, each a mutation of one of the trees. No input has the
// same token texts as any of the trees. The sequence ends when new inputs become too hard
// to find.
func (x *Generator) Mutants(ctx context.Context, trees []*derivation.Tree, mutations ...Mutation) iter.Seq2[*Input, error] {
	return func(yield func(*Input, error) bool) {
		seen := map[string]bool{}
		for _, tree := range trees {
			seen[spelled(tree)] = true
		}
		draws := 0
		for repeats := 0; len(trees) > 0 && repeats < maxRepeats; {
			tree, other := trees[x.rand.IntN(len(trees))], trees[x.rand.IntN(len(trees))]
			input, err := x.Mutate(ctx, tree, other, mutations...)
			switch {
			case errors.Is(err, ErrUnwritten):
				repeats, draws = repeats+1, draws+maxMutations
			case err != nil:
				yield(nil, err)
				return
			case seen[spelled(input.Tree)]:
				repeats, draws = repeats+1, draws+input.Draws
			default:
				seen[spelled(input.Tree)] = true
				input.Draws += draws
				if repeats, draws = 0, 0; !yield(input, nil) {
					return
				}
			}
		}
	}
}

// spelled returns the texts of a tree's tokens, without trivia.
func spelled(tree *derivation.Tree) string {
	var out []byte
	for _, token := range tree.Tokens() {
		if !token.Trivia() {
			out = append(append(out, tree.Input()[token.Start:token.End]...), 0)
		}
	}
	return string(out)
}

// redrawn replaces the subtree of a node by a new one.
func (x *Generator) redrawn(t *Draft, i int, by chooser) (*Draft, bool) {
	n := x.grammar.Nodes[t.nodes[i].occurrence]
	d := x.newDrawing()
	d.reuse(&x.scratch)
	defer d.release(&x.scratch)
	d.chooser, d.chain = by, t.chainTo(i)
	depth := t.nodes[i].depth
	switch {
	case t.nodes[i].word >= 0 && (n.Kind == grammars.Reference || n.Kind == grammars.TokenSet || n.Kind == grammars.CharSet):
		d.token(n, t.words[t.nodes[i].word].Type, depth)
		if d.failed {
			return nil, false
		}
		return assemble(piece{t, 0, i, 0}, piece{&d.Draft, 0, len(d.nodes), 0}, piece{t, i + 1, len(t.nodes), 0}), true
	case n.Kind == grammars.Reference && t.nodes[i].word < 0:
		d.rule(n.Target, depth+1, x.bindingAt(t, i))
		if d.failed {
			return nil, false
		}
		return assemble(piece{t, 0, i + 1, 0}, piece{&d.Draft, 0, len(d.nodes), 0}, piece{t, t.end(i), len(t.nodes), 0}), true
	default:
		return nil, false
	}
}

// bindingAt returns the operator binding of a node.
func (x *Generator) bindingAt(t *Draft, i int) refine.Binding {
	var chain []grammars.Occurrence // from the node up
	for depth := t.nodes[i].depth + 1; i >= 0; i-- {
		if t.nodes[i].depth < depth {
			depth = t.nodes[i].depth
			chain = append(chain, t.nodes[i].occurrence)
		}
	}
	b := refine.Loose
	for _, o := range slices.Backward(chain) {
		next := refine.Loose
		if rule := x.grammar.Nodes[o].Rule; rule != nil && rule.Operators != nil {
			within := x.within(o)
			alt := slices.IndexFunc(rule.Operators, func(op grammars.Operator) bool { return slices.Contains(within, op.Alt.ID) })
			next = x.refinement.Bindings(rule).Operand(b, alt, o)
		}
		b = next
	}
	return b
}

// A round is one round of a repetition in a draft.
type round struct {
	of       *grammars.Node
	from, to int
	times    int // rounds of the same repetition
}

// removable reports whether the repetition can have one round less.
func (r round) removable() bool { return r.times > r.of.Min }

// rounds returns the rounds of a tree and its draft that are not empty.
func (x *Generator) rounds(tree *derivation.Tree, t *Draft) []round {
	var out, here []round
	var starts []int // of the children, and the end of the last
	times := map[*grammars.Node]int{}
	choices, rules := x.grammar.Choices(), x.grammar.ParserRules()
	for _, n := range tree.All() {
		if n.Kind() != derivation.Rule || !x.repeating[rules[n.Rule()]] {
			continue
		}
		starts, here = starts[:0], here[:0]
		clear(times)
		for child := range n.Children() {
			starts = append(starts, child.Index()-1)
		}
		if len(starts) == 0 {
			continue
		}
		starts = append(starts, t.end(starts[len(starts)-1]))
		choices.Rounds(n, func(of *grammars.Node, from, to int) {
			times[of]++
			here = append(here, round{of: of, from: starts[from], to: starts[to]})
		})
		for _, r := range here {
			if r.times = times[r.of]; r.from < r.to {
				out = append(out, r)
			}
		}
	}
	return out
}

// A piece is a range of nodes of a draft, moved to another depth.
type piece struct {
	*Draft
	from, to int
	deeper   int
}

// assemble joins pieces into a draft.
func assemble(pieces ...piece) *Draft {
	out, size := &Draft{}, 0
	for _, p := range pieces {
		size += p.to - p.from
	}
	out.nodes, out.words = make([]drawn, 0, size), make([]grammars.Word, 0, size)
	for _, p := range pieces {
		for _, n := range p.nodes[p.from:p.to] {
			if n.word < 0 {
				out.Symbol(n.depth+p.deeper, n.occurrence)
			} else {
				word := p.words[n.word]
				out.Word(n.depth+p.deeper, n.occurrence, word.Type, word.Text)
			}
		}
	}
	return out
}

// end returns the index after the subtree of a node.
func (t *Draft) end(i int) int {
	j := i + 1
	for j < len(t.nodes) && t.nodes[j].depth > t.nodes[i].depth {
		j++
	}
	return j
}

// inside returns the nodes below a node, moved below a node at a depth.
func (t *Draft) inside(i, depth int) piece {
	return piece{t, i + 1, t.end(i), depth - t.nodes[i].depth}
}

// with returns the draft with the subtree of a node replaced by a subtree of another
// draft. For a token, it replaces the text.
func (t *Draft) with(i int, other *Draft, j int) *Draft {
	if t.nodes[i].word >= 0 {
		word := other.words[other.nodes[j].word]
		one := &Draft{}
		one.Word(t.nodes[i].depth, t.nodes[i].occurrence, word.Type, word.Text)
		return assemble(piece{t, 0, i, 0}, piece{one, 0, 1, 0}, piece{t, i + 1, len(t.nodes), 0})
	}
	return assemble(piece{t, 0, i + 1, 0}, other.inside(j, t.nodes[i].depth), piece{t, t.end(i), len(t.nodes), 0})
}

// without returns the draft without a round.
func (t *Draft) without(r round) *Draft {
	return assemble(piece{t, 0, r.from, 0}, piece{t, r.to, len(t.nodes), 0})
}
