package source

import (
	"path"
	"slices"
	"strings"
)

// LanguageOf returns the language of a file by its name: "go", "java", "c" (which
// includes C++), "javascript" (which includes TypeScript), "python" or "rust"; ""
// for any other.
func LanguageOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".go":
		return "go"
	case ".java":
		return "java"
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".inc", ".inl", ".ipp", ".tpp", ".cu":
		return "c"
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		return "javascript"
	case ".py", ".pyi", ".pyx":
		return "python"
	case ".rs":
		return "rust"
	}
	return ""
}

// IsTest reports whether a file contains tests or test data, by the conventions of its
// language: no program imports such a file. It may still be a harness that runs the
// program.
func IsTest(name string) bool {
	folders := strings.Split(path.Dir(name), "/")
	base := path.Base(name)
	stem := strings.TrimSuffix(base, path.Ext(base))
	if slices.Contains(folders, "testdata") {
		return true
	}
	for i, folder := range folders[1:] {
		switch folder {
		case "test", "testFixtures", "integrationTest", "it", "jmh":
			if folders[i] == "src" {
				return true
			}
		}
	}
	inside := func(names ...string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return slices.Contains(names, f) })
	}
	switch LanguageOf(name) {
	case "go":
		return strings.HasSuffix(stem, "_test")
	case "java":
		return inside("test", "tests") && (strings.HasSuffix(stem, "Test") || strings.HasSuffix(stem, "Tests") || strings.HasPrefix(stem, "Test"))
	case "c":
		return inside("test", "tests", "unittest", "unittests", "bench", "benchmark", "benchmarks") ||
			strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_unittest") || strings.HasPrefix(stem, "test_")
	case "javascript":
		return inside("__tests__", "__mocks__", "test", "tests", "spec", "e2e") ||
			strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") || strings.HasSuffix(stem, ".bench")
	case "python":
		return inside("test", "tests") || strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || stem == "conftest"
	case "rust":
		return inside("tests", "benches") || stem == "tests"
	}
	return false
}
