package distributive

import _ "embed"

// Observations holds the observations of calc on 1,000 expressions, half generated
// to cover the grammar expr and half at random, as gzipped lines of JSON. The
// service's demo trains on them, so it needs no Go toolchain.
//
//go:embed observations.ndjson.gz
var Observations []byte
