package server

import (
	_ "embed"
	"net/http"

	"github.com/labstack/echo/v4"
)

// docs is a page that shows the contract. It loads nothing from other sites.
//
//go:embed docs.html
var docs []byte

func serveDocs(c echo.Context) error {
	c.Response().Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return c.Blob(http.StatusOK, echo.MIMETextHTMLCharsetUTF8, docs)
}
