package g4

import (
	"slices"
	"strings"
)

// commandTakesArgument tells which of ANTLR's lexer commands take an argument.
var commandTakesArgument = map[string]bool{ //nolint:gochecknoglobals // a table, never changed
	"skip": false, "more": false, "popMode": false,
	"type": true, "channel": true, "mode": true, "pushMode": true,
}

// commands reads "-> skip, type(X)".
func (p *parser) commands(alt *Alt) {
	switch {
	case p.scannerless:
		p.warnf(p.tok.Pos, "lexer commands have no effect in a scannerless grammar")
		defer func() { alt.Commands = nil }()
	case !p.rule.IsLexer():
		p.errorf(p.tok.Pos, "lexer commands are allowed only in lexer rules")
	}
	p.next()
	for {
		p.command(alt)
		if !p.accept(",") {
			return
		}
	}
}

func (p *parser) command(alt *Alt) {
	p.keep()
	t := p.tok
	if t.kind != identifier && t.text != "mode" {
		p.unexpected("a lexer command")
	}
	p.next()
	arg, called := p.commandArgument()
	name := commandName(t.text)
	takes, known := commandTakesArgument[name]
	switch {
	case !known:
		p.errorf(t.Pos, "unknown lexer command %q, expected skip, more, type, channel, mode, pushMode or popMode", t.text)
		return
	case takes && !called:
		p.errorf(t.Pos, "lexer command %s needs an argument", name)
		return
	case !takes && called:
		p.errorf(t.Pos, "lexer command %s takes no argument", name)
	case name != t.text:
		p.warnf(t.Pos, "lexer command %s should be written %s", t.text, name)
	}
	if p.nesting > 0 {
		p.errorf(t.Pos, "lexer commands are not allowed inside parentheses")
	}
	alt.Commands = append(alt.Commands, Command{t.Pos, name, arg})
}

// commandArgument reads an optional "(X)" or "(3)".
func (p *parser) commandArgument() (arg string, called bool) {
	if !p.accept("(") {
		return "", false
	}
	t := p.tok
	if t.kind != identifier && t.kind != integer {
		p.unexpected("the argument of the lexer command")
	}
	p.next()
	p.expect(")", "after the argument of the lexer command")
	return t.text, true
}

// commandName returns a command in ANTLR's spelling, or written itself if the
// command is unknown.
func commandName(written string) string {
	for name := range commandTakesArgument {
		if strings.EqualFold(name, written) {
			return name
		}
	}
	return written
}

// checkCommands reports commands that ANTLR does not allow in the rule, and
// commands that conflict.
func (p *parser) checkCommands() {
	var earlier []string
	for _, alt := range p.rule.Body.Alts {
		for _, c := range alt.Commands {
			if len(p.rule.Body.Alts) > 1 {
				p.errorf(c.Pos, "lexer command %s in a rule with several alternatives", c.Name)
			}
			if p.rule.Fragment {
				p.warnf(c.Pos, "lexer command %s in a fragment is never executed", c.Name)
			}
			for _, e := range earlier {
				p.checkPair(e, c)
			}
			if !slices.Contains(earlier, c.Name) {
				earlier = append(earlier, c.Name)
			}
		}
	}
}

// checkPair warns if a command duplicates or conflicts with an earlier one.
func (p *parser) checkPair(earlier string, c Command) {
	switch {
	case strings.HasSuffix(c.Name, "Mode"):
	case c.Name == earlier:
		p.warnf(c.Pos, "duplicate lexer command %s", c.Name)
	case tokenEffect(c.Name) != tokenEffect(earlier) && tokenEffect(c.Name) != 0 && tokenEffect(earlier) != 0:
		p.warnf(c.Pos, "lexer command %s conflicts with %s", c.Name, earlier)
	}
}

// tokenEffect numbers the commands by their effect on the token. Commands with
// different numbers conflict; 0 conflicts with none.
func tokenEffect(name string) int {
	switch name {
	case "skip":
		return 1
	case "more":
		return 2
	case "type", "channel":
		return 3
	}
	return 0
}
