package model_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// observe stands for runs of a JSON reader: it returns the observations of some
// inputs.
func observe() []observation.Observation {
	var out []observation.Observation
	for i := range 20 {
		for _, format := range []string{`%d`, `[%d]`, `{"a":%d}`, `{"b":[true,%d]}`} {
			input := fmt.Sprintf(format, i)
			o := observation.Observation{Input: []byte(input), Methods: []string{"reader.go#read"}}
			if strings.Contains(input, "[") {
				o.Methods = append(o.Methods, "reader.go#readArray")
			}
			out = append(out, o)
		}
	}
	return out
}

func ExampleTrainer() {
	sources, err := bundled.Sources("json")
	if err != nil {
		fmt.Println(err)
		return
	}
	trainer, err := model.NewTrainer(context.Background(), "", sources, model.Defaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	if err := trainer.Add(ctx, observe()); err != nil {
		fmt.Println(err)
		return
	}
	m, err := trainer.Train(ctx, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	unit, err := m.Unit("readArray")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Explain(unit, false).WriteText(os.Stdout); err != nil {
		fmt.Println(err)
		return
	}
	// Output:
	// reader.go#readArray: reached by 40 of 80 observations
	// on held-out observations: precision 1.000, recall 1.000, F1 1.000
	//
	// has array?
	// ├─ no: not reached (0 of 40, probability 0.01), as in "9"
	// └─ yes: reached (40 of 40, probability 0.99), as in "[2]"
	//
	// Reached by
	//   inputs with array (40 of 40)
}

func ExampleModel_Predict() {
	sources, err := bundled.Sources("json")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	m, err := model.Train(ctx, "", sources, observation.Header{Subject: "reader"}, observe(), model.Defaults())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, input := range []string{`{"c":[null]}`, `"text"`, `[1,`} {
		answer, err := m.Predict(ctx, []byte(input), grammars.Limits{})
		if err != nil {
			fmt.Println(err)
			return
		}
		if answer.Syntax != nil {
			fmt.Println(input, "is outside the grammar")
			continue
		}
		for unit, p := range answer.Methods {
			fmt.Println(input, m.Units[unit].ID, p.Reached)
		}
	}
	// Output:
	// {"c":[null]} reader.go#read true
	// {"c":[null]} reader.go#readArray true
	// "text" reader.go#read true
	// "text" reader.go#readArray false
	// [1, is outside the grammar
}
