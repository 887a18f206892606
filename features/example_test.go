package features_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
)

// Extract the paths of an input, of length 1 and 2.
func Example() {
	g, err := bundled.Load(context.Background(), "json")
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, err := g.Parse(context.Background(), []byte(`[true]`), grammars.ParseOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	space := features.NewSpace(g, features.Options{})
	err = space.Locate(tree, 2, func(_ uint64, p features.Path) {
		fmt.Println(strings.Join(space.Symbols(p), " > "))
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// value#0
	// array#3
	// value#0 > array#3
	// '['#32
	// array#3 > '['#32
	// value#33
	// array#3 > value#33
	// 'true'#6
	// value#33 > 'true'#6
	// ']'#35
	// array#3 > ']'#35
}

// Measure the k-path coverage of a corpus, one input after the other.
func ExampleExtractor() {
	g, err := bundled.Load(context.Background(), "json")
	if err != nil {
		fmt.Println(err)
		return
	}
	const k = 3
	space := features.NewSpace(g, features.Options{})
	extractor := features.NewExtractor(space, k)
	covered := features.NewSet(k)
	for _, input := range []string{`[true]`, `[[false], {"a": 1}]`} {
		tree, err := g.Parse(context.Background(), []byte(input), grammars.ParseOptions{})
		if err != nil {
			fmt.Println(err)
			return
		}
		if err := extractor.Add(covered, tree); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%d of %d paths of length %d\n", covered.Len(k), space.Count(k), k)
	}
	// Output:
	// 4 of 183 paths of length 3
	// 25 of 183 paths of length 3
}
