//go:build go1.22

package main

// target returns the function to call. The build replaces this file by one that
// names the user's function. As it stands, the harness compiles and can be
// linted.
func target() any { return func([]byte) {} }
