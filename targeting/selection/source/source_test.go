package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/targeting/selection/source"
)

// outline returns one line per declaration: lines, kind, name and further names.
func outline(t *testing.T, name, text string) string {
	t.Helper()
	f, ok := source.Parse(name, []byte(text))
	if !ok {
		t.Fatalf("Parse(%q): not outlined", name)
	}
	var out strings.Builder
	for _, d := range f.Decls {
		fmt.Fprintf(&out, "%d-%d %v %s", d.Start, d.End, d.Kind, d.Name)
		if len(d.Names) > 1 || len(d.Names) == 1 && d.Names[0] != d.Short {
			fmt.Fprintf(&out, " %v", d.Names)
		}
		if d.Owner != "" {
			fmt.Fprintf(&out, " of %s", d.Owner)
		}
		out.WriteByte('\n')
	}
	return out.String()
}

type outlineCase struct{ name, text, want string }

func testOutlines(t *testing.T, file string, cases []outlineCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimLeft(c.want, "\n"), outline(t, file, c.text)); diff != "" {
				t.Errorf("outline of\n%s\n(-want +got)\n%s", c.text, diff)
			}
		})
	}
}
