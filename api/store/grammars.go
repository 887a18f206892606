package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/inroad/inroad/grammars"
)

// A Grammar is a grammar in source form.
type Grammar struct {
	ID      string            `cbor:"1,keyasint"` // digest of Start and Sources
	Name    string            `cbor:"2,keyasint"`
	Start   string            `cbor:"3,keyasint"` // start rule as uploaded; may be empty
	Sources []grammars.Source `cbor:"4,keyasint"`
	Created time.Time         `cbor:"5,keyasint"`
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

// PutGrammar stores a grammar and sets its ID and creation time. If the store has
// the grammar already, it returns the stored one and created is false.
func (s *Store) PutGrammar(g Grammar) (stored Grammar, created bool, err error) {
	g.ID, g.Created = GrammarID(g.Start, g.Sources), s.now()
	value, err := encode(g)
	if err != nil {
		return Grammar{}, false, err
	}
	if before, err := s.Grammar(g.ID); err == nil {
		return before, false, nil
	}
	err = s.update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(grammarsBucket))
		created = b.Get([]byte(g.ID)) == nil
		if !created {
			return nil
		}
		return b.Put([]byte(g.ID), value)
	})
	return g, created, err
}

// Grammar returns the grammar with an ID.
func (s *Store) Grammar(id string) (Grammar, error) {
	var g Grammar
	err := s.db.View(func(tx *bbolt.Tx) error {
		value := tx.Bucket([]byte(grammarsBucket)).Get([]byte(id))
		if value == nil {
			return &NotFoundError{"grammar", id}
		}
		return decode(value, &g)
	})
	return g, err
}

// Grammars returns all grammars, oldest first.
func (s *Store) Grammars() ([]Grammar, error) {
	var out []Grammar
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(grammarsBucket)).ForEach(func(_, value []byte) error {
			var g Grammar
			out = append(out, g)
			return decode(value, &out[len(out)-1])
		})
	})
	slices.SortStableFunc(out, func(a, b Grammar) int { return a.Created.Compare(b.Created) })
	return out, err
}

// A GrammarItem describes a grammar without its sources.
type GrammarItem struct {
	ID      string    `cbor:"1,keyasint"`
	Name    string    `cbor:"2,keyasint"`
	Created time.Time `cbor:"5,keyasint"`
}

// GrammarItems describes all grammars, oldest first. It does not decode their sources.
func (s *Store) GrammarItems() ([]GrammarItem, error) {
	var out []GrammarItem
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(grammarsBucket)).ForEach(func(_, value []byte) error {
			out = append(out, GrammarItem{})
			return decode(value, &out[len(out)-1])
		})
	})
	slices.SortStableFunc(out, func(a, b GrammarItem) int { return a.Created.Compare(b.Created) })
	return out, err
}
