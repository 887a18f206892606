package draw_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/inroad/inroad/examples/draw"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
)

// panicked runs a drawing and returns the function that panicked, or "".
func panicked(text string) (function string, err error) {
	defer func() {
		if recover() == nil {
			return
		}
		var pcs [50]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
		for frame, more := frames.Next(); more; frame, more = frames.Next() {
			if _, method, ok := strings.Cut(frame.Function, "draw.(*canvas)."); ok {
				function = method
				return
			}
		}
	}()
	return "", draw.Run(text)
}

// Each defect has a drawing that it takes, and one that nearly does.
func TestDefects(t *testing.T) {
	text, err := os.ReadFile("draw.g4")
	if err != nil {
		t.Fatal(err)
	}
	g := grammartest.Load(t, string(text))
	for i, c := range []struct{ defect, takes, nearly string }{
		{"undo", `undo;`, `draw circle 1; undo;`},
		{"corner", `draw path (1,1),(2,2),(3,3),(4,4),(5,5);`, `draw path (1,1),(2,2),(3,3),(4,4);`},
		{"text", `draw text "";`, `draw text "a";`},
		{"pen", `draw circle 1 stroke #000 -1;`, `draw circle 1 stroke #000 1;`},
		{"color", `draw circle 1 fill #00000;`, `draw circle 1 fill #0000;`},
		{"otherwise", `if 2 < 1 { } else { }`, `if 1 < 2 { } else { }`},
		{"dashed", `draw circle 1 fill #000 dashed dashed;`, `draw circle 1 dashed dashed fill #000;`},
		{"enterThirdLoop", `repeat 1 { repeat 1 { repeat 1 { } } }`, `repeat 1 { repeat 1 { } repeat 1 { } }`},
		{"huge", `draw circle 1001 fill #000 dashed;`, `draw circle 1001 dashed;`},
		{"nestedTitle", `group "a" { group "b" { group "a" { } } }`, `group "a" { group "b" { } group "b" { } }`},
		{"square", `draw box 2, 1+1 at (-1, 0);`, `draw box 2, 3 at (-1, 0);`},
		{"undoText", `draw circle 1; draw circle 1; group "a" { draw text "a"; } undo;`, `draw circle 1; group "a" { draw text "a"; } undo;`},
		{"same", `repeat 1 { if 100 == 100 { } else { undo; } }`, `if 100 == 100 { } else { undo; }`},
		{"dashes", `draw line (1,2) (1,1+1) dashed;`, `draw line (1,2) (1,3) dashed;`},
		{"escaped", `group "a" { let x = 1; } draw circle x;`, `group "a" { let x = 1; draw circle x; }`},
	} {
		t.Run(fmt.Sprintf("%d %s", i+1, c.defect), func(t *testing.T) {
			for _, text := range []string{c.takes, c.nearly} {
				if _, err := g.Parse(t.Context(), []byte(text), grammars.ParseOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := panicked(c.takes); got != c.defect {
				t.Errorf("%s: panicked in %q, error %v; want %s", c.takes, got, err, c.defect)
			}
			if got, err := panicked(c.nearly); got != "" || err != nil {
				t.Errorf("%s: panicked in %q, error %v", c.nearly, got, err)
			}
		})
	}
}

// A text that is not a drawing, and a drawing that is too long, is an error.
func TestErrors(t *testing.T) {
	for _, text := range []string{
		"draw", "x", "let a 1;", "draw circle;", "draw circle 1", "draw circle a;", "repeat 9 { repeat 9 { let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;let a=1;} }",
		`"`, "?", "}", "draw circle " + strings.Repeat("(", 2000), strings.Repeat("repeat 0 {", 2000), "draw circle 1/0;",
	} {
		if got, err := panicked(text); got != "" || err == nil {
			t.Errorf("%.40s: panicked in %q, error %v; want an error", text, got, err)
		}
	}
}
