package atn

import (
	"sync"

	"github.com/antlr4-go/antlr/v4"
)

// This file connects the ANTLR runtime as a second prediction engine, for
// comparison. It cannot be interrupted and its memory is unlimited, so it must
// not be used with untrusted grammars.

// A runtime is a parser's network in the ANTLR runtime.
type runtime struct {
	atn       *antlr.ATN
	decisions []*antlr.DFA
	contexts  *antlr.PredictionContextCache
}

// runtimeOf returns a function that loads a network into the runtime on its
// first call.
func runtimeOf(net func() *network) func() *runtime {
	return sync.OnceValue(func() *runtime {
		rt := &runtime{
			atn:      antlr.NewATNDeserializer(nil).Deserialize(net().serialize()),
			contexts: antlr.NewPredictionContextCache(),
		}
		for i, d := range rt.atn.DecisionToState {
			rt.decisions = append(rt.decisions, antlr.NewDFA(d, i))
		}
		return rt
	})
}

// A runtimeRun adapts a run to the interfaces that the runtime's prediction
// requires: parser, token stream and rule context.
type runtimeRun struct {
	*antlr.BaseParser // required by the runtime; the relevant methods are overridden

	run       *run
	simulator *antlr.ParserATNSimulator
}

func newRuntimeRun(r *run, rt *runtime) *runtimeRun {
	rr := &runtimeRun{BaseParser: antlr.NewBaseParser(nil), run: r}
	rr.RemoveErrorListeners()
	rr.simulator = antlr.NewParserATNSimulator(rr, rt.atn, rt.decisions, rt.contexts)
	rr.Interpreter = rr.simulator
	return rr
}

// predict returns the alternative to take at a decision, from 1, or 0 for none.
func (rr *runtimeRun) predict(p *flatState, full bool) int32 {
	mode := antlr.PredictionModeSLL
	if full {
		mode = antlr.PredictionModeLL
	}
	rr.simulator.SetPredictionMode(mode)
	at := &stackContext{run: rr.run, depth: len(rr.run.stack) - 1}
	alt := rr.simulator.AdaptivePredict(rr.BaseParser, stream{rr.run}, int(p.decision), at)
	if rr.HasError() {
		rr.SetError(nil)
		return 0
	}
	return int32(alt)
}

// GetPrecedence returns the precedence of the topmost rule call.
func (rr *runtimeRun) GetPrecedence() int {
	return int(rr.run.stack[len(rr.run.stack)-1].precedence)
}

// Precpred reports whether an operator binds tightly enough here.
func (rr *runtimeRun) Precpred(_ antlr.RuleContext, p int) bool { return p >= rr.GetPrecedence() }

// Sempred treats every predicate as true.
func (rr *runtimeRun) Sempred(antlr.RuleContext, int, int) bool { return true }

// A stream is the token stream of a run.
type stream struct{ *run }

// Consume advances to the next visible token.
func (s stream) Consume() {
	s.step(1)
	if s.pos < len(s.visible)-1 {
		s.pos++
	}
}

// LA returns the type of the k-th token ahead, from 1.
func (s stream) LA(k int) int {
	if i := s.pos + k - 1; k > 0 && i < len(s.visible) {
		return int(s.tokens[s.visible[i]].Type)
	}
	return antlr.TokenEOF
}

// LT returns the k-th token ahead, from 1.
func (s stream) LT(k int) antlr.Token { return s.Get(min(s.pos+k-1, len(s.visible)-1)) }

// Get returns token i. The runtime uses only its type and index.
func (s stream) Get(i int) antlr.Token {
	t := s.tokens[s.visible[i]]
	token := antlr.CommonTokenFactoryDEFAULT.Create(
		&antlr.TokenSourceCharStreamPair{}, int(t.Type), "", antlr.TokenDefaultChannel, int(t.Start), int(t.End)-1, 0, 0)
	token.SetTokenIndex(i)
	return token
}

// Index returns the position of the stream.
func (s stream) Index() int { return s.pos }

// Seek sets the position of the stream.
func (s stream) Seek(i int) { s.pos = i }

// Size returns the number of visible tokens.
func (s stream) Size() int { return len(s.visible) }

// Mark does nothing: all tokens are buffered.
func (s stream) Mark() int { return 0 }

// Release does nothing.
func (s stream) Release(int) {}

// Reset moves the stream to its start.
func (s stream) Reset() { s.pos = 0 }

// The runtime's interfaces also require the following methods, which prediction
// never calls.

// GetSourceName returns nothing.
func (s stream) GetSourceName() string { return "" }

// GetTokenSource returns nothing.
func (s stream) GetTokenSource() antlr.TokenSource { return nil }

// SetTokenSource does nothing.
func (s stream) SetTokenSource(antlr.TokenSource) {}

// GetAllText returns nothing.
func (s stream) GetAllText() string { return "" }

// GetTextFromInterval returns nothing.
func (s stream) GetTextFromInterval(antlr.Interval) string { return "" }

// GetTextFromRuleContext returns nothing.
func (s stream) GetTextFromRuleContext(antlr.RuleContext) string { return "" }

// GetTextFromTokens returns nothing.
func (s stream) GetTextFromTokens(antlr.Token, antlr.Token) string { return "" }

// A stackContext presents the run's stack up to a depth as a chain of rule
// contexts. Only full-context prediction uses it.
type stackContext struct {
	antlr.ParserRuleContext
	run   *run
	depth int
}

// GetParent returns the context of the calling rule.
func (c *stackContext) GetParent() antlr.Tree {
	if c.depth == 0 {
		return nil
	}
	return &stackContext{run: c.run, depth: c.depth - 1}
}

// GetInvokingState returns the state that called the rule.
func (c *stackContext) GetInvokingState() int {
	if c.depth == 0 {
		return -1
	}
	return int(c.run.stack[c.depth].call)
}

// IsEmpty reports whether this is the start rule's context.
func (c *stackContext) IsEmpty() bool { return c.depth == 0 }

// GetRuleIndex returns the rule's index.
func (c *stackContext) GetRuleIndex() int { return int(c.run.stack[c.depth].rule) }

func (c *stackContext) String([]string, antlr.RuleContext) string { return "" }
