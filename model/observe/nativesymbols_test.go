package observe

import (
	"path/filepath"
	"testing"
)

func TestSourceFilter(t *testing.T) {
	root := t.TempDir()
	const registry = "/home/u/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/tinyjson-2.5.1/src/parser.rs"
	for _, tc := range []struct {
		patterns   []string
		file, want string
		selected   bool
	}{
		{nil, root + "/src/a.c", "src/a.c", true},
		{nil, root + "/src/../a.c", "a.c", true},
		{nil, "/usr/include/stdio.h", "/usr/include/stdio.h", false},
		{nil, root + "x/a.c", root + "x/a.c", false},
		{nil, registry, "tinyjson-2.5.1/src/parser.rs", false},
		{[]string{"src"}, root + "/src/sub/a.c", "src/sub/a.c", true},
		{[]string{"src/"}, root + "/src/a.c", "src/a.c", true},
		{[]string{"src"}, root + "/other/a.c", "other/a.c", false},
		{[]string{"*.c"}, root + "/src/a.c", "src/a.c", true},
		{[]string{"b.c", "a.c"}, root + "/src/a.c", "src/a.c", true},
		{[]string{"src/*.h"}, root + "/src/a.c", "src/a.c", false},
		{[]string{"."}, root + "/src/a.c", "src/a.c", true},
		{[]string{"/usr/include"}, "/usr/include/stdio.h", "/usr/include/stdio.h", true},
		{[]string{"tinyjson-*"}, registry, "tinyjson-2.5.1/src/parser.rs", true},
	} {
		f, err := newSourceFilter(root, tc.patterns)
		if err != nil {
			t.Fatal(err)
		}
		if name, ok := f.name(tc.file); name != tc.want || ok != tc.selected {
			t.Errorf("%q, %s: got %s, %v; want %s, %v", tc.patterns, tc.file, name, ok, tc.want, tc.selected)
		}
	}
	if _, err := newSourceFilter(root, []string{"[a"}); err == nil {
		t.Error("a malformed pattern is accepted")
	}
	if _, err := newSourceFilter(filepath.Join(root, "missing"), nil); err == nil {
		t.Error("a missing folder is accepted")
	}
}
