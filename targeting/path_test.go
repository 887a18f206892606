package targeting_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting"
)

const quotes = `grammar Q;
s : a EOF ;
a : '>' a | '#' B | "'" | C | ;
B : [a-z>] '\'' '"' '\n' ;
C : ~[a-z] ;
LINE : '//' ~[\n]* '\n' -> skip ;
`

func TestRead(t *testing.T) {
	g := grammartest.Load(t, strings.ReplaceAll(quotes, `"'"`, `'\''`))
	r := targeting.NewReader(g, "")
	for _, c := range []struct {
		text   string
		want   []string // symbols of each path, joined by spaces
		trivia bool
	}{
		{"a", []string{"a", "a"}, false},
		{"a > a", []string{"a a", "a a"}, false},
		{"a > '>'", []string{"a '>'", "a '>'"}, false},
		{`a>">"`, []string{"a '>'", "a '>'"}, false},
		{`a > '\''`, []string{`a '\''`, `a '\''`}, false},
		{`a > "'"`, []string{`a '\''`, `a '\''`}, false},
		{`a > '#'`, []string{`a '#'`, `a '#'`}, false},
		{`B > [a-z]`, []string{"B [a-z]"}, false},
		{`B > [>]`, []string{"B [>]"}, false},
		{`B > '"'`, []string{`B '"'`}, false},
		{`B > '\n'`, []string{`B '\n'`}, false},
		{`~[a-z]`, []string{"~[a-z]"}, false},
		{`a > ""`, []string{`a ""`, `a ""`}, false},
		{"LINE > '//'", []string{"LINE '//'"}, true},
		{"trivia > LINE", []string{"LINE"}, true},
	} {
		got, err := r.Read(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		var paths []string
		for _, p := range got.Paths {
			var symbols []string
			for _, o := range p {
				symbols = append(symbols, g.Nodes[o].Text)
			}
			paths = append(paths, strings.Join(symbols, " "))
		}
		if diff := cmp.Diff(c.want, paths); diff != "" || got.Trivia != c.trivia {
			t.Errorf("%s: trivia %v, %s", c.text, got.Trivia, diff)
		}
	}
}

// Read accepts every path in the form in which features.Space lists it.
func TestReadListedPaths(t *testing.T) {
	for _, name := range []string{"json", "expr"} {
		g := grammartest.Bundled(t, name)
		r := targeting.NewReader(g, "")
		space := features.NewSpace(g, features.Options{Absent: true})
		for k := 1; k <= 3; k++ {
			for p := range space.All(k) {
				var symbols []string
				for _, o := range p {
					symbols = append(symbols, targeting.Symbol(g, o))
				}
				text := strings.Join(symbols, " > ")
				c, err := r.Read(text)
				if err != nil || len(c.Paths) != 1 || !slices.Equal(c.Paths[0], p) {
					t.Errorf("%s is read as %v, %v", text, c.Paths, err)
				}
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	r := targeting.NewReader(grammartest.Bundled(t, "json"), "")
	for text, want := range map[string]string{
		"valu":              "path valu: symbol valu not found in grammar json",
		"value > valu":      "path value > valu: symbol valu not found in grammar json",
		"array > member":    "path array > member: array has no child member",
		"'true' > value":    "path 'true' > value: 'true' has no children",
		"value#0 > ":        "path value#0 > : missing symbol",
		"value#":            "path value#: value#: # must be followed by the number of an occurrence",
		"'true":             "path 'true: 'true: missing closing quote",
		`'\q'`:              `path '\q': '\q': invalid escape \q: must be an escape of Go, such as \n or \u00e9`,
		"a>a>a>a>a>a>a>a>a": "path a>a>a>a>a>a>a>a>a: has 9 symbols: must have at most 8",
	} {
		if _, err := r.Read(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Read returns paths or an error, whatever the text is.
func FuzzRead(f *testing.F) {
	for _, text := range []string{"value > array", `'true'`, `"\u{41}" > [a-z]#3`, "#1>#2", "trivia > WHITESPACE > [ ]", "absent#12", "a > '\\", ">", "value#99999999999"} {
		f.Add(text)
	}
	g, err := bundled.Load(context.Background(), "json")
	if err != nil {
		f.Fatal(err)
	}
	r := targeting.NewReader(g, "")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := r.Read(text)
		if (err == nil) != (len(c.Paths) > 0) {
			t.Errorf("%q: %v, %v", text, c.Paths, err)
		}
	})
}
