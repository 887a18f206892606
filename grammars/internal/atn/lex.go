package atn

import (
	"unicode/utf8"

	"github.com/inroad/inroad/grammars/derivation"
)

// lex cuts the input into tokens, all of them into r.tokens and those that the
// parser sees, by index, into r.visible. Where no token begins it notes the
// error and ends with a token of type 0, which no grammar takes: the parser
// then meets the fault where it is, unless it meets another before.
func (r *run) lex() {
	l := r.m.lexer
	// The end of the input can itself be a token, but only of an empty input:
	// ANTLR looks for no more tokens once the last character is taken.
	for first := true; first || r.at < len(r.input); first = false {
		token := derivation.Token{Start: int32(r.at)}
		for more := true; more; {
			rule, actions, end := r.match(l)
			if rule < 0 && len(r.input) == 0 {
				break
			}
			empty := end == r.at
			if rule < 0 || empty && r.at < len(r.input) {
				r.lexFail(token.Start, rule)
				return
			}
			token.Rule, token.Type = rule, int32(l.net.types[rule])
			r.at = end
			more = r.act(&token, actions)
			if r.lexError != nil {
				return
			}
			if more && empty {
				r.lexFail(token.Start, rule)
				return
			}
			r.step(1)
		}
		if len(r.input) > 0 || token.Type != 0 {
			token.End = int32(r.at)
			r.emit(token)
		}
	}
	end := int32(len(r.input))
	r.emit(derivation.Token{Type: derivation.EOF, Rule: -1, Start: end, End: end})
}

// act carries out a rule's commands and reports whether the token goes on.
func (r *run) act(token *derivation.Token, actions []lexerAction) (more bool) {
	for _, a := range actions {
		switch a.kind {
		case actChannel:
			token.Channel = int32(a.a)
		case actMode:
			r.mode = a.a
		case actPushMode:
			r.modes = append(r.modes, r.mode)
			r.mode = a.a
		case actPopMode:
			n := len(r.modes)
			if n == 0 {
				r.lexReject(token.Start, r.at, "popMode in "+r.m.lexer.net.rules[token.Rule]+" with no mode to return to")
				return false
			}
			r.mode, r.modes = r.modes[n-1], r.modes[:n-1]
		case actMore:
			more = true
		case actSkip:
			token.Skipped = true
		case actType:
			token.Type = int32(a.a)
		}
	}
	return more
}

func (r *run) emit(token derivation.Token) {
	if !token.Trivia() {
		r.visible = append(r.visible, int32(len(r.tokens)))
	}
	r.tokens = append(r.tokens, token)
}

// match finds the longest token here and returns its rule, or -1. It leaves in
// r.reached how far it had to look.
func (r *run) match(l *lexer) (rule int32, actions []lexerAction, end int) {
	cache := l.cache.Load()
	s := l.start(cache, r.mode)
	rule, actions, end = s.rule, s.actions, r.at
	for at := r.at; ; {
		class, char, width := l.classes.count, rune(eof), 0
		if at < len(r.input) {
			class, char, width = l.classes.at(r.input[at:])
		}
		r.reached = at + width
		n := s.edges[class].Load()
		if n == nil {
			n = l.next(cache, s, class, char)
			r.step(1 + len(n.configs))
		}
		if len(n.configs) == 0 {
			break
		}
		s = n
		at += width
		if s.rule >= 0 {
			rule, actions, end = s.rule, s.actions, at
		}
		if char == eof {
			break
		}
	}
	if cache.size.Load() > maxLexerSize {
		l.reset()
	}
	return rule, actions, end
}

// at returns the class, the character and the width of what text begins with.
func (c *classes) at(text []byte) (class int, char rune, width int) {
	if b := text[0]; b < utf8.RuneSelf {
		return int(c.ascii[b]), rune(b), 1
	}
	char, width = utf8.DecodeRune(text)
	return c.find(char), char, width
}

// maxErrorText bounds how much of the input an error shows, in bytes.
const maxErrorText = 24

// lexFail notes that what begins at start is no token.
func (r *run) lexFail(start, rule int32) {
	reason := ""
	if rule >= 0 {
		reason = "rule " + r.m.lexer.net.rules[rule] + " matches nothing here"
	}
	r.lexReject(start, r.reached, reason)
}

func (r *run) lexReject(start int32, end int, reason string) {
	if end > int(start)+maxErrorText {
		for end = int(start) + maxErrorText; !utf8.RuneStart(r.input[end]); end-- {
		}
	}
	r.lexError = &SyntaxError{Offset: int(start), Text: string(r.input[start:end]), Lexical: true, Reason: reason}
	r.emit(derivation.Token{Type: 0, Rule: -1, Start: start, End: int32(len(r.input))})
}
