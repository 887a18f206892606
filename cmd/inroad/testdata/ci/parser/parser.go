// Package parser measures JSON values.
package parser

import "strings"

// Parse returns a number for a value.
func Parse(text string) int {
	switch {
	case strings.HasPrefix(text, "["):
		return array(text)
	case strings.HasPrefix(text, "{"):
		return object(text)
	}
	return number()
}

func array(text string) int {
	elements := strings.Count(text, ",") + number()
	return elements
}

func object(text string) int {
	return strings.Count(text, ":") + number()
}
