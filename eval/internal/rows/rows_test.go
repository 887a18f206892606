package rows_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/eval/internal/rows"
)

type row struct {
	Name  string
	Value float64
}

func TestRows(t *testing.T) {
	file := filepath.Join(t.TempDir(), "work", "rows.ndjson")
	if got, err := rows.Read[row](file); err != nil || got != nil {
		t.Fatalf("before the first row: got %v, %v", got, err)
	}
	want := []row{{"a", 1}, {"b", 0.5}, {"c", 3}}
	for _, r := range want[:2] {
		if err := rows.Append(file, r); err != nil {
			t.Fatal(err)
		}
	}
	interrupt(t, file, `{"Name":"c","Va`)
	if got, err := rows.Read[row](file); err != nil || !slices.Equal(got, want[:2]) {
		t.Errorf("with an incomplete line: got %v, %v; want %v", got, err, want[:2])
	}
	if err := rows.Append(file, want[2]); err != nil {
		t.Fatal(err)
	}
	if got, err := rows.Read[row](file); err != nil || !slices.Equal(got, want) {
		t.Errorf("after another row: got %v, %v; want %v", got, err, want)
	}
}

func TestReadInvalid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.ndjson")
	interrupt(t, file, "{}\n[1]\n")
	if _, err := rows.Read[row](file); err == nil || !strings.Contains(err.Error(), "rows.ndjson:2: ") {
		t.Errorf("got %v, want an error in line 2", err)
	}
}

// interrupt writes a text at the end of a file.
func interrupt(t *testing.T, file, text string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
