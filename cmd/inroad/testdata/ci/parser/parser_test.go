package parser

import "testing"

func TestArray(t *testing.T) {
	Parse("[1]")
}

func TestObject(t *testing.T) {
	Parse("{}")
}
