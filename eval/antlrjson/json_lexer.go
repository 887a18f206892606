// Code generated from json.g4 by ANTLR 4.13.1. DO NOT EDIT.

package antlrjson

import (
	"fmt"
	"sync"
	"unicode"

	"github.com/antlr4-go/antlr/v4"
)

// Suppress unused import error
var _ = fmt.Printf
var _ = sync.Once{}
var _ = unicode.IsLetter

type jsonLexer struct {
	*antlr.BaseLexer
	channelNames []string
	modeNames    []string
	// TODO: EOF string
}

var JsonLexerLexerStaticData struct {
	once                   sync.Once
	serializedATN          []int32
	ChannelNames           []string
	ModeNames              []string
	LiteralNames           []string
	SymbolicNames          []string
	RuleNames              []string
	PredictionContextCache *antlr.PredictionContextCache
	atn                    *antlr.ATN
	decisionToDFA          []*antlr.DFA
}

func jsonlexerLexerInit() {
	staticData := &JsonLexerLexerStaticData
	staticData.ChannelNames = []string{
		"DEFAULT_TOKEN_CHANNEL", "HIDDEN",
	}
	staticData.ModeNames = []string{
		"DEFAULT_MODE",
	}
	staticData.LiteralNames = []string{
		"", "'true'", "'false'", "'null'", "'{'", "'}'", "','", "':'", "'['",
		"']'",
	}
	staticData.SymbolicNames = []string{
		"", "", "", "", "", "", "", "", "", "", "STRING", "NUMBER", "WHITESPACE",
	}
	staticData.RuleNames = []string{
		"T__0", "T__1", "T__2", "T__3", "T__4", "T__5", "T__6", "T__7", "T__8",
		"STRING", "UNESCAPED", "ESCAPE", "UNICODE", "HEX", "NUMBER", "INTEGER",
		"FRACTION", "EXPONENT", "WHITESPACE",
	}
	staticData.PredictionContextCache = antlr.NewPredictionContextCache()
	staticData.serializedATN = []int32{
		4, 0, 12, 134, 6, -1, 2, 0, 7, 0, 2, 1, 7, 1, 2, 2, 7, 2, 2, 3, 7, 3, 2,
		4, 7, 4, 2, 5, 7, 5, 2, 6, 7, 6, 2, 7, 7, 7, 2, 8, 7, 8, 2, 9, 7, 9, 2,
		10, 7, 10, 2, 11, 7, 11, 2, 12, 7, 12, 2, 13, 7, 13, 2, 14, 7, 14, 2, 15,
		7, 15, 2, 16, 7, 16, 2, 17, 7, 17, 2, 18, 7, 18, 1, 0, 1, 0, 1, 0, 1, 0,
		1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2,
		1, 3, 1, 3, 1, 4, 1, 4, 1, 5, 1, 5, 1, 6, 1, 6, 1, 7, 1, 7, 1, 8, 1, 8,
		1, 9, 1, 9, 1, 9, 5, 9, 71, 8, 9, 10, 9, 12, 9, 74, 9, 9, 1, 9, 1, 9, 1,
		10, 1, 10, 1, 11, 1, 11, 1, 11, 3, 11, 83, 8, 11, 1, 12, 1, 12, 1, 12,
		1, 12, 1, 12, 1, 12, 1, 13, 1, 13, 1, 14, 3, 14, 94, 8, 14, 1, 14, 1, 14,
		3, 14, 98, 8, 14, 1, 14, 3, 14, 101, 8, 14, 1, 15, 1, 15, 1, 15, 5, 15,
		106, 8, 15, 10, 15, 12, 15, 109, 9, 15, 3, 15, 111, 8, 15, 1, 16, 1, 16,
		4, 16, 115, 8, 16, 11, 16, 12, 16, 116, 1, 17, 1, 17, 3, 17, 121, 8, 17,
		1, 17, 4, 17, 124, 8, 17, 11, 17, 12, 17, 125, 1, 18, 4, 18, 129, 8, 18,
		11, 18, 12, 18, 130, 1, 18, 1, 18, 0, 0, 19, 1, 1, 3, 2, 5, 3, 7, 4, 9,
		5, 11, 6, 13, 7, 15, 8, 17, 9, 19, 10, 21, 0, 23, 0, 25, 0, 27, 0, 29,
		11, 31, 0, 33, 0, 35, 0, 37, 12, 1, 0, 8, 3, 0, 32, 33, 35, 91, 93, 1114111,
		8, 0, 34, 34, 47, 47, 92, 92, 98, 98, 102, 102, 110, 110, 114, 114, 116,
		116, 3, 0, 48, 57, 65, 70, 97, 102, 1, 0, 49, 57, 1, 0, 48, 57, 2, 0, 69,
		69, 101, 101, 2, 0, 43, 43, 45, 45, 3, 0, 9, 10, 13, 13, 32, 32, 138, 0,
		1, 1, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 5, 1, 0, 0, 0, 0, 7, 1, 0, 0, 0, 0,
		9, 1, 0, 0, 0, 0, 11, 1, 0, 0, 0, 0, 13, 1, 0, 0, 0, 0, 15, 1, 0, 0, 0,
		0, 17, 1, 0, 0, 0, 0, 19, 1, 0, 0, 0, 0, 29, 1, 0, 0, 0, 0, 37, 1, 0, 0,
		0, 1, 39, 1, 0, 0, 0, 3, 44, 1, 0, 0, 0, 5, 50, 1, 0, 0, 0, 7, 55, 1, 0,
		0, 0, 9, 57, 1, 0, 0, 0, 11, 59, 1, 0, 0, 0, 13, 61, 1, 0, 0, 0, 15, 63,
		1, 0, 0, 0, 17, 65, 1, 0, 0, 0, 19, 67, 1, 0, 0, 0, 21, 77, 1, 0, 0, 0,
		23, 79, 1, 0, 0, 0, 25, 84, 1, 0, 0, 0, 27, 90, 1, 0, 0, 0, 29, 93, 1,
		0, 0, 0, 31, 110, 1, 0, 0, 0, 33, 112, 1, 0, 0, 0, 35, 118, 1, 0, 0, 0,
		37, 128, 1, 0, 0, 0, 39, 40, 5, 116, 0, 0, 40, 41, 5, 114, 0, 0, 41, 42,
		5, 117, 0, 0, 42, 43, 5, 101, 0, 0, 43, 2, 1, 0, 0, 0, 44, 45, 5, 102,
		0, 0, 45, 46, 5, 97, 0, 0, 46, 47, 5, 108, 0, 0, 47, 48, 5, 115, 0, 0,
		48, 49, 5, 101, 0, 0, 49, 4, 1, 0, 0, 0, 50, 51, 5, 110, 0, 0, 51, 52,
		5, 117, 0, 0, 52, 53, 5, 108, 0, 0, 53, 54, 5, 108, 0, 0, 54, 6, 1, 0,
		0, 0, 55, 56, 5, 123, 0, 0, 56, 8, 1, 0, 0, 0, 57, 58, 5, 125, 0, 0, 58,
		10, 1, 0, 0, 0, 59, 60, 5, 44, 0, 0, 60, 12, 1, 0, 0, 0, 61, 62, 5, 58,
		0, 0, 62, 14, 1, 0, 0, 0, 63, 64, 5, 91, 0, 0, 64, 16, 1, 0, 0, 0, 65,
		66, 5, 93, 0, 0, 66, 18, 1, 0, 0, 0, 67, 72, 5, 34, 0, 0, 68, 71, 3, 21,
		10, 0, 69, 71, 3, 23, 11, 0, 70, 68, 1, 0, 0, 0, 70, 69, 1, 0, 0, 0, 71,
		74, 1, 0, 0, 0, 72, 70, 1, 0, 0, 0, 72, 73, 1, 0, 0, 0, 73, 75, 1, 0, 0,
		0, 74, 72, 1, 0, 0, 0, 75, 76, 5, 34, 0, 0, 76, 20, 1, 0, 0, 0, 77, 78,
		7, 0, 0, 0, 78, 22, 1, 0, 0, 0, 79, 82, 5, 92, 0, 0, 80, 83, 7, 1, 0, 0,
		81, 83, 3, 25, 12, 0, 82, 80, 1, 0, 0, 0, 82, 81, 1, 0, 0, 0, 83, 24, 1,
		0, 0, 0, 84, 85, 5, 117, 0, 0, 85, 86, 3, 27, 13, 0, 86, 87, 3, 27, 13,
		0, 87, 88, 3, 27, 13, 0, 88, 89, 3, 27, 13, 0, 89, 26, 1, 0, 0, 0, 90,
		91, 7, 2, 0, 0, 91, 28, 1, 0, 0, 0, 92, 94, 5, 45, 0, 0, 93, 92, 1, 0,
		0, 0, 93, 94, 1, 0, 0, 0, 94, 95, 1, 0, 0, 0, 95, 97, 3, 31, 15, 0, 96,
		98, 3, 33, 16, 0, 97, 96, 1, 0, 0, 0, 97, 98, 1, 0, 0, 0, 98, 100, 1, 0,
		0, 0, 99, 101, 3, 35, 17, 0, 100, 99, 1, 0, 0, 0, 100, 101, 1, 0, 0, 0,
		101, 30, 1, 0, 0, 0, 102, 111, 5, 48, 0, 0, 103, 107, 7, 3, 0, 0, 104,
		106, 7, 4, 0, 0, 105, 104, 1, 0, 0, 0, 106, 109, 1, 0, 0, 0, 107, 105,
		1, 0, 0, 0, 107, 108, 1, 0, 0, 0, 108, 111, 1, 0, 0, 0, 109, 107, 1, 0,
		0, 0, 110, 102, 1, 0, 0, 0, 110, 103, 1, 0, 0, 0, 111, 32, 1, 0, 0, 0,
		112, 114, 5, 46, 0, 0, 113, 115, 7, 4, 0, 0, 114, 113, 1, 0, 0, 0, 115,
		116, 1, 0, 0, 0, 116, 114, 1, 0, 0, 0, 116, 117, 1, 0, 0, 0, 117, 34, 1,
		0, 0, 0, 118, 120, 7, 5, 0, 0, 119, 121, 7, 6, 0, 0, 120, 119, 1, 0, 0,
		0, 120, 121, 1, 0, 0, 0, 121, 123, 1, 0, 0, 0, 122, 124, 7, 4, 0, 0, 123,
		122, 1, 0, 0, 0, 124, 125, 1, 0, 0, 0, 125, 123, 1, 0, 0, 0, 125, 126,
		1, 0, 0, 0, 126, 36, 1, 0, 0, 0, 127, 129, 7, 7, 0, 0, 128, 127, 1, 0,
		0, 0, 129, 130, 1, 0, 0, 0, 130, 128, 1, 0, 0, 0, 130, 131, 1, 0, 0, 0,
		131, 132, 1, 0, 0, 0, 132, 133, 6, 18, 0, 0, 133, 38, 1, 0, 0, 0, 13, 0,
		70, 72, 82, 93, 97, 100, 107, 110, 116, 120, 125, 130, 1, 6, 0, 0,
	}
	deserializer := antlr.NewATNDeserializer(nil)
	staticData.atn = deserializer.Deserialize(staticData.serializedATN)
	atn := staticData.atn
	staticData.decisionToDFA = make([]*antlr.DFA, len(atn.DecisionToState))
	decisionToDFA := staticData.decisionToDFA
	for index, state := range atn.DecisionToState {
		decisionToDFA[index] = antlr.NewDFA(state, index)
	}
}

// jsonLexerInit initializes any static state used to implement jsonLexer. By default the
// static state used to implement the lexer is lazily initialized during the first call to
// NewjsonLexer(). You can call this function if you wish to initialize the static state ahead
// of time.
func JsonLexerInit() {
	staticData := &JsonLexerLexerStaticData
	staticData.once.Do(jsonlexerLexerInit)
}

// NewjsonLexer produces a new lexer instance for the optional input antlr.CharStream.
func NewjsonLexer(input antlr.CharStream) *jsonLexer {
	JsonLexerInit()
	l := new(jsonLexer)
	l.BaseLexer = antlr.NewBaseLexer(input)
	staticData := &JsonLexerLexerStaticData
	l.Interpreter = antlr.NewLexerATNSimulator(l, staticData.atn, staticData.decisionToDFA, staticData.PredictionContextCache)
	l.channelNames = staticData.ChannelNames
	l.modeNames = staticData.ModeNames
	l.RuleNames = staticData.RuleNames
	l.LiteralNames = staticData.LiteralNames
	l.SymbolicNames = staticData.SymbolicNames
	l.GrammarFileName = "json.g4"
	// TODO: l.EOF = antlr.TokenEOF

	return l
}

// jsonLexer tokens.
const (
	jsonLexerT__0       = 1
	jsonLexerT__1       = 2
	jsonLexerT__2       = 3
	jsonLexerT__3       = 4
	jsonLexerT__4       = 5
	jsonLexerT__5       = 6
	jsonLexerT__6       = 7
	jsonLexerT__7       = 8
	jsonLexerT__8       = 9
	jsonLexerSTRING     = 10
	jsonLexerNUMBER     = 11
	jsonLexerWHITESPACE = 12
)
