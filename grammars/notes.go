package grammars

import (
	"strings"

	"github.com/inroad/inroad/grammars/g4"
)

// An Agreement is a requirement on generated inputs that a grammar cannot express:
// the texts of some tokens below a node are the same, like the names of a start
// tag and its end tag, or different, like the names of its attributes. Parsing
// ignores agreements.
type Agreement struct {
	g4.Pos
	Rule     *Rule
	Path     []string // from below the rule down to the tokens: symbols as written in the grammar
	Distinct bool     // texts are different, instead of the same
}

// readNotes reads the notes above rules:
//
//	// inroad: same NAME
//	// inroad: distinct attribute/NAME
//	// inroad: needs DECLARATION
//	// inroad: unused
func (l *loader) readNotes() {
	needed := map[string]bool{}
	for _, rule := range l.grammar.Rules {
		for _, note := range rule.source.Notes {
			l.meter.Step(1)
			what, rest, _ := strings.Cut(note.Text, " ")
			switch {
			case what == "needs" && l.symbolsNamed(rest) != nil:
				rule.Needs = rest
				if needed[rest] = true; len(needed) > maxNeeded {
					l.errorf(note.Pos, "note %q: rules need more than %d different symbols", note.Text, maxNeeded)
					return
				}
			case what == "needs":
				l.errorf(note.Pos, "note %q: the grammar has no symbol %q", note.Text, rest)
			case (what == "same" || what == "distinct") && rest != "" && rule.Kind == ParserRule:
				l.agreement(note, Agreement{note.Pos, rule, strings.Split(rest, "/"), what == "distinct"})
			case what == "same" || what == "distinct":
				l.errorf(note.Pos, "note %q: must be %s SYMBOL/.../TOKEN, above a parser rule", note.Text, what)
			case note.Text == "unused" && rule.Kind == TokenRule:
				rule.unused = true
			case what == "unused":
				l.errorf(note.Pos, "note %q: must be unused, above a token", note.Text)
			default:
				l.errorf(note.Pos, "note %q: must begin with same, distinct, needs or unused", note.Text)
			}
		}
	}
}

// maxNeeded limits the symbols that rules need.
const maxNeeded = 64

// symbolsNamed returns the symbols with a text.
func (l *loader) symbolsNamed(text string) []*Node {
	if l.byText == nil {
		l.byText = map[string][]*Node{}
		for _, n := range l.grammar.Nodes {
			if n.Kind.Symbolic() {
				l.byText[n.Text] = append(l.byText[n.Text], n)
			}
		}
	}
	return l.byText[text]
}

// agreement adds an agreement if the grammar has its path.
func (l *loader) agreement(note g4.Note, a Agreement) {
	within := []*Rule{a.Rule}
	isWithin := map[*Rule]bool{a.Rule: true}
	tokens := false
	for _, symbol := range a.Path {
		var below []*Rule
		isBelow := map[*Rule]bool{}
		found := false
		tokens = false
		for _, n := range l.symbolsNamed(symbol) {
			if l.meter.Step(1); !isWithin[n.Rule] {
				continue
			}
			found = true
			if tokens = tokens || n.Token > 0; n.Token == 0 && n.Target != nil && !isBelow[n.Target] {
				isBelow[n.Target] = true
				below = append(below, n.Target)
			}
		}
		if !found {
			l.errorf(note.Pos, "note %q: no symbol %s right below %s", note.Text, symbol, nameAll(within))
			return
		}
		within, isWithin = below, isBelow
	}
	if !tokens {
		l.errorf(note.Pos, "note %q: %s is not a token", note.Text, a.Path[len(a.Path)-1])
		return
	}
	l.grammar.Agreements = append(l.grammar.Agreements, a)
}

// nameAll joins the names of rules. Only a token has no rules below it.
func nameAll(rules []*Rule) string {
	var names []string
	for _, r := range rules {
		names = append(names, r.Name)
	}
	if len(names) == 0 {
		return "a token"
	}
	return some(names)
}
