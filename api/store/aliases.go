package store

import "cmp"

// An Alias is a name for a model.
type Alias struct{ Name, Model string }

// PutAlias points an alias to a model, creating or moving the alias.
func (s *Store) PutAlias(a Alias) error {
	return s.update(func(tx *txn) error {
		if n, err := tx.bucket(numbersBucket).get([]byte(a.Model)); err != nil || n == nil {
			return cmp.Or[error](err, &NotFoundError{"model", a.Model})
		}
		return tx.bucket(aliasesBucket).put([]byte(a.Name), []byte(a.Model))
	})
}

// DeleteAlias deletes an alias. The model stays.
func (s *Store) DeleteAlias(name string) error {
	return s.update(func(tx *txn) error {
		b := tx.bucket(aliasesBucket)
		if id, err := b.get([]byte(name)); err != nil || id == nil {
			return cmp.Or[error](err, &NotFoundError{"alias", name})
		}
		return b.delete([]byte(name))
	})
}

// Named returns the model that an alias points to.
func (s *Store) Named(alias string) (Model, error) {
	var m Model
	err := s.view(func(tx *txn) error {
		id, err := tx.bucket(aliasesBucket).get([]byte(alias))
		if err != nil || id == nil {
			return cmp.Or[error](err, &NotFoundError{"model", alias})
		}
		m, err = tx.model(string(id))
		return err
	})
	return m, err
}

// Aliases returns all aliases, sorted by name.
func (s *Store) Aliases() ([]Alias, error) {
	var out []Alias
	err := s.view(func(tx *txn) error {
		for e, err := range tx.bucket(aliasesBucket).all() {
			if err != nil {
				return err
			}
			out = append(out, Alias{string(e.key), string(e.value)})
		}
		return nil
	})
	return out, err
}
