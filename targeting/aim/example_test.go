package aim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/aim"
)

// train returns a model of a JSON reader that reaches readArray for arrays and
// readNull for null.
func train(ctx context.Context) (*model.Model, error) {
	sources, err := bundled.Sources("json")
	if err != nil {
		return nil, err
	}
	var observations []observation.Observation
	for i := range 20 {
		for _, format := range []string{`%d`, `[%d]`, `{"a":%d}`, `{"b":[null,%d]}`, `{"c":null,"d":%d}`} {
			input := fmt.Sprintf(format, i)
			o := observation.Observation{Input: []byte(input), Methods: []string{"read"}, Outcome: observation.OK}
			if strings.Contains(input, "[") {
				o.Methods = append(o.Methods, "readArray")
			}
			if strings.Contains(input, "null") {
				o.Methods = append(o.Methods, "readNull")
			}
			observations = append(observations, o)
		}
	}
	return model.Train(ctx, "", sources, observation.Header{Subject: "reader"}, observations, model.Defaults())
}

// Target a method, with and without avoiding another.
func Example() {
	ctx := context.Background()
	m, err := train(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	targeter, err := aim.New(m)
	if err != nil {
		fmt.Println(err)
		return
	}
	array, err := m.Unit("readArray")
	if err != nil {
		fmt.Println(err)
		return
	}
	null, err := m.Unit("readNull")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, units := range []struct{ want, avoid []int }{
		{want: []int{array}},
		{want: []int{array, null}},
		{want: []int{null}, avoid: []int{array}},
	} {
		result, err := targeter.Find(ctx, rand.New(rand.NewPCG(1, 0)), units.want, units.avoid, aim.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, input := range result.Inputs {
			fmt.Printf("%s reaches", input.Text)
			for _, u := range input.Units {
				fmt.Print(" ", m.Units[u].ID)
			}
			fmt.Println()
		}
		for _, miss := range result.Missed {
			fmt.Println(m.Units[miss.Unit].ID, miss.Verdict)
		}
	}
	// Output:
	// [0] reaches readArray
	// [0,null] reaches readArray readNull
	// {"":true,"":null} reaches readNull
}
