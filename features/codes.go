package features

import (
	"fmt"
	"strings"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// A hexRun is a sequence of hexadecimal digits with the same name.
type hexRun struct {
	lead   grammars.Occurrence
	digits int
	value  int
}

// maxCode exceeds all character codes.
const maxCode = 1 << 24

// code finds runs of two or more hexadecimal digits in a token, as in \u00E9.
// The feature's bound is the code's character class.
func code(x *ExtraExtractor, k Kind, p *parent) {
	run := hexRun{}
	end := func() {
		if run.digits >= 2 && x.flags[run.lead].Has(k) {
			x.addOnce(newExtra(k, codeClass(run.value), run.lead, derivation.None))
		}
		run = hexRun{}
	}
	for _, c := range p.children {
		if run.lead != c.lead {
			end()
		}
		digit := hexDigit(c, p.text)
		if digit < 0 {
			end()
			continue
		}
		run = hexRun{c.lead, run.digits + 1, min(16*run.value+digit, maxCode)}
	}
	end()
}

// hexDigit returns the value of a child that is a rule for one hexadecimal
// digit, or -1 for any other child.
func hexDigit(c child, text []byte) int {
	start, end := c.Span()
	if end-start != 1 || c.Kind() != derivation.Rule {
		return -1
	}
	return strings.IndexByte("0123456789abcdef", text[start]|0x20)
}

// codeClass returns the index of the character class of a code.
func codeClass(value int) int {
	i := 0
	for value > codeClasses()[i].last {
		i++
	}
	return i
}

// codeClasses returns the classes of characters that programs treat
// differently, with the last code of each.
func codeClasses() []struct {
	name string
	last int
} {
	return []struct {
		name string
		last int
	}{
		{"a control character", 0x1F},
		{"an ASCII character", 0x7F},
		{"a character of two bytes", 0x7FF},
		{"a character of three bytes, U+0800 to U+D7FF", 0xD7FF},
		{"a high surrogate", 0xDBFF},
		{"a low surrogate", 0xDFFF},
		{"a character of three bytes, U+E000 to U+FFFF", 0xFFFF},
		{"a character of four bytes", maxCode},
	}
}

func describeCode(p phrase) string {
	classes := codeClasses()
	return fmt.Sprintf("%s with the hexadecimal code of %s", indefinite(p.rule()), classes[min(p.bound, len(classes)-1)].name)
}
