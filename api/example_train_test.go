package api_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
)

// A model is trained from observations, and predicts the methods that another input
// reaches.
func ExampleEngine_Train() {
	var file strings.Builder
	fmt.Fprintln(&file, `{"inroad":"observations/1","subject":"calculator"}`)
	for i := range 20 {
		fmt.Fprintf(&file, `{"input":"%d+x","methods":["main","add"]}`+"\n", i)
		fmt.Fprintf(&file, `{"input":"%d*x","methods":["main","multiply"]}`+"\n", i)
	}
	ctx := context.Background()
	engine := &api.Engine{Library: &api.Files{}}
	m, err := engine.Train(ctx, api.Training{
		Grammar:      "expr",
		Options:      openapi.TrainOptions{K: 2},
		Observations: observation.Sources{Files: []observation.File{{Name: "seen.ndjson", Reader: strings.NewReader(file.String())}}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %d observations, %d of %d methods learned, F1 %.2f\n", m.Subject, m.Observations.Used, m.Methods.Learned, m.Methods.All, m.HeldOut.Pooled.F1)

	inputs := func(yield func(openapi.Input, error) bool) { yield(openapi.Input{Input: new("7+y")}, nil) }
	for answer, err := range engine.Predict(ctx, m.ID, openapi.PredictParams{}, inputs) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, p := range answer.Methods {
			fmt.Println(p.Method, p.Reached)
		}
	}
	// Output:
	// calculator: 40 observations, 2 of 3 methods learned, F1 1.00
	// add true
	// main true
	// multiply false
}
