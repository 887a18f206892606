package solve

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/targeting"
)

var long = flag.Bool("long", false, "check many more random grammars")

// An oracle decides constraints the plain way: for every rule below every chain
// of symbols it grows the set of counts that derivations have, each with its
// least cost, until nothing changes.
type oracle struct {
	g      *grammars.Grammar
	c      targeting.Constraint
	found  map[oracleKey]costs
	grown  bool
	window int
}

type oracleKey struct {
	node  grammars.Occurrence
	chain string
	depth int
}

// costs are the least costs by counts; counts are written out.
type costs map[string]int

// maxChains bounds the work of the oracle.
const maxChains = 150

var (
	errTooLarge = errors.New("too many chains")
	errNone     = errors.New("there is none")
)

// solve returns the least cost, errNone if there is none.
func (o *oracle) solve(root *grammars.Node) (int, error) {
	o.found, o.window = map[oracleKey]costs{}, 1
	for _, c := range o.c.Conditions {
		for _, p := range c.Paths {
			o.window = max(o.window, len(p)-1)
		}
	}
	depth := -1
	if o.c.MaxDepth > 0 {
		depth = o.c.MaxDepth
	}
	top := oracleKey{root.ID, "", depth}
	o.found[top] = costs{}
	for o.grown = true; o.grown; {
		if len(o.found) > maxChains {
			return 0, errTooLarge
		}
		o.grown = false
		for key := range maps.Clone(o.found) {
			for counts, cost := range o.node(o.g.Nodes[key.node], key.chain, key.depth) {
				if old, ok := o.found[key][counts]; !ok || cost < old {
					o.found[key][counts] = cost
					o.grown = true
				}
			}
		}
	}
	best, err := 0, errNone
	for counts, cost := range o.found[top] {
		enough := true
		for i, c := range o.c.Conditions {
			enough = enough && int(counts[i]) >= c.Min
		}
		if enough && (err != nil || cost < best) {
			best, err = cost, nil
		}
	}
	return best, err
}

func (o *oracle) nothing() costs { return costs{string(make([]byte, len(o.c.Conditions))): 0} }

func (o *oracle) node(n *grammars.Node, chain string, depth int) costs {
	switch n.Kind {
	case grammars.End:
		return o.nothing()
	case grammars.Alternation:
		out := costs{}
		for _, child := range n.Children {
			out.take(o.node(child, chain, depth))
		}
		return out
	case grammars.Concatenation:
		out := o.nothing()
		for _, child := range n.Children {
			out = o.sum(out, o.node(child, chain, depth))
		}
		return out
	case grammars.Repetition:
		once := o.node(n.Children[0], chain, depth)
		out := costs{}
		out.take(once)
		for n.Max < 0 && out.take(o.sum(out, once)) {
		}
		if own, ok := o.ends(chain + string(rune('0'+n.ID))); n.Min == 0 && ok {
			out.take(costs{own: 0})
		}
		return out
	}
	chain += string(rune('0' + n.ID))
	own, ok := o.ends(chain)
	if !ok || depth == 0 {
		return nil
	}
	cost := 1
	if o.c.MaxChars > 0 {
		cost = len(n.Value)
		if n.Kind == grammars.CharSet {
			cost = 1
		}
	}
	out := costs{own: cost}
	if n.Kind != grammars.Reference {
		return out
	}
	if len(n.Children) == 0 {
		return nil
	}
	symbols := []rune(chain)
	key := oracleKey{n.Children[0].ID, string(symbols[max(0, len(symbols)-o.window):]), depth - 1}
	if depth < 0 {
		key.depth = -1
	}
	if o.found[key] == nil {
		o.found[key] = costs{}
		o.grown = true
	}
	return o.sum(out, o.found[key])
}

// ends returns the counts of the paths that end where a chain does, and whether
// they may.
func (o *oracle) ends(chain string) (string, bool) {
	out := make([]byte, len(o.c.Conditions))
	for i, c := range o.c.Conditions {
		for _, p := range c.Paths {
			var path strings.Builder
			for _, symbol := range p {
				path.WriteRune('0' + rune(symbol))
			}
			if strings.HasSuffix(chain, path.String()) {
				out[i] = 1
			}
		}
		if c.Max == 0 && out[i] > 0 {
			return "", false
		}
		if c.Max == targeting.Unbounded {
			out[i] = min(out[i], byte(c.Min))
		}
	}
	return string(out), true
}

// take adds what is cheaper, and reports whether there was any.
func (c costs) take(others costs) bool {
	changed := false
	for counts, cost := range others {
		if old, ok := c[counts]; !ok || cost < old {
			c[counts] = cost
			changed = true
		}
	}
	return changed
}

// sum returns the costs of one after the other.
func (o *oracle) sum(a, b costs) costs {
	out := costs{}
	for x, cx := range a {
		for y, cy := range b {
			counts, ok := make([]byte, len(x)), true
			for i, c := range o.c.Conditions {
				counts[i] = x[i] + y[i]
				if c.Max == targeting.Unbounded {
					counts[i] = min(counts[i], byte(c.Min))
				} else if int(counts[i]) > c.Max {
					ok = false
				}
			}
			if ok {
				out.take(costs{string(counts): cx + cy})
			}
		}
	}
	return out
}

// randomGrammar returns the text of a small grammar with one-letter tokens, and
// tokens that are made of something.
func randomGrammar(r *rand.Rand) string {
	parser, lexer := 1+r.IntN(3), r.IntN(3)
	var expr func(depth int, names []string, literals string) string
	expr = func(depth int, names []string, literals string) string {
		several := func(joint string) string {
			var parts []string
			for range 2 + r.IntN(2) {
				parts = append(parts, expr(depth-1, names, literals))
			}
			return "(" + strings.Join(parts, joint) + ")"
		}
		switch x := r.IntN(10); {
		case depth == 0 || x < 4:
			if len(names) == 0 || r.IntN(5) < 2 {
				i := r.IntN(len(literals))
				return "'" + literals[i:i+1] + "'"
			}
			return names[r.IntN(len(names))]
		case x < 6:
			return several(" | ")
		case x < 8:
			return several(" ")
		default:
			return "('" + literals[:1] + "' " + expr(depth-1, names, literals) + ")" + []string{"*", "+", "?"}[r.IntN(3)]
		}
	}
	var rules, tokens []string
	for i := range parser {
		rules = append(rules, fmt.Sprintf("r%d", i))
	}
	for i := range lexer {
		tokens = append(tokens, fmt.Sprintf("T%d", i))
	}
	text := "grammar G;\n@members {}\n" // with code, no derivation is excluded because of what the parser prefers
	for i, name := range rules {
		text += fmt.Sprintf("%s : 'a' %s | 'b' %s", name, expr(3, append(tokens, rules...), "abcd"), expr(2, append(tokens, rules[i:]...), "abcd"))
		text += []string{" | ;\n", " | 'c' ;\n"}[r.IntN(2)]
	}
	for i, name := range tokens {
		// Tokens begin with different characters, so that any token can follow any other.
		text += fmt.Sprintf("%s : '%c' %s | '%c' [0-9] ;\n", name, "klmn"[i], expr(2, tokens[i:], "wxyz"), "pqrs"[i])
	}
	return text
}

// randomPath walks down the graph.
func randomPath(r *rand.Rand, g *grammars.Grammar) features.Path {
	var symbols []*grammars.Node
	for _, n := range g.Nodes {
		if n.Kind.Symbolic() {
			symbols = append(symbols, n)
		}
	}
	path := features.Path{}
	for range 1 + r.IntN(4) {
		if len(symbols) == 0 {
			break
		}
		n := symbols[r.IntN(len(symbols))]
		path = append(path, n.ID)
		if n.Kind == grammars.Repetition {
			break
		}
		symbols = nil
		for work := slices.Clone(n.Children); len(work) > 0; {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			if n.Kind.Symbolic() || isOptional(n) {
				symbols = append(symbols, n)
			}
			if !n.Kind.Symbolic() {
				work = append(work, n.Children...)
			}
		}
	}
	return path
}

func randomConstraint(r *rand.Rand, g *grammars.Grammar) targeting.Constraint {
	c := targeting.Constraint{}
	for range r.IntN(4) {
		var paths []features.Path
		for range 1 + r.IntN(6)/4 {
			paths = append(paths, randomPath(r, g))
		}
		cond := targeting.Require(paths...)
		switch r.IntN(6) {
		case 0:
			cond.Min = 1 + r.IntN(4)
		case 1:
			cond.Min, cond.Max = 0, 1+r.IntN(3)
		case 2:
			cond.Min = 1 + r.IntN(3)
			cond.Max = cond.Min + r.IntN(2)
		}
		c.Conditions = append(c.Conditions, cond)
	}
	for range r.IntN(4) {
		c.Conditions = append(c.Conditions, targeting.Forbid(randomPath(r, g)))
	}
	if r.IntN(4) == 0 {
		c.MaxDepth = 1 + r.IntN(8)
	}
	if r.IntN(4) == 0 {
		c.MaxChars = 1 + r.IntN(20)
	}
	return c
}

// Verdicts and minima are those of the oracle, and witnesses are derivations
// that satisfy the constraint for what they are said to cost.
func TestVerdictsAndMinimaAreThoseOfAnOracle(t *testing.T) {
	count := 400
	if *long {
		count = 20_000
	}
	solved, infeasible, limited := 0, 0, 0
	for seed := range uint64(count) {
		r := rand.New(rand.NewPCG(seed, 1))
		text := randomGrammar(r)
		g, err := grammars.Load(t.Context(), grammars.Source{Name: "G.g4", Text: text})
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		solver, err := New(g, "")
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		for range 3 {
			c := randomConstraint(r, g)
			want, missing := (&oracle{g: g, c: c}).solve(g.Nodes[g.Rule(g.Start).Root])
			if errors.Is(missing, errTooLarge) {
				continue
			}
			solution, err := solver.Solve(t.Context(), c)
			var bad *InfeasibleError
			switch {
			case errors.As(err, &bad) && missing != nil:
				infeasible++
				checkConflict(t, g, c, bad)
			case errors.As(err, &bad) && bad.Limit > 0 && c.MaxChars < want && c.MaxChars < bad.Needs && bad.Needs <= want:
				limited++
			case err == nil && missing == nil && solution.Least() == want:
				solved++
				checkWitnesses(t, g, solution, r)
			default:
				t.Fatalf("seed %d: %s%v\ngot %v, want %d, %v", seed, text, c, err, want, missing)
			}
		}
	}
	t.Logf("%d solved, %d infeasible, %d over a limit", solved, infeasible, limited)
	if min(solved, infeasible) < count/2 {
		t.Errorf("the draw is one-sided: %d solved, %d infeasible", solved, infeasible)
	}
}

// checkConflict asks the oracle whether a conflict is one, and whether all of it
// is needed.
func checkConflict(t *testing.T, g *grammars.Grammar, c targeting.Constraint, got *InfeasibleError) {
	t.Helper()
	root := g.Nodes[g.Rule(g.Start).Root]
	if slices.ContainsFunc(got.Conflict, func(c targeting.Condition) bool { return c.Max != targeting.Unbounded && c.Min > c.Max }) {
		return
	}
	c.Conditions = got.Conflict
	if _, err := (&oracle{g: g, c: c}).solve(root); err == nil {
		t.Fatalf("%v is no conflict", got)
	}
	for i := range got.Conflict {
		c.Conditions = slices.Delete(slices.Clone(got.Conflict), i, i+1)
		if _, err := (&oracle{g: g, c: c}).solve(root); errors.Is(err, errNone) {
			t.Fatalf("%v: number %d is not needed", got, i)
		}
	}
}

// checkWitnesses draws a smallest tree and random ones.
func checkWitnesses(t *testing.T, g *grammars.Grammar, s *Solution, r *rand.Rand) {
	t.Helper()
	least := s.main.cheapest()
	checkWitness(t, g, s, s.main.draw(least, &enumerator{}), least)
	unit := int32(1)
	if s.constraint.MaxChars > 0 {
		unit += charWeight
	}
	for range 3 {
		budget := least + r.Int32N(20)*unit
		checkWitness(t, g, s, s.main.draw(budget, randomChooser{r}), budget)
	}
}

func checkWitness(t *testing.T, g *grammars.Grammar, s *Solution, tree witness, budget int32) {
	t.Helper()
	if ends := matches(g.Nodes[g.Rule(g.Start).Root], tree, 0); !slices.Contains(ends, len(tree)) {
		t.Fatalf("%v is no derivation", tree)
	}
	if !satisfies(tree, s.constraint) {
		t.Fatalf("%v does not satisfy %v", tree, s.constraint)
	}
	cost := int32(0)
	for _, p := range tree {
		if p.node.Kind.Symbolic() {
			cost++
		}
		if s.constraint.MaxChars > 0 {
			cost += charWeight * ownChars(p.node)
		}
	}
	if cost > budget {
		t.Fatalf("%v costs %d, more than %d", tree, cost, budget)
	}
}

// matches returns where what a node derives can end that begins at a place.
func matches(n *grammars.Node, tree witness, from int) []int {
	switch n.Kind {
	case grammars.Alternation:
		var out []int
		for _, c := range n.Children {
			out = append(out, matches(c, tree, from)...)
		}
		return out
	case grammars.Concatenation:
		return sequence(n.Children, tree, from)
	case grammars.Repetition:
		if n.Min == 0 && from < len(tree) && tree[from].node == n {
			return []int{from + 1}
		}
		out := []int{}
		for round := []int{from}; len(round) > 0; {
			var next []int
			for _, at := range round {
				for _, to := range matches(n.Children[0], tree, at) {
					if to > at && !slices.Contains(out, to) {
						out, next = append(out, to), append(next, to)
					}
				}
			}
			if n.Max == 1 {
				break
			}
			round = next
		}
		return out
	}
	if from == len(tree) || tree[from].node != n {
		return nil
	}
	to := from + 1
	for to < len(tree) && tree[to].depth > tree[from].depth {
		to++
	}
	if n.Kind == grammars.Reference && !slices.Contains(matches(n.Children[0], tree[:to], from+1), to) {
		return nil
	}
	return []int{to}
}

func sequence(nodes []*grammars.Node, tree witness, from int) []int {
	at := []int{from}
	for _, n := range nodes {
		var next []int
		for _, from := range at {
			next = append(next, matches(n, tree, from)...)
		}
		slices.Sort(next)
		at = slices.Compact(next)
	}
	return at
}

// satisfies counts the paths of a tree by going through it.
func satisfies(tree witness, constraint targeting.Constraint) bool {
	var chain features.Path
	counts := make([]int, len(constraint.Conditions))
	for _, p := range tree {
		if p.node.Kind == grammars.End {
			continue
		}
		chain = append(chain[:p.depth], p.node.ID)
		if constraint.MaxDepth > 0 && len(chain) > constraint.MaxDepth && p.node.Kind.Symbolic() {
			return false
		}
		for i, c := range constraint.Conditions {
			if slices.ContainsFunc(c.Paths, func(p features.Path) bool {
				return len(p) <= len(chain) && slices.Equal(chain[len(chain)-len(p):], p)
			}) {
				counts[i]++
			}
		}
	}
	for i, c := range constraint.Conditions {
		if counts[i] < c.Min || c.Max != targeting.Unbounded && counts[i] > c.Max {
			return false
		}
	}
	return true
}
