//go:build unix

package postgres_test

import (
	"testing"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/storetest"
)

func TestStore(t *testing.T) {
	storetest.Test(t, func(t *testing.T) func() store.Store {
		url := database.Database(t)
		return func() store.Store { return open(t, url) }
	})
}
