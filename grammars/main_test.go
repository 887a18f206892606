package grammars_test

import (
	"flag"
	"testing"
)

// TestMain makes tests draw the same values on every run, for reproducible
// results. With -long they draw new ones.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); !*long && seed.Value.String() == "0" {
		if err := seed.Value.Set("1"); err != nil {
			panic(err)
		}
	}
	m.Run()
}
