package g4

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"
)

func TestPropertyHasTheCharactersOfANTLR(t *testing.T) {
	tests := []struct {
		kind, name string
		size       int
		in, out    string
	}{
		{"general category, one letter", "L", 136104, "aZé中ʰ", "1_ ̀"},
		{"general category, one letter, long", "Letter", 136104, "aZé中ʰ", "1_ ̀"},
		{"general category", "Lu", 1831, "AÉΩ𝐀", "aω1"},
		{"general category, long", "Uppercase_Letter", 1831, "AÉΩ𝐀", "aω1"},
		{"general category, qualified", "gc=Nd", 680, "09٣𝟗", "aⅣ"},
		{"general category, qualified, long", "General_Category=Decimal_Number", 680, "09٣𝟗", "aⅣ"},
		{"C and not Cc, for it is the later alias", "Control", 965096, "\x00\x1f\u200d\U0010ffff", "a "},
		{"Cc when qualified", "General_Category=Control", 65, "\x00\x1f\u0085", "\u200da"},
		{"white space and not Z, for it is the earlier alias", "Space", 25, "\t \u3000", "\u200b"},
		{"script", "Greek", 518, "αΩἀ", "aд"},
		{"script, short", "Grek", 518, "αΩἀ", "aд"},
		{"script, qualified", "sc=Cyrl", 506, "дЯ", "aα"},
		{"script, qualified, long", "Script=Cyrillic", 506, "дЯ", "aα"},
		{"script under an old name", "Qaai", 657, "\u0300\u200d", "a"},
		{"script of what has none", "Script=Unknown", 964861, "\u0378\U0010ffff", "a1"},
		{"block", "InGreek", 144, "αͰ", "ἀa"},
		{"block, long", "InGreek_And_Coptic", 144, "αͰ", "ἀa"},
		{"block, qualified", "blk=ASCII", 128, "\x00a\x7f", "\u0080é"},
		{"block, qualified, long", "Block=Basic_Latin", 128, "\x00a\x7f", "\u0080é"},
		{"block with a hyphen", "Block=Arabic_Presentation_Forms-A", 688, "ﭐ", "ﹰa"},
		{"binary", "Alphabetic", 137765, "aé中ⅳ", "1_"},
		{"binary, short", "Alpha", 137765, "aé中ⅳ", "1_"},
		{"identifier start", "ID_Start", 136345, "aé中℘", "1_·"},
		{"identifier part", "XID_Continue", 139463, "aé1_·", " -"},
		{"white space", "White_Space", 25, "\t \u3000", "\u200b"},
		{"POSIX", "xdigit", 704, "0aFＦ", "gG"},
		{"emoji", "Emoji", 1424, "😀#0©", "aA"},
		{"emoji of keycaps and flags", "EmojiRK", 43, "#0©🇦", "😀"},
		{"emoji of no keycap or flag", "EmojiNRK", 1381, "😀☺", "#0©🇦"},
		{"emoji shown as text", "EmojiPresentation=TextDefault", 219, "#☺", "😀a"},
		{"emoji shown as emoji", "EmojiPresentation=EmojiDefault", 1205, "😀", "#☺a"},
		{"no emoji", "EmojiPresentation=Text", 1112688, "a", "#☺😀"},
		{"pictographic as ANTLR lists it", "EP", 2744, "★", "😀a"},
		{"pictographic as Unicode has it", "ExtPict", 3537, "★😀", "a#"},
		{"grapheme cluster break", "Grapheme_Cluster_Break=ZWJ", 1, "\u200d", "\u200c"},
		{"grapheme cluster break, short", "GCB=LV", 399, "가", "각"},
		{"word break", "Word_Break=Katakana", 331, "カ", "か"},
		{"sentence break", "Sentence_Break=Lower", 2497, "aé", "A"},
		{"line break", "lb=AL", 22215, "aA", "1中"},
		{"East Asian width", "East_Asian_Width=Wide", 182412, "中か", "aＡ"},
		{"bidirectional class", "bc=AL", 1769, "ع", "אa"},
		{"combining class", "ccc=A", 510, "\u0301", "\u0323a"},
		{"numeric type", "Numeric_Type=Decimal", 680, "0٣", "²Ⅳ"},
		{"Hangul syllable type", "Hangul_Syllable_Type=LVT", 10773, "각", "가"},
		{"joining type", "Joining_Type=U", 1111188, "a", "ب"},
		{"normalization check", "NFC_Quick_Check=No", 1120, "\u0340\u212a", "éa"},
		{"vertical orientation", "Vertical_Orientation=R", 786609, "a", "中"},
	}
	for _, test := range tests {
		t.Run(test.kind, func(t *testing.T) {
			ranges, ok := property(test.name)
			if size := runesIn(ranges); !ok || size != test.size {
				t.Errorf("property(%q) has %d characters, %t; want %d", test.name, size, ok, test.size)
			}
			for _, r := range test.in {
				if !inRanges(ranges, r) {
					t.Errorf("property(%q) lacks %q", test.name, r)
				}
			}
			for _, r := range test.out {
				if inRanges(ranges, r) {
					t.Errorf("property(%q) has %q", test.name, r)
				}
			}
		})
	}
}

func TestPropertyHasSurrogates(t *testing.T) {
	want := []RuneRange{{0xD800, 0xDFFF}}
	if got, _ := property("Cs"); !slices.Equal(got, want) {
		t.Errorf(`property("Cs") = %x, want %x`, got, want)
	}
}

func TestPropertyFoldsNames(t *testing.T) {
	for written, plain := range map[string]string{
		"LU":                         "lu",
		"uPPERCASE-lETTER":           "Uppercase_Letter",
		"Grapheme-Cluster_BREAK=zwj": "Grapheme_Cluster_Break=ZWJ",
		"InLatin-Extended-A":         "InLatin_Extended_A",
		"gree\u212A":                 "Greek", // with a Kelvin sign
	} {
		got, ok := property(written)
		want, _ := property(plain)
		if !ok || !slices.Equal(got, want) {
			t.Errorf("property(%q) = %d ranges, %t; want the %d of %q", written, len(got), ok, len(want), plain)
		}
	}
}

func TestPropertyRejectsLikeANTLR(t *testing.T) {
	for name, why := range map[string]string{
		"":                              "empty",
		"Klingon":                       "unknown",
		"^Lu":                           "a negation",
		" Lu":                           "a blank before",
		"Lu ":                           "a blank after",
		"InLatin Extended-A":            "a blank inside",
		"gc = Lu":                       "blanks around the sign",
		"UppercaseLetter":               "the underscore is missing",
		"IsGreek":                       "a prefix of other notations",
		"gc=Uppercase_Letter":           "a short property takes short values only",
		"sc=Greek":                      "a short property takes short values only",
		"General_Category=L":            "groups of categories go without a property",
		"LC":                            "a group that ANTLR leaves out",
		"Any":                           "no property of characters",
		"Emoji=Yes":                     "binary properties take no value",
		"Age=5.0":                       "neither binary nor enumerated",
		"Script=":                       "no value",
		"Script=Katakana_Or_Hiragana":   "no character has it",
		"Grapheme_Cluster_Break=E_Base": "no character has it",
		"h\u0130ragana":                 "its lower case is an i and a dot",
		"\xff":                          "not UTF-8",
	} {
		if ranges, ok := property(name); ok || ranges != nil {
			t.Errorf("property(%q) = %d ranges, %t; want none: %s", name, len(ranges), ok, why)
		}
	}
}

func TestPropertyResultIsTheCallersOwn(t *testing.T) {
	first, _ := property("Lu")
	first[0] = RuneRange{'x', 'x'}
	if second, _ := property("Lu"); second[0] != (RuneRange{'A', 'Z'}) {
		t.Errorf("after a caller changed its copy, property(\"Lu\") begins with %c", second[0])
	}
}

// TestPropertySpellingsShareTheirSet checks that a file with many spellings of a property
// holds its characters only once.
func TestPropertySpellingsShareTheirSet(t *testing.T) {
	tests := map[string]struct {
		first, second string
		shared        bool
	}{
		"upper and lower case":           {`\p{Uppercase_Letter}`, `\p{uPPERCASE_letter}`, true},
		"a hyphen":                       {`\p{Uppercase_Letter}`, `\p{Uppercase-Letter}`, true},
		"complements":                    {`\P{Uppercase_Letter}`, `\P{uppercase-letter}`, true},
		"a property, its complement":     {`\p{Uppercase_Letter}`, `\P{Uppercase_Letter}`, false},
		"a complement, its property":     {`\P{Uppercase_Letter}`, `\p{Uppercase_Letter}`, false},
		"two properties with a set each": {`\p{Uppercase_Letter}`, `\p{Lowercase_Letter}`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := &parser{properties: map[string][]RuneRange{}}
			first, _ := p.propertyEscape(test.first)
			second, size := p.propertyEscape(test.second)
			if len(first) == 0 || len(second) == 0 || size != len(test.second) {
				t.Fatalf("%d and %d ranges, size %d", len(first), len(second), size)
			}
			if shared := &first[0] == &second[0]; shared != test.shared {
				t.Errorf("shared: %t, want %t", shared, test.shared)
			}
		})
	}
}

// The digest covers all names with their ranges, so it changes with any of
// them.
func TestPropertyTables(t *testing.T) {
	digest := sha256.New()
	names := slices.Sorted(maps.Keys(properties()))
	for _, name := range names {
		ranges, ok := property(name)
		if !ok || len(ranges) == 0 {
			t.Errorf("property(%q) = %d ranges, %t", name, len(ranges), ok)
		}
		next := rune(0)
		for i, r := range ranges {
			if r.Hi < r.Lo || r.Hi > unicode.MaxRune || i > 0 && r.Lo <= next || r.Lo < 0 {
				t.Errorf("property(%q) has %x out of order", name, r)
			}
			next = r.Hi + 1
		}
		fmt.Fprintf(digest, "%s %x\n", name, ranges)
	}
	if len(names) != 3562 {
		t.Errorf("%d names, want 3562", len(names))
	}
	const want = "55bc24fceb8d3c86e89e86d74c39aab2153a7c1b912f473f44be8a9a463cc22e"
	if got := fmt.Sprintf("%x", digest.Sum(nil)); got != want {
		t.Errorf("digest of all properties is %s, want %s", got, want)
	}
}

func TestPropertyTablesAgreeOnPartitions(t *testing.T) {
	for _, prefix := range []string{"gc=", "sc=", "blk=", "lb=", "gcb=", "ea=", "bc=", "ccc=", "jg="} {
		size := 0
		for name, ranges := range properties() {
			if strings.HasPrefix(name, prefix) {
				size += runesIn(ranges)
			}
		}
		if size != unicode.MaxRune+1 {
			t.Errorf("the values of %s have %d characters together, want each character once", prefix, size)
		}
	}
}

func BenchmarkProperty(b *testing.B) {
	for b.Loop() {
		property("XID_Continue")
	}
}

func inRanges(ranges []RuneRange, r rune) bool {
	return slices.ContainsFunc(ranges, func(x RuneRange) bool { return x.Lo <= r && r <= x.Hi })
}

func runesIn(ranges []RuneRange) (n int) {
	for _, r := range ranges {
		n += int(r.Hi-r.Lo) + 1
	}
	return n
}
