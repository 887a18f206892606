package api_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
)

// A model is trained on observations of a program whose method array reads arrays.
// A change of line 5 is in that method.
func ExampleEngine_Select() {
	ctx := context.Background()
	var seen strings.Builder
	seen.WriteString(`{"inroad":"observations/1","subject":"p","units":[{"id":"parse","file":"p.go","start":1,"end":3},{"id":"array","file":"p.go","start":4,"end":6}]}` + "\n")
	for n := range 40 {
		fmt.Fprintf(&seen, `{"input":"%d","methods":["parse"]}`+"\n"+`{"input":"[%[1]d]","methods":["parse","array"]}`+"\n", n)
	}
	engine := api.Engine{Library: &api.Files{}}
	m, err := engine.Train(ctx, api.Training{Grammar: "json", Observations: observation.Sources{
		Files: []observation.File{{Name: "seen.ndjson", Reader: strings.NewReader(seen.String())}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	corpus := func(yield func(openapi.SelectInput, error) bool) {
		for _, text := range []string{"7", "[8]", "[[9]]"} {
			if !yield(openapi.SelectInput{Path: "corpus/" + text, Input: &text}, nil) {
				return
			}
		}
	}
	selected, err := engine.Select(ctx, openapi.SelectRequest{
		Model: m.ID, Diff: "--- a/p.go\n+++ b/p.go\n@@ -5 +5 @@\n-\told\n+\tnew\n", Sample: new(0.0),
	}, corpus)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("changed:", selected.Changed)
	for _, in := range selected.Inputs {
		fmt.Println(in.Path, in.Reasons[0].Kind, in.Reasons[0].Unit)
	}
	fmt.Println("left out:", selected.Rest)
	// Output:
	// changed: [array]
	// corpus/[8] reached array
	// corpus/[[9]] reaches array
	// left out: [corpus/7]
}
