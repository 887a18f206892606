package generate

import (
	"context"
	"iter"
	"slices"
	"strconv"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// A group is the tokens of a draft to which one agreement of the grammar applies.
type group struct {
	words    []int // in order
	distinct bool
}

// Agreed yields variants of a draft whose texts agree as the grammar's notes require,
// and finally the draft itself. Tokens that must be equal all have the text of the
// first of them in the first variant, of the second in the second variant, and so on:
// a text that is wrong for one token may be right for another.
func (x *Generator) Agreed(t *Draft) iter.Seq[*Draft] {
	return func(yield func(*Draft) bool) {
		groups := x.groups(t)
		most := 0
		for _, g := range groups {
			if g.distinct {
				most = max(most, 1)
			} else {
				most = max(most, len(g.words))
			}
		}
		last := t
		for i := range most {
			agreed := &Draft{t.nodes, slices.Clone(t.words)}
			for _, g := range groups {
				x.agree(agreed, g, i)
			}
			if same(agreed, last) {
				continue
			}
			if last = agreed; !yield(agreed) {
				return
			}
		}
		yield(t)
	}
}

// agree changes the texts of a group so that they agree: all become the text of
// the i-th token, or all become distinct.
func (x *Generator) agree(t *Draft, g group, i int) {
	if !g.distinct {
		for _, w := range g.words {
			t.words[w].Text = t.words[g.words[min(i, len(g.words)-1)]].Text
		}
		return
	}
	taken := map[string]bool{}
	for _, w := range g.words {
		word := &t.words[w]
		if taken[string(word.Text)] {
			word.Text = x.another(*word, taken)
		}
		taken[string(word.Text)] = true
	}
}

// another returns a variant of a token's text that is not taken, or the text
// itself if none is found.
func (x *Generator) another(word grammars.Word, taken map[string]bool) []byte {
	for n := 2; n < 2+maxTokenDraws+len(taken); n++ {
		text := strconv.AppendInt(slices.Clone(word.Text), int64(n), 10)
		if !taken[string(text)] && x.writer.IsToken(word.Type, text) {
			return text
		}
	}
	return word.Text
}

func same(a, b *Draft) bool {
	return slices.EqualFunc(a.words, b.words, func(v, w grammars.Word) bool { return string(v.Text) == string(w.Text) })
}

// groups finds the tokens that must agree.
func (x *Generator) groups(t *Draft) []group {
	if len(x.grammar.Agreements) == 0 {
		return nil
	}
	type key struct{ agreement, node int }
	var out []group
	at := map[key]int{}
	above := []int{} // by depth: the ancestors of the current node
	for i, n := range t.nodes {
		above = append(above[:n.depth], i)
		if n.word < 0 {
			continue
		}
		for j, a := range x.grammar.Agreements {
			holder, ok := x.holder(t, above, a)
			if !ok {
				continue
			}
			k := key{j, holder}
			if _, ok := at[k]; !ok {
				at[k] = len(out)
				out = append(out, group{distinct: a.Distinct})
			}
			g := &out[at[k]]
			g.words = append(g.words, n.word)
		}
	}
	return out
}

// holder returns the node of the rule whose agreement applies to the last of the
// nodes on a path; -1 is the root. It reports whether the agreement applies.
func (x *Generator) holder(t *Draft, above []int, a grammars.Agreement) (int, bool) {
	up := len(above) - len(a.Path)
	if up < 0 {
		return 0, false
	}
	for i, symbol := range a.Path {
		if x.grammar.Nodes[t.nodes[above[up+i]].occurrence].Text != symbol {
			return 0, false
		}
	}
	if up == 0 {
		return -1, a.Rule == x.grammar.Rule(x.opt.Start)
	}
	o := t.nodes[above[up-1]].occurrence
	return above[up-1], o != derivation.None && x.grammar.Nodes[o].Target == a.Rule
}

// write writes the first variant of a draft that parses and that wanted accepts. The
// input is nil if there is none. Its tree is the parser's and may differ from the draft.
func (x *Generator) write(ctx context.Context, t *Draft, wanted func(*Input) (bool, error)) (*Input, error) {
	input, _, err := x.writeWith(ctx, t, wanted, grammars.ParseOptions{Unlocated: true})
	return input, err
}

// locate is like write. If there is no input, misread is the first node of the draft that
// is not read as drawn, or -1 if that node is unknown.
func (x *Generator) locate(ctx context.Context, t *Draft, wanted func(*Input) (bool, error)) (input *Input, misread int, err error) {
	return x.writeWith(ctx, t, wanted, grammars.ParseOptions{})
}

func (x *Generator) writeWith(ctx context.Context, t *Draft, wanted func(*Input) (bool, error), parse grammars.ParseOptions) (input *Input, misread int, err error) {
	misread = -1
	for draft := range x.Agreed(t) {
		r, err := x.read(ctx, draft, parse)
		if err != nil {
			return nil, -1, err
		}
		if r.same {
			continue
		}
		if r.tree == nil {
			if misread = t.nodeOf(r.word); r.text != nil {
				x.opt.Trust.tell(false)
			}
			continue
		}
		if misread = -1; !r.drawn {
			misread = r.draft.firstDifference(r.tree)
			x.opt.Trust.tell(misread < 0)
		}
		input := &Input{Text: r.text, Tree: r.tree, Drawn: r.drawn, Draws: 1, ReadOtherwise: misread >= 0}
		if ok, err := wanted(input); ok || err != nil {
			x.accepted = r.draft
			return input, -1, err
		}
	}
	return nil, misread, nil
}

func anyInput(*Input) (bool, error) { return true, nil }
