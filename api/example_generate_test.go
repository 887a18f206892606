package api_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/solve"
)

// The last value of the sequence has a summary instead of an input.
func ExampleEngine_Generate() {
	engine := api.Engine{Library: &api.Files{}}
	req := openapi.GenerateRequest{N: 3, MaxDepth: 8, Seed: new(openapi.Seed(5))}
	for line, err := range engine.Generate(context.Background(), "expr", req) {
		switch {
		case err != nil:
			fmt.Println(err)
		case line.Summary != nil:
			fmt.Println(line.Summary.Inputs, "inputs with seed", line.Summary.Seed)
		default:
			fmt.Println(*line.Input)
		}
	}
	// Output:
	// 7*+ ++--x
	// --8
	// -y%++x+z
	// 3 inputs with seed 5
}

// The first constraint has inputs; the second has none, and the error says which
// conditions contradict each other.
func ExampleEngine_Solve() {
	engine := api.Engine{Library: &api.Files{}}
	for _, req := range []openapi.SolveRequest{
		{Require: []string{"object > member", "'true'"}, MaxChars: 12},
		{Require: []string{"object > member"}, Forbid: []string{"array", "STRING"}},
	} {
		for line, err := range engine.Solve(context.Background(), "json", req) {
			if err != nil {
				verdict, _ := targeting.VerdictOf(err)
				infeasible, _ := errors.AsType[*solve.InfeasibleError](err)
				fmt.Println(verdict, infeasible.Conflict)
			}
			if line.Input != nil {
				fmt.Println(*line.Input)
			}
		}
	}
	// Output:
	// {"":true}
	// infeasible [object > member no STRING]
}
