package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/inroad/inroad/api/server"
)

// TestPage expects the page at /, without a key, and problems for all other paths.
func TestPage(t *testing.T) {
	for name, needKeys := range map[string]bool{"open": false, "with keys": true} {
		t.Run(name, func(t *testing.T) {
			s := start(t, func(c *server.Config) { c.NeedKeys = needKeys })
			resp, _ := s.send(t, http.MethodGet, "/", "", nil)
			if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/html") {
				t.Errorf("GET /: got %s %s", resp.Status, kind)
			}
			for _, path := range []string{"/assets/none.js", "/assets/", "/index.html", "/v1", "/v1/none"} {
				if p := s.problem(t, http.MethodGet, path, "", nil); p.Status != http.StatusNotFound || p.Type != "urn:inroad:problem:endpoint" {
					t.Errorf("GET %s: got %+v", path, p)
				}
			}
		})
	}
}
