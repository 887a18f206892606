package bolt

import (
	"cmp"
	"context"

	"github.com/inroad/inroad/api/store"
)

// PutAlias points an alias to a model, creating or moving the alias.
func (s *Store) PutAlias(ctx context.Context, a store.Alias) error {
	return s.update(ctx, func(tx *txn) error {
		if n, err := tx.bucket(numbersBucket).get([]byte(a.Model)); err != nil || n == nil {
			return cmp.Or(err, store.NotFound("model", a.Model))
		}
		return tx.bucket(aliasesBucket).put([]byte(a.Name), []byte(a.Model))
	})
}

// DeleteAlias deletes an alias. The model stays.
func (s *Store) DeleteAlias(ctx context.Context, name string) error {
	return s.update(ctx, func(tx *txn) error {
		b := tx.bucket(aliasesBucket)
		if id, err := b.get([]byte(name)); err != nil || id == nil {
			return cmp.Or(err, store.NotFound("alias", name))
		}
		return b.delete([]byte(name))
	})
}

// Named returns the model that an alias points to.
func (s *Store) Named(ctx context.Context, alias string) (store.Model, error) {
	var m store.Model
	err := s.view(ctx, func(tx *txn) error {
		id, err := tx.bucket(aliasesBucket).get([]byte(alias))
		if err != nil || id == nil {
			return cmp.Or(err, store.NotFound("model", alias))
		}
		m, err = tx.model(string(id))
		return err
	})
	return m, err
}

// Aliases returns all aliases, sorted by name.
func (s *Store) Aliases(ctx context.Context) ([]store.Alias, error) {
	var out []store.Alias
	err := s.view(ctx, func(tx *txn) error {
		for e, err := range tx.bucket(aliasesBucket).all() {
			if err != nil {
				return err
			}
			out = append(out, store.Alias{Name: string(e.key), Model: string(e.value)})
		}
		return nil
	})
	return out, err
}
