package generate

import (
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
)

// Texts are token texts by token type. A text that is listed twice is chosen twice
// as often.
type Texts map[int][][]byte

// maxTexts limits the texts of a token type.
const maxTexts = 100_000

// Mine adds the texts of a tree's tokens, up to 100,000 for each type. Token types
// with only one text are left out.
func (t Texts) Mine(g *grammars.Grammar, tree *derivation.Tree) {
	for _, token := range tree.Tokens() {
		if token.Trivia() || token.Type <= 0 || token.Start == token.End || !varied(g, int(token.Type)) {
			continue
		}
		if len(t[int(token.Type)]) == maxTexts {
			continue
		}
		t[int(token.Type)] = append(t[int(token.Type)], tree.Input()[token.Start:token.End])
	}
}

// varied reports whether tokens of a type can have different texts.
func varied(g *grammars.Grammar, token int) bool {
	rules := g.TokenRules(token)
	return len(rules) > 1 || len(rules) == 1 && g.Nodes[rules[0].Root].Kind != grammars.Literal
}
