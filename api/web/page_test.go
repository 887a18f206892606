package web_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/inroad/inroad/api/web"
)

// get requests a file of the page.
func get(t *testing.T, page http.Handler, path string, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	page.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPage reads the page as a browser does, and follows its links.
func TestPage(t *testing.T) {
	page, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	index := get(t, page, "/")
	if got := index.Header.Get("Cache-Control"); got != "no-cache" {
		t.Errorf("Cache-Control of the page: got %q, want no-cache", got)
	}
	text := body(t, index.Body)
	if strings.Contains(text, "<style") || strings.Contains(text, "://") || regexp.MustCompile(`<script[^>]*>[^<]`).MatchString(text) {
		t.Errorf("the page has inline code or loads from elsewhere:\n%s", text)
	}
	links := regexp.MustCompile(`(?:src|href)="\.(/assets/[^"]+)"`).FindAllStringSubmatch(text, -1)
	if len(links) < 3 {
		t.Fatalf("got links %v, want a script, a style sheet and an icon", links)
	}
	kinds := map[string]string{"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}
	total := int64(0)
	for _, link := range links {
		plain, compressed := get(t, page, link[1]), get(t, page, link[1], "Accept-Encoding", "br, gzip;q=0.8")
		want := body(t, plain.Body)
		counted := &counter{r: compressed.Body}
		unzipped, err := gzip.NewReader(counted)
		if err != nil {
			t.Fatalf("%s: %v", link[1], err)
		}
		if got := body(t, unzipped); got != want {
			t.Errorf("%s differs if it is compressed", link[1])
		}
		total += counted.n
		if got, want := plain.Header.Get("Content-Type"), kinds[link[1][strings.LastIndex(link[1], ".")+1:]]; got != want {
			t.Errorf("%s: got Content-Type %q, want %q", link[1], got, want)
		}
		if got := plain.Header.Get("Cache-Control"); !strings.Contains(got, "immutable") {
			t.Errorf("%s: got Cache-Control %q, want immutable", link[1], got)
		}
		if plain.Header.Get("ETag") == compressed.Header.Get("ETag") {
			t.Errorf("%s: both encodings have the same ETag", link[1])
		}
	}
	if total > 200_000 {
		t.Errorf("the page has %d compressed bytes, want at most 200,000", total)
	}
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func TestPageHeaders(t *testing.T) {
	page, err := web.New()
	if err != nil {
		t.Fatal(err)
	}
	etag := get(t, page, "/").Header.Get("ETag")
	for _, test := range []struct {
		name, path string
		headers    []string
		status     int
		encoding   string
	}{
		{"plain", "/", nil, http.StatusOK, ""},
		{"gzip", "/", []string{"Accept-Encoding", "gzip, deflate"}, http.StatusOK, "gzip"},
		{"gzip refused", "/", []string{"Accept-Encoding", "gzip;q=0, identity"}, http.StatusOK, ""},
		{"unchanged", "/", []string{"If-None-Match", "W/" + etag}, http.StatusNotModified, ""},
		{"unknown", "/assets/../page.go", nil, http.StatusNotFound, ""},
		{"folder", "/assets/", nil, http.StatusNotFound, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp := get(t, page, test.path, test.headers...)
			if got := resp.Header.Get("Content-Encoding"); resp.StatusCode != test.status || got != test.encoding {
				t.Errorf("got %d %q, want %d %q", resp.StatusCode, got, test.status, test.encoding)
			}
			if policy := resp.Header.Get("Content-Security-Policy"); test.status == http.StatusOK && (policy == "" || strings.Contains(policy, "unsafe")) {
				t.Errorf("got policy %q", policy)
			}
		})
	}
}
