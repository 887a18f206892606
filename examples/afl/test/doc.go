// Package test tests the custom mutators for AFL++ and libFuzzer. It is a folder of its own
// because a Go package without cgo must not have C files.
package test
