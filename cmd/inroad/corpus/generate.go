package corpus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/targeting"
)

type generateCommand struct {
	generator
	req        openapi.GenerateRequest
	tokens     []string
	tokensFrom []string
}

// NewGenerate returns the command generate.
func NewGenerate() *cobra.Command {
	c := &generateCommand{}
	cmd := &cobra.Command{
		Use:   "generate --grammar NAME|FILE.g4[,FILE.g4...] [flags]",
		Short: "Generate inputs from a grammar",
		Long: `Generate inputs from a grammar.

Every input is parsed again. Where the text of a tree is misread, a part of the
tree is drawn again.
Strategies:

  random    choose alternatives at random, within the limits on depth and size;
            sizes vary, and alternatives that the inputs before seldom took are
            preferred
  shortest  choose the smallest derivations
  kpath     cover all k-paths of the grammar, or as many as --n inputs cover; a
            summary is printed on standard error
  forest    generate --n sets of inputs, each covering a larger share of the
            k-paths
  common    choose as in the corpus that --from names, or else as in the samples
            of a bundled grammar
  uncommon  prefer the choices that are rare in that corpus
  failure   like common; name a corpus of failing inputs to get similar inputs, or
            with --outcome a file of observations

` + cli.OutputHelp,
		Example: `  inroad generate --grammar json --n 100
  inroad generate --grammar my.g4 --start expr --seed 7 --out corpus
  inroad generate --grammar json --strategy kpath --k 3 --max-nodes 100
  inroad generate --grammar json --strategy uncommon --from samples --n 100
  inroad generate --grammar json --strategy failure --from seen.ndjson --outcome failure`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := c.open(cmd); err != nil {
				return err
			}
			return c.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	cli.BindGrammar(flags, &c.name)
	cli.Bind(flags, &c.req, "start", "strategy", "n", "allow_duplicates", "no_verify", "k", "one_target", "absent", "missing", "close_off")
	cli.MaximumWithoutValue(flags, "missing")
	c.learning.Bind(flags, "common, uncommon, failure")
	c.learning.BindDetails(flags)
	cli.Bind(flags, &c.req, "expansions", "max_nodes", "max_tokens", "max_depth", "max_repeat", "cooldown", "spacing", "encoding")
	flags.StringArrayVar(&c.tokens, "tokens", nil, "choose the texts of a token from the lines of a file: `TOKEN=FILE`; can be repeated")
	cli.BindFiles(flags, &c.tokensFrom, "tokens-from", "choose the texts of tokens from the inputs in `DIR|FILE`s")
	cli.Bind(flags, &c.req, "synthetic_names", "seed")
	c.bindOutput(flags)
	c.server.BindWorkers(flags)
	return cmd
}

func (c *generateCommand) run(ctx context.Context) (err error) {
	req := c.req
	if req.Tokens, err = c.readTokens(ctx); err != nil {
		return err
	}
	if req.Probabilities, err = c.learn(ctx, req.Start); err != nil {
		return err
	}
	what := "inputs"
	if req.Strategy == openapi.Forest {
		what = "sets"
	}
	bar, done := cli.NewProgress(c.Err, what, req.N), 0
	summary, err := c.write(c.service.Generate(ctx, c.grammar.ID, req), func(line openapi.GeneratedInput) {
		done++
		if line.Set > 0 {
			done = line.Set - 1
		}
		bar.Set(done)
	})
	bar.End()
	switch verdict, ok := targeting.VerdictOf(err); {
	case ok && verdict == targeting.Infeasible:
		return cli.ReportVerdict(c.Streams, err)
	case err != nil:
		return err
	}
	c.note(summary)
	return nil
}

// readTokens reads the texts of tokens from the files in the flags.
func (c *generateCommand) readTokens(ctx context.Context) (map[string][]string, error) {
	texts := map[string][]string{}
	for _, value := range c.tokens {
		token, file, ok := strings.Cut(value, "=")
		if !ok {
			return nil, fmt.Errorf("--tokens %s: must be TOKEN=FILE", cli.Printable(value))
		}
		lines, err := readTexts(ctx, file, c.Streams)
		if err != nil {
			return nil, fmt.Errorf("--tokens %s: %w", cli.Printable(value), err)
		}
		texts[token] = append(texts[token], lines...)
	}
	if len(c.tokensFrom) == 0 {
		return texts, nil
	}
	learned, err := cli.LearnFrom(ctx, c.service, c.grammar.ID, openapi.LearnProbabilitiesParams{Start: c.req.Start, Tokens: true}, c.tokensFrom, c.Streams)
	if err != nil {
		return nil, fmt.Errorf("--tokens-from: %w", err)
	}
	for token, of := range learned.Tokens {
		texts[token] = append(texts[token], of...)
	}
	return texts, nil
}

// readTexts reads the non-empty lines of a file.
func readTexts(ctx context.Context, file string, streams cli.Streams) ([]string, error) {
	text, err := cli.ReadInput(ctx, file, streams.In, cli.MaxInput)
	switch {
	case err != nil:
		return nil, err
	case len(text) > cli.MaxInput:
		return nil, fmt.Errorf("the file must be at most %d bytes", cli.MaxInput)
	case !utf8.Valid(text):
		return nil, errors.New("the file must be UTF-8")
	}
	var out []string
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			out = append(out, string(line))
		}
	}
	if len(out) == 0 {
		return nil, errors.New("the file is empty: must have one text per line")
	}
	return out, nil
}

// note prints the statistics in the summary.
func (c *generateCommand) note(s openapi.GenerateSummary) {
	cli.NoteSeed(c.Streams, c.req.Seed, s.Seed)
	if c.req.Strategy == openapi.Kpath {
		c.noteCoverage(s)
	}
	if n := cmp.Or(c.req.N, api.DefaultInputs); c.req.Strategy != openapi.Kpath && c.req.Strategy != openapi.Forest && s.Inputs < n {
		c.Notef("note: %d of %d inputs; no more distinct ones were found, and --allow-duplicates repeats inputs", s.Inputs, n)
	}
	if again := s.Draws - s.Inputs; again > 0 {
		c.Notef("note: %d of %d trees (%.1f %%) were drawn again, as they could not be written as a text that parses", again, s.Draws, 100*float64(again)/float64(s.Draws))
	}
	if s.Unverified > 0 {
		c.Notef("note: the %d inputs were not parsed again: the parser may read other trees than those that were drawn, or reject an input", s.Unverified)
	}
	if other := s.ReadOtherwise; other > 0 {
		c.Notef("note: the parser reads %d of %d inputs (%.1f %%) as another tree than the one that was drawn", other, s.Inputs, 100*float64(other)/float64(s.Inputs))
	}
}

// noteCoverage prints how many paths are covered, and why others are not.
func (c *generateCommand) noteCoverage(s openapi.GenerateSummary) {
	more := ""
	if s.Impossible > 0 {
		more = fmt.Sprintf(", %d proved impossible", s.Impossible)
	}
	if s.Unrealised > 0 {
		more += fmt.Sprintf(", %d not found", s.Unrealised)
	}
	var reasons []string
	for _, why := range slices.Sorted(maps.Keys(s.Reasons)) {
		reasons = append(reasons, fmt.Sprintf("%s %d", cli.Printable(why), s.Reasons[why]))
	}
	if len(reasons) > 0 {
		more += " (" + strings.Join(reasons, ", ") + ")"
	}
	if s.Paths == 0 {
		c.Notef("note: no tree has a path of length %d; a smaller --k may have inputs", c.req.K)
	} else {
		c.Notef("k=%d: %d of %d (%s %%)%s", c.req.K, s.Covered, s.Paths, cli.Percent(s.Covered, big.NewInt(int64(s.Paths))), more)
	}
	for _, m := range s.Missing {
		c.Notef("%s: %s: %s", cli.Printable(strings.Join(m.Path, " > ")), cli.Printable(string(m.Reason)), cli.Printable(m.Detail))
	}
}
