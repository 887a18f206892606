package source

import (
	"crypto/sha256"
	"encoding/hex"
)

// A Digest identifies the content of a declaration: the first 16 bytes of a SHA-256
// digest.
type Digest [16]byte

func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// digest computes the digests of declarations.
func digest(decls []Decl) {
	var buffer []byte
	for i := range decls {
		d := &decls[i]
		buffer = d.appendContent(buffer[:0], false)
		d.Digest = digestOf(buffer)
		buffer = d.appendContent(buffer[:0], true)
		d.Body = digestOf(buffer)
	}
}

func digestOf(content []byte) Digest {
	sum := sha256.Sum256(content)
	return Digest(sum[:])
}

// appendContent appends the content of the declaration. If unnamed, a space replaces
// each mention of the declaration itself.
func (d *Decl) appendContent(out []byte, unnamed bool) []byte {
	out = append(out, byte(d.Kind))
	out = append(out, d.context...)
	for part, tokens := range [][]token{d.tokens, d.implied} {
		out = append(out, 0)
		for i, t := range tokens {
			out = append(out, byte(t.kind))
			if unnamed && part == 0 && d.isSelf(i) {
				out = append(out, ' ', 0)
				continue
			}
			out = append(out, d.text(t)...)
			out = append(out, 0)
		}
	}
	return out
}

// isSelf reports whether token i mentions the declaration itself: it is the declared
// name, an unqualified mention or, in a method, a mention qualified by its own object.
// Other qualified mentions may mean something else.
func (d *Decl) isSelf(i int) bool {
	t := d.tokens[i]
	if t.kind != identifier || d.Short == "" || d.text(t) != d.Short {
		return false
	}
	if d.name == t.start {
		return true
	}
	qualified := i > 0 && isQualifier(d.text(d.tokens[i-1]))
	if d.self == "" {
		return !qualified
	}
	return qualified && i > 1 && d.text(d.tokens[i-2]) == d.self
}

// isQualifier reports whether an operator selects a member.
func isQualifier(operator string) bool {
	switch operator {
	case ".", "->", "::", "?.":
		return true
	}
	return false
}
