package derivation

import "unicode/utf8"

// stride is the number of bytes between the offsets whose characters are counted in
// advance.
const stride = 64

// WithLatin1 records that the tree's text was decoded from an input of one byte per
// character, and returns t.
func (t *Tree) WithLatin1() *Tree {
	t.decoded = make([]int32, 0, len(t.input)/stride+1)
	characters := int32(0)
	for i, b := range t.input {
		if i%stride == 0 {
			t.decoded = append(t.decoded, characters)
		}
		if utf8.RuneStart(b) {
			characters++
		}
	}
	return t
}

// Offset converts an offset in [Tree.Input] to an offset in the parsed input. The two
// differ only if the text was decoded from another encoding.
func (t *Tree) Offset(at int) int {
	if len(t.decoded) == 0 {
		return at
	}
	block := min(at/stride, len(t.decoded)-1)
	characters := int(t.decoded[block])
	for _, b := range t.input[block*stride : at] {
		if utf8.RuneStart(b) {
			characters++
		}
	}
	return characters
}
