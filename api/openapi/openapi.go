// Package openapi holds the contract of the service and the code generated from it:
// the types, the interface that the server implements, and a client.
package openapi

import _ "embed"

//go:generate go tool -modfile=../../tools/go.mod oapi-codegen -config config.yaml openapi.yaml
//go:generate go run ./internal/genfields openapi.yaml fields.gen.go

// Document is the text of the contract.
//
//go:embed openapi.yaml
var Document []byte
