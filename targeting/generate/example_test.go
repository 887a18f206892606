package generate_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/targeting/generate"
)

func Example() {
	g, err := grammars.Load(context.Background(), grammars.Source{Name: "sum.g4", Text: `grammar sum;
		sum : NUMBER ('+' NUMBER)* EOF ;
		NUMBER : [0-9]+ ;`})
	if err != nil {
		fmt.Println(err)
		return
	}
	x, err := generate.New(g, rand.New(rand.NewPCG(1, 0)), generate.Options{MaxRepeat: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		input, err := x.Next(context.Background())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s\n", input.Text)
	}
	// Output:
	// 7+4
	// 2+5+42
	// 9+37
}
