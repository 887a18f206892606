package g4

import "iter"

// Elements yields all elements of b in order, including those nested in blocks,
// repetitions, labels and negations.
func (b *Block) Elements() iter.Seq[Element] {
	return func(yield func(Element) bool) { walkBlock(b, yield) }
}

func walkBlock(b *Block, yield func(Element) bool) bool {
	for _, alt := range b.Alts {
		for _, e := range alt.Elements {
			if !walkElement(e, yield) {
				return false
			}
		}
	}
	return true
}

func walkElement(e Element, yield func(Element) bool) bool {
	if !yield(e) {
		return false
	}
	switch e := e.(type) {
	case *Block:
		return walkBlock(e, yield)
	case *Repeat:
		return walkElement(e.Body, yield)
	case *Labeled:
		return walkElement(e.Body, yield)
	case *Not:
		for _, item := range e.Items {
			if !walkElement(item, yield) {
				return false
			}
		}
	}
	return true
}
