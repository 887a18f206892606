package grammars_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/g4"
)

const sums = `grammar Sums;
sum : sum '+' NUMBER | NUMBER ;
NUMBER : [0-9]+ ;
SPACE : ' '+ -> skip ;
`

func ExampleLoad() {
	grammar, err := grammars.Load(context.Background(), grammars.Source{Name: "Sums.g4", Text: sums})
	if err != nil {
		panic(err)
	}
	fmt.Println("start rule:", grammar.Start)
	for _, rule := range grammar.Rules {
		fmt.Println(rule.Name)
	}
	// Output:
	// start rule: sum
	// sum
	// T__0
	// NUMBER
	// SPACE
}

// A grammar with errors is reported with all of its diagnostics.
func ExampleLoad_diagnostics() {
	_, err := grammars.Load(context.Background(), grammars.Source{Name: "Bad.g4", Text: `grammar Bad;
list : item (',' item)* ;
item : WORD+ | nested? ;
WORD : [a-z]+ ;
`})
	if diagnostics, ok := errors.AsType[g4.Diagnostics](err); ok {
		for _, d := range diagnostics {
			fmt.Println(d)
		}
	}
	// Output:
	// Bad.g4:3:16: undefined rule nested
}

func ExampleGrammar_Parse() {
	grammar, err := grammars.Load(context.Background(), grammars.Source{Name: "Sums.g4", Text: sums})
	if err != nil {
		panic(err)
	}
	tree, err := grammar.Parse(context.Background(), []byte("1 + 23"), grammars.ParseOptions{})
	if err != nil {
		panic(err)
	}
	if err := tree.WriteLisp(os.Stdout); err != nil {
		panic(err)
	}
	fmt.Println()

	_, err = grammar.Parse(context.Background(), []byte("1 + + 2"), grammars.ParseOptions{})
	fmt.Println(err)
	// Output:
	// (sum (sum 1) + 23)
	// 1:5: unexpected "+", expected NUMBER
}

// WriteIndented prints the occurrence that each node is an instance of, and
// derives tokens down to characters.
func ExampleGrammar_Parse_occurrences() {
	grammar, err := grammars.Load(context.Background(), grammars.Source{Name: "Sums.g4", Text: sums})
	if err != nil {
		panic(err)
	}
	tree, err := grammar.Parse(context.Background(), []byte("1 + 23"), grammars.ParseOptions{})
	if err != nil {
		panic(err)
	}
	if err := tree.WriteIndented(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// sum
	//   sum #3
	//     NUMBER "1" #2
	//       [0-9] "1" #7
	//   trivia SPACE " " #9
	//     ' ' #11
	//   '+' #4
	//   trivia SPACE " " #9
	//     ' ' #11
	//   NUMBER "23" #5
	//     [0-9] "2" #7
	//     [0-9] "3" #7
}
