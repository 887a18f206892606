package solve

import (
	"slices"

	"github.com/inroad/inroad/grammars"
)

// A TokenText is a text that tokens of inputs should have, or should not have.
type TokenText struct {
	Occurrence grammars.Occurrence // of the tokens
	Text       string
	Use        Use
}

// Use says how a [TokenText] is used.
type Use int

// The uses of texts.
const (
	Required  Use = iota // one of the tokens has the text
	Optional             // one of the tokens has the text in about half of the inputs
	Forbidden            // none of the tokens has the text
)

// WithTexts returns the solution with texts for the tokens of its inputs. A text is
// used only if the tree has a token for it and the lexer reads the text as that token.
func (s *Solution) WithTexts(texts []TokenText) *Solution {
	out := *s
	out.texts = texts
	return &out
}

// chooseTexts assigns texts to some tokens of a tree, and returns them by place. It sets
// free if there is a choice.
func (w *writer) chooseTexts(tree witness, free *bool) map[int]string {
	out := map[int]string{}
	for _, i := range w.rand.Perm(len(w.texts)) {
		t := w.texts[i]
		if t.Use == Forbidden || t.Use == Optional && w.rand.IntN(2) == 0 {
			*free = *free || t.Use == Optional
			continue
		}
		var places []int
		for at, p := range tree {
			if p.node.ID == t.Occurrence && isWord(p.node) && out[at] == "" {
				places = append(places, at)
			}
		}
		if len(places) > 0 {
			out[places[w.rand.IntN(len(places))]] = t.Text
			*free = *free || len(places) > 1 || t.Use == Optional
		}
	}
	return out
}

// forbidden reports whether a text is forbidden for tokens of an occurrence.
func (w *writer) forbidden(o grammars.Occurrence, text []byte) bool {
	return slices.ContainsFunc(w.texts, func(t TokenText) bool {
		return t.Use == Forbidden && t.Occurrence == o && t.Text == string(text)
	})
}
