// Package test runs the example in C. It is a folder of its own, because the go
// command compiles C files next to Go files.
package test
