package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/limit"
)

// A printer writes what became of inputs, in one of the formats of parse. It
// keeps nothing back, so that messages stand after what they follow.
type printer interface {
	tree(input string, tree *parsed) error
	failure(input string, f *failure) error
}

func (opt *parseOptions) printer(g *grammars.Grammar) printer {
	out := bufio.NewWriter(opt.stdout)
	several := len(opt.inputs) > 1
	switch opt.format {
	case "tree":
		return &treePrinter{out: out, headings: several}
	case "json":
		return &jsonPrinter{out: out, inside: opt.inside, head: jsonHead{Grammar: g.Name, Digest: g.Digest, Exact: g.Exact(), Start: opt.start}}
	default:
		return &lispPrinter{out: out, several: several}
	}
}

// A failure is why an input has no tree. Its form is that of parse --format json.
type failure struct {
	Kind    string `json:"kind"` // syntax, predicate, limit or input
	Message string `json:"message"`
	*failurePlace
	*syntaxFailure
	Predicate string `json:"predicate,omitempty"` // its place in the grammar
}

type failurePlace struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Offset int `json:"offset"`
}

type syntaxFailure struct {
	Unexpected string   `json:"unexpected"`
	Expected   []string `json:"expected"`
}

func newFailure(input string, err error) *failure {
	shown := inputName(input)
	var syntax *grammars.SyntaxError
	var predicate *grammars.PredicateError
	var over *limit.Error
	var told *problemError
	var beyond *beyondError
	switch {
	case errors.As(err, &beyond):
		return &failure{
			Kind: "syntax", Message: fmt.Sprintf("%s:%s", shown, beyond.Message),
			failurePlace:  &failurePlace{beyond.Line, beyond.Column, beyond.Offset},
			syntaxFailure: &syntaxFailure{beyond.Unexpected, append([]string{}, beyond.Expected...)},
		}
	case errors.As(err, &told) && told.kind() == "limit":
		return &failure{Kind: "limit", Message: fmt.Sprintf("%s: %v", shown, err)}
	case errors.As(err, &syntax):
		return &failure{
			Kind: "syntax", Message: fmt.Sprintf("%s:%v", shown, err),
			failurePlace:  &failurePlace{syntax.Line, syntax.Column, syntax.Offset},
			syntaxFailure: &syntaxFailure{syntax.Unexpected, append([]string{}, syntax.Expected...)},
		}
	case errors.As(err, &predicate):
		return &failure{
			Kind: "predicate", Message: fmt.Sprintf("%s:%v", shown, err),
			failurePlace: &failurePlace{predicate.Line, predicate.Column, predicate.Offset},
			Predicate:    predicate.Predicate.Position().String(),
		}
	case errors.As(err, &over):
		return &failure{Kind: "limit", Message: fmt.Sprintf("%s: %v", shown, err)}
	default:
		return &failure{Kind: "input", Message: fmt.Sprintf("%s: %v", shown, err)}
	}
}

// inputName names an input to people.
func inputName(input string) string {
	if input == "-" {
		return "stdin"
	}
	return printable(input)
}

// withRemedy adds to an error of a limit which of the flags raises the limit.
func withRemedy(err error, flags *pflag.FlagSet) error {
	over, ok := errors.AsType[*limit.Error](err)
	if !ok || over.Option == "" {
		return err
	}
	flag := strings.ReplaceAll(over.Option, "_", "-")
	if flags.Lookup(flag) == nil {
		return err
	}
	return fmt.Errorf("%w; raise it with --%s", err, flag)
}

// noteUnread tells where a tree ends before the input does.
func noteUnread(w io.Writer, input, rule string, tree *parsed) {
	if at := tree.unread; at != nil {
		fmt.Fprintf(w, "inroad: %s:%d:%d: note: rule %s ends before this and does not ask for EOF; the rest is not read\n",
			inputName(input), at.Line, at.Column, rule)
	}
}

// A lispPrinter writes a line per input.
type lispPrinter struct {
	out     *bufio.Writer
	several bool
}

func (p *lispPrinter) tree(_ string, tree *parsed) error {
	if err := tree.WriteLisp(p.out); err != nil {
		return err
	}
	fmt.Fprintln(p.out)
	return p.out.Flush()
}

// failure leaves the line of the input's tree empty, so that the n-th line
// belongs to the n-th input.
func (p *lispPrinter) failure(string, *failure) error {
	if p.several {
		fmt.Fprintln(p.out)
	}
	return p.out.Flush()
}

// A treePrinter writes a line per node, with headings as head(1) has them.
type treePrinter struct {
	out      *bufio.Writer
	headings bool
	begun    bool
}

func (p *treePrinter) tree(input string, tree *parsed) error {
	if p.headings && p.begun {
		fmt.Fprintln(p.out)
	}
	if p.headings {
		fmt.Fprintf(p.out, "==> %s <==\n", inputName(input))
	}
	p.begun = true
	if err := tree.WriteIndented(&terminalWriter{w: p.out}); err != nil {
		return err
	}
	return p.out.Flush()
}

func (p *treePrinter) failure(string, *failure) error { return nil }

// A jsonPrinter writes an object per input.
type jsonPrinter struct {
	out    *bufio.Writer
	inside bool
	head   jsonHead
}

type jsonHead struct {
	Input    string   `json:"input"`
	Grammar  string   `json:"grammar"`
	Digest   string   `json:"digest"`
	Exact    bool     `json:"exact"`
	Start    string   `json:"start"`
	Error    *failure `json:"error,omitempty"`
	Complete *bool    `json:"complete,omitempty"`
}

func (p *jsonPrinter) tree(input string, tree *parsed) error {
	head := p.head
	head.Input, head.Complete = input, new(tree.unread == nil)
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	writeTree, writeTrivia := tree.WriteJSON, tree.WriteTriviaJSON
	if p.inside {
		writeTree, writeTrivia = tree.WriteDeepJSON, tree.WriteDeepTriviaJSON
	}
	// Trees can be large and are not built in memory once more. What is inside
	// some tokens may be missing, but the line is whole.
	fmt.Fprintf(p.out, `%s,"tree":`, bytes.TrimSuffix(text, []byte("}")))
	treeErr := writeTree(p.out)
	fmt.Fprint(p.out, `,"trivia":`)
	triviaErr := writeTrivia(p.out)
	fmt.Fprintln(p.out, "}")
	return cmp.Or(p.out.Flush(), treeErr, triviaErr)
}

func (p *jsonPrinter) failure(input string, f *failure) error {
	head := p.head
	head.Input, head.Error = input, f
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s\n", text)
	return p.out.Flush()
}
