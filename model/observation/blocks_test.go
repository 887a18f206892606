package observation_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
)

// TestBlocks reads two files in blocks. Each unit is in one block.
func TestBlocks(t *testing.T) {
	var first strings.Builder
	first.WriteString(`{"inroad":"observations/1","subject":"p","units":[{"id":"a"}]}` + "\n")
	for i := range 600 {
		fmt.Fprintf(&first, "{\"input\":\"%d\"}\n", i)
	}
	first.WriteString("wrong\n" + `{"inroad":"observations/1","subject":"p","units":[{"id":"b"}]}` + "\n" + `{"input":"last"}`)
	sources := func(second string) observation.Sources {
		return observation.Sources{Files: []observation.File{{Name: "one", Reader: strings.NewReader(first.String())}, {Name: "two", Reader: strings.NewReader(second)}}}
	}
	read := func(s observation.Sources) (blocks []string, err error) {
		for block, err := range s.Blocks() {
			if err != nil {
				return blocks, err
			}
			line := fmt.Sprintf("%s: %d observations", block.File, len(block.Observations))
			for _, u := range block.Header.Units {
				line += " " + u.ID
			}
			blocks = append(blocks, line)
		}
		return blocks, nil
	}
	s := sources("")
	var invalid []string
	s.Invalid = func(file string, line *observation.LineError) {
		invalid = append(invalid, fmt.Sprintf("%s:%d", file, line.Line))
	}
	blocks, err := read(s)
	want := []string{"one: 512 observations a", "one: 89 observations b", "two: 0 observations"}
	if diff := cmp.Diff(want, blocks); diff != "" || err != nil || !cmp.Equal(invalid, []string{"one:602"}) {
		t.Errorf("error %v, invalid lines %q, blocks (-want +got):\n%s", err, invalid, diff)
	}
	s = sources("")
	s.Strict = true
	if blocks, err = read(s); len(blocks) != 2 || err == nil || !strings.HasPrefix(err.Error(), "one:602: not a JSON object") {
		t.Errorf("strict: got blocks %q, error %v", blocks, err)
	}
	if _, err = read(sources(`{"inroad":"observations/1","subject":"q"}`)); err == nil || err.Error() != "two: observations of q, but earlier files have observations of p" {
		t.Errorf("another program: got error %v", err)
	}
	broken := errors.New("broken")
	s.Files = []observation.File{{Reader: io.MultiReader(strings.NewReader("{\"input\":\"\"}\n"), iotest.ErrReader(broken))}}
	if blocks, err = read(s); len(blocks) != 1 || !errors.Is(err, broken) {
		t.Errorf("an error of the file: got blocks %q, error %v", blocks, err)
	}
}
