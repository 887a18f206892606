package store

import (
	"bytes"
	"cmp"
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

// PutGrammar stores a grammar and sets its ID and creation time. If the store has
// the grammar already, it returns the stored one and created is false.
func (s *Store) PutGrammar(g Grammar) (stored Grammar, created bool, err error) {
	g.ID, g.Created = GrammarID(g.Start, g.Sources), s.now()
	if before, err := s.Grammar(g.ID); err == nil {
		return before, false, nil
	}
	err = s.update(func(tx *txn) error {
		b := tx.bucket(grammarsBucket)
		before, err := b.get([]byte(g.ID))
		if created = before == nil && err == nil; !created {
			return err
		}
		g.Sequence = tx.sequence()
		return putGrammar(tx, g)
	})
	return g, created, err
}

func putGrammar(tx *txn, g Grammar) error {
	summary, err := encode(g)
	if err != nil {
		return err
	}
	sources, err := encode(g.Sources)
	if err != nil {
		return err
	}
	if err := tx.bucket(sourcesBucket).put([]byte(g.ID), sources); err != nil {
		return err
	}
	return tx.bucket(grammarsBucket).put([]byte(g.ID), summary)
}

// Grammar returns the grammar with an ID.
func (s *Store) Grammar(id string) (Grammar, error) {
	var g Grammar
	err := s.view(func(tx *txn) error {
		value, err := tx.bucket(grammarsBucket).get([]byte(id))
		if err != nil || value == nil {
			return cmp.Or[error](err, &NotFoundError{"grammar", id})
		}
		if err := decode(value, &g); err != nil {
			return err
		}
		switch value, err := tx.bucket(sourcesBucket).get([]byte(id)); {
		case err != nil:
			return err
		case value == nil:
			return &FileError{s.path, fmt.Sprintf("grammar %s: its sources are missing", id), nil}
		default:
			return decode(value, &g.Sources)
		}
	})
	return g, err
}

// Grammars returns all grammars without their sources, oldest first.
func (s *Store) Grammars() ([]Grammar, error) {
	var out []Grammar
	err := s.view(func(tx *txn) (err error) {
		out, err = decodeAll[Grammar](tx.bucket(grammarsBucket))
		return err
	})
	slices.SortFunc(out, func(a, b Grammar) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return out, err
}
