package spill

import (
	"errors"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func newFile(tb testing.TB) File {
	tb.Helper()
	f, err := os.CreateTemp(tb.TempDir(), "")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = f.Close() }) // most tests close it
	return f
}

// drawRows draws ascending lists of numbers below columns.
func drawRows(t *rapid.T, columns int) [][]int32 {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) []int32 {
		row := rapid.SliceOfDistinct(rapid.Int32Range(0, int32(columns-1)), rapid.ID[int32]).Draw(t, "row")
		slices.Sort(row)
		return row
	}), 1, 40).Draw(t, "rows")
}

// Rows and columns return what was added, in any order.
func TestRowsAndColumns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const columns = 1000
		want := drawRows(rt, columns)
		rows, byColumn := NewRows(newFile(t), true), NewColumns(newFile(t), columns, rapid.IntRange(1, 50).Draw(rt, "limit"))
		holders := map[int32][]int32{}
		for r, row := range want {
			values := make([]int32, len(row))
			for i, n := range row {
				values[i] = n * 1000
				holders[n] = append(holders[n], int32(r))
			}
			if err := errors.Join(rows.Add(row, values), byColumn.Add(int32(r), row)); err != nil {
				rt.Fatal(err)
			}
		}
		if err := errors.Join(rows.Finish(), byColumn.Finish()); err != nil {
			rt.Fatal(err)
		}
		reader := rows.Reader()
		for _, r := range rapid.SliceOf(rapid.IntRange(0, len(want)-1)).Draw(rt, "read") {
			got, values, err := reader.Row(int32(r))
			if err != nil || !slices.Equal(got, want[r]) || len(values) != len(got) || len(got) > 0 && values[0] != got[0]*1000 {
				rt.Fatalf("row %d: got %v with %v, %v, want %v", r, got, values, err, want[r])
			}
		}
		for c, rows := range holders {
			var got []int32
			if err := byColumn.Each(c, func(some []int32) error { got = append(got, some...); return nil }); err != nil || !slices.Equal(got, rows) {
				rt.Fatalf("column %d: got rows %v, %v, want %v", c, got, err, rows)
			}
		}
		if err := errors.Join(rows.Close(), byColumn.Close()); err != nil {
			rt.Fatal(err)
		}
	})
}

// Rows that take several blocks can be read in any order.
func TestManyBlocks(t *testing.T) {
	rows := NewRows(newFile(t), false)
	row := make([]int32, 2000)
	const count = 1000
	for r := range int32(count) {
		for i := range row {
			row[i] = r + 3*int32(i)
		}
		if err := rows.Add(row, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := rows.Finish(); err != nil {
		t.Fatal(err)
	}
	if len(rows.blocks) < 5 || rows.Len() != count {
		t.Fatalf("%d blocks and %d rows", len(rows.blocks), rows.Len())
	}
	reader := rows.Reader()
	for _, r := range []int32{0, 1, 1, count - 1, 500, 499, 501, 2, 0} {
		if got, _, err := reader.Row(r); err != nil || len(got) != len(row) || got[0] != r {
			t.Fatalf("row %d: %d numbers from %v, %v", r, len(got), got[:min(1, len(got))], err)
		}
	}
}

// A log returns its records, also while it grows.
func TestLog(t *testing.T) {
	l := NewLog(newFile(t))
	var want []string
	for round := range 3 {
		for i := range 1000 {
			record := make([]byte, i*(round+1))
			for j := range record {
				record[j] = byte(i)
			}
			if err := l.Append(record); err != nil {
				t.Fatal(err)
			}
			want = append(want, string(record))
		}
		n := 0
		if err := l.Each(func(i int, record []byte) error {
			if i != n || string(record) != want[i] {
				t.Fatalf("record %d: got %d bytes, want record %d of %d bytes", i, len(record), n, len(want[n]))
			}
			n++
			return nil
		}); err != nil || n != l.Len() || n != len(want) {
			t.Fatalf("%d of %d records, %v", n, len(want), err)
		}
	}
}

// Damaged rows are errors.
func FuzzDecode(f *testing.F) {
	f.Add(AppendNumbers(AppendAscending(nil, []int32{1, 5, 900}), []int32{3, 0, 70000}))
	f.Add([]byte{0xff, 0xff})
	f.Fuzz(func(t *testing.T, data []byte) {
		numbers, rest, err := DecodeAscending(data, nil)
		if err != nil {
			return
		}
		if values, _, err := DecodeNumbers(rest, nil); err == nil && len(values)+len(numbers) > len(data) {
			t.Errorf("%d numbers from %d bytes", len(values)+len(numbers), len(data))
		}
	})
}
