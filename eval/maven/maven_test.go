package maven

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

func TestFetch(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.URL.Path != "/maven2/org/example/lib/1.0/lib-1.0-sources.jar" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte("a jar")) // the client reports a failed write
	}))
	defer server.Close()
	dir := t.TempDir()
	for range 2 { // the second time from the folder
		file, err := Fetch(t.Context(), server.URL+"/maven2/", dir, "org.example:lib:1.0", "sources")
		if err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != "a jar" {
			t.Errorf("%s is %q, %v", file, text, err)
		}
	}
	if requests != 1 {
		t.Errorf("%d requests, want 1", requests)
	}
	for _, test := range []struct{ name, repository, jar, want string }{
		{"missing jar", server.URL, "org.example:lib:2.0", "404"},
		{"no repository", "", "org.example:lib:2.0", "MAVEN_REPOSITORY"},
		{"no version", server.URL, "org.example:lib", "group:artifact:version"},
	} {
		if file, err := Fetch(t.Context(), test.repository, dir, test.jar, ""); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q, %v, want an error with %q", test.name, file, err, test.want)
		}
	}
}
