package selection_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/selection"
)

// diff changes line 12 of read.go, which is in readArray.
const diff = `--- a/read.go
+++ b/read.go
@@ -12,1 +12,1 @@
-	for r.next() != ']' {
+	for r.peek() != ']' {
`

// train returns a model of a JSON reader that reaches readArray for arrays.
func train(ctx context.Context) (*model.Model, error) {
	sources, err := bundled.Sources("json")
	if err != nil {
		return nil, err
	}
	header := observation.Header{Subject: "reader", Units: []observation.Unit{
		{ID: "read.go#read", Kind: observation.KindMethod, Name: "read", File: "read.go", Start: 1, End: 9},
		{ID: "read.go#readArray", Kind: observation.KindMethod, Name: "readArray", File: "read.go", Start: 11, End: 19},
	}}
	var observations []observation.Observation
	for i := range 50 {
		for _, format := range []string{`%d`, `[%d]`, `{"a":%d}`, `{"b":[null,%d]}`} {
			input := fmt.Sprintf(format, i)
			o := observation.Observation{Input: []byte(input), Methods: []string{"read.go#read"}, Outcome: observation.OK}
			if strings.Contains(input, "[") {
				o.Methods = append(o.Methods, "read.go#readArray")
			}
			observations = append(observations, o)
		}
	}
	return model.Train(ctx, "", sources, header, observations, model.Defaults())
}

// Select the inputs of a corpus to run for a change.
func Example() {
	ctx := context.Background()
	m, err := train(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	corpus := map[string]string{"list.json": `[1, [2]]`, "number.json": `17`, "object.json": `{"a": [{}]}`, "text.json": `"text"`}
	predictions, err := selection.Predict(ctx, m, selection.Corpus{
		Paths: []string{"list.json", "number.json", "object.json", "text.json"},
		Read:  func(path string) ([]byte, error) { return []byte(corpus[path]), nil },
	}, selection.PredictOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	files, err := selection.ParseDiff(diff)
	if err != nil {
		fmt.Println(err)
		return
	}
	isInput := func(path string) bool { return corpus[path] != "" }
	change := selection.NewTable(m.Units, "").Map(files, selection.Rules{}, isInput)
	options := selection.Defaults()
	options.Sample = 0
	selected := selection.Select(m, predictions.Inputs, predictions, change, options)
	for _, unit := range selected.Units {
		fmt.Println("changed:", m.Units[unit].ID)
	}
	for _, s := range selected.Selected {
		fmt.Println("run:", selected.Inputs[s.Input].Path)
	}
	// Output:
	// changed: read.go#readArray
	// run: list.json
	// run: object.json
}
