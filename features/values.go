package features

import (
	"bytes"
	"fmt"
)

// A tokenText is the text of a token. It is parsed as a number at most once, when a
// kind first needs the number.
type tokenText struct {
	text   []byte
	isRead bool
	digits int // 0 if the text is 0 or not a decimal number
	power  int // the power of ten of the first nonzero digit
}

// length returns the number of bytes.
func length(t *tokenText) int { return len(t.text) }

// widest returns the number of bytes of the longest character.
func widest(t *tokenText) int {
	most := 0
	for _, c := range t.text {
		switch {
		case c >= 0xF0:
			return 4
		case c >= 0xE0:
			most = max(most, 3)
		case c >= 0xC0:
			most = max(most, 2)
		}
	}
	return most
}

// digits returns the number of significant digits.
func digits(t *tokenText) int {
	digits, _ := t.number()
	return digits
}

// maxPower exceeds all bounds on powers of ten.
const maxPower = 4000

// large returns the exponent of the largest power of ten that is at most the number, or
// 0 for numbers below 10.
func large(t *tokenText) int {
	_, power := t.number()
	return min(max(power, 0), maxPower)
}

// small returns the exponent, without its sign, of the first nonzero digit of a number
// below 1: 3 for 0.001. It returns 0 for other numbers.
func small(t *tokenText) int {
	_, power := t.number()
	return min(max(-power, 0), maxPower)
}

// number returns the significant digits and the power of ten of a number, or
// zeros if the text is 0 or not a number.
func (t *tokenText) number() (digits, power int) {
	if !t.isRead {
		t.isRead = true
		if digits, power, ok := decimal(t.text); ok && digits > 0 {
			t.digits, t.power = digits, power
		}
	}
	return t.digits, t.power
}

// decimal parses a text as a decimal number. It returns the number of
// significant digits, from the first to the last nonzero digit, and the power
// of ten of the first.
func decimal(text []byte) (digits, power int, ok bool) {
	text = bytes.TrimLeft(text, "+-")
	mantissa, exponent := text, 0
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		mantissa = text[:i]
		if exponent, ok = smallNumber(text[i+1:]); !ok {
			return 0, 0, false
		}
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	if len(whole)+len(fraction) == 0 || !allDigits(whole) || !allDigits(fraction) {
		return 0, 0, false
	}
	leading := len(whole) - len(bytes.TrimLeft(whole, "0"))
	if leading == len(whole) {
		leading += len(fraction) - len(bytes.TrimLeft(fraction, "0"))
	}
	trailing := len(fraction) - len(bytes.TrimRight(fraction, "0"))
	if trailing == len(fraction) {
		trailing += len(whole) - len(bytes.TrimRight(whole, "0"))
	}
	return max(0, len(whole)+len(fraction)-leading-trailing), len(whole) - 1 - leading + exponent, true
}

func allDigits(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

// smallNumber parses an integer and limits its absolute value to 1,000,000.
func smallNumber(text []byte) (n int, ok bool) {
	digits := bytes.TrimLeft(text, "+-")
	if len(digits) == 0 || len(text)-len(digits) > 1 || !allDigits(digits) {
		return 0, false
	}
	for _, c := range digits {
		n = min(10*n+int(c-'0'), 1_000_000)
	}
	if text[0] == '-' {
		n = -n
	}
	return n, true
}

// inRule returns "a value with a NUMBER".
func (p phrase) inRule() string { return indefinite(p.rule()) + " with " + indefinite(p.symbol()) }

func describeLength(p phrase) string {
	return fmt.Sprintf("%s of at least %d bytes", p.inRule(), p.bound)
}

func describeWide(p phrase) string {
	return fmt.Sprintf("%s that has a character of at least %s bytes", p.inRule(), number(p.bound))
}

func describeDigits(p phrase) string {
	return fmt.Sprintf("%s of at least %d significant digits", p.inRule(), p.bound)
}

func describeLarge(p phrase) string {
	return fmt.Sprintf("%s of at least 1e%d, ignoring its sign", p.inRule(), p.bound)
}

// describeSmall returns an upper bound: a number whose first nonzero digit is worth
// 1e-3 is below 1e-2.
func describeSmall(p phrase) string {
	below := "1"
	if p.bound > 1 {
		below = fmt.Sprintf("1e-%d", p.bound-1)
	}
	return fmt.Sprintf("%s below %s, ignoring its sign, but not 0", p.inRule(), below)
}

// needCharacters requires at least as many characters as the bound.
func needCharacters(p phrase) Need { return p.needCharacters(p.bound) }

// needPlaces requires as many characters as a number with this power of ten has
// when written out. Larger numbers have an exponent.
func needPlaces(p phrase) Need { return p.needCharacters(min(p.bound+1, 40)) }

func (p phrase) needCharacters(n int) Need {
	return Need{
		Paths: p.characters(), Min: n, Margin: 2 + n/4,
		Text: fmt.Sprintf("character of %s in %s", p.symbol(), p.rule()),
	}
}
