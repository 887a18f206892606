package generate

import (
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// A source is a tree to mutate, with data that its mutations share.
type source struct {
	*Draft
	tree    *derivation.Tree
	kinds   []int32           // by node; nil if they are not known
	rounds  []round           // of all repetitions; valid if counted
	counted bool              // whether rounds are known
	uses    int               // how often it was mutated
	written *grammars.Written // nil if it is not known
}

// maxSourceNodes limits the nodes of the sources that a generator keeps.
const maxSourceNodes = 1 << 18

// source returns the source of a tree. The generator keeps recent sources.
func (x *Generator) source(tree *derivation.Tree) *source {
	if x.latest != nil && x.latest.tree == tree {
		return x.latest
	}
	s := x.sources[tree]
	if s != nil {
		return s
	}
	s = &source{Draft: DraftOf(tree), tree: tree}
	if x.sourceNodes += len(s.nodes) + 1; x.sourceNodes > maxSourceNodes || x.sources == nil {
		x.sources, x.sourceNodes = map[*derivation.Tree]*source{}, len(s.nodes)+1
	}
	x.sources[tree] = s
	return s
}

// like returns the written form of a source, which speeds up writing its mutants. It is
// nil for the first mutant: writing the source would take longer than it saves.
func (x *Generator) like(s *source) *grammars.Written {
	if s.uses++; s.written == nil && s.uses == 2 {
		how := x.writing(len(s.words))
		how.Respell = nil
		if text, _, ok := x.writer.Write(s.words, how); ok {
			s.written = x.writer.Written(s.words, text)
		}
	}
	return s.written
}

// noKind is the kind of a node without a choice.
const noKind = -1

// kindsOf returns the kinds of a source's nodes.
func (x *Generator) kindsOf(s *source) []int32 {
	if s.kinds == nil {
		s.kinds = make([]int32, len(s.nodes))
		for i := range s.kinds {
			s.kinds[i] = x.kind(s.Draft, i)
		}
	}
	return s.kinds
}

// kind returns a number for the rule or the token type of a node; noKind for a node
// without a choice.
func (x *Generator) kind(t *Draft, i int) int32 {
	n := x.grammar.Nodes[t.nodes[i].occurrence]
	switch {
	case n.Kind != grammars.Reference:
		return noKind
	case t.nodes[i].word >= 0:
		return int32(2 * t.words[t.nodes[i].word].Type)
	default:
		return int32(2*n.Target.Index + 1)
	}
}

// quickPicks is the number of nodes that are tried before all are listed.
const quickPicks = 8

// paired draws two nodes of the same kind, one of each source, and combines them. within
// returns the range of the second node, given the first. paired reports whether it found
// two nodes.
func (x *Generator) paired(a, b *source, within func(i int) (from, to int), combine func(i, j int) *Draft) (*Draft, bool) {
	kinds, others := x.kindsOf(a), x.kindsOf(b)
	if len(kinds) == 0 {
		return nil, false
	}
	partner := func(i int) (j int, ok bool) {
		if kinds[i] == noKind {
			return 0, false
		}
		same := x.same[:0]
		from, to := within(i)
		for j := from; j < to; j++ {
			if others[j] == kinds[i] {
				same = append(same, j)
			}
		}
		if x.same = same; len(same) == 0 {
			return 0, false
		}
		return same[x.rand.IntN(len(same))], true
	}
	for range quickPicks {
		i := x.rand.IntN(len(kinds))
		if j, ok := partner(i); ok {
			return combine(i, j), true
		}
	}
	for _, i := range x.rand.Perm(len(kinds)) {
		if j, ok := partner(i); ok {
			return combine(i, j), true
		}
	}
	return nil, false
}

// changeRound changes a source at a random round for which fits returns true. It reports
// whether there is any.
func (x *Generator) changeRound(s *source, fits func(round) bool, change func(round) *Draft) (*Draft, bool) {
	if !s.counted {
		s.rounds, s.counted = x.rounds(s.tree, s.Draft), true
	}
	count := 0
	for _, r := range s.rounds {
		if fits(r) {
			count++
		}
	}
	if count == 0 {
		return nil, false
	}
	at := x.rand.IntN(count)
	for _, r := range s.rounds {
		if !fits(r) {
			continue
		}
		if at == 0 {
			return change(r), true
		}
		at--
	}
	panic("unreachable")
}
