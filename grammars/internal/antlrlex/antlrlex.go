// Package antlrlex lexes inputs with the ANTLR runtime, as a reference for
// tests.
package antlrlex

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/antlr4-go/antlr/v4"
)

// A Token is a token of the runtime. Skipped tokens are left out.
type Token struct {
	Type, Channel int
	Start, End    int // in bytes
}

// An Error is a position where no token begins.
type Error struct {
	Start int // in bytes
	Cause error
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %v", e.Start, e.Cause) }

func (e *Error) Unwrap() error { return e.Cause }

// Causes of an [Error].
var (
	errNoToken = errors.New("no token begins here")
	errNoMode  = errors.New("the mode stack is empty")
	errEmpty   = errors.New("a rule matches the empty string")
	errMore    = errors.New("the input ends inside a token")
)

// Lex lexes an input, which must be valid UTF-8, with a lexer in the serialized
// form of the ANTLR tool. The last token is EOF.
func Lex(network []int32, input string) (tokens []Token, err error) {
	atn := antlr.NewATNDeserializer(nil).Deserialize(network)
	var decisions []*antlr.DFA
	for i, d := range atn.DecisionToState {
		decisions = append(decisions, antlr.NewDFA(d, i))
	}
	l := &lexer{stream: antlr.NewInputStream(input)}
	l.BaseLexer = antlr.NewBaseLexer(l.stream)
	l.RemoveErrorListeners()
	l.simulator = antlr.NewLexerATNSimulator(l, atn, decisions, antlr.NewPredictionContextCache())
	offsets := byteOffsets(input)
	start := 0
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *antlr.LexerNoViableAltException:
			err = &Error{offsets[start], errNoToken}
		default:
			panic(e)
		}
	}()
	for ended := false; !ended; ended = l.stream.LA(1) == antlr.TokenEOF {
		start = l.stream.Index()
		if err := l.token(); errors.Is(err, errMore) { // the lexer turns the unfinished token into EOF
			return append(tokens, Token{Type: antlr.TokenEOF, Start: offsets[start], End: len(input)}), nil
		} else if err != nil {
			return nil, &Error{offsets[start], err}
		}
		if l.kind == antlr.TokenEOF {
			break
		}
		if l.kind != antlr.LexerSkip {
			tokens = append(tokens, Token{l.kind, l.channel, offsets[start], offsets[l.stream.Index()]})
		}
	}
	end := len(input)
	return append(tokens, Token{Type: antlr.TokenEOF, Start: end, End: end}), nil
}

func byteOffsets(text string) []int {
	var offsets []int
	for i := range text {
		offsets = append(offsets, i)
	}
	return append(offsets, len(text), len(text)+utf8.UTFMax)
}

// A lexer implements the interface that the runtime's lexer actions call.
type lexer struct {
	*antlr.BaseLexer

	stream    *antlr.InputStream
	simulator *antlr.LexerATNSimulator
	kind      int
	channel   int
	mode      int
	modes     []int
	err       error
}

// token matches one token, across all rules joined by `more`.
func (l *lexer) token() error {
	l.channel = 0
	for begin := l.stream.Index(); ; {
		l.kind = antlr.TokenInvalidType
		at := l.stream.Index()
		kind := l.simulator.Match(l.stream, l.mode)
		if l.kind == antlr.TokenInvalidType {
			l.kind = kind
		}
		switch {
		case l.err != nil:
			return l.err
		case l.kind == antlr.TokenEOF:
			if begin < l.stream.Index() {
				return errMore
			}
			return nil
		case l.stream.Index() == at && (at < l.stream.Size() || l.kind == antlr.LexerMore):
			return errEmpty
		case l.kind != antlr.LexerMore:
			return nil
		}
	}
}

// Skip discards the token.
func (l *lexer) Skip() { l.kind = antlr.LexerSkip }

// More continues the token with the next rule.
func (l *lexer) More() { l.kind = antlr.LexerMore }

// SetType sets the token's type.
func (l *lexer) SetType(t int) { l.kind = t }

// SetChannel sets the token's channel.
func (l *lexer) SetChannel(c int) { l.channel = c }

// SetMode switches to a mode.
func (l *lexer) SetMode(m int) { l.mode = m }

// PushMode pushes the current mode and switches to another.
func (l *lexer) PushMode(m int) {
	l.modes = append(l.modes, l.mode)
	l.mode = m
}

// PopMode switches back to the mode pushed last.
func (l *lexer) PopMode() int {
	if len(l.modes) == 0 {
		l.err = errNoMode
		return 0
	}
	l.mode = l.modes[len(l.modes)-1]
	l.modes = l.modes[:len(l.modes)-1]
	return l.mode
}

// Action ignores target-language actions.
func (l *lexer) Action(antlr.RuleContext, int, int) {}

// Sempred treats every predicate as true.
func (l *lexer) Sempred(antlr.RuleContext, int, int) bool { return true }
