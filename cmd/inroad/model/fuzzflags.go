package model

import (
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/targeting/campaign"
)

// fuzzLimits are the flags that end a campaign.
type fuzzLimits struct {
	N           int     `json:"n"`
	For         float64 `json:"for_ms"`
	Generations int     `json:"generations"`
	Patience    int     `json:"patience"`
}

// goalFlags are the goals of a campaign.
type goalFlags struct {
	Goal       string   `json:"goal"`
	Ignore     []string `json:"ignore"`
	Population int      `json:"population"`
	TrainOn    int      `json:"train_on"`
	Effort     float64  `json:"effort"`
}

// evolutionFlags are the parameters of evogfuzz.
type evolutionFlags struct {
	Elitism        float64 `json:"elitism"`
	Tournaments    int     `json:"tournaments"`
	TournamentSize int     `json:"tournament_size"`
	Mutations      int     `json:"mutations"`
	Lambda         float64 `json:"lambda"`
	structure      string
	base           string
}

// loopFlags are the parameters of fdloop.
type loopFlags struct {
	Seeds        int     `json:"seeds"`
	Calibration  int     `json:"calibration"`
	MaxMappings  int     `json:"max_mappings"`
	MappingDepth int     `json:"mapping_depth"`
	Flipped      float64 `json:"flipped"`
	Pareto       bool    `json:"pareto"`
	SizeWeight   float64 `json:"size_weight"`
	Novelty      float64 `json:"novelty_weight"`
}

func (g *goalFlags) bind(flags *pflag.FlagSet) {
	var goals []string
	for _, goal := range campaign.Goals() {
		goals = append(goals, string(goal))
	}
	some := openapi.Schema{Type: "string", Enum: goals[1:]}
	factor := cli.Between(0.01, 1000)
	factor.Type = "number"
	cli.BindFields(flags, g,
		openapi.Field{Name: "goal", Description: "guided, fdloop: goal that counts ten times as much as the others", Default: goals[0], Schema: openapi.Schema{Type: "string", Enum: goals}},
		openapi.Field{Name: "ignore", Description: "guided, fdloop: goals that do not count", Schema: openapi.Schema{Type: "array", Items: &some}},
		openapi.Field{Name: "population", Description: "guided, evogfuzz, fdloop: number of inputs that are generated for a generation (default 50, 100 and 5)", Schema: cli.Between(1, 1_000_000)},
		openapi.Field{Name: "train_on", Description: "guided: maximum number of observations without a new method, set of methods or failure to train on", Default: 2000, Schema: cli.Between(100, 1_000_000)},
		openapi.Field{Name: "effort", Description: "guided: factor of the time for covering paths, choosing among candidates, aiming and training", Default: 1, Schema: factor})
}

func (g *goalFlags) ignored() []campaign.Goal {
	var out []campaign.Goal
	for _, name := range g.Ignore {
		out = append(out, campaign.Goal(name))
	}
	return out
}

func (l *loopFlags) bind(flags *pflag.FlagSet) {
	share := cli.Between(0.000001, 1)
	share.Type = "number"
	weight, either := cli.Between(0, 1000), cli.Between(-1000, 1000)
	weight.Type, either.Type = "number", "number"
	cli.BindFields(flags, l,
		openapi.Field{Name: "seeds", Description: "fdloop: random inputs to learn from if there is no corpus", Default: 500, Schema: cli.Between(1, 1_000_000)},
		openapi.Field{Name: "max_mappings", Description: "fdloop: number of mappings to compare with (default that of --calibration inputs)", Schema: cli.Between(1, 1_000_000_000)},
		openapi.Field{Name: "calibration", Description: "fdloop: random inputs that are run first, to count their mappings", Default: 100, Schema: cli.Between(1, 1_000_000)},
		openapi.Field{Name: "mapping_depth", Description: "fdloop: depth of the structures in mappings", Default: 3, Schema: cli.Between(1, 8)},
		openapi.Field{Name: "flipped", Description: "fdloop: share of an input's tokens in which a bit is flipped", Default: 0.1, Schema: share},
		openapi.Field{Name: "pareto", Description: "fdloop: keep all inputs of a generation that no other one surpasses, instead of the one with the highest sum of the goals", Schema: openapi.Schema{Type: "boolean"}},
		openapi.Field{Name: "size_weight", Description: "fdloop: weight of an input's size; if negative, small inputs are preferred", Schema: either},
		openapi.Field{Name: "novelty_weight", Description: "fdloop: weight of the share of an input's structures that no kept input has", Schema: weight})
}

func (e *evolutionFlags) bind(flags *pflag.FlagSet) {
	share := cli.Between(0, 1)
	share.Type = "number"
	factor := cli.Between(0.000001, 1_000_000)
	factor.Type = "number"
	cli.BindFields(flags, e,
		openapi.Field{Name: "elitism", Description: "evogfuzz: share of the population that is selected because it is the fittest", Default: 0.05, Schema: share},
		openapi.Field{Name: "tournaments", Description: "evogfuzz: tournaments that select one input each", Default: 10, Schema: cli.Between(0, 1_000_000)},
		openapi.Field{Name: "tournament_size", Description: "evogfuzz: inputs in a tournament", Default: 10, Schema: cli.Between(1, 1_000_000)},
		openapi.Field{Name: "mutations", Description: "evogfuzz: rules that get new probabilities in a generation", Default: 1, Schema: cli.Between(0, 1_000_000)})
	var scores []string
	for _, s := range campaign.StructureScores() {
		scores = append(scores, string(s))
	}
	cli.BindEnum(flags, &e.structure, "structure", "evogfuzz: measure of complexity: of the tree, expansions per byte, or the length", scores...)
	cli.BindFields(flags, e, openapi.Field{Name: "lambda", Description: "evogfuzz: expected expansions per byte, for --structure expansions", Default: 1, Schema: factor})
	flags.StringVar(&e.base, "base-input", "", "evogfuzz: learn from the input in this `FILE` in each generation (default the letters a to z)")
}

// options returns the parameters of evogfuzz.
func (e *evolutionFlags) options(end fuzzLimits) campaign.EvoGFuzzOptions {
	none := func(n int) int { // 0 would select the default
		if n == 0 {
			return -1
		}
		return n
	}
	opt := campaign.EvoGFuzzOptions{
		Patience: end.Patience, Elitism: e.Elitism, Tournaments: none(e.Tournaments),
		TournamentSize: e.TournamentSize, Mutations: none(e.Mutations), Structure: campaign.StructureScore(e.structure), Lambda: e.Lambda,
	}
	if opt.Elitism == 0 {
		opt.Elitism = -1
	}
	return opt
}

// generations returns the maximum number of generations: 0 for the default, and -1 for no
// limit.
func (l fuzzLimits) generations() int {
	if l.Generations == 0 && (l.N > 0 || l.For > 0) {
		return -1
	}
	return l.Generations
}
