package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
)

// PutGrammar implements [store.Store].
func (s *Store) PutGrammar(ctx context.Context, g store.Grammar) (stored store.Grammar, created bool, err error) {
	g.ID, g.Created = store.GrammarID(g.Start, g.Sources), s.now()
	if before, err := s.Grammar(ctx, g.ID); err == nil {
		return before, false, nil
	}
	sources, err := encoding.Encode(g.Sources)
	if err != nil {
		return g, false, err
	}
	err = s.update(ctx, func(tx pgx.Tx) error {
		n, err := next(ctx, tx, "sequence")
		if err != nil {
			return err
		}
		g.Sequence = n
		data, err := encoding.Encode(g)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, "insert into grammars (id, sequence, data, sources) values ($1, $2, $3, $4) on conflict (id) do nothing", []byte(g.ID), int64(n), data, sources)
		created = tag.RowsAffected() == 1
		return err
	})
	if err == nil && !created { // by another process meanwhile
		g, err = s.Grammar(ctx, g.ID)
	}
	return g, created, err
}

// Grammar implements [store.Store].
func (s *Store) Grammar(ctx context.Context, id string) (store.Grammar, error) {
	var g store.Grammar
	err := s.view(ctx, func(tx pgx.Tx) error {
		missing := store.NotFound("grammar", id)
		if err := get(ctx, tx, &g, missing, "select data from grammars where id = $1", []byte(id)); err != nil {
			return err
		}
		return get(ctx, tx, &g.Sources, missing, "select sources from grammars where id = $1", []byte(id))
	})
	return g, err
}

// Grammars implements [store.Store].
func (s *Store) Grammars(ctx context.Context) ([]store.Grammar, error) {
	return list[store.Grammar](ctx, s, "select data from grammars order by sequence")
}
