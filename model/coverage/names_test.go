package coverage_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/inroad/inroad/model/coverage"
)

func TestReadNames(t *testing.T) {
	const report = "TN:\nSF:a.c\nFN:1,f\nFNDA:1,f\nend_of_record\n"
	for _, tc := range []struct {
		name, text string
		want       []string
		isList     bool
	}{
		{"a list", "lex\n\n parse\n", []string{"lex", "parse"}, true},
		{"an empty list", "", nil, true},
		{"a report", report, nil, false},
		{"a compressed report", gzipped(report), nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "report")
			write(t, file, tc.text)
			got, isList, err := coverage.ReadNames(file)
			if err != nil || isList != tc.isList || !slices.Equal(got, tc.want) {
				t.Errorf("got %q, %v, %v; want %q, %v", got, isList, err, tc.want, tc.isList)
			}
		})
	}
}
