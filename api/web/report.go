package web

import (
	"compress/gzip"
	"crypto/sha256"
	_ "embed" // the files of the report
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"

	"github.com/inroad/inroad/api/openapi"
)

// The code, style and licences of a report, which npm run build writes.
var (
	//go:embed dist/report/report.js
	reportScript string
	//go:embed dist/report/report.css
	reportStyle string
	//go:embed dist/report/licences.md
	reportLicences string
)

// A Report holds the answers of a service that a report shows. Its JSON is the type Data
// of src/report/data.ts.
type Report struct {
	Version      string                      `json:"version"` // of inroad
	Model        openapi.Model               `json:"model"`
	Grammar      openapi.Grammar             `json:"grammar"`
	Methods      []openapi.Method            `json:"methods"`
	Explanations []openapi.Explanation       `json:"explanations"`         // in the order of the methods
	Evaluation   *openapi.Evaluation         `json:"evaluation,omitempty"` // of the observations, if they were given
	Failures     *openapi.ProgramFailureList `json:"failures,omitempty"`   // all of them
}

// Write writes the report as one HTML file, which browsers show without a service. The
// file may contain any names and inputs: its data is compressed and encoded with Base64,
// and its policy allows only its own code.
func (r *Report) Write(w io.Writer) error {
	_, err := fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %s; style-src %s; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types svelte-trusted-html">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>%s · inroad report</title>
<style>%s</style>
</head>
<body>
<div id="app"></div>
<noscript>This report needs JavaScript.</noscript>
<script type="application/octet-stream" id="data">`, source(reportScript), source(reportStyle), html.EscapeString(r.Model.Subject), reportStyle)
	if err != nil {
		return err
	}
	if err := r.encode(w); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "</script>\n<script type=\"module\">%s</script>\n</body>\n</html>\n", reportScript)
	return err
}

// source returns the expression of a policy that allows an inline script or style.
func source(text string) string {
	digest := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(digest[:]) + "'"
}

// encode writes the data of the report.
func (r *Report) encode(w io.Writer) error {
	encoded := base64.NewEncoder(base64.StdEncoding, w)
	compressed, err := gzip.NewWriterLevel(encoded, gzip.BestCompression)
	if err != nil {
		return err
	}
	data := struct {
		*Report
		Licences string `json:"licences"`
	}{r, reportLicences}
	if err := json.NewEncoder(compressed).Encode(data); err != nil {
		return err
	}
	if err := compressed.Close(); err != nil {
		return err
	}
	return encoded.Close()
}
