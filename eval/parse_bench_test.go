package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/antlr4-go/antlr/v4"

	"github.com/inroad/inroad/eval/antlrjson"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
)

// benchInputs returns the inputs that all parsers are measured on.
func benchInputs() map[string][]byte {
	return map[string][]byte{
		"small":   []byte(`{"id":17,"name":"inroad","tags":["a","b\n"],"ratio":-2.5e3,"ok":true,"none":null,"list":[1,2,3]}`),
		"1MB":     jsonArray(1<<20, "name", strings.Fields("most documents have plain words in them and some say \"quoted\"")),
		"unicode": jsonArray(1<<20, "名前", strings.Fields("ほとんど の 文書 は このような 文章 です")),
	}
}

// jsonArray returns an array of records with random words, of about n bytes.
func jsonArray(n int, key string, words []string) []byte {
	r := rand.New(rand.NewPCG(1, 0))
	text := func() string {
		var out []string
		for range 5 + r.IntN(5) {
			out = append(out, words[r.IntN(len(words))])
		}
		return strings.Join(out, " ")
	}
	var b bytes.Buffer
	b.WriteByte('[')
	for b.Len() < n {
		if b.Len() > 1 {
			b.WriteString(",\n  ")
		}
		fmt.Fprintf(&b, `{"id": %d, %q: %q, "values": [%g, true, null, {"x": []}]}`, r.IntN(1e6), key, text(), r.NormFloat64())
	}
	b.WriteByte(']')
	return b.Bytes()
}

var coldFile = flag.String("cold", "", "the JavaScript `file` that BenchmarkCold parses")

// BenchmarkCold measures what a process does before its first tree: it loads a grammar and
// parses one file, without cached predictions.
func BenchmarkCold(b *testing.B) {
	if *coldFile == "" {
		b.Skip("-cold names no file")
	}
	input, err := os.ReadFile(*coldFile)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		g, err := bundled.Load(b.Context(), "javascript")
		if err != nil {
			b.Fatal(err)
		}
		if _, err := g.Parse(b.Context(), input, grammars.ParseOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	g, err := bundled.Load(context.Background(), "json")
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"small", "1MB", "unicode"} {
		input := benchInputs()[name]
		b.Run(name+"/inroad", func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.Parse(b.Context(), input, grammars.ParseOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/inroad-inside", func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			for b.Loop() {
				tree, err := g.Parse(b.Context(), input, grammars.ParseOptions{})
				if err != nil {
					b.Fatal(err)
				}
				dissect(b, tree)
			}
		})
		b.Run(name+"/antlr", func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			for b.Loop() {
				parseWithANTLR(b, string(input))
			}
		})
		b.Run(name+"/encoding-json", func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			for b.Loop() {
				var v any
				if err := json.Unmarshal(input, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// dissect derives every token of a tree, trivia included, from its lexer rule, and
// returns the total number of nodes.
func dissect(tb testing.TB, tree *derivation.Tree) (nodes int) {
	tb.Helper()
	count := func(inside *derivation.Tree, err error) {
		if err != nil {
			tb.Fatal(err)
		}
		if inside != nil {
			nodes += inside.Len() - 1
		}
	}
	dissector := tree.Dissector()
	for _, n := range tree.All() {
		count(dissector.Leaf(n))
	}
	for i := range tree.Trivia() {
		count(dissector.Token(i))
	}
	return nodes + tree.Len()
}

// parseWithANTLR parses with the parser that ANTLR generates.
func parseWithANTLR(tb testing.TB, input string) antlr.ParseTree {
	tb.Helper()
	lexer := antlrjson.NewjsonLexer(antlr.NewInputStream(input))
	parser := antlrjson.NewjsonParser(antlr.NewCommonTokenStream(lexer, antlr.TokenDefaultChannel))
	parser.RemoveErrorListeners()
	tree := parser.Json()
	if parser.HasError() {
		tb.Fatal(parser.GetError())
	}
	return tree
}

// Times are comparable only if both parsers return the same trees.
func TestSameTrees(t *testing.T) {
	g, err := bundled.Load(context.Background(), "json")
	if err != nil {
		t.Fatal(err)
	}
	inputs := benchInputs()
	// The runtime takes quadratic time to print a tree.
	inputs["1MB"], inputs["unicode"] = jsonArray(1<<15, "name", []string{"word"}), jsonArray(1<<15, "名前", []string{"文章"})
	for name, input := range inputs {
		tree, err := g.Parse(t.Context(), input, grammars.ParseOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		var got bytes.Buffer
		if err := tree.WriteLisp(&got); err != nil {
			t.Fatal(err)
		}
		parser := antlrjson.NewjsonParser(nil)
		want := antlr.TreesStringTree(parseWithANTLR(t, string(input)), parser.GetRuleNames(), parser)
		if got.String() != want {
			t.Errorf("%s: trees differ", name)
		}
	}
}
