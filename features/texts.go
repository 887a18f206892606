package features

import (
	"fmt"

	"github.com/inroad/inroad/grammars"
)

// The text of a token is packed into the 34 bits of an Extra that are neither
// its kind nor its first occurrence: three bits for its length, and seven for
// each character.
const (
	maxText  = 4
	charBits = 7
	textBits = 3 + maxText*charBits
)

// value records the text of a short token of printable ASCII characters.
func value(x *ExtraExtractor, k Kind, o grammars.Occurrence) {
	text := x.token.text
	if len(text) > maxText || len(text) == 0 || onlyText(x.grammar.Nodes[o]) {
		return
	}
	packed := uint64(len(text))
	for _, c := range text {
		if c < ' ' || c > '~' {
			return
		}
		packed = packed<<charBits | uint64(c)
	}
	packed <<= charBits * (maxText - len(text))
	x.addOnce(newExtra(k, int(packed>>occurrenceBits), o, grammars.Occurrence(packed&occurrenceMask)-1))
}

// onlyText reports whether all tokens of a node have the same text.
func onlyText(n *grammars.Node) bool {
	return len(n.Children) == 1 && n.Children[0].Kind == grammars.Literal
}

// Text returns the text of a feature of kind Value. It returns false for other kinds and
// if the text is malformed.
func (e Extra) Text() (string, bool) {
	if e.Kind() != Value {
		return "", false
	}
	packed := uint64(e.Bound())<<occurrenceBits | uint64(e)&occurrenceMask
	n := int(packed >> (maxText * charBits))
	if n == 0 || n > maxText || packed>>textBits != 0 {
		return "", false
	}
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(packed >> ((maxText - 1 - i) * charBits) & (1<<charBits - 1))
		if out[i] < ' ' || out[i] > '~' {
			return "", false
		}
	}
	return string(out), true
}

func describeValue(p phrase) string {
	text, _ := p.extra.Text()
	return fmt.Sprintf("%s with the %s %s", indefinite(p.rule()), p.symbol(), text)
}

// needValue requires the token. Targeting chooses its text, see [Extra.Text].
func needValue(p phrase) Need {
	return Need{Paths: []Path{p.path}, Min: 1, Text: p.symbol() + " in " + p.rule()}
}
