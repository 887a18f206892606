package server

import (
	_ "embed"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/inroad/inroad/api/web"
)

// docs is a page that shows the contract. It loads nothing from other sites.
//
//go:embed docs.html
var docs []byte

func serveDocs(c echo.Context) error {
	c.Response().Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return c.Blob(http.StatusOK, echo.MIMETextHTMLCharsetUTF8, docs)
}

// servePage serves the page at / and its files below /assets. It is public; the page
// asks for a key if requests need one.
func servePage(e *echo.Echo, page *web.Page) {
	serve := func(c echo.Context) error {
		if !page.Has(c.Request().URL.Path) {
			return echo.ErrNotFound
		}
		page.ServeHTTP(c.Response(), c.Request())
		return nil
	}
	for _, route := range []string{"/", "/assets/*"} {
		e.GET(route, serve)
		e.HEAD(route, serve)
	}
}
