package features

import (
	"fmt"
	"strings"

	"github.com/inroad/inroad/grammars"
)

// A phrase is a feature to describe in words.
type phrase struct {
	space *Space
	path  Path
	bound int
	extra Extra
	node  *grammars.Node // the first of the path
}

func newPhrase(s *Space, e Extra) phrase {
	path := e.Path()
	return phrase{s, path, e.Bound(), e, s.grammar.Nodes[path[0]]}
}

// symbol returns the display name of the feature's symbol, such as value or ','.
func (p phrase) symbol() string { return symbolName(p.node) }

// rule returns the name of the rule that contains the symbol.
func (p phrase) rule() string { return ruleName(p.node) }

// orMore returns the bound as in "three or more".
func (p phrase) orMore() string { return number(p.bound) + " or more" }

// symbolName returns a symbol as users know it: the text of a token with only
// one text, or else the name.
func symbolName(n *grammars.Node) string {
	if n.Kind == grammars.Reference && len(n.Children) == 1 && n.Children[0].Kind == grammars.Literal {
		return n.Children[0].Text
	}
	return n.Text
}

// ruleName returns the name of the rule that contains a node, or "token" for a
// token that several rules produce.
func ruleName(n *grammars.Node) string {
	if n.Rule == nil {
		return "token"
	}
	return n.Rule.Name
}

// indefinite puts "a" or "an" before a name, and nothing before a literal or a
// set. A name that begins with u gets "a", as in "a unary" and "a URL".
func indefinite(name string) string {
	switch {
	case name == "" || strings.ContainsRune(`'"[~.`, rune(name[0])):
		return name
	case strings.ContainsRune("aeioAEIO", rune(name[0])):
		return "an " + name
	default:
		return "a " + name
	}
}

// number spells small numbers out.
func number(n int) string {
	words := []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	if n >= 0 && n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}
