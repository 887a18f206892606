package grammars

import "slices"

// Reads reports whether the lexer may read a token of a type that the parser sees: one of
// the rules that make it has an alternative that is neither skipped nor hidden, and
// earlier rules do not match all its texts.
func (g *Grammar) Reads(token int) bool {
	if x := g.Lexicon(); x != nil {
		return slices.ContainsFunc(x.Readings, func(r *Reading) bool { return r.Type == token })
	}
	return slices.ContainsFunc(g.makers[token], func(r *Rule) bool {
		for _, alt := range r.source.Body.Alts {
			seen := true
			for _, c := range alt.Commands {
				seen = seen && c.Name != "skip" && c.Name != "more" && !(c.Name == "channel" && c.Arg != "DEFAULT_TOKEN_CHANNEL" && c.Arg != "0")
			}
			if seen {
				return true
			}
		}
		return false
	})
}
