package bolt_test

import (
	"path/filepath"
	"testing"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Test(t, func(t *testing.T) func() store.Store {
		path := filepath.Join(t.TempDir(), "s.db")
		return func() store.Store { return open(t, path) }
	})
}
