package selection

import (
	"errors"
	"strings"
	"testing"
)

func TestMatchAny(t *testing.T) {
	for _, test := range []struct {
		pattern, path string
		want          bool
	}{
		{"*.md", "README.md", true},
		{"*.md", "docs/a/b.md", true},
		{"*.md", "a.mdx", false},
		{"docs/*", "docs/a", true},
		{"docs/*", "docs/a/b", false},
		{"docs/**", "docs/a/b", true},
		{"**/*.h", "x.h", true},
		{"**/*.h", "a/b/x.h", true},
		{"a/**/b/**/c", "a/b/b/x/c", true},
		{"a/**/b/**/c", "a/x/c", false},
		{"**/**/**/**/**/**/**/**/x", strings.Repeat("y/", 1000) + "z", false},
		{"[", "[", false},
		{"docs/**", "docs", true},
		{"docs/**/*.md", "docs/a.md", true},
		{"**", "a/b", true},
		{"a**", "x/abc", true},
		{"a**/b", "abc/b", true},
		{"a**/b", "a/x/b", false},
		{"a?[b-d]", "axc", true},
		{"{src,lib}/**/*.{c,h}", "lib/a/b.h", true},
		{"{src,lib}/**/*.{c,h}", "test/a/b.h", false},
		{`\{a\}`, "{a}", true},
	} {
		if got := MatchAny([]string{test.pattern}, test.path); got != test.want {
			t.Errorf("%s matches %.20s: %v, want %v", test.pattern, test.path, got, test.want)
		}
	}
}

func TestCheckPatterns(t *testing.T) {
	many := strings.Repeat("{a,b}", 9)
	for _, test := range []struct{ pattern, want string }{
		{"a/**", ""},
		{"{src,lib}/**/*.{c,h}", ""},
		{strings.Repeat("{a,b}", 8), ""},
		{"b/[", `invalid file pattern "b/[": unclosed '[' or '{', unopened '}', or trailing '\'`},
		{"*.{md", `invalid file pattern "*.{md": unclosed '[' or '{', unopened '}', or trailing '\'`},
		{"", `invalid file pattern "": must not be empty`},
		{many, `invalid file pattern "` + many + `": must have at most 256 alternatives`},
		{"{{a,b},{" + strings.Repeat(",", 300) + "}}", `invalid file pattern "{{a,b},{` + strings.Repeat(",", 72) + `": must have at most 256 alternatives`},
	} {
		err := CheckPatterns([]string{"c", test.pattern})
		if _, ok := errors.AsType[*PatternError](err); ok != (test.want != "") || ok && err.Error() != test.want {
			t.Errorf("%s: error %v, want %s", test.pattern, err, test.want)
		}
	}
}

// FuzzMatchAny matches untrusted patterns, which must neither panic nor hang.
func FuzzMatchAny(f *testing.F) {
	f.Add("{a,b}{a,b}{a,b}**/[!x]*", "ababab/abab")
	f.Add(`\{[}]{a,[,]}`, "{}a")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if CheckPatterns([]string{pattern}) == nil {
			MatchAny([]string{pattern}, name)
		}
	})
}
