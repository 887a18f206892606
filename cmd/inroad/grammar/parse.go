package grammar

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/client"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

type parseCommand struct {
	grammar string
	req     openapi.ParseRequest
	server  cli.Server
	files   []string
	flags   *pflag.FlagSet
	cli.Streams
}

// NewParse returns the command parse.
func NewParse() *cobra.Command {
	c := &parseCommand{}
	cmd := &cobra.Command{
		Use:   "parse --grammar NAME|FILE.g4[,FILE.g4...] [flags] [INPUT|-]...",
		Short: "Parse inputs and print their derivation trees",
		Long: `Parse inputs and print their derivation trees, or where each leaves the grammar.

Without an INPUT, or with -, the input is read from standard input. Formats:

  lisp  ANTLR's toStringTree, one line per input; with several inputs, an input
        without a tree has an empty line
  tree  one node per line, indented, with its number in the grammar; with
        several inputs, each tree has a heading
  json  one object per line and input, with the tree or the error

As in ANTLR, a start rule that does not end in EOF may leave the rest of the
input unread; a note says so. All inputs are parsed; the exit status is 1 if one
of them has no tree. Limits apply to each input.

With --encoding latin1, or bytes, each byte of an input is a character, U+0000 to
U+00FF, as in binary formats: texts in trees have these characters, and offsets
count bytes.`,
		Example: `  echo '[1, 2]' | inroad parse --grammar json
  inroad parse --grammar calc.g4 --format tree sums.txt
  inroad parse --grammar MyLexer.g4,MyParser.g4 --start program --format json *.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.files, c.Streams = args, cli.StreamsOf(cmd)
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	c.flags = flags
	cli.BindGrammar(flags, &c.grammar)
	cli.Bind(flags, &c.req, "start", "format", "encoding", "inside", "strict", "engine", "max_input", "max_depth", "max_steps", "max_tokens", "max_nodes", "timeout_ms")
	c.server.Bind(flags)
	return cmd
}

func (c *parseCommand) run(ctx context.Context) error {
	if len(c.files) == 0 {
		c.files = []string{"-"}
	}
	if err := cli.CheckStdin(c.files); err != nil {
		return err
	}
	service, err := c.server.Service()
	if err != nil {
		return err
	}
	notes := c.Streams
	if c.req.Format == openapi.JSONTree { // the answer contains the notes
		notes.Err = nowhere{}
	}
	g, err := cli.OpenGrammar(ctx, service, c.grammar, notes)
	if err != nil {
		return err
	}
	failed := false
	for i, file := range c.files {
		answer, isText, err := c.parse(ctx, service, g.ID, file)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if isFatal(err) {
			return err
		}
		message := c.failure(file, answer, err)
		if err := c.print(i, answer, err); err != nil {
			return err
		}
		if message != "" {
			failed = true
			c.Notef("%s", message)
		}
		if answer.Syntax != nil && !isText && c.req.Encoding == openapi.UTF8 {
			notes.Notef("%s: note: not UTF-8; --encoding latin1 parses each byte as a character", cli.InputName(file))
		}
		if at := answer.Unread; at != nil {
			notes.Notef("%s:%d:%d: note: rule %s ends here and does not require EOF; the rest is not read", cli.InputName(file), at.Line, at.Column, answer.Start)
		}
	}
	if failed {
		return cli.ErrReported
	}
	return nil
}

// nowhere is a writer that discards everything.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// isFatal reports whether an error concerns the request or the service rather than
// one input.
func isFatal(err error) bool {
	_, field := errors.AsType[*openapi.FieldError](err)
	_, unreachable := errors.AsType[*client.UnreachableError](err)
	return field || unreachable
}

// parse parses a file. It also returns whether the file is UTF-8.
func (c *parseCommand) parse(ctx context.Context, service api.Service, grammar, file string) (openapi.ParseAnswer, bool, error) {
	req := c.req
	req.Name, req.Prefix = cli.InputName(file), true
	input, err := cli.ReadCorpusInput(ctx, file, c.In, req.MaxInput)
	if err != nil {
		return openapi.ParseAnswer{Name: req.Name}, true, err
	}
	req.Input, req.InputBase64 = api.Encode(input)
	answer, err := service.Parse(ctx, grammar, req)
	answer.Name = req.Name
	return answer, utf8.Valid(input), err
}

// failure returns why an input has no tree or only a partial tree; "" if it has a
// complete one.
func (c *parseCommand) failure(file string, a openapi.ParseAnswer, err error) string {
	name := cli.InputName(file)
	switch {
	case err != nil:
		return fmt.Sprintf("%s: %v%s", name, err, cli.Remedy(c.flags, err))
	case a.Syntax != nil:
		return name + ":" + a.Syntax.Message
	case a.Undecided != nil:
		return name + ":" + a.Undecided.Message
	case a.Partial != "":
		return name + ": " + a.Partial
	default:
		return ""
	}
}

// print prints the answer for the i-th input. It prints immediately, so that each
// message follows the output it refers to.
func (c *parseCommand) print(i int, a openapi.ParseAnswer, failed error) (err error) {
	several := len(c.files) > 1
	switch {
	case c.req.Format == openapi.JSONTree && failed != nil:
		return cli.WriteJSON(c.Out, struct {
			Name  string `json:"name"`
			Error string `json:"error"`
		}{a.Name, failed.Error()})
	case c.req.Format == openapi.JSONTree:
		return cli.WriteJSON(c.Out, a)
	case c.req.Format == openapi.IndentedTree && a.Tree != "":
		if several && i > 0 {
			fmt.Fprintln(c.Out)
		}
		if several {
			fmt.Fprintf(c.Out, "==> %s <==\n", a.Name)
		}
		_, err = (&cli.TerminalWriter{W: c.Out}).Write([]byte(a.Tree))
	case c.req.Format == openapi.LispTree && (a.Tree != "" || several):
		_, err = fmt.Fprintln(c.Out, a.Tree) // the n-th line belongs to the n-th input
	}
	return err
}
