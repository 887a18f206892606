package grammars

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// DecodeLatin1 converts an input from Latin-1 to UTF-8: each byte becomes one of the
// characters U+0000 to U+00FF. An ASCII input is returned itself.
func DecodeLatin1(input []byte) []byte {
	size := len(input)
	for _, b := range input {
		if b >= utf8.RuneSelf {
			size++
		}
	}
	if size == len(input) {
		return input
	}
	text := make([]byte, 0, size)
	for _, b := range input {
		text = utf8.AppendRune(text, rune(b))
	}
	return text
}

// EncodeLatin1 is the inverse of [DecodeLatin1]. It fails if a character is above U+00FF.
func EncodeLatin1(text []byte) ([]byte, error) {
	input := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			return nil, fmt.Errorf("byte %d: not UTF-8", i)
		case r > 0xFF:
			return nil, fmt.Errorf("character %U at byte %d: latin1 has only U+0000 to U+00FF", r, i)
		}
		input = append(input, byte(r))
		i += size
	}
	return input, nil
}

// parseLatin1 parses an input whose bytes are characters. Offsets in errors and
// ambiguities refer to the input.
func (g *Grammar) parseLatin1(ctx context.Context, input []byte, opt ParseOptions) (*derivation.Tree, error) {
	if err := opt.Limits.checkInput(len(input)); err != nil {
		return nil, err
	}
	text := DecodeLatin1(input)
	opt.Latin1 = false
	opt.Limits.Input = max(len(text), 1)
	if report := opt.Ambiguous; report != nil {
		opt.Ambiguous = func(a Ambiguity) {
			a.Start, a.End = utf8.RuneCount(text[:a.Start]), utf8.RuneCount(text[:a.End])
			report(a)
		}
	}
	tree, err := g.Parse(ctx, text, opt)
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		syntax.Offset = utf8.RuneCount(text[:syntax.Offset])
	}
	if predicate, ok := errors.AsType[*PredicateError](err); ok {
		predicate.Offset = utf8.RuneCount(text[:predicate.Offset])
	}
	if tree != nil && len(text) > len(input) {
		tree = tree.WithLatin1()
	}
	return tree, err
}

// checkInput returns an error if an input has too many bytes.
func (l Limits) checkInput(bytes int) error {
	if most := min(l.withDefaults().Input, maxCount); bytes > most {
		return &limit.Error{What: "input", Value: fmt.Sprintf("%d bytes", most), Option: "max_input"}
	}
	return nil
}
