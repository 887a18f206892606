package aim

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/generate"
)

// A sqlProgram is a program that parses SQL, with a method for each rule, for
// each keyword in a rule and for each rule inside another. It stops where it
// refuses an input. Methods of a second stage run for accepted inputs only; each
// needs two constructs, or one without the other.
type sqlProgram struct {
	tb      testing.TB
	grammar *grammars.Grammar
	refused map[string]bool
	second  []secondStage
}

type secondStage struct {
	name, with, other string
	without           bool // the input must lack other
}

func newSQLProgram(tb testing.TB) *sqlProgram {
	tb.Helper()
	p := &sqlProgram{tb: tb, grammar: grammartest.Bundled(tb, "sql"), refused: map[string]bool{}}
	for _, name := range []string{
		"upsert/'on'", "tableOption/'without'", "join/'natural'", "windows/'window'", "commonTable/'materialized'", "deferral/'not'",
		"limit/'offset'", "alterTable/'rename'",
	} {
		p.refused[name] = true
	}
	names := []string{
		"with", "query/limit", "setOperator/'intersect'", "specification/'distinct'", "join/'cross'", "where/expr", "groupBy/expr", "having/expr",
		"sorting/'desc'", "limit/','", "resolution/'fail'", "assignment/columns", "returning/returned", "createTable/temporary", "column/type", "columnRule/'unique'",
		"references/deferral", "createIndex/'unique'", "drop", "transaction", "expr/'between'", "expr/'in'", "expr/'like'", "literal/'null'", "expr/'not'", "row",
	}
	r := rand.New(rand.NewPCG(1, 0))
	for i := range 120 {
		s := secondStage{with: names[r.IntN(len(names))], other: names[r.IntN(len(names))], without: r.IntN(3) == 0}
		s.name = fmt.Sprintf("stage2/%d", i)
		p.second = append(p.second, s)
	}
	return p
}

// semanticError reports whether the program refuses a node for a reason that
// paths describe only roughly: a name that starts with a letter after t, or rows
// of a different number of values.
func (p *sqlProgram) semanticError(parent string, n derivation.Node) bool {
	switch {
	case n.Kind() == derivation.Leaf:
		text := strings.ToLower(n.Text())
		return parent == "name" && text > "t"
	case n.Name() == "values":
		size := -1
		for row := range n.Children() {
			if row.Kind() != derivation.Rule {
				continue
			}
			values := 0
			for range row.Children() {
				values++
			}
			if size >= 0 && values != size {
				return true
			}
			size = values
		}
	}
	return false
}

// run returns the methods that an input reaches.
func (p *sqlProgram) run(input []byte) ([]string, observation.Outcome) {
	tree, err := p.grammar.Parse(p.tb.Context(), input, grammars.ParseOptions{})
	if err != nil {
		p.tb.Fatalf("%s: %v", input, err)
	}
	reached := map[string]bool{}
	var above []string
	for depth, n := range tree.All() {
		above = above[:min(depth, len(above))]
		name := n.Name()
		parent := ""
		if len(above) > 0 {
			parent = above[len(above)-1]
		}
		above = append(above, name)
		reached[parent+"/"+name] = true
		if n.Kind() == derivation.Rule {
			reached[name] = true
		}
		if p.refused[parent+"/"+name] || p.semanticError(parent, n) {
			reached["refuse"] = true
			return slices.Sorted(maps.Keys(reached)), observation.Failed
		}
	}
	for _, s := range p.second {
		if reached[s.with] && reached[s.other] != s.without {
			reached[s.name] = true
		}
	}
	return slices.Sorted(maps.Keys(reached)), observation.OK
}

// learn returns a model of the program, trained on n generated inputs, and the
// observations.
func (p *sqlProgram) learn(n int, opt model.Options) (*model.Model, []observation.Observation) {
	sources, err := bundled.Sources("sql")
	if err != nil {
		p.tb.Fatal(err)
	}
	var observations []observation.Observation
	for input, err := range generate.TrainingInputs(p.tb.Context(), p.grammar, "", 1, n) {
		if err != nil {
			p.tb.Fatal(err)
		}
		methods, outcome := p.run(input.Text)
		observations = append(observations, observation.Observation{Input: input.Text, Methods: methods, Outcome: outcome})
	}
	m, err := model.Train(p.tb.Context(), "", sources, observation.Header{Subject: "sql"}, observations, opt)
	if err != nil {
		p.tb.Fatal(err)
	}
	return m, observations
}

// BenchmarkFind finds ten inputs for a method of a SQL parser, with trees of depth
// 12, and reports the slowest method beside the mean.
func BenchmarkFind(b *testing.B) {
	p := newSQLProgram(b)
	opt := model.Defaults()
	opt.MaxDepth, opt.Folds, opt.Workers = 12, 1, 2
	m, _ := p.learn(2000, opt)
	a, err := New(m)
	if err != nil {
		b.Fatal(err)
	}
	for _, style := range []struct {
		name string
		draw Draw
	}{{"smallest", nil}, {"varied", varied}} {
		b.Run(style.name, func(b *testing.B) {
			var slowest time.Duration
			for u := 0; b.Loop(); u = (u + 7) % len(m.Units) {
				start := time.Now()
				if _, err := a.Find(b.Context(), source(), []int{u}, nil, Options{N: 10, Draw: style.draw}); err != nil {
					b.Fatal(err)
				}
				slowest = max(slowest, time.Since(start))
			}
			b.ReportMetric(float64(slowest.Nanoseconds()), "ns-slowest")
		})
	}
}
