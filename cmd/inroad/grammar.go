package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/g4"
)

// loadGrammar loads what --grammar says: files, joined by commas, if it has a
// slash in it or ends in .g4, else a bundled grammar.
func loadGrammar(value string) (*grammars.Grammar, error) {
	if value == "" {
		return nil, fmt.Errorf("no grammar: give --grammar NAME or --grammar FILE.g4")
	}
	if !strings.ContainsAny(value, `/\`) && !strings.HasSuffix(value, ".g4") {
		return bundled.Load(value)
	}
	return loadFiles(strings.Split(value, ","))
}

func loadFiles(paths []string) (*grammars.Grammar, error) {
	var sources []grammars.Source
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		sources = append(sources, grammars.Source{Name: path, Text: string(text)})
	}
	return grammars.Load(sources...)
}

// warnApproximate tells that trees of the grammar may not be the generated
// parser's.
func warnApproximate(w io.Writer, g *grammars.Grammar) {
	if !g.Exact() {
		fmt.Fprintf(w, "inroad: grammar %s is approximate: %s not run\n", g.Name, codeSummary(g.Code))
	}
}

// codeSummary counts the pieces of code that can change trees.
func codeSummary(code []g4.Code) string {
	counts := map[g4.CodeKind]int{}
	for _, c := range code {
		counts[c.Kind]++
	}
	var parts []string
	for _, k := range []struct {
		kind      g4.CodeKind
		one, many string
	}{
		{g4.Predicate, "predicate", "predicates"},
		{g4.Action, "action", "actions"},
		{g4.Members, "block of members", "blocks of members"},
		{g4.SuperClass, "superclass", "superclasses"},
	} {
		switch n := counts[k.kind]; n {
		case 0:
		case 1:
			parts = append(parts, "1 "+k.one)
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, k.many))
		}
	}
	return strings.Join(parts, ", ")
}

func newGrammarsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "grammars",
		Short: "List the bundled grammars",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range bundled.Names() {
				g, err := bundled.Load(name)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%-12s %3d rules, %4d nodes, start rule %s\n", name, len(g.Rules), len(g.Nodes), g.Start)
			}
			return nil
		},
	}
}
