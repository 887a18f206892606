package server_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/postgres"
	"github.com/inroad/inroad/api/store/postgres/postgrestest"
)

// withoutSpaceFlag has the process be a service that cannot store anything.
var postgresFlag = flag.Bool("postgres", false, "test services whose store is a PostgreSQL database")

var testDatabase postgrestest.Server // of all tests

// openDatabase returns a function that opens a database of a server for each path.
func openDatabase(database *postgrestest.Server) func(tb testing.TB, path string) store.Store {
	var urls sync.Map
	return func(tb testing.TB, path string) store.Store {
		tb.Helper()
		url, ok := urls.Load(path)
		if !ok {
			url = database.Database(tb)
			urls.Store(path, url)
		}
		st, err := postgres.Open(context.WithoutCancel(tb.Context()), url.(string))
		if err == nil {
			err = st.Join(tb.Context(), true)
		}
		if err != nil {
			tb.Fatal(err)
		}
		return st
	}
}

var withoutSpaceFlag = flag.String("without-space", "", "serve the store in this file")

// TestMain sees whether tests were answered with all that the contract and
// docs/api.md say, if all of them ran.
func TestMain(m *testing.M) {
	flag.Parse()
	if *withoutSpaceFlag != "" {
		fmt.Fprintln(os.Stderr, serveWithoutSpace(*withoutSpaceFlag))
		os.Exit(1) //nolint:forbidigo // it serves until it is killed
	}
	if *postgresFlag {
		openStore = openDatabase(&testDatabase)
	}
	code := postgrestest.Main(m, &testDatabase)
	if all := flag.Lookup("test.run").Value.String() + flag.Lookup("test.skip").Value.String() + flag.Lookup("test.list").Value.String(); code == 0 && all == "" && !*postgresFlag {
		code = reportMissing(os.Stderr)
	}
	os.Exit(code) //nolint:forbidigo // as the testing package does
}

// reportMissing tells which answers no test got.
func reportMissing(w io.Writer) (code int) {
	said, err := documented()
	if err != nil {
		fmt.Fprintln(w, err)
		return 1
	}
	for _, answer := range said {
		if _, ok := answers.Load(answer); !ok {
			fmt.Fprintf(w, "no test was answered with %s\n", answer)
			code = 1
		}
	}
	return code
}

// documented returns all answers that are documented.
func documented() ([]string, error) {
	doc, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		return nil, err
	}
	var out []string
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for status := range op.Responses.Map() {
				if status != "default" {
					out = append(out, fmt.Sprintf("%s %s %s", method, path, status))
				}
			}
		}
	}
	text, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		return nil, err
	}
	_, table, _ := strings.Cut(string(text), "\n| `type`: `urn:inroad:problem:` |")
	table, _, _ = strings.Cut(table, "\n\n")
	kinds := map[string]bool{}
	for _, row := range strings.Split(table, "\n")[2:] {
		for _, kind := range regexp.MustCompile("`([a-z-]+)`").FindAllStringSubmatch(strings.Split(row, "|")[1], -1) {
			kinds[kind[1]] = true
		}
	}
	for kind := range maps.Keys(kinds) {
		out = append(out, "urn:inroad:problem:"+kind)
	}
	slices.Sort(out)
	return out, nil
}
