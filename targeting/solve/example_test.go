package solve_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/solve"
)

// A member of an object has a smallest input, but there is none without a string.
func Example() {
	ctx := context.Background()
	g, err := bundled.Load(context.Background(), "json")
	if err != nil {
		fmt.Println(err)
		return
	}
	solver, err := solve.New(g, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	reader := targeting.NewReader(g, "")
	member, _ := reader.Read("object > member") // both are symbols of the grammar
	noString, _ := reader.Absent("STRING")
	solution, err := solver.Solve(ctx, targeting.Constraint{Conditions: []targeting.Condition{member}})
	if err != nil {
		fmt.Println(err)
		return
	}
	inputs, err := solution.Smallest(ctx, rand.New(rand.NewPCG(1, 0)), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", inputs[0].Text)
	_, err = solver.Solve(ctx, targeting.Constraint{Conditions: []targeting.Condition{member, noString}})
	fmt.Println(targeting.VerdictOf(err))
	// Output:
	// {"":true}
	// infeasible true
}
