// Package openapi holds the contract of the service, and what is generated from
// it: the types, the interface that the server implements, and a client.
package openapi

import _ "embed"

//go:generate go tool -modfile=../../tools/go.mod oapi-codegen -config config.yaml openapi.yaml

// Document is the contract as it is written.
//
//go:embed openapi.yaml
var Document []byte
