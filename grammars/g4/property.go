package g4

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// property returns the characters that \p{name} stands for, as ascending
// ranges with gaps between them, and whether ANTLR 4.13.1 accepts the name.
// Surrogates are in the sets they belong to. The result is the caller's own.
//
// The sets are those of ANTLR rather than of package unicode, which has fewer
// properties and follows the version of Go.
func property(name string) ([]RuneRange, bool) {
	ranges, ok := properties()[foldProperty(name)]
	return slices.Clone(ranges), ok
}

// foldProperty spells a name the way the table does. ANTLR puts it in lower
// case and takes - for _; blanks it keeps, so that no name with a blank is known.
func foldProperty(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		case r == '\u212A': // the Kelvin sign, whose lower case is a plain k
			return 'k'
		case r == '-':
			return '_'
		}
		return r
	}, name)
}

// properties returns the sets by their folded names.
//
//nolint:gochecknoglobals // unpacked once, never changed
var properties = sync.OnceValue(func() map[string][]RuneRange {
	packed, err := inflate(propertySets)
	if err != nil {
		panic(fmt.Sprintf("g4: property table: %v", err))
	}
	sets := make(map[string][]RuneRange)
	for names := range strings.Lines(strings.TrimPrefix(propertyNames, "\n")) {
		var ranges []RuneRange
		ranges, packed = unpackRanges(packed)
		for name := range strings.FieldsSeq(names) {
			sets[name] = ranges
		}
	}
	return sets
})

func inflate(text string) ([]byte, error) {
	deflated, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(flate.NewReader(bytes.NewReader(deflated)))
}

// unpackRanges reads one set off the front of packed and returns what follows it.
func unpackRanges(packed []byte) (ranges []RuneRange, rest []byte) {
	number := func() rune {
		n, size := binary.Uvarint(packed)
		packed = packed[size:]
		return rune(n)
	}
	ranges = make([]RuneRange, number())
	next := rune(0)
	for i := range ranges {
		lo := next + number()
		hi := lo + number()
		ranges[i] = RuneRange{lo, hi}
		next = hi + 1
	}
	return ranges, packed
}
