package bolt

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/inroad/inroad/api/store"
)

// PutGrammar stores a grammar and sets its ID and creation time. If the store has
// the grammar already, it returns the stored one and created is false.
func (s *Store) PutGrammar(ctx context.Context, g store.Grammar) (stored store.Grammar, created bool, err error) {
	g.ID, g.Created = store.GrammarID(g.Start, g.Sources), s.now()
	if before, err := s.Grammar(ctx, g.ID); err == nil {
		return before, false, nil
	}
	err = s.update(ctx, func(tx *txn) error {
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

func putGrammar(tx *txn, g store.Grammar) error {
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
func (s *Store) Grammar(ctx context.Context, id string) (store.Grammar, error) {
	var g store.Grammar
	err := s.view(ctx, func(tx *txn) error {
		value, err := tx.bucket(grammarsBucket).get([]byte(id))
		if err != nil || value == nil {
			return cmp.Or(err, store.NotFound("grammar", id))
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
func (s *Store) Grammars(ctx context.Context) ([]store.Grammar, error) {
	var out []store.Grammar
	err := s.view(ctx, func(tx *txn) (err error) {
		out, err = decodeAll[store.Grammar](tx.bucket(grammarsBucket))
		return err
	})
	slices.SortFunc(out, func(a, b store.Grammar) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return out, err
}
