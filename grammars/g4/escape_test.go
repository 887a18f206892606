package g4_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/grammars/g4"
)

// only returns the single element of a lexer grammar with one rule.
func only(t *testing.T, element string) g4.Element {
	t.Helper()
	file, diagnostics := parse("f.g4", "lexer grammar G; A : "+element+" ;")
	if diagnostics.Failed() {
		t.Fatalf("%s: %v", element, diagnostics)
	}
	return file.Rules[0].Body.Alts[0].Elements[0]
}

func TestLiterals(t *testing.T) {
	tests := map[string]struct{ text, value string }{
		"plain":                         {`abc`, "abc"},
		"characters of many bytes":      {`é語😀`, "é語😀"},
		"escapes of control characters": {`\n\r\t\b\f`, "\n\r\t\b\f"},
		"escapes of punctuation":        {`\\\'`, `\'`},
		"four hexadecimal digits":       {`\u00e9x`, "éx"},
		"digits in braces":              {`\u{41}\u{1F600}`, "A😀"},
		"a surrogate pair":              {`\uD83D\uDE00!`, "😀!"},
		"what is special in sets":       {`[-]`, "[-]"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := only(t, "'"+test.text+"'").(*g4.Literal)
			if got.Text != test.text || got.Value != test.value {
				t.Errorf("got %q for %q, want %q for %q", got.Value, got.Text, test.value, test.text)
			}
		})
	}
}

func TestRanges(t *testing.T) {
	tests := map[string]g4.Range{
		`'a'..'z'`:               {Lo: 'a', Hi: 'z'},
		`'\u0000'..'\u{10FFFF}'`: {Lo: 0, Hi: 0x10FFFF},
		`'\uD800'..'\uDBFF'`:     {Lo: 0xD800, Hi: 0xDBFF},
		`'\''..'\''`:             {Lo: '\'', Hi: '\''},
	}
	for text, want := range tests {
		got := *only(t, text).(*g4.Range)
		want.Pos = got.Pos
		want.Text = text
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestSets(t *testing.T) {
	one := func(text string, lo, hi rune) g4.SetItem {
		return g4.SetItem{Text: text, Ranges: []g4.RuneRange{{Lo: lo, Hi: hi}}}
	}
	tests := map[string]struct {
		text string
		want []g4.SetItem
	}{
		"characters and ranges": {`[ac-e]`, []g4.SetItem{one("a", 'a', 'a'), one("c-e", 'c', 'e')}},
		"a hyphen at the start": {`[-a]`, []g4.SetItem{one("-", '-', '-'), one("a", 'a', 'a')}},
		"a hyphen at the end":   {`[a-]`, []g4.SetItem{one("a", 'a', 'a'), one("-", '-', '-')}},
		"a hyphen behind a range": {
			`[a-c-e]`,
			[]g4.SetItem{one("a-c", 'a', 'c'), one("-", '-', '-'), one("e", 'e', 'e')},
		},
		"ranges from and to a hyphen": {`[--/]`, []g4.SetItem{one("--/", '-', '/')}},
		"a range up to a hyphen":      {`[+--]`, []g4.SetItem{one("+--", '+', '-')}},
		"escaped brackets and hyphens": {
			`[\]\-\\]`,
			[]g4.SetItem{one(`\]`, ']', ']'), one(`\-`, '-', '-'), one(`\\`, '\\', '\\')},
		},
		"an escaped hyphen makes no range": {
			`[a\-z]`,
			[]g4.SetItem{one("a", 'a', 'a'), one(`\-`, '-', '-'), one("z", 'z', 'z')},
		},
		"escapes at both ends of a range": {`[\t-\u{20}]`, []g4.SetItem{one(`\t-\u{20}`, '\t', ' ')}},
		"surrogates stay apart": {
			`[\uD83D\uDE00]`,
			[]g4.SetItem{one(`\uD83D`, 0xD83D, 0xD83D), one(`\uDE00`, 0xDE00, 0xDE00)},
		},
		"quotes and openings stand for themselves": {`['[]`, []g4.SetItem{one("'", '\'', '\''), one("[", '[', '[')}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := only(t, test.text).(*g4.CharSet)
			if got.Text != test.text {
				t.Errorf("text %s, want %s", got.Text, test.text)
			}
			if diff := cmp.Diff(test.want, got.Items); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.text, diff)
			}
		})
	}
}

func TestPropertiesAndTheirComplements(t *testing.T) {
	in := func(item g4.SetItem, r rune) bool {
		for _, x := range item.Ranges {
			if x.Lo <= r && r <= x.Hi {
				return true
			}
		}
		return false
	}
	set := only(t, `[\p{Lu}\P{Lu}x]`).(*g4.CharSet).Items
	if len(set) != 3 || set[0].Text != `\p{Lu}` || set[1].Text != `\P{Lu}` || set[2].Text != "x" {
		t.Fatalf("items %v", set)
	}
	for _, r := range []rune{0, 'A', 'a', 'É', 'é', 0xD800, 0x10FFFF} {
		if in(set[0], r) == in(set[1], r) {
			t.Errorf("%q is in %s: %v, and in %s the same", r, set[0].Text, in(set[0], r), set[1].Text)
		}
	}
	if !in(set[0], 'É') || in(set[0], 'é') {
		t.Errorf(`\p{Lu} has É: %v, é: %v`, in(set[0], 'É'), in(set[0], 'é'))
	}
}
