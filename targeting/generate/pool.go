package generate

import (
	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// A pool remembers where trees that the parser read have symbols and paths, so that
// parts of these trees can be combined.
type pool struct {
	k      int
	read   map[uint64]bool                // the symbols that a tree has, as IDs of paths
	hosts  map[grammars.Occurrence][]site // the places of a symbol
	donors map[uint64][]site              // by ID of a path of length k-1: the places of the symbol above it
	sites  int
}

// A site is a node of a tree, and the symbol above it.
type site struct {
	tree  *Draft
	node  int
	above grammars.Occurrence
	size  int // the number of nodes that a graft would take over
}

// Limits of a pool.
const (
	maxSites    = 6         // of a symbol or path
	maxAllSites = 2_000_000 // of all symbols and paths
	smallTree   = 50        // nodes of a tree that may replace larger ones
)

func newPool(k int) *pool {
	return &pool{k: k, read: map[uint64]bool{}, hosts: map[grammars.Occurrence][]site{}, donors: map[uint64][]site{}}
}

// has reports whether a tree has a symbol.
func (p *pool) has(o grammars.Occurrence) bool { return p.read[features.Extend(0, o)] }

// wants reports whether a tree is small, or has paths with fewer than maxSites places.
func (p *pool) wants(tree *derivation.Tree, set *features.Set) bool {
	if p.sites > maxAllSites || p.k == 1 {
		return false
	}
	if tree.Len() <= smallTree {
		return true
	}
	for id := range set.All(p.k - 1) {
		if len(p.donors[id]) < maxSites {
			return true
		}
	}
	return false
}

// add adds a tree, given its paths.
func (p *pool) add(tree *derivation.Tree, set *features.Set) error {
	for id := range set.All(1) {
		p.read[id] = true
	}
	if !p.wants(tree, set) {
		return nil
	}
	draft := DraftOf(tree)
	ends := draft.ends()
	dissector := tree.Dissector()
	var chain []site // the nodes above the current one, from the top; inside a token, the token's node
	var symbols []grammars.Occurrence
	visit := func(depth int, s site, o grammars.Occurrence) {
		chain, symbols = append(chain[:depth], s), append(symbols[:depth], o)
		if depth < p.k-1 {
			return
		}
		id := uint64(0)
		for _, o := range symbols[depth-p.k+2:] {
			id = features.Extend(id, o)
		}
		donor := chain[depth-p.k+1]
		donor.size = ends[donor.node] - donor.node
		p.donors[id] = p.put(p.donors[id], donor)
	}
	for depth, n := range tree.All() {
		if depth == 0 || n.Kind() == derivation.Leaf && n.Token().Type == derivation.EOF {
			continue
		}
		i := n.Index() - 1
		s := site{draft, i, derivation.None, len(ends) - (ends[i] - i)}
		if depth > 1 {
			s.above = symbols[depth-2]
		}
		p.hosts[n.Occurrence()] = p.put(p.hosts[n.Occurrence()], s)
		visit(depth-1, s, n.Occurrence())
		if n.Kind() != derivation.Leaf {
			continue
		}
		inside, err := dissector.Leaf(n)
		if err != nil {
			return err
		}
		if inside == nil {
			continue
		}
		for below, n := range inside.All() {
			if below > 0 && below < p.k {
				visit(depth-1+below, s, n.Occurrence())
			}
		}
	}
	return nil
}

// put adds a place to a list. If the list is full, or has enough places below the same
// symbol, the place replaces one that is more than twice as large.
func (p *pool) put(sites []site, s site) []site {
	same, largest := 0, -1
	for i, other := range sites {
		if other.tree == s.tree && other.node == s.node {
			return sites
		}
		if other.above == s.above {
			same++
		}
		if largest < 0 || other.size > sites[largest].size {
			largest = i
		}
	}
	switch {
	case len(sites) < maxSites && same <= maxSites/2:
		p.sites++
		return append(sites, s)
	case 2*s.size < sites[largest].size:
		sites[largest] = s
	}
	return sites
}

// ends returns, for each node, the index after its subtree.
func (t *Draft) ends() []int {
	out := make([]int, len(t.nodes))
	var open []int // by depth: the last node
	end := func(depth, at int) {
		for _, i := range open[depth:] {
			out[i] = at
		}
		open = open[:depth]
	}
	for i, n := range t.nodes {
		end(n.depth, i)
		open = append(open, i)
	}
	end(0, len(t.nodes))
	return out
}
