package grammars_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/limit"
)

// maxMemory is the memory that one request may use, including garbage.
const maxMemory = 640 << 20

// bounded runs f and checks its memory use. It logs the time; a hang ends the
// test.
func bounded(t *testing.T, memory int64, f func()) {
	t.Helper()
	runtime.GC()
	before := memoryInUse()
	done := make(chan struct{})
	var sampling sync.WaitGroup
	peak := before
	sampling.Go(func() {
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-done:
				tick.Stop()
				return
			case <-tick.C:
				peak = max(peak, memoryInUse())
			}
		}
	})
	begin := time.Now()
	f()
	took := time.Since(begin)
	close(done)
	sampling.Wait()
	used := int64(peak) - int64(before)
	t.Logf("%v, %d MiB", took.Round(time.Millisecond), used>>20)
	if used > memory && !underRace {
		t.Errorf("took %d MiB", used>>20)
	}
}

func memoryInUse() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapInuse + stats.StackInuse
}

// named checks that an error has a known type, and returns the start of its
// text.
func named(t *testing.T, err error) string {
	t.Helper()
	var syntax *grammars.SyntaxError
	var over *limit.Error
	var load g4.Diagnostics
	switch {
	case err == nil:
		return "parsed"
	case errors.As(err, &syntax):
		return "syntax"
	case errors.As(err, &over):
		return "limit: " + over.Error()
	case errors.As(err, &load):
		return "load: " + load.Error()
	default:
		t.Errorf("an error without a name: %v", err)
		return ""
	}
}

type hostileCase struct {
	name  string
	text  func() string
	input func() string
	want  []string // starts of the outcomes that will do
}

func constant(s string) func() string { return func() string { return s } }

func repeated(head, part string, n int, tail string) func() string {
	return func() string { return head + strings.Repeat(part, n) + tail }
}

// numbered texts: part is formatted with each number up to n.
func counted(head, part string, n int, tail string) func() string {
	return func() string {
		var b strings.Builder
		b.WriteString(head)
		for i := range n {
			b.WriteString(strings.ReplaceAll(strings.ReplaceAll(part, "#+", fmt.Sprint(i+1)), "#", fmt.Sprint(i)))
		}
		return b.String() + tail
	}
}

// random returns n characters of a small alphabet, the same on every call.
func random(n int, chars string) func() string {
	return func() string {
		r := rand.New(rand.NewPCG(1, uint64(n)))
		b := make([]byte, n)
		for i := range b {
			b[i] = chars[r.IntN(len(chars))]
		}
		return string(b)
	}
}

// hostileLimits are the default limits, or lower ones to keep tests short.
func hostileLimits() grammars.Limits {
	if *long {
		return grammars.Limits{}
	}
	if underRace {
		return grammars.Limits{Steps: 50_000, Time: time.Minute}
	}
	return grammars.Limits{Steps: 1_000_000, Time: time.Minute}
}

const (
	limitSteps = "limit: parser steps: "
	limitTime  = "limit: time to parse: "
	limitDepth = "limit: nesting of rules: "
	limitToken = "limit: nesting of lexer rules in one token: "
	limitNodes = "limit: nodes of a grammar: "
	limitSize  = "limit: size of a loaded grammar: "
	limitText  = "limit: text of a grammar: "
	limitParts = "limit: elements of a grammar file: "
	limitMerge = "limit: steps to merge literals: "
)

func hostileCases() []hostileCase {
	whatever := []string{"parsed", "syntax", "limit: "}
	return []hostileCase{
		{"indirect left recursion", constant("grammar G; a : b 'x' | 'y' ; b : c ; c : a | 'z' ;"), constant("y"), []string{"load: 1.g4:1:16: unsupported left recursion: a -> b -> c -> a"}},
		{"a loop of nothing", constant("grammar G; a : (A?)* ; A : 'a' ;"), constant("a"), []string{"load: 1.g4:1:16: rule a repeats"}},
		{"a loop of nothing in a token", constant("grammar G; a : A ; A : ('a'?)* ;"), constant("a"), []string{"load: 1.g4:1:24: rule A repeats"}},
		{"a loop of rules that can be nothing", constant("grammar G; a : (b c)+ ; b : 'b'? ; c : d? ; d : | 'd' ;"), constant("b"), []string{"load: 1.g4:1:16: rule a repeats"}},
		{
			"optional parts inside each other", func() string {
				body := "A? B?"
				for range 60 {
					body = "(" + body + " A? B?)?"
				}
				return "grammar G; a : " + body + " C EOF ; A : 'a' ; B : 'b' ; C : 'c' ;"
			}, repeated("", "ab", 60, "c"), whatever,
		},
		{
			"optional parts inside each other, by rules", counted("grammar G; s : a0 C EOF ; ", "a# : (a#+? A? B?)? ; ", 200, "a200 : A ; A : 'a' ; B : 'b' ; C : 'c' ;"),
			repeated("", "ab", 100, "c"), whatever,
		},
		{
			"optional parts after each other", func() string {
				return "grammar G; a : " + strings.Repeat("(A? B?)? ", 400) + "C EOF ; A : 'a' ; B : 'b' ; C : 'c' ;"
			}, repeated("", "ab", 300, "c"), whatever,
		},
		{
			"a chain of optional rules", counted("grammar G; s : ", "a#? ", 1000, "EOF ; "+counted("", "a# : A | B ; ", 1000, "A : 'a' ; B : 'b' ;")()),
			repeated("", "ab", 400, ""), whatever,
		},
		{"rules that match nothing", constant("grammar G; s : a b c EOF ; a : ; b : a a a ; c : b? b | ; A : 'a' ;"), constant(""), []string{"parsed"}},
		{"many empty rules", counted("grammar G; s : a0 EOF ; ", "a# : a#+ a#+ | ; ", 400, "a400 : 'x' | ;"), constant("x"), whatever},
		{"tokens that match nothing", constant("grammar G; s : A* B EOF ; A : 'a'* ; B : ; C : 'c'?? ;"), repeated("", "c", 100_000, ""), []string{"syntax"}},
		{"20,000 rules", counted("grammar G; s : r0 EOF ; ", "r# : r#+ ;", 20_000, "r20000 : 'x' ;"), constant("x"), []string{"parsed"}},
		{"20,000 rules that can all begin alike", counted("grammar G; s : r0 EOF ; ", "r# : A | r#+ B ;", 20_000, "r20000 : 'x' ; A : 'a' ; B : 'b' ;"), repeated("a", "b", 1000, ""), whatever},
		{"20,000 fragments", counted("grammar G; s : A EOF ; A : F0 ; B : 'b' ; ", "fragment F# : F#+ ;", 20_000, "fragment F20000 : 'x' ;"), constant("x"), []string{"parsed", limitToken, "load: "}},
		{"20,000 fragments that can be nothing", counted("grammar G; s : A EOF ; A : F0 'x' ; B : 'b' ; ", "fragment F# : F#+?;", 9_000, "fragment F9000 : 'x' ;"), constant("x"), []string{"parsed", limitToken, "load: "}},
		{"20,000 tokens", counted("grammar G; s : (", " A#|", 20_000, " 'x')* EOF ; "+counted("", "A#:'a#';", 20_000, "")()), repeated("", "a19999a7a70", 1000, ""), []string{"parsed"}},
		{"tokens that begin alike", counted("grammar G; s : A0* EOF ; ", "A#:'"+strings.Repeat("y", 200)+"#';", 2_000, ""), constant(strings.Repeat("y", 200) + "0"), []string{"parsed"}},
		{"2,000 tokens and sets of all", counted("grammar G; s : e EOF ; e : ", ". ~A# .? | ", 2_000, "e e ; "+counted("", "A#:'a#';", 2_000, "")()), repeated("", "a1", 1000, ""), whatever},
		{
			"many wildcards over many tokens", func() string {
				return counted("grammar G; s : ", ". ", 100_000, "; ")() + counted("", "A#:'a#';", 15_000, "")()
			}, constant("a1a2"), append([]string{"load: "}, whatever...),
		},
		{"5,000 alternatives", counted("grammar G; s : a+ EOF ; a : ", "A A B A C '#' | ", 5_000, "A ; A : 'a' ; B : 'b' ; C : 'c' ;"), repeated("", "aabac4999", 2000, ""), whatever},
		{"5,000 alternatives of a token", counted("grammar G; s : A+ EOF ; A : ", "'a#' | [b-d] '#' | ", 2_500, "'e' ;"), repeated("", "a2499b7", 2000, "e"), []string{"parsed"}},
		{"70,000 alternatives of a token", counted("grammar G; s : A+ EOF ; A : ", "'a#'|", 70_000, "'e' ;"), constant("a69999a7a65537e"), []string{limitSize}},
		{
			"rules that go on, and tokens that they go on to", counted("grammar G; s : (", "T#|", 6_000, "'x')* EOF ; "+counted("", "T#:'t#';M#:'m#'->more;", 6_000, "")()),
			constant("m1t1"),
			[]string{limitNodes},
		},
		{"nested comments", constant("grammar G; s : C EOF ; C : '(' (C | ~[()])* ')' ;"), func() string { return strings.Repeat("(", 20_000) + strings.Repeat(")", 20_000) }, []string{limitToken}},
		{"nested comments, not too deep", constant("grammar G; s : C EOF ; C : '(' (C | ~[()])* ')' ;"), func() string { return strings.Repeat("(", 1_000) + strings.Repeat(")", 1_000) }, []string{"parsed"}},
		{"nested comments that end early", constant("grammar G; s : C EOF ; C : '/*' (C | .)*? '*/' ;"), func() string { return strings.Repeat("/*", 9_000) + strings.Repeat("*/", 9_000) }, []string{"parsed", limitSteps, limitTime, limitToken}},
		{"many states of the lexer, 18", constant("grammar G; s : (T | L)* EOF ; T : [ab]* 'a' " + strings.Repeat("[ab] ", 18) + "'c' ; L : [abc] ;"), random(1<<18, "ab"), whatever},
		{"many states of the lexer, 24", constant("grammar G; s : (T | L)* EOF ; T : [ab]* 'a' " + strings.Repeat("[ab] ", 24) + "'c' ; L : [abc]+ ;"), random(4<<20, "ab"), whatever},
		{"a lexer that goes back again and again", constant("grammar G; s : (A | B)* EOF ; A : 'a' ; B : 'a'* 'b' ;"), repeated("", "a", 1<<20, ""), whatever},
		{"popMode with nothing to return to", constant("lexer grammar L; A : 'a' -> popMode ;\n"), constant("a"), nil},
		{"pushMode again and again", constant("lexer grammar L; A : 'a' -> pushMode(DEFAULT_MODE) ;\n"), repeated("", "a", 4<<20, ""), nil},
		{"more without end", constant("lexer grammar L; A : 'b' ; B : 'a' -> more ;\n"), repeated("", "a", 4<<20, ""), nil},
		{"a right-recursive fragment", constant("grammar G; s : A EOF ; A : F ; fragment F : 'a' F | 'b' ;"), repeated("", "a", 1<<20, "b"), []string{limitToken}},
		{"a right-recursive fragment at its end", constant("grammar G; s : A EOF ; A : F ; fragment F : 'a' F? ;"), repeated("", "a", 1<<20, ""), whatever},
		{"exponentially many derivations", constant("grammar G; s : e EOF ; e : e e | 'a' ;"), repeated("", "a", 2000, ""), whatever},
		{"exponentially many derivations of nothing", constant("grammar G; s : e EOF ; e : e 'a' e | e 'a' | ;"), repeated("", "a", 2000, ""), whatever},
		{"exponentially many derivations by rules", constant("grammar G; s : a EOF ; a : b a | b ; b : 'x' a? 'y'? | 'x' 'x' ;"), repeated("", "x", 2000, "y"), whatever},
		{"exponentially many derivations without recursion to the left", constant("grammar G; s : p* EOF ; p : 'a' p? p? p? ;"), repeated("", "a", 500, ""), whatever},
		{"unbounded lookahead", constant("grammar G; s : (a 'x' | b 'y')* EOF ; a : 'i'* ; b : 'i'* ;"), repeated("", strings.Repeat("i", 2000)+"y", 100, ""), whatever},
		{"unbounded lookahead at each token", constant("grammar G; s : ('i' 'i'* 'x' | 'i')* EOF ;"), repeated("", "i", 1<<20, ""), whatever},
		{"unbounded lookahead into brackets", constant("grammar G; s : (a 'x' | b 'y') EOF ; a : '(' a ')' | 'i' ; b : '(' b ')' | 'i' ;"), func() string { return strings.Repeat("(", 1<<20) + "i" + strings.Repeat(")", 1<<20) + "y" }, whatever},
		{"unbounded lookahead into brackets at each of them", constant("grammar G; s : a EOF ; a : '(' a ')' 'x' | '(' a ')' 'y' | 'i' ;"), func() string { return strings.Repeat("(", 50_000) + "i" + strings.Repeat(")y", 50_000) }, whatever},
		{"the whole stack at each token", constant("grammar G; s : 'p' a 'x' 'y' | 'q' a 'y' ; a : '(' a ')' | b 'x'? ; b : 'i' ;"), func() string { return "p" + strings.Repeat("(", 40_000) + "ix" + strings.Repeat(")", 40_000) + "xy" }, whatever},
		{"an error after long lookahead", constant("grammar G; s : (a 'x' | b 'y') EOF ; a : ('i' | 'j')* ; b : ('i' | 'k')* ;"), repeated("", "i", 1<<20, "z"), whatever},
		{"an error with many expectations", counted("grammar G; s : a 'x' | b 'y' ; a : c* ; b : c* ; c : ", "'c#' | ", 3_000, "'c' ;"), repeated("", "c1c2", 5_000, "?"), whatever},
		{"a huge literal", constant("grammar G; s : 'a' L EOF ; L : '" + strings.Repeat("xy", 200_000) + "' ; X : [xy] ;"), repeated("a", "xy", 200_000, ""), whatever},
		{"a huge set", func() string {
			var b strings.Builder
			for c := rune(0x100); c < 0x18000; c += 2 {
				if c < 0xD800 || c > 0xDFFF {
					b.WriteRune(c)
				}
			}
			return "grammar G; s : L+ M* EOF ; L : [" + b.String() + "] ; M : ~[a] ;"
		}, constant("ĀĂāa"), []string{"limit: character classes of a lexer: limit of 65535 reached"}},
		{"a negated set of many properties", constant(`grammar G; s : L EOF ; L : ~[` + strings.Repeat(`\p{L}`, 200_000) + `] ;`), constant("1"), []string{"limit: steps to load a grammar: "}},
		{"brackets in a rule", func() string {
			return "grammar G; a : " + strings.Repeat("(", 500_000) + "A" + strings.Repeat(")", 500_000) + " ;"
		}, constant(""), []string{"load: 1.g4:1:516: parentheses are nested more than 500 deep"}},
		{"brackets in a rule, as many as may be", func() string {
			body := strings.Repeat("('b' | ", 499) + "A" + strings.Repeat(")?", 499)
			return "grammar G; a : " + strings.Repeat(body+" | ", rounds(40, 100)) + "C EOF ; A : 'a' ; C : 'c' ;"
		}, constant("c"), append([]string{"load: "}, whatever...)},
		{"rules around each token", constant("grammar G; s : a* EOF ; a : b ; b : c ; c : d ; d : 'x' | 'y' d ;"), repeated("", "x", 3<<20, ""), whatever},
		{"operands around each token", constant("grammar G; s : e EOF ; e : e 'x' | e 'y' e | 'x' ;"), repeated("", "x", 3<<20, ""), whatever},
		{"fragments around each character", counted("grammar G; s : A EOF ; A : F0+ ; B : 'b' ; ", "fragment F# : F#+ ;", 50, "fragment F50 : 'x' ;"), repeated("", "x", 1<<20, ""), whatever},
		{"a choice at each character", constant("grammar G; s : A EOF ; A : F+ 'y' ; fragment F : 'x' | 'x' 'x' ;"), repeated("", "x", 4<<20, "y"), whatever},
		{"a choice at each character of many tokens", constant("grammar G; s : A* EOF ; A : (F | G)+ 'y' ; fragment F : 'x' F? | 'x' F F ; fragment G : 'x' | F G ;"), repeated("", strings.Repeat("x", 40)+"y", 20_000, ""), whatever},
		{"many modes for each token", func() string {
			return "lexer grammar L; A : 'a' -> pushMode(M)" + strings.Repeat(", pushMode(M)", 5000) + " ; mode M; B : 'a' -> type(A)" + strings.Repeat(", pushMode(M)", 5000) + " ;"
		}, repeated("", "a", 1<<20, ""), nil},
		{"operators without number", counted("grammar G; s : e EOF ; e : ", "e '#' e | ", 3_000, "'x' ;"), repeated("x", "1x2x", 5_000, ""), whatever},
		{"prefix operators without number", counted("grammar G; s : e EOF ; e : ", "'#' e | ", 3_000, "'x' ;"), repeated("", "1 ", 0, "x"), whatever},
	}
}

// TestHostileGrammars checks that every grammar and input yields an answer or a
// limit error, in bounded time and memory.
func TestHostileGrammars(t *testing.T) {
	for _, test := range hostileCases() {
		t.Run(test.name, func(t *testing.T) {
			texts := []string{test.text()}
			if strings.HasPrefix(texts[0], "lexer") {
				texts = append(texts, "parser grammar P; options {tokenVocab=L;} s : A* EOF ;")
				test.want = []string{"syntax", "parsed", "limit"}
			}
			input := []byte(test.input())
			bounded(t, maxMemory, func() {
				var sources []grammars.Source
				for i, text := range texts {
					sources = append(sources, grammars.Source{Name: fmt.Sprintf("%d.g4", i+1), Text: text})
				}
				g, err := grammars.Load(t.Context(), sources...)
				var tree *derivation.Tree
				if err == nil {
					tree, err = g.Parse(t.Context(), input, grammars.ParseOptions{Limits: hostileLimits()})
				}
				got := named(t, err)
				t.Log(cut(got))
				ok := false
				for _, want := range test.want {
					ok = ok || underRace && strings.HasPrefix(got, limitSteps) || strings.HasPrefix(got, want)
				}
				if !ok {
					t.Errorf("got %s, want one of %q", cut(got), test.want)
				}
				if err == nil {
					takeApart(t, tree)
				}
			})
		})
	}
}

func cut(s string) string { return s[:min(len(s), 200)] }

// takeApart derives the first tokens of a tree.
func takeApart(t *testing.T, tree *derivation.Tree) {
	t.Helper()
	for i, token := range tree.Tokens() {
		if i == 50 {
			break
		}
		inside, err := tree.Dissect(i)
		if err != nil {
			if got := named(t, err); !strings.HasPrefix(got, "limit") {
				t.Errorf("inside of token %d: %v", i, err)
			}
			continue
		}
		if want := string(tree.Input()[token.Start:token.End]); inside != nil && inside.String() != want {
			t.Errorf("inside of token %d prints as %q, want %q", i, cut(inside.String()), cut(want))
		}
	}
}

// TestHostileInputs checks that bundled grammars handle arbitrary bytes.
func TestHostileInputs(t *testing.T) {
	size := 8 << 20
	if underRace {
		size = 1 << 16
	}
	noise := make([]byte, size)
	r := rand.New(rand.NewPCG(2, 3))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	inputs := map[string][]byte{
		"random bytes":       noise,
		"continuation bytes": bytes.Repeat([]byte{0x9A}, size),
		"not UTF-8":          bytes.Repeat([]byte{'"', 0xC3, 0x28, 0xED, 0xA0, 0x80, '"'}, size/7),
		"NUL":                make([]byte, size),
		"nothing":            nil,
		"white space":        bytes.Repeat([]byte(" "), size),
		"brackets":           bytes.Repeat([]byte("["), size),
		"round brackets":     bytes.Repeat([]byte("("), size),
		"signs":              bytes.Repeat([]byte("+ "), size/2),
		"one string":         append(bytes.Repeat([]byte("\"\\u00e9"), size/7), '"'),
		"digits":             bytes.Repeat([]byte("1"), size),
		"one long string":    append(append([]byte{'"'}, bytes.Repeat([]byte("x"), size-2)...), '"'),
		"quotes":             bytes.Repeat([]byte(`"`), size),
	}
	for _, name := range bundled.Names() {
		g, err := bundled.Load(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		for kind, input := range inputs {
			t.Run(name+" "+kind, func(t *testing.T) {
				bounded(t, maxMemory, func() {
					tree, err := g.Parse(t.Context(), input, grammars.ParseOptions{})
					t.Log(cut(named(t, err)))
					if err == nil {
						takeApart(t, tree)
					}
				})
			})
		}
	}
}

// TestConcurrentParses checks that concurrent parses, some of hostile inputs and
// one canceled, yield the same results as separate ones while caches are
// discarded repeatedly.
func TestConcurrentParses(t *testing.T) {
	json := grammartest.Bundled(t, "json")
	crowded := grammartest.Load(t, "grammar G; s : (T | L | e ';')* EOF ; e : e '+' e | e '*' e | '(' e ')' | X ; T : [ab]* 'a' "+strings.Repeat("[ab] ", 14)+"'c' ; L : [abc] ; X : 'x' ;")
	brackets := grammartest.Load(t, "grammar G; s : (a 'x' | b 'y')* EOF ; a : '(' a ')' | 'i'* ; b : '(' b ')' | 'i'* ;")
	nest := func(n int) string { return strings.Repeat("(", n) + strings.Repeat("i", n) + strings.Repeat(")", n) }
	jobs := []struct {
		grammar *grammars.Grammar
		input   string
	}{
		{json, `{"a":[1,2,{"b":null}],"c":"\u00e9"}`},
		{json, "[" + strings.Repeat(`{"a":[]},`, 500) + "1]"},
		{json, "[1,2"},
		{crowded, random(3000, "ab")() + "x+x*(x+x);"},
		{crowded, random(2000, "abc")()},
		{crowded, strings.Repeat("x*x+x;", 300)},
		{brackets, nest(300) + "y" + nest(20) + "x"},
		{brackets, nest(400) + "z"},
	}
	var want []string
	for _, job := range jobs {
		want = append(want, outcome(job.grammar, job.input, grammars.ParseOptions{}))
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range 6 {
				job := (worker + i) % len(jobs)
				if got := outcome(jobs[job].grammar, jobs[job].input, grammars.ParseOptions{}); got != want[job] {
					t.Errorf("job %d of worker %d: got %.200s, want %.200s", job, worker, got, want[job])
				}
			}
		})
	}
	errAsked := errors.New("asked to stop")
	group.Go(func() {
		_, err := crowded.Parse(ctx, []byte(random(8<<20, "ab")()), grammars.ParseOptions{})
		if !errors.Is(err, errAsked) {
			t.Errorf("a parse that was given up: %v", err)
		}
	})
	cancel(errAsked)
	group.Wait()
}

// TestCancel checks that a parse ends soon after its context does.
func TestCancel(t *testing.T) {
	tests := map[string]struct {
		text  string
		input string
	}{
		"in the lexer":              {"grammar G; s : (T | L)* EOF ; T : [ab]* 'a' " + strings.Repeat("[ab] ", 20) + "'c' ; L : [abc]+ ;", random(4<<20, "ab")()},
		"in prediction":             {"grammar G; s : ('i' 'i'* 'x' | 'i')* EOF ;", strings.Repeat("i", 4<<20)},
		"with the whole stack":      {"grammar G; s : a EOF ; a : b a | b ; b : 'x' a? 'y'? | 'x' 'x' ;", strings.Repeat("x", 4000) + "y"},
		"where much can be nothing": {counted("grammar G; s : ", "(A? B?)? ", 400, "C EOF ; A : 'a' ; B : 'b' ; C : 'c' ;")(), strings.Repeat("ab", 300) + "c"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := grammartest.Load(t, test.text)
			limits := grammars.Limits{Steps: 1 << 40, Time: time.Hour}
			ctx, cancel := context.WithCancelCause(t.Context())
			errAsked := errors.New("asked to stop")
			time.AfterFunc(100*time.Millisecond, func() { cancel(errAsked) })
			_, err := g.Parse(ctx, []byte(test.input), grammars.ParseOptions{Limits: limits})
			if !errors.Is(err, errAsked) {
				t.Fatalf("cancelled: %v", err)
			}
			limits.Time = 100 * time.Millisecond
			_, err = g.Parse(t.Context(), []byte(test.input), grammars.ParseOptions{Limits: limits})
			if got, want := fmt.Sprint(err), "time to parse: limit of 100ms reached"; got != want {
				t.Errorf("out of time: %s, want %s", got, want)
			}
		})
	}
}
