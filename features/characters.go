package features

import (
	"fmt"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// The bound of a character feature is a group of character codes: the code divided by
// 0x1000 and, for codes below [fineCodes], also the code divided by 0x100 plus
// [fineGroups].
const (
	fineCodes  = 0x4000
	fineGroups = 0x400
)

// characters records the groups of the characters beyond ASCII in a token.
func characters(x *ExtraExtractor, k Kind, o grammars.Occurrence) {
	start := x.at
	for i, c := range string(x.token.text) {
		if c < utf8.RuneSelf {
			continue
		}
		x.at = start + i
		x.addOnce(newExtra(k, int(c>>12), o, derivation.None))
		if c < fineCodes {
			x.addOnce(newExtra(k, fineGroups+int(c>>8), o, derivation.None))
		}
	}
	x.at = start
}

func describeCharacter(p phrase) string {
	first, last := p.bound<<12, p.bound<<12|0xFFF
	if p.bound >= fineGroups {
		first = (p.bound - fineGroups) << 8
		last = first | 0xFF
	}
	return fmt.Sprintf("%s with a character from U+%04X to U+%04X", indefinite(p.symbol()), max(first, utf8.RuneSelf), last)
}

// needCharacter requires the token, and leaves its characters to chance.
func needCharacter(p phrase) Need {
	return Need{Paths: p.everywhere(), Min: 1, Text: p.symbol()}
}
