package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/grammartest"
)

// TestSeparatorsAreFewAndShort checks that a generator draws few and short
// separators from a grammar with many and long kinds of trivia, and still finds the
// blank that the last kind derives.
func TestSeparatorsAreFewAndShort(t *testing.T) {
	var text strings.Builder
	text.WriteString("grammar g; s : 'x' ; LONG : " + strings.Repeat("'l' ", maxSeparatorSize) + "-> skip ;\n")
	for i := range 2 * maxSeparators {
		fmt.Fprintf(&text, "T%d : '<%d>' -> skip ;\n", i, i)
	}
	text.WriteString("BLANK : ' ' -> skip ;")
	x, err := New(grammartest.Load(t, text.String()), rand.New(rand.NewPCG(1, 0)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{" "}
	for i := range maxSeparators {
		want = append(want, fmt.Sprintf("<%d>", i))
	}
	if got := fmt.Sprintf("%s", x.separators); got != fmt.Sprint(want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
