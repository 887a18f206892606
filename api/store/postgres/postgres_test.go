//go:build unix

package postgres_test

import (
	"os"
	"testing"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/postgres"
	"github.com/inroad/inroad/api/store/postgres/postgrestest"
	"github.com/inroad/inroad/api/store/storetest"
)

var database postgrestest.Server //nolint:gochecknoglobals // one server for all tests

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m, &database)) }

// open opens a database, and closes it when the test ends.
func open(t *testing.T, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestStore(t *testing.T) {
	storetest.Test(t, func(t *testing.T) func() store.Store {
		url := database.Database(t)
		return func() store.Store { return open(t, url) }
	})
}
