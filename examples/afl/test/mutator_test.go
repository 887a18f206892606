package test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
)

// The mutator returns mutants in the grammar, also of inputs outside it. Without the
// program, it returns inputs unchanged.
func TestMutator(t *testing.T) {
	need(t, "go", "cc")
	dir := t.TempDir()
	inroad, driver := build(t), filepath.Join(dir, "driver")
	must(t, nil, "cc", "-Wall", "-Werror", "-o", driver, "../inroad_mutator.c", "testdata/driver.c")
	run := func(program string) [][]byte {
		cmd := exec.CommandContext(t.Context(), driver)
		cmd.Env = append(cmd.Environ(), "INROAD="+program, "INROAD_GRAMMAR=json")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Split(bytes.TrimSuffix(out, []byte("\n")), []byte("\n"))
	}
	mutants := run(inroad)
	distinct := map[string]bool{}
	for i, text := range mutants {
		distinct[string(text)] = true
		if !json.Valid(text) || len(text) > 100 {
			t.Errorf("mutant %d is %q", i, text)
		}
	}
	if len(mutants) != 200 || len(distinct) < 100 {
		t.Errorf("%d mutants, %d of them distinct; want 200", len(mutants), len(distinct))
	}
	unchanged := run(filepath.Join(dir, "nothing"))
	if len(unchanged) != 200 || string(unchanged[0]) != `[1,{"a":true}]` || string(unchanged[199]) != "not JSON" {
		t.Errorf("without the program: %d inputs, the first %q", len(unchanged), unchanged[0])
	}
}
