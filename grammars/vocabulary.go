package grammars

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/atn"
)

// assignTypes assigns token types in the order of the ANTLR tool: tokens
// declared by the lexer, lexer rules with the literals of the parser, then
// tokens that only the parser declares or mentions.
func (l *loader) assignTypes() {
	l.spec = &atn.Spec{
		Modes:    l.lexer.modes(),
		Tokens:   map[string]int{"EOF": -1},
		Channels: map[string]int{"DEFAULT_TOKEN_CHANNEL": 0, "HIDDEN": 1},
		FoldCase: map[*g4.Rule]bool{},

		Scannerless: l.parser.Scannerless,
	}
	l.modeIndex = map[string]int{}
	for i, mode := range l.spec.Modes {
		l.modeIndex[mode] = i
	}
	l.tokenNames = []string{""}
	l.implicit = map[*g4.Rule]bool{}
	if l.splitRules(); l.found.Failed() {
		return
	}
	if l.spec.Scannerless {
		return // character classes are the tokens, see classify
	}
	if l.lexer != l.parser {
		l.declareTokens(l.lexer.tokens)
	}
	l.typeLexerRules()
	l.spec.LexerTokens = len(l.tokenNames) - 1
	l.declareTokens(l.parser.tokens)
	l.typeReferences()
	l.spec.MaxToken = len(l.tokenNames) - 1
	for _, c := range l.lexer.channels {
		if _, ok := l.spec.Channels[c.Text]; !ok {
			l.spec.Channels[c.Text] = len(l.spec.Channels)
		}
	}
}

// splitRules separates parser rules from lexer rules, and adds an implicit
// lexer rule for each literal of the parser that has none.
func (l *loader) splitRules() {
	for _, r := range l.parser.rules() {
		if !r.IsLexer() {
			l.spec.ParserRules = append(l.spec.ParserRules, r)
		}
	}
	rules := l.parser.rules()
	if l.lexer != l.parser {
		rules = append(rules, l.lexer.rules()...)
	}
	for _, r := range rules {
		if slices.Contains(reservedNames(), r.Name) {
			l.errorf(r.Pos, "rule name %s is reserved", r.Name)
		}
	}
	is := func(r *g4.Rule) bool { return r.Name == l.start }
	if l.start != "" && !slices.ContainsFunc(l.spec.ParserRules, is) {
		l.errorf(l.parser.Pos, "grammar %s has no parser rule %s to start from", l.parser.Name, l.start)
	}
	if len(l.spec.ParserRules) == 0 {
		l.errorf(l.parser.Pos, "grammar %s has no parser rules", l.parser.Name)
	}
	if l.spec.Scannerless {
		for _, r := range l.spec.ParserRules {
			l.spec.FoldCase[r] = l.parser.caseInsensitive(r)
		}
		return
	}
	var lexerRules []*g4.Rule
	for _, r := range l.lexer.rules() {
		if r.IsLexer() {
			lexerRules = append(lexerRules, r)
		}
	}
	if l.parser == l.lexer {
		lexerRules = append(l.implicitRules(lexerRules), lexerRules...)
	}
	l.spec.LexerRules = lexerRules
	for _, r := range lexerRules {
		l.spec.FoldCase[r] = l.lexer.caseInsensitive(r)
	}
}

// reservedNames returns the names that ANTLR reserves for constants.
func reservedNames() []string {
	return []string{"EOF", "HIDDEN", "DEFAULT_TOKEN_CHANNEL", "SKIP", "MORE", "MAX_CHAR_VALUE", "MIN_CHAR_VALUE"}
}

// soleLiteral returns the literal that a lexer rule consists of, or nil. As in
// the ANTLR tool, the literal may be followed by one piece of code, or by up to
// two commands of which at most one has an argument.
func soleLiteral(r *g4.Rule) *g4.Literal {
	if r.Fragment || len(r.Options) > 0 || len(r.Body.Alts) != 1 {
		return nil
	}
	alt := r.Body.Alts[0]
	switch len(alt.Elements) {
	case 1:
		if len(alt.Commands) > 2 || len(alt.Commands) == 2 && alt.Commands[0].Arg != "" && alt.Commands[1].Arg != "" {
			return nil
		}
	case 2:
		if _, code := alt.Elements[1].(*g4.Embedded); !code || len(alt.Commands) > 0 {
			return nil
		}
	default:
		return nil
	}
	lit, _ := alt.Elements[0].(*g4.Literal)
	return lit
}

// implicitRules returns a lexer rule for each literal in parser rules, unless another
// lexer rule consists of the literal.
func (l *loader) implicitRules(lexerRules []*g4.Rule) []*g4.Rule {
	seen := map[string]bool{}
	for _, r := range lexerRules {
		if lit := soleLiteral(r); lit != nil {
			seen[lit.Text] = true
		}
	}
	var out []*g4.Rule
	for _, rule := range l.spec.ParserRules {
		for e := range l.elements(rule) {
			lit, ok := e.(*g4.Literal)
			if !ok || seen[lit.Text] {
				continue
			}
			seen[lit.Text] = true
			own := *lit
			made := &g4.Rule{
				Pos:  lit.Pos,
				Name: fmt.Sprintf("T__%d", len(out)),
				Mode: g4.DefaultMode,
				Body: &g4.Block{Pos: lit.Pos, Alts: []*g4.Alt{{Pos: lit.Pos, Elements: []g4.Element{&own}}}},
			}
			if other := l.lexer.known[made.Name]; other != nil {
				l.errorf(other.Pos, "rule name %s is reserved for the implicit lexer rule of %s; rename the rule", other.Name, lit.Quoted())
			}
			l.implicit[made] = true
			out = append(out, made)
		}
	}
	return out
}

func (l *loader) declareTokens(names []g4.Name) {
	for _, name := range names {
		l.define(name.Text)
	}
}

// define returns the type of a token, assigning one if needed.
func (l *loader) define(name string) int {
	if t, ok := l.spec.Tokens[name]; ok {
		return t
	}
	t := len(l.tokenNames)
	l.spec.Tokens[name] = t
	l.tokenNames = append(l.tokenNames, name)
	return t
}

func (l *loader) typeLexerRules() {
	for _, r := range l.spec.LexerRules {
		if !r.Fragment && !hasTypeOrMore(r) {
			l.define(r.Name)
		}
	}
	l.typeLiterals()
	for _, r := range l.spec.LexerRules {
		l.spec.RuleTypes = append(l.spec.RuleTypes, l.spec.Tokens[r.Name])
	}
}

// typeLiterals gives each literal the type of the rule that consists of it. A
// literal with several such rules is ambiguous and gets no type.
func (l *loader) typeLiterals() {
	var several []string
	for _, r := range l.spec.LexerRules {
		lit := soleLiteral(r)
		if lit == nil {
			continue
		}
		key := lit.Quoted()
		if _, taken := l.spec.Tokens[key]; taken {
			several = append(several, key)
			continue
		}
		t := l.define(r.Name)
		l.spec.Tokens[key] = t
		l.tokenNames[t] = key
	}
	if several == nil {
		return
	}
	names := make([]string, len(l.tokenNames)) // by type: the first rule of the type
	for _, r := range slices.Backward(l.spec.LexerRules) {
		if t := l.spec.Tokens[r.Name]; t > 0 {
			names[t] = r.Name
		}
	}
	for _, key := range several {
		if t, ok := l.spec.Tokens[key]; ok {
			delete(l.spec.Tokens, key)
			l.tokenNames[t] = names[t]
		}
	}
}

// hasTypeOrMore reports whether the first alternative with commands has a type
// or more command, in which case the rule gets no token type of its own.
func hasTypeOrMore(r *g4.Rule) bool {
	for _, alt := range r.Body.Alts {
		if len(alt.Commands) > 0 {
			return slices.ContainsFunc(alt.Commands, func(c g4.Command) bool { return c.Name == "type" || c.Name == "more" })
		}
	}
	return false
}

// typeReferences assigns types to undeclared tokens that parser rules mention.
func (l *loader) typeReferences() {
	rules := map[string][]string{} // by literal: the rules that consist of it
	for _, r := range l.spec.LexerRules {
		if lit := soleLiteral(r); lit != nil {
			rules[lit.Text] = append(rules[lit.Text], r.Name)
		}
	}
	for _, rule := range l.spec.ParserRules {
		for e := range l.elements(rule) {
			switch e := e.(type) {
			case *g4.Ref:
				if _, known := l.spec.Tokens[e.Name]; g4.IsTokenName(e.Name) && !known {
					l.warnf(e.Pos, "undefined token %s; it never matches", e.Name)
					l.define(e.Name)
				}
			case *g4.Literal:
				if _, known := l.spec.Tokens[e.Quoted()]; !known {
					l.reportLiteral(e, rules[e.Text])
				}
			}
		}
	}
}

// maxListed is the number of names that a diagnostic lists.
const maxListed = 100

// some joins names, and leaves out the end of a long list.
func some(names []string) string {
	if len(names) > maxListed {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:maxListed], ", "), len(names)-maxListed)
	}
	return strings.Join(names, ", ")
}

// reportLiteral reports why a literal of the parser has no token type. The rules
// are those that consist of the literal.
func (l *loader) reportLiteral(lit *g4.Literal, rules []string) {
	if len(rules) == 0 {
		l.errorf(lit.Pos, "literal %s is not a token of lexer grammar %s", lit.Quoted(), l.lexer.Name)
		return
	}
	l.errorf(lit.Pos, "ambiguous literal %s: it could be any of the tokens %s; refer to one of them by name", lit.Quoted(), some(rules))
}
