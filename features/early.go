package features

import (
	"fmt"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// early records for each rule and token name the number of tokens, from 1, up to its
// first occurrence. A program that rejects an input may have read only its start.
func early(x *ExtraExtractor, k Kind, o grammars.Occurrence) {
	if o == derivation.None || x.grammar.Nodes[o].Kind == grammars.End {
		return
	}
	if name := x.name[o]; x.flags[name].Has(k) && x.most[k].of[name] == 0 {
		x.raise(k, name, x.tokens+1)
	}
}

func describeEarly(p phrase) string {
	if p.bound == 1 {
		return indefinite(p.symbol()) + " at the start of the input"
	}
	return fmt.Sprintf("%s within the first %s tokens", indefinite(p.symbol()), number(p.bound))
}

func needEarly(p phrase) Need {
	return Need{Paths: p.everywhere(), Min: 1, Text: p.symbol()}
}
