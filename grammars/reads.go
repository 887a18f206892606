package grammars

import "slices"

// Reads reports whether the lexer may read a token of a type so that the parser sees
// it. It does not if all alternatives that make the token are skipped or hidden, or if
// earlier rules match all its texts.
func (g *Grammar) Reads(token int) bool {
	if x := g.Lexicon(); x != nil {
		return slices.ContainsFunc(x.Readings, func(r *Reading) bool { return r.Type == token })
	}
	return slices.ContainsFunc(g.makers[token], func(r *Rule) bool {
		for _, alt := range r.source.Body.Alts {
			seen := true
			for _, c := range alt.Commands {
				switch c.Name {
				case "skip", "more":
					seen = false
				case "channel":
					seen = seen && (c.Arg == "DEFAULT_TOKEN_CHANNEL" || c.Arg == "0")
				}
			}
			if seen {
				return true
			}
		}
		return false
	})
}
