// Package contract loads the whole contract, for the server, which validates requests
// and serves the contract, and for the generator of package openapi.
package contract

import (
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/inroad/inroad/api/openapi"
)

// Load returns the parsed contract. The caller may change it.
func Load(document []byte) (*openapi3.T, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("load the contract: %w", err)
	}
	return doc, nil
}

// Schema converts a schema of the contract.
func Schema(s *openapi3.Schema) *openapi.Schema {
	out := &openapi.Schema{Min: s.Min, Max: s.Max, MinSize: int(s.MinLength) + int(s.MinItems), Pattern: s.Pattern}
	if s.Type != nil && len(*s.Type) > 0 {
		out.Type = (*s.Type)[0]
	}
	if s.MaxLength != nil {
		out.MaxSize = int(*s.MaxLength)
	}
	if s.MaxItems != nil {
		out.MaxSize = int(*s.MaxItems)
	}
	if s.MaxProps != nil {
		out.MaxSize = int(*s.MaxProps)
	}
	for _, v := range s.Enum {
		out.Enum = append(out.Enum, fmt.Sprint(v))
	}
	if s.Items != nil {
		out.Items = Schema(s.Items.Value)
	}
	if s.AdditionalProperties.Schema != nil {
		out.Items = Schema(s.AdditionalProperties.Schema.Value)
	}
	return out
}
