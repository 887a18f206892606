package source_test

import (
	"testing"

	"github.com/inroad/inroad/targeting/selection/source"
)

func TestIsTest(t *testing.T) {
	for name, want := range map[string]bool{
		"a/b_test.go":                        true,
		"a/test.go":                          false,
		"a/testdata/b.go":                    true,
		"testdata/x.json":                    true,
		"src/test/java/a/B.java":             true,
		"lib/src/test/resources/x.txt":       true,
		"src/main/java/a/BTest.java":         false,
		"tests/CTest.java":                   true,
		"test/parse.c":                       true,
		"src/parse_test.cc":                  true,
		"src/contest.c":                      false,
		"lib/parse.test.js":                  true,
		"lib/parse.spec.ts":                  true,
		"lib/__tests__/parse.js":             true,
		"lib/parse.js":                       false,
		"pkg/test_parse.py":                  true,
		"pkg/parse_test.py":                  true,
		"pkg/conftest.py":                    true,
		"tests/helper.py":                    true,
		"pkg/latest.py":                      false,
		"tests/parse.rs":                     true,
		"benches/parse.rs":                   true,
		"src/parse.rs":                       false,
		"src/tests.rs":                       true,
		"Makefile":                           false,
		"src/testFixtures/java/Fixture.java": true,
	} {
		if got := source.IsTest(name); got != want {
			t.Errorf("IsTest(%q) is %v, want %v", name, got, want)
		}
	}
}

func TestNotOutlined(t *testing.T) {
	for name, text := range map[string]string{
		"x.txt":     "package p",
		"Makefile":  "all:",
		"x.go":      "package p\x00",
		"big.c":     string(make([]byte, 17<<20)),
		"noext":     "",
		"x.unknown": "func f() {}",
	} {
		if _, ok := source.Parse(name, []byte(text)); ok {
			t.Errorf("Parse(%q): outlined", name)
		}
	}
	if f, ok := source.Parse("x.go", nil); !ok || len(f.Decls) != 0 {
		t.Error("an empty file has an outline without declarations")
	}
}
