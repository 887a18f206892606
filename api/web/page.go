// Package web holds the page that the service shows at /. Its sources are in src;
// npm run build writes the files in dist, which are committed, so that building
// inroad needs only Go.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

//go:embed dist/index.html dist/assets
var dist embed.FS

// policy allows the page to load only files of the service and to send requests only
// to it. Browsers refuse to turn strings into markup, except Svelte's own templates.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types svelte-trusted-html"

// A file is a file of the page, ready to be served.
type file struct {
	kind       string // media type
	cache      string // Cache-Control
	etag       string
	plain      []byte
	compressed []byte // with gzip; nil if it is not smaller
}

// A Page serves the files of the page.
type Page struct{ files map[string]file }

// New returns the page.
func New() (*Page, error) { return thePage() }

//nolint:gochecknoglobals // computed once, never changed: compressing takes most of the start of a service
var thePage = sync.OnceValues(func() (*Page, error) {
	p := &Page{files: map[string]file{}}
	err := fs.WalkDir(dist, "dist", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := dist.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := newFile(name, text)
		p.files[strings.TrimSuffix(strings.TrimPrefix(name, "dist"), "index.html")] = f
		return err
	})
	return p, err
})

func newFile(name string, text []byte) (file, error) {
	digest := sha256.Sum256(text)
	// The names of most assets contain a digest of their content.
	f := file{kind: mediaType(name), cache: "public, max-age=31536000, immutable", etag: `"` + hex.EncodeToString(digest[:8]) + `"`, plain: text}
	if ext := path.Ext(name); ext == ".html" || ext == ".md" {
		f.cache = "no-cache"
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return file{}, err
	}
	if _, err := w.Write(text); err != nil {
		return file{}, err
	}
	if err := w.Close(); err != nil {
		return file{}, err
	}
	if out.Len() < len(text) {
		f.compressed = out.Bytes()
	}
	return f, nil
}

// mediaType returns the media type of a file. It does not depend on the tables of the
// operating system, which may be wrong.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".md":
		return "text/plain; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	default:
		return "application/octet-stream"
	}
}

// Has reports whether the page has a file with this URL path.
func (p *Page) Has(urlPath string) bool {
	_, ok := p.files[urlPath]
	return ok
}

// ServeHTTP implements [http.Handler]. Paths that the page does not have are not found.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f, ok := p.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", f.cache)
	h.Set("Content-Type", f.kind)
	h.Set("Vary", "Accept-Encoding")
	body, etag := f.plain, f.etag
	if f.compressed != nil && acceptsGzip(r.Header.Get("Accept-Encoding")) {
		body, etag = f.compressed, strings.TrimSuffix(f.etag, `"`)+`-gzip"`
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", etag)
	if strings.Contains(r.Header.Get("If-None-Match"), etag) {
		h.Del("Content-Encoding")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the client may be gone
}

// acceptsGzip reports whether a client accepts gzip, from its Accept-Encoding.
func acceptsGzip(header string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		weight = strings.ReplaceAll(weight, " ", "")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			return weight != "q=0" && weight != "q=0.0" && weight != "q=0.00" && weight != "q=0.000"
		}
	}
	return false
}
