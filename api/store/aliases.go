package store

import (
	"go.etcd.io/bbolt"
)

// An Alias is a name for a model.
type Alias struct{ Name, Model string }

// PutAlias points an alias to a model, creating or moving the alias.
func (s *Store) PutAlias(a Alias) error {
	return s.update(func(tx *bbolt.Tx) error {
		if tx.Bucket([]byte(numbersBucket)).Get([]byte(a.Model)) == nil {
			return &NotFoundError{"model", a.Model}
		}
		return tx.Bucket([]byte(aliasesBucket)).Put([]byte(a.Name), []byte(a.Model))
	})
}

// DeleteAlias deletes an alias. The model stays.
func (s *Store) DeleteAlias(name string) error {
	return s.update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(aliasesBucket))
		if b.Get([]byte(name)) == nil {
			return &NotFoundError{"alias", name}
		}
		return b.Delete([]byte(name))
	})
}

// Named returns the model that an alias points to.
func (s *Store) Named(alias string) (Model, error) {
	var m Model
	err := s.db.View(func(tx *bbolt.Tx) error {
		id := tx.Bucket([]byte(aliasesBucket)).Get([]byte(alias))
		if id == nil {
			return &NotFoundError{"model", alias}
		}
		return decode(tx.Bucket([]byte(modelsBucket)).Get(tx.Bucket([]byte(numbersBucket)).Get(id)), &m)
	})
	return m, err
}

// Aliases returns all aliases, sorted by name.
func (s *Store) Aliases() ([]Alias, error) {
	var out []Alias
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(aliasesBucket)).ForEach(func(name, model []byte) error {
			out = append(out, Alias{string(name), string(model)})
			return nil
		})
	})
	return out, err
}
