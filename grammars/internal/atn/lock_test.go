package atn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inroad/inroad/grammars/limit"
)

// TestWaiting checks that a run waiting for a shared cache stops when its
// context or time ends, and continues when the cache is free.
func TestWaiting(t *testing.T) {
	for name, of := range map[string]func(*Machine) *lock{
		"for the lexer":     func(m *Machine) *lock { return m.lexer.cache.Load().lock },
		"for the predictor": func(m *Machine) *lock { return m.predictor.cache.Load().lock },
	} {
		t.Run(name, func(t *testing.T) {
			m := machineOf(t, "grammar G; s : (a | b)* EOF ; a : A A B ; b : A B ; A : 'a' ; B : 'b' ;")
			held := of(m)
			held.acquire(&run{ctx: t.Context()})
			ctx, cancel := context.WithCancelCause(t.Context())
			errAsked := errors.New("asked to stop")
			var group sync.WaitGroup
			group.Go(func() {
				if _, err := m.Parse(ctx, []byte("aabab"), Options{Limits: testLimits()}); !errors.Is(err, errAsked) {
					t.Errorf("cancelled: %v, want %v", err, errAsked)
				}
			})
			cancel(errAsked)
			group.Wait()
			soon := testLimits()
			soon.Time = time.Millisecond
			if _, err := m.Parse(t.Context(), []byte("aabab"), Options{Limits: soon}); !errors.Is(err, ErrTime) {
				t.Errorf("out of time: %v, want %v", err, ErrTime)
			}
			for range 3 {
				group.Go(func() {
					if _, err := m.parse("aabab"); err != nil {
						t.Errorf("after the wait: %v", err)
					}
				})
			}
			held.release()
			group.Wait()
		})
	}
}

// TestStartPredictorsShareLimit checks that the predictors of many start rules share
// their size limit.
func TestStartPredictorsShareLimit(t *testing.T) {
	var text strings.Builder
	text.WriteString("grammar G; s : (")
	for i := range 40 {
		fmt.Fprintf(&text, "r%d | ", i)
	}
	text.WriteString("A)* EOF ; ")
	for i := range 40 {
		fmt.Fprintf(&text, "r%d : A (A | B)* 'b' ; ", i)
	}
	text.WriteString("A : 'a' ; B : 'b' ;")
	m := machineOf(t, text.String())
	first := m.startPredictors.of(m.predictor, 1)
	if again := m.startPredictors.of(m.predictor, 1); again != first {
		t.Error("the same start rule has another predictor")
	}
	for rule := range 40 {
		m.startPredictors.of(m.predictor, 1+rule)
		if n := len(m.startPredictors.byRule); n > maxStartPredictors {
			t.Fatalf("%d predictors are held, want %d at most", n, maxStartPredictors)
		}
	}
	last := m.startPredictors.of(m.predictor, 40)
	last.cache.Load().held.Store(maxStartPredictorsSize + 1)
	if m.startPredictors.of(m.predictor, 40) != last || len(m.startPredictors.byRule) != 1 {
		t.Errorf("%d predictors are held, want the one that is asked for", len(m.startPredictors.byRule))
	}
}

func TestLimits(t *testing.T) {
	m := machineOf(t, `grammar G; s : (e | '(' s ')')* EOF? ; e : e 'b' | A ; A : 'a' ; B : 'b' ; L : '(' ; R : ')' ;
		WS : ' ' -> skip ; H : '#' -> more ; P : '<' -> pushMode(DEFAULT_MODE) ;`)
	tests := []struct {
		name  string
		input string
		limit func(*Limits)
		want  string
	}{
		{"tokens", strings.Repeat("a", 11), func(l *Limits) { l.Tokens = 10 }, "tokens: limit of 10 reached"},
		{"as many tokens as may be", strings.Repeat("a", 10), func(l *Limits) { l.Tokens = 10 }, ""},
		{"tokens that are skipped", strings.Repeat(" ", 11), func(l *Limits) { l.Tokens = 10 }, "tokens: limit of 10 reached"},
		{"parts of tokens", strings.Repeat("#", 11), func(l *Limits) { l.Tokens = 10 }, "tokens: limit of 10 reached"},
		{"nodes", strings.Repeat("a", 11), func(l *Limits) { l.Nodes = 20 }, "nodes of the tree: limit of 20 reached"},
		{"nodes of operands", "a" + strings.Repeat("b", 20), func(l *Limits) { l.Nodes = 30 }, "nodes of the tree: limit of 30 reached"},
		{"as many nodes as may be", "a" + strings.Repeat("b", 8), func(l *Limits) { l.Nodes = 20 }, ""},
		{"modes", strings.Repeat("<", maxModes+1), func(l *Limits) { l.Tokens, l.Steps = 1<<30, 1<<30 }, fmt.Sprintf("depth of the mode stack: limit of %d reached", maxModes)},
		{"depth", strings.Repeat("(", 30), func(l *Limits) { l.Depth = 20 }, "nesting of rules: limit of 20 reached"},
		{"steps", strings.Repeat("a", 1000), func(l *Limits) { l.Steps = 500 }, "parser steps: limit of 500 reached"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			limits := testLimits()
			test.limit(&limits)
			tree, err := m.Parse(t.Context(), []byte(test.input), Options{Whole: true, Limits: limits})
			switch over := new(limit.Error); {
			case test.want == "" && err == nil:
				if tree.Len() > limits.Nodes || len(tree.Tokens()) > limits.Tokens+1 {
					t.Errorf("%d nodes and %d tokens", tree.Len(), len(tree.Tokens()))
				}
			case !errors.As(err, &over) || over.Error() != test.want:
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestLock checks that a lock admits one run at a time, admits every run in the
// end, and survives runs that stop waiting.
func TestLock(t *testing.T) {
	g := newLock()
	inside, passed := 0, 0
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 500 {
				ctx, cancel := context.WithCancel(t.Context())
				if (worker+i)%7 == 0 {
					cancel()
				}
				if entered(g, &run{ctx: ctx}) {
					if inside++; inside != 1 {
						t.Errorf("%d are inside", inside)
					}
					passed++
					inside--
					g.release()
				} else if ctx.Err() == nil {
					t.Error("gave up without need")
				}
				cancel()
			}
		})
	}
	group.Wait()
	if passed < 8*500*6/7 {
		t.Errorf("%d passed", passed)
	}
}

func entered(g *lock, r *run) (ok bool) {
	defer func() { ok = recover() == nil }()
	g.acquire(r)
	return true
}
