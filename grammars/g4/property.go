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

// property returns the characters of \p{name} as sorted, disjoint ranges, and
// whether ANTLR 4.13.1 knows the name. Surrogates are included in the sets they
// belong to. The caller owns the result.
//
// The sets are ANTLR's, not those of package unicode, which has fewer
// properties and changes with the Go version.
func property(name string) ([]RuneRange, bool) {
	ranges, ok := properties()[foldProperty(name)]
	return slices.Clone(ranges), ok
}

// foldProperty returns name as the table spells it. ANTLR converts it to lower
// case and replaces - by _. It keeps blanks, so no name with a blank is known.
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

// properties returns the character sets by folded name.
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

// unpackRanges decodes the first set of packed and returns the rest.
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
