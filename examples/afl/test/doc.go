// Package test tests the custom mutator for AFL++. It is a folder of its own because a Go
// package without cgo must not have C files.
package test
