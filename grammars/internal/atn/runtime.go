package atn

import (
	"sync"

	"github.com/antlr4-go/antlr/v4"
)

// The ANTLR runtime is the other engine: its adaptive prediction is asked where
// a caller wants a second opinion. It cannot be interrupted and its memory is
// not bounded, so it is not for grammars of strangers.

// A runtime is a parser's network as the ANTLR runtime holds it.
type runtime struct {
	atn       *antlr.ATN
	decisions []*antlr.DFA
	contexts  *antlr.PredictionContextCache
}

// runtimeOf returns a function that loads a network into the runtime when it is
// first called.
func runtimeOf(net *network) func() *runtime {
	return sync.OnceValue(func() *runtime {
		rt := &runtime{
			atn:      antlr.NewATNDeserializer(nil).Deserialize(net.serialize()),
			contexts: antlr.NewPredictionContextCache(),
		}
		for i, d := range rt.atn.DecisionToState {
			rt.decisions = append(rt.decisions, antlr.NewDFA(d, i))
		}
		return rt
	})
}

// A runtimeRun shows a run to the runtime as the parser, the token stream and
// the rule context that adaptive prediction asks for.
type runtimeRun struct {
	*antlr.BaseParser // the runtime wants a parser; what matters of it is overridden

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

// predict returns the alternative that a decision takes, from 1, 0 for none.
func (rr *runtimeRun) predict(p *place, full bool) int32 {
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

// GetPrecedence returns the precedence that the topmost rule was called with.
func (rr *runtimeRun) GetPrecedence() int {
	return int(rr.run.stack[len(rr.run.stack)-1].precedence)
}

// Precpred tells whether an operator binds tightly enough here.
func (rr *runtimeRun) Precpred(_ antlr.RuleContext, p int) bool { return p >= rr.GetPrecedence() }

// Sempred counts every predicate as true: target-language code is not run.
func (rr *runtimeRun) Sempred(antlr.RuleContext, int, int) bool { return true }

// A stream shows the tokens of a run.
type stream struct{ *run }

// Consume moves on to the next token that the parser sees.
func (s stream) Consume() {
	s.step(1)
	if s.pos < len(s.visible)-1 {
		s.pos++
	}
}

// LA returns the type of the token k places ahead, from 1.
func (s stream) LA(k int) int {
	if i := s.pos + k - 1; k > 0 && i < len(s.visible) {
		return int(s.tokens[s.visible[i]].Type)
	}
	return antlr.TokenEOF
}

// LT returns the token k places ahead, from 1.
func (s stream) LT(k int) antlr.Token { return s.Get(min(s.pos+k-1, len(s.visible)-1)) }

// Get returns token i for the runtime, which looks at its type and index.
func (s stream) Get(i int) antlr.Token {
	t := s.tokens[s.visible[i]]
	token := antlr.CommonTokenFactoryDEFAULT.Create(
		&antlr.TokenSourceCharStreamPair{}, int(t.Type), "", antlr.TokenDefaultChannel, int(t.Start), int(t.End)-1, 0, 0)
	token.SetTokenIndex(i)
	return token
}

// Index returns where the stream stands.
func (s stream) Index() int { return s.pos }

// Seek moves the stream.
func (s stream) Seek(i int) { s.pos = i }

// Size returns the number of tokens that the parser sees.
func (s stream) Size() int { return len(s.visible) }

// Mark does nothing: the tokens are all there.
func (s stream) Mark() int { return 0 }

// Release does nothing.
func (s stream) Release(int) {}

// Reset moves the stream to its start.
func (s stream) Reset() { s.pos = 0 }

// The runtime's interfaces also ask for these, which prediction never calls.

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

// A stackContext shows the run's stack up to a depth as a chain of rule
// contexts. Only prediction with the whole stack looks at it.
type stackContext struct {
	antlr.ParserRuleContext
	run   *run
	depth int
}

// GetParent returns the context of the rule below.
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
