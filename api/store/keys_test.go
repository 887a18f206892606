package store_test

import (
	"errors"
	"testing"

	"github.com/inroad/inroad/api/store"
)

// A new key does not take the ID of another one.
func TestNewSecret(t *testing.T) {
	var drawn []string
	k, secret, err := store.NewSecret(store.Key{Name: "ci"}, func(id string) (store.Key, error) {
		drawn = append(drawn, id)
		if len(drawn) <= 3 {
			return store.Key{ID: id}, nil
		}
		return store.Key{}, nil
	})
	if err != nil || len(drawn) != 4 || k.ID != drawn[3] || store.KeyID(secret) != k.ID || k.Name != "ci" {
		t.Errorf("key %+v with secret %s after the IDs %v; %v", k, secret, drawn, err)
	}
	if _, err := k.Verify(secret, k.Created); err != nil {
		t.Errorf("the secret of the key: %v", err)
	}
	if _, _, err := store.NewSecret(k, func(string) (store.Key, error) { return store.Key{}, store.ErrStopped }); !errors.Is(err, store.ErrStopped) {
		t.Errorf("keys that cannot be read: %v, want %v", err, store.ErrStopped)
	}
}
