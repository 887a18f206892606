package coverage

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func readCounters(tb testing.TB) (meta, counters []byte) {
	tb.Helper()
	meta, err := os.ReadFile("testdata/gocounters/covmeta")
	if err != nil {
		tb.Fatal(err)
	}
	if counters, err = os.ReadFile("testdata/gocounters/covcounters"); err != nil {
		tb.Fatal(err)
	}
	return meta, counters
}

func TestGoCounters(t *testing.T) {
	meta, counters := readCounters(t)
	m, err := decodeGoMeta(meta)
	if err != nil {
		t.Fatal(err)
	}
	want := []goPackage{{path: "example.com/p/cmd", functions: []goFunction{
		{name: "used", file: "example.com/p/cmd/main.go", blocks: []goBlock{{9, 3, 10, 19}, {10, 19, 12, 3}}},
		{name: "unused", file: "example.com/p/cmd/main.go", blocks: []goBlock{{15, 15, 17, 2}}},
		{name: "main", file: "example.com/p/cmd/main.go", blocks: []goBlock{{19, 13, 21, 2}}},
	}}}
	if diff := cmp.Diff(want, m.packages, cmp.AllowUnexported(goPackage{}, goFunction{}, goBlock{})); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
	if hash, err := goCounterHash(counters); err != nil || hash != m.hash {
		t.Errorf("counters are about %x, %v; want %x", hash, err, m.hash)
	}
	var got [][]uint32
	err = decodeGoCounters(counters, func(pkg, function int, counters []uint32) {
		got = append(got, append([]uint32{uint32(pkg), uint32(function)}, counters...))
	})
	if diff := cmp.Diff([][]uint32{{0, 2, 1}, {0, 0, 1, 0}}, got); err != nil || diff != "" {
		t.Errorf("error %v, counters (-want +got):\n%s", err, diff)
	}
}

// TestShortGoCounters truncates both files at every byte, and expects an error
// or at least no panic.
func TestShortGoCounters(t *testing.T) {
	meta, counters := readCounters(t)
	for n := range len(meta) - 1 {
		if m, err := decodeGoMeta(meta[:n]); err == nil && len(m.packages) > 0 && len(m.packages[0].functions) == 3 {
			t.Errorf("%d bytes of %d are enough", n, len(meta))
		}
	}
	for n := range len(counters) - 1 {
		_ = decodeGoCounters(counters[:n], func(int, int, []uint32) {})
	}
}

func FuzzGoCounters(f *testing.F) {
	meta, counters := readCounters(f)
	f.Add(meta, counters)
	raw := slices.Clone(counters)
	raw[24] = 1
	f.Add(meta, raw)
	f.Fuzz(func(t *testing.T, meta, counters []byte) {
		m, err := decodeGoMeta(meta)
		if err != nil {
			return
		}
		for _, blocks := range []bool{false, true} {
			units := newGoUnits(m, blocks, func(pkg string) (dir, name string) { return "", pkg })
			ids := map[string]bool{}
			for _, u := range units.units {
				if u.Kind != "block" && ids[u.ID] {
					t.Errorf("two units have the id %q", u.ID)
				}
				ids[u.ID] = true
			}
			methods, counts, err := units.Reached(counters)
			if err == nil && len(methods) != len(counts) {
				t.Errorf("%d methods, %d counts", len(methods), len(counts))
			}
		}
	})
}

// TestGoFolder reads folders that programs left. A program that panics writes no
// counters.
func TestGoFolder(t *testing.T) {
	meta, counters := readCounters(t)
	for _, tc := range []struct {
		name  string
		files map[string][]byte
		want  error
	}{
		{"both files", map[string][]byte{"covmeta.1": meta, "covcounters.1.1.1": counters}, nil},
		{"no counters", map[string][]byte{"covmeta.1": meta}, ErrNoMethods},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, data := range tc.files {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if err := (&Reports{}).Read(dir, Auto); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

// FuzzGoFolder reads arbitrary folders.
func FuzzGoFolder(f *testing.F) {
	meta, counters := readCounters(f)
	f.Add(meta, counters)
	f.Fuzz(func(t *testing.T, meta, counters []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "covmeta.1"), meta, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "covcounters.1.1.1"), counters, 0o666); err != nil {
			t.Fatal(err)
		}
		r := &Reports{Blocks: true}
		if err := r.Read(dir, GoCover); err == nil {
			r.Runs()
		}
	})
}
