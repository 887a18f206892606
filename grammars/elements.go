package grammars

import (
	"iter"

	"github.com/inroad/inroad/grammars/g4"
)

// elements yields everything in a block, in order, what is inside blocks,
// repetitions, labels and negations included.
func elements(b *g4.Block) iter.Seq[g4.Element] {
	return func(yield func(g4.Element) bool) { walkBlock(b, yield) }
}

func walkBlock(b *g4.Block, yield func(g4.Element) bool) bool {
	for _, alt := range b.Alts {
		for _, e := range alt.Elements {
			if !walkElement(e, yield) {
				return false
			}
		}
	}
	return true
}

func walkElement(e g4.Element, yield func(g4.Element) bool) bool {
	if !yield(e) {
		return false
	}
	switch e := e.(type) {
	case *g4.Block:
		return walkBlock(e, yield)
	case *g4.Repeat:
		return walkElement(e.Body, yield)
	case *g4.Labeled:
		return walkElement(e.Of, yield)
	case *g4.Not:
		for _, item := range e.Items {
			if !walkElement(item, yield) {
				return false
			}
		}
	}
	return true
}
