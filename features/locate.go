package features

import (
	"slices"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// Locate calls found for each occurrence of a path of length 1 to k in a tree,
// with its ID. The path is overwritten by the next one; clone it to keep it. An
// [Extractor] is faster if IDs suffice.
func (s *Space) Locate(tree *derivation.Tree, k int, found func(id uint64, p Path)) error {
	l := locator{space: s, k: k, found: found}
	dissector := tree.Dissector()
	if s.options.Trivia {
		for token, o := range tree.Trivia() {
			if o == derivation.None {
				continue
			}
			l.enter(0, o)
			inside, err := dissector.Token(token)
			if err != nil {
				return err
			}
			l.inside(1, inside)
		}
		return nil
	}
	for depth, n := range tree.All() {
		if depth > 0 {
			l.enter(depth-1, n.Occurrence())
		}
		if n.Kind() == derivation.Leaf {
			inside, err := dissector.Leaf(n)
			if err != nil {
				return err
			}
			l.inside(depth, inside)
		}
	}
	return nil
}

// A locator holds the symbols from the root to the current node.
type locator struct {
	space *Space
	k     int
	path  Path
	found func(uint64, Path)
}

func (l *locator) inside(depth int, tree *derivation.Tree) {
	if tree == nil {
		return
	}
	for d, n := range tree.All() {
		if d > 0 {
			l.enter(depth+d-1, n.Occurrence())
		}
	}
}

// enter reports the paths that end in an occurrence at a depth.
func (l *locator) enter(depth int, o grammars.Occurrence) {
	if o == derivation.None || !l.space.isSymbol(l.space.grammar.Nodes[o]) {
		return
	}
	l.path = append(l.path[:depth], o)
	for length := 1; length <= min(l.k, len(l.path)); length++ {
		p := l.path[len(l.path)-length:]
		l.found(l.space.ID(p), p)
	}
}

// Compare orders paths by length, then by the numbers of their symbols.
func Compare(a, b Path) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return slices.Compare(a, b)
}
