package client_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/inroad/inroad/api/client"
)

// Iterators ask for the next page with the cursor of the page before, until the last page,
// and not for more pages than the loop needs.
func TestPages(t *testing.T) {
	asked := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Content-Type", "application/json")
		switch cursor := r.URL.Query().Get("cursor"); cursor {
		case "":
			fmt.Fprint(w, `{"models":[{"id":"m4"},{"id":"m3"}],"next":"two"}`)
		case "two":
			fmt.Fprint(w, `{"models":[{"id":"m2"},{"id":"m1"}],"next":"three"}`)
		case "three":
			fmt.Fprint(w, `{"models":[{"id":"m0"}]}`)
		default:
			t.Errorf("asked with cursor %q", cursor)
		}
	}))
	defer service.Close()
	c, err := client.New(service.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	var got string
	for m, err := range c.EachModel(t.Context(), "p") {
		if err != nil {
			t.Fatal(err)
		}
		got += m.ID
	}
	if got != "m4m3m2m1m0" || asked != 3 {
		t.Errorf("got %s with %d requests, want m4m3m2m1m0 with 3", got, asked)
	}
	asked = 0
	for range c.EachModel(t.Context(), "") {
		break
	}
	if asked != 1 {
		t.Errorf("%d requests for one model, want 1", asked)
	}
	service.Close()
	for _, err := range c.EachModel(t.Context(), "") {
		if err == nil {
			t.Error("a model of a service that is gone")
		}
	}
}
