package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/inroad/inroad/grammars"
)

// A Grammar is a grammar in source form.
type Grammar struct {
	ID      string            `cbor:"1,keyasint"` // digest of Start and Sources
	Name    string            `cbor:"2,keyasint"`
	Start   string            `cbor:"3,keyasint"` // start rule as uploaded; may be empty
	Sources []grammars.Source `cbor:"-"`          // stored apart; not listed
	Created time.Time         `cbor:"5,keyasint"`

	Sequence uint64 `cbor:"6,keyasint"` // increases with each grammar
}

// GrammarID returns the ID of a grammar: a digest of the start rule and the files,
// in any order.
func GrammarID(start string, sources []grammars.Source) string {
	sorted := slices.Clone(sources)
	slices.SortFunc(sorted, func(a, b grammars.Source) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) })
	h := sha256.New()
	fmt.Fprintf(h, "%d:%s", len(start), start)
	for _, s := range sorted {
		fmt.Fprintf(h, "%d:%s%d:%s", len(s.Name), s.Name, len(s.Text), s.Text)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
