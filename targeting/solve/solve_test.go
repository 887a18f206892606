package solve_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/generate"
	"github.com/inroad/inroad/targeting/solve"
)

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func newSolver(tb testing.TB, g *grammars.Grammar) *solve.Solver {
	tb.Helper()
	s, err := solve.New(g, "")
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// pathsOf counts the paths of a tree of up to a length, by a plain walk. They
// are in the order of the tree.
func pathsOf(tb testing.TB, g *grammars.Grammar, tree *derivation.Tree, k int) (paths []features.Path, counts map[string]int) {
	tb.Helper()
	counts = map[string]int{}
	var visit func(chain features.Path, n derivation.Node)
	visit = func(chain features.Path, n derivation.Node) {
		if o := n.Occurrence(); o != derivation.None {
			if g.Nodes[o].Kind == grammars.End {
				return
			}
			chain = append(slices.Clip(chain), o)
			for length := 1; length <= min(k, len(chain)); length++ {
				p := chain[len(chain)-length:]
				paths = append(paths, p)
				counts[key(p)]++
			}
		}
		for child := range n.Children() {
			visit(chain, child)
		}
		if n.Kind() != derivation.Leaf {
			return
		}
		inside, err := n.Dissect()
		if err != nil {
			tb.Fatal(err)
		}
		if inside != nil {
			visit(chain, inside.Root())
		}
	}
	visit(nil, tree.Root())
	return paths, counts
}

func key(p features.Path) string {
	var out []byte
	for _, o := range p {
		out = binary.AppendUvarint(out, uint64(o))
	}
	return string(out)
}

// holds reports whether a text satisfies a constraint, by the plain walk. The
// paths of a condition are of one length.
func holds(tb testing.TB, g *grammars.Grammar, text []byte, c targeting.Constraint) bool {
	tb.Helper()
	_, counts := pathsOf(tb, g, grammartest.Parse(tb, g, string(text)), features.MaxK)
	for _, cond := range c.Conditions {
		count := 0
		for _, p := range cond.Paths {
			count += counts[key(p)]
		}
		if count < cond.Min || cond.Max != targeting.Unbounded && count > cond.Max {
			return false
		}
	}
	return true
}

// A task draws constraints that some input satisfies: paths of a random input,
// and paths of the grammar that it does not have.
type task struct {
	g     *grammars.Grammar
	x     *generate.Generator
	rand  *rand.Rand
	other [][]features.Path // paths of the grammar, by length
}

func newTask(tb testing.TB, g *grammars.Grammar, seed uint64) *task {
	tb.Helper()
	x, err := generate.New(g, source(seed), generate.Options{MaxDepth: 16, MaxRepeat: 2, MaxNodes: 300})
	if err != nil {
		tb.Fatal(err)
	}
	t := &task{g: g, x: x, rand: source(seed)}
	space := features.NewSpace(g, features.Options{Possible: true})
	for k := 1; k <= 4; k++ {
		var paths []features.Path
		for p := range space.All(k) {
			paths = append(paths, slices.Clone(p))
			if len(paths) == 50_000 {
				break
			}
		}
		t.other = append(t.other, paths)
	}
	return t
}

func (t *task) constraint(tb testing.TB, required, forbidden int) targeting.Constraint {
	tb.Helper()
	var paths []features.Path
	var counts map[string]int
	for len(paths) == 0 { // an input may be empty
		input, err := t.x.Next(tb.Context())
		if err != nil {
			tb.Fatal(err)
		}
		paths, counts = pathsOf(tb, t.g, input.Tree, 4)
	}
	c := targeting.Constraint{}
	for range min(required, len(paths)) { // an empty input has none
		c.Conditions = append(c.Conditions, targeting.Require(paths[t.rand.IntN(len(paths))]))
	}
	for tries := 0; forbidden > 0 && tries < 1000; tries++ {
		others := t.other[t.rand.IntN(4)]
		if len(others) == 0 {
			continue
		}
		p := others[t.rand.IntN(len(others))]
		if counts[key(p)] == 0 {
			c.Conditions = append(c.Conditions, targeting.Forbid(p))
			forbidden--
		}
	}
	return c
}

var requests = flag.Int("requests", 50, "constraints of each bundled grammar")

// What a real input satisfies is solved, and what is returned satisfies it when
// it is parsed and counted anew.
func TestWhatSomeInputSatisfiesIsSolved(t *testing.T) {
	for _, name := range bundled.Names() {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Bundled(t, name)
			solver := newSolver(t, g)
			task := newTask(t, g, 1)
			unrealised := 0
			for i := range *requests {
				c := task.constraint(t, 1+i%4, i%5)
				solution, err := solver.Solve(t.Context(), c)
				if err != nil {
					t.Fatalf("%v: %v", c, err)
				}
				inputs, err := solution.Smallest(t.Context(), source(uint64(i)), 1)
				if _, ok := errors.AsType[*solve.UnrealisedError](err); ok {
					unrealised++
					t.Logf("%v: %v", c, err)
					continue
				}
				if err != nil {
					t.Fatalf("%v: %v", c, err)
				}
				varied, err := solution.Varied(t.Context(), source(uint64(i)), 3)
				if err != nil {
					t.Fatalf("%v: %v", c, err)
				}
				for _, input := range append(inputs, varied...) {
					if !holds(t, g, input.Text, c) {
						t.Fatalf("%v does not hold for %q", c, input.Text)
					}
				}
			}
			t.Logf("%d of %d unrealised", unrealised, *requests)
			if unrealised > max(2, *requests/100) {
				t.Errorf("%d of %d unrealised", unrealised, *requests)
			}
		})
	}
}

// A token that is too small to be read as meant becomes larger: here a blank
// that nothing stands before is taken for one at the front.
func TestTokensAreReadAsMeant(t *testing.T) {
	g := grammartest.Load(t, `grammar G;
s : (A | B | C)+ EOF ;
A : '<' BLANK* [a-z]* BLANK* '>' ;
B : [a-z]+ ;
C : 'key' | [0-9] [0-9]* ;
fragment BLANK : ' ' ;
`)
	var blanks []*grammars.Node
	for _, n := range g.Nodes {
		if n.Text == "BLANK" {
			blanks = append(blanks, n)
		}
	}
	reader := targeting.NewReader(g, "")
	for _, c := range []struct{ path, want string }{
		{targeting.Symbol(g, blanks[1].ID), `^<[a-z] >$`},
		{targeting.Symbol(g, blanks[0].ID), `^< >$`},
		{"C", `^[0-9]$`}, // never key
	} {
		cond, err := reader.Read(c.path)
		if err != nil {
			t.Fatal(err)
		}
		solution, err := newSolver(t, g).Solve(t.Context(), targeting.Constraint{Conditions: []targeting.Condition{cond}})
		if err != nil {
			t.Fatal(err)
		}
		inputs, err := solution.Smallest(t.Context(), source(1), 1)
		if err != nil || !regexp.MustCompile(c.want).Match(inputs[0].Text) {
			t.Errorf("%s: %q, %v, want %s", c.path, inputs[0].Text, err, c.want)
		}
		varied, err := solution.Varied(t.Context(), source(1), 10)
		if err != nil || len(varied) < 10 {
			t.Errorf("%s: %d inputs, %v", c.path, len(varied), err)
		}
	}
}

// Conditions that follow from others do not count towards the limits.
func TestSolveImpliedConditions(t *testing.T) {
	g := grammartest.Bundled(t, "json")
	var c targeting.Constraint
	paths, _ := pathsOf(t, g, grammartest.Parse(t, g, `[[[[1]]]]`), features.MaxK)
	longest := slices.MaxFunc(paths, func(a, b features.Path) int { return len(a) - len(b) })
	for from := range longest {
		for to := from + 1; to <= len(longest); to++ {
			c.Conditions = append(c.Conditions, targeting.Require(longest[from:to]))
		}
	}
	if len(c.Conditions) <= 12 {
		t.Fatalf("%d conditions", len(c.Conditions))
	}
	s, err := newSolver(t, g).Solve(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	inputs, err := s.Smallest(t.Context(), source(1), 1)
	if err != nil || !holds(t, g, inputs[0].Text, c) {
		t.Errorf("got %v, %v", inputs, err)
	}
}

// A condition can contradict itself, and limits are bounds too.
func TestInfeasible(t *testing.T) {
	g := grammartest.Bundled(t, "json")
	solver := newSolver(t, g)
	reader := targeting.NewReader(g, "")
	path := func(text string, least, most int) targeting.Condition {
		c, err := reader.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		c.Min, c.Max = least, most
		return c
	}
	for _, c := range []struct {
		constraint targeting.Constraint
		want       string
	}{
		{targeting.Constraint{Conditions: []targeting.Condition{path("array", 1, 0), path("object", 1, 1)}}, "infeasible: no input has array from 1 to 0 times"},
		{targeting.Constraint{Conditions: []targeting.Condition{path("array", 2, 1)}}, "infeasible: no input has array from 2 to 1 times"},
		{targeting.Constraint{Conditions: []targeting.Condition{path("array", 1, targeting.Unbounded)}, MaxChars: 1}, "infeasible: an input with array has at least 2 characters; the limit is 1"},
		{targeting.Constraint{Conditions: []targeting.Condition{path("member", 1, targeting.Unbounded)}, MaxDepth: 2}, "infeasible: no input with a depth of at most 2 has member"},
		{targeting.Constraint{MaxNodes: 1}, "infeasible: an input has at least 2 symbols; the limit is 1"},
		{targeting.Constraint{MaxDepth: 1}, "infeasible: no input has a depth of at most 1"},
	} {
		_, err := solver.Solve(t.Context(), c.constraint)
		if _, ok := errors.AsType[*solve.InfeasibleError](err); !ok || err.Error() != c.want {
			t.Errorf("%v: %v, want %s", c.constraint, err, c.want)
		}
		if solution, err := solver.Try(t.Context(), c.constraint); solution != nil || err != nil {
			t.Errorf("%v: %v, %v, want none", c.constraint, solution, err)
		}
	}
}

// A tree that no lexer mode allows is no solution, and there may be another one.
func TestModesDecide(t *testing.T) {
	island := grammartest.Load(t,
		"parser grammar P; options { tokenVocab = L; }\ns : part* EOF ;\npart : TEXT | OPEN item* CLOSE ;\nitem : word | TEXT ;\nword : WORD ;\n",
		"lexer grammar L;\nTEXT : [a-z]+ ;\nOPEN : '<' -> pushMode(IN) ;\nmode IN;\nWORD : [a-z]+ ;\nNUMBER : [0-9]+ -> type(WORD) ;\nCLOSE : '>' -> popMode ;\n")
	javascript := grammartest.Bundled(t, "javascript")
	for _, c := range []struct {
		name    string
		grammar *grammars.Grammar
		require []features.Path
		forbid  []features.Path
		paths   []string
		want    string // a pattern of the input, or the error
	}{
		{name: "a token of another mode", grammar: island, paths: []string{"item > TEXT"}, want: `^infeasible: no input has item > TEXT$`},
		{name: "tokens of two modes", grammar: island, paths: []string{"item > word", "part > TEXT"}, want: `^(<[a-z0-9]>[a-z]|[a-z]<[a-z0-9]>)$`},
		{name: "a token made by another rule", grammar: island, paths: []string{"WORD > NUMBER"}, want: `^<[0-9]>$`},
		{name: "a regular expression", grammar: javascript, paths: []string{"REGEX", "template"}, want: `/.+/`},
		{name: "a division", grammar: javascript, paths: []string{"operation > '/'", "REGEX"}, want: `/`},
		{
			name: "a name after a dot", grammar: javascript, want: ``,
			require: []features.Path{{821, 119}}, forbid: []features.Path{{988, 992}, {726, 720, 927}},
		},
		{
			name: "names in many places", grammar: javascript, want: ``,
			require: []features.Path{{1138}, {139}, {187, 323}, {522, 323}}, forbid: []features.Path{{2188}, {74, 176, 80, 244}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			constraint := targeting.Constraint{}
			for _, text := range c.paths {
				cond, err := targeting.NewReader(c.grammar, "").Read(text)
				if err != nil {
					t.Fatal(err)
				}
				constraint.Conditions = append(constraint.Conditions, cond)
			}
			for _, p := range c.require {
				constraint.Conditions = append(constraint.Conditions, targeting.Require(p))
			}
			for _, p := range c.forbid {
				constraint.Conditions = append(constraint.Conditions, targeting.Forbid(p))
			}
			got := ""
			solution, err := newSolver(t, c.grammar).Solve(t.Context(), constraint)
			if err == nil {
				var inputs []*generate.Input
				if inputs, err = solution.Smallest(t.Context(), source(1), 1); err == nil {
					got = string(inputs[0].Text)
				}
			}
			if err != nil {
				got = err.Error()
			} else if c.paths == nil && !holds(t, c.grammar, []byte(got), constraint) {
				t.Errorf("%q does not satisfy %v", got, constraint)
			}
			if _, unrealised := errors.AsType[*solve.UnrealisedError](err); unrealised || !regexp.MustCompile(c.want).MatchString(got) {
				t.Errorf("got %q, want %s", got, c.want)
			}
		})
	}
}
