package distributive

import _ "embed"

// Observations are what calc did with 1,000 expressions, half of them made to
// cover the grammar expr and half at random: lines of JSON under gzip. The
// service's demonstration learns from them, so that it needs no Go toolchain.
//
//go:embed observations.ndjson.gz
var Observations []byte
