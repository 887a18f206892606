//go:build go1.22

package main

// target returns the function that inputs are given to. This file is replaced
// by one that names the user's function; as it stands, it keeps the harness a
// program that the compiler and the linters see.
func target() any { return func([]byte) {} }
