package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/targeting/generate"
)

type generateOptions struct {
	grammar       string
	strategy      string
	n             int
	k             int
	oneTarget     bool
	closeOff      string
	from          []string
	probabilities string
	seed          uint64
	spacing       string
	tokens        []string
	tokensFrom    []string
	madeUp        bool
	workers       int
	out           string
	format        string
	server        serverOptions
	client        *client // nil if no service is asked
	generate.Options

	stdout, stderr io.Writer
}

func newGenerateCommand() *cobra.Command {
	opt := &generateOptions{}
	cmd := &cobra.Command{
		Use:   "generate --grammar NAME|FILE.g4[,FILE.g4...] [flags]",
		Short: "Make inputs of a grammar",
		Long: `Make inputs of a grammar.

Every input was parsed back to the tree it was made from. Strategies:

  random    any alternative, as long as depth and size allow
  shortest  the smallest inputs
  kpath     as many inputs as it takes to have all the k-paths of the grammar,
            or the first --n of them; a summary is written to standard error
  forest    --n sets of inputs, each for a larger share of the k-paths
  common    as likely as in the inputs that --from names, or else in the samples of
            a bundled grammar
  uncommon  the likelier the less likely it is in these inputs
  failure   as common; name inputs that failed, to get more like them

Without --out an object {"input": ...} a line is written. The same seed makes
the same inputs, whatever the number of workers; seed 0 draws one and tells which.`,
		Example: `  inroad generate --grammar json --n 100
  inroad generate --grammar my.g4 --start expr --seed 7 --out corpus
  inroad generate --grammar json --strategy kpath --k 3 --max-nodes 100
  inroad generate --grammar json --strategy uncommon --from samples --n 100`,
		Args:                  cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			opt.stdout, opt.stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
			if opt.client, err = opt.server.connect(cmd); err != nil {
				return err
			}
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.grammar, "grammar", "", "a bundled grammar's `NAME`, or grammar files joined by commas")
	flags.StringVar(&opt.Start, "start", "", "the parser `RULE` to derive from (default the first)")
	flags.StringVar(&opt.strategy, "strategy", "random", "random, shortest, kpath, forest, common, uncommon or failure")
	flags.IntVar(&opt.n, "n", 0, "how many inputs, of forest how many sets (default 10, of kpath as many as it takes)")
	flags.IntVar(&opt.k, "k", 2, "kpath, forest: the `LENGTH` of the paths")
	flags.BoolVar(&opt.oneTarget, "one-target", false, "kpath: make each input for one path and close it off, instead of packing in others")
	flags.StringVar(&opt.closeOff, "close-off", "shortest", "forest, --one-target: what the path leaves open is derived by the shortest way, at random, or by what was least-used")
	flags.StringSliceVar(&opt.from, "from", nil, "common, uncommon, failure: the `DIR|FILE`s to learn probabilities from")
	flags.StringVar(&opt.probabilities, "probabilities", "", "common, uncommon, failure: a `FILE` of probabilities, instead of --from; see inroad probabilities")
	flags.IntVar(&opt.Expansions, "expansions", 200, "common, uncommon, failure: come to an end after so many rules and tokens")
	flags.IntVar(&opt.MaxNodes, "max-nodes", 0, "symbols of a tree, unless it needs more (default 3000, of kpath and forest 200)")
	flags.IntVar(&opt.MaxDepth, "max-depth", 30, "symbols below each other, if the grammar can do with so few")
	flags.IntVar(&opt.MaxRepeat, "max-repeat", 10, "repetitions of what can be repeated")
	flags.Float64Var(&opt.Cooldown, "cooldown", 1, "random: what an alternative's chance is multiplied by when an input takes it")
	flags.StringVar(&opt.spacing, "spacing", "compact", "white space only where it is needed (compact), between all tokens (spaced), or anywhere, with comments (random)")
	flags.StringArrayVar(&opt.tokens, "tokens", nil, "take the texts of a token from the lines of a file: `TOKEN=FILE`; can be repeated")
	flags.StringSliceVar(&opt.tokensFrom, "tokens-from", nil, "take the texts of tokens from the inputs in `DIR|FILE`s")
	flags.BoolVar(&opt.madeUp, "made-up", false, "make all names up, instead of taking most from the samples of a bundled grammar")
	flags.Uint64Var(&opt.seed, "seed", 1, "what all choices are drawn from; 0 draws one")
	flags.IntVar(&opt.workers, "workers", 0, "how many inputs to make at the same time (default one a core)")
	flags.StringVar(&opt.out, "out", "", "write a file an input into this `DIR`, which must be empty or not there yet")
	flags.StringVar(&opt.format, "format", "ndjson", inputFormatUsage)
	choices(flags, "strategy", strategies()...)
	choices(flags, "close-off", closeOffs()...)
	choices(flags, "spacing", spacings()...)
	choices(flags, "format", "ndjson", "json")
	opt.server.bind(flags)
	return cmd
}

// inputFormatUsage says how inputs are printed.
const inputFormatUsage = "without --out: ndjson (an object a line) or json (one array)"

// maxInputs bounds how many inputs are made at once.
const maxInputs = 1_000_000

// strategies of generation, the last three by probability.
func strategies() []string {
	return []string{"random", "shortest", "kpath", "forest", "common", "uncommon", "failure"}
}

// closeOffs in the order of [generate.CloseOff].
func closeOffs() []string { return []string{"shortest", "random", "least-used"} }

// spacings in the order of [generate.Spacing].
func spacings() []string { return []string{"compact", "spaced", "random"} }

func (opt *generateOptions) validate() error {
	byProbability := slices.Contains(strategies()[4:], opt.strategy)
	learns := len(opt.from) > 0 || opt.probabilities != ""
	switch {
	case opt.k < 1 || opt.k > features.MaxK:
		return fmt.Errorf("--k %d: it is from 1 to %d", opt.k, features.MaxK)
	case opt.MaxNodes < 0 || opt.MaxNodes > 100_000:
		return fmt.Errorf("--max-nodes %d: it is from 1 to 100000", opt.MaxNodes)
	case opt.n < 0 || opt.n > maxInputs:
		return fmt.Errorf("--n %d: it is from 1 to %d", opt.n, maxInputs)
	case opt.MaxDepth < 1 || opt.MaxDepth > 1000:
		return fmt.Errorf("--max-depth %d: it is from 1 to 1000", opt.MaxDepth)
	case opt.MaxRepeat < 1 || opt.MaxRepeat > 1000:
		return fmt.Errorf("--max-repeat %d: it is from 1 to 1000", opt.MaxRepeat)
	case opt.Expansions < 1 || opt.Expansions > 100_000:
		return fmt.Errorf("--expansions %d: it is from 1 to 100000", opt.Expansions)
	case opt.Cooldown <= 0 || opt.Cooldown > 1:
		return fmt.Errorf("--cooldown %g: it is over 0, and at most 1", opt.Cooldown)
	case opt.workers < 0 || opt.workers > 1024:
		return fmt.Errorf("--workers %d: it is from 1 to 1024", opt.workers)
	case byProbability && !learns && !slices.Contains(bundled.Names(), opt.grammar):
		return fmt.Errorf("--strategy %s: give the inputs to learn from, --from DIR, or --probabilities FILE", opt.strategy)
	case learns && !byProbability:
		return fmt.Errorf("--from and --probabilities are for the strategies %s", strings.Join(strategies()[4:], ", "))
	case len(opt.from) > 0 && opt.probabilities != "":
		return errors.New("give --from or --probabilities, not both")
	}
	opt.Spacing = generate.Spacing(slices.Index(spacings(), opt.spacing))
	opt.Shortest = opt.strategy == "shortest"
	opt.applyDefaults()
	return nil
}

// applyDefaults sets what depends on the strategy.
func (opt *generateOptions) applyDefaults() {
	packs := opt.strategy == "kpath" || opt.strategy == "forest"
	if opt.MaxNodes == 0 && packs {
		opt.MaxNodes = 200
	}
	if opt.n == 0 {
		opt.n = 10
		if opt.strategy == "kpath" {
			opt.n = maxInputs
		}
	}
	if opt.workers == 0 {
		opt.workers = runtime.GOMAXPROCS(0)
	}
}

// covering returns how paths are to be covered.
func (opt *generateOptions) covering() generate.CoverOptions {
	return generate.CoverOptions{
		OneTarget: opt.oneTarget || opt.strategy == "forest", CloseOff: generate.CloseOff(slices.Index(closeOffs(), opt.closeOff)),
	}
}

func (opt *generateOptions) run(ctx context.Context) error {
	if err := opt.validate(); err != nil {
		return err
	}
	drawSeed(&opt.seed, opt.stderr)
	if opt.client != nil {
		return opt.client.generate(ctx, opt)
	}
	g, err := openGrammar(opt.grammar, &opt.Start, opt.stderr)
	if err != nil {
		return err
	}
	if err := opt.learn(ctx, g); err != nil {
		return err
	}
	out, err := newInputWriter(opt.stdout, opt.format, opt.out, strings.ToLower(g.Name))
	if err != nil {
		return err
	}
	return errors.Join(opt.generate(ctx, g, out), out.end())
}

// drawSeed draws a seed if none is given, and tells which.
func drawSeed(seed *uint64, stderr io.Writer) {
	if *seed == 0 {
		*seed = rand.Uint64() >> 1 // services take no larger ones
		fmt.Fprintf(stderr, "inroad: seed %d\n", *seed)
	}
}

// learn takes what choices and tokens are to be like.
func (opt *generateOptions) learn(ctx context.Context, g *grammars.Grammar) (err error) {
	if err := opt.learnTokens(ctx, g); err != nil {
		return err
	}
	if !opt.madeUp {
		if opt.Names, err = generate.SampleNames(ctx, opt.grammar, g); err != nil {
			return err
		}
	}
	if err := opt.learnProbabilities(ctx, g); err != nil {
		return err
	}
	if opt.Probabilities == nil && slices.Contains(strategies()[4:], opt.strategy) {
		if opt.Probabilities, err = generate.SampleProbabilities(ctx, opt.grammar, g); err != nil {
			return err
		}
	}
	if opt.strategy == "uncommon" {
		opt.Probabilities = opt.Probabilities.Invert()
	}
	return nil
}

// learnTokens reads the texts that tokens are to be taken from.
func (opt *generateOptions) learnTokens(ctx context.Context, g *grammars.Grammar) error {
	opt.Tokens = generate.Texts{}
	for _, value := range opt.tokens {
		if err := opt.readTexts(g, value); err != nil { //nolint:contextcheck // reading one token back is bounded and takes no context
			return err
		}
	}
	if len(opt.tokensFrom) > 0 {
		mine := func(tree *derivation.Tree) error { opt.Tokens.Mine(g, tree); return nil }
		if err := parseCorpus(ctx, g, opt.Start, opt.tokensFrom, opt.stderr, mine); err != nil {
			return fmt.Errorf("--tokens-from: %w", err)
		}
	}
	return nil
}

// learnProbabilities takes the probabilities that were given, or learns them
// from what was.
func (opt *generateOptions) learnProbabilities(ctx context.Context, g *grammars.Grammar) (err error) {
	switch {
	case opt.probabilities != "":
		opt.Probabilities, err = readProbabilities(opt.probabilities, g)
	case len(opt.from) > 0:
		opt.Probabilities, err = learnProbabilities(ctx, g, opt.Start, opt.from, opt.stderr)
	}
	return err
}

// readTexts reads the texts of a token, given as TOKEN=FILE.
func (opt *generateOptions) readTexts(g *grammars.Grammar, value string) error {
	name, file, ok := strings.Cut(value, "=")
	if !ok {
		return fmt.Errorf("--tokens %s: it is TOKEN=FILE", value)
	}
	token := slices.Index(g.Tokens(), name)
	if token < 1 {
		if near := nearest(name, g.Tokens()); len(near) > 0 {
			return fmt.Errorf("--tokens %s: grammar %s has no token %s; did you mean %s?", value, g.Name, name, strings.Join(near, " or "))
		}
		return fmt.Errorf("--tokens %s: grammar %s has no token %s", value, g.Name, name)
	}
	text, err := readFile(file, maxInputRead)
	if err != nil {
		return fmt.Errorf("--tokens %s: %w", value, err)
	}
	writer := g.Writer()
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			continue
		}
		if !writer.IsToken(token, line) {
			return fmt.Errorf("--tokens %s: %q is not read as %s", value, line, name)
		}
		opt.Tokens[token] = append(opt.Tokens[token], line)
	}
	if len(opt.Tokens[token]) == 0 {
		return fmt.Errorf("--tokens %s: the file has no line", value)
	}
	return nil
}

// generate makes the inputs and writes them.
func (opt *generateOptions) generate(ctx context.Context, g *grammars.Grammar, out *inputWriter) error {
	draws, inputs := 0, 0
	take := func(set int, input *generate.Input) error {
		inputs++
		draws += input.Draws
		return out.write(set, input.Text)
	}
	var err error
	switch opt.strategy {
	case "kpath":
		err = opt.cover(ctx, g, take)
	case "forest":
		err = opt.forest(ctx, g, take)
	default:
		bar := newProgress(opt.stderr, "inputs", opt.n)
		defer bar.end()
		for input, failure := range generate.Each(ctx, g, opt.Options, opt.seed, opt.n, opt.workers) {
			if err = failure; err == nil {
				err = take(0, input)
			}
			if err != nil {
				break
			}
			bar.set(inputs)
		}
	}
	if err == nil {
		opt.tellDraws(draws, inputs)
	}
	return err
}

// tellDraws tells how many trees had a text that is read otherwise.
func (opt *generateOptions) tellDraws(draws, inputs int) {
	if again := draws - inputs; again > 0 {
		fmt.Fprintf(opt.stderr, "inroad: note: %d of %d trees (%.1f %%) were drawn again: their text would have been read otherwise\n",
			again, draws, 100*float64(again)/float64(draws))
	}
}

// tellCovered tells how many of the paths inputs have.
func (opt *generateOptions) tellCovered(covered, all, unrealised int) {
	fmt.Fprintf(opt.stderr, "inroad: k=%d: %d of %d (%s %%)", opt.k, covered, all, percent(covered, big.NewInt(int64(all))))
	if unrealised > 0 {
		fmt.Fprintf(opt.stderr, ", %d without a text that parses back", unrealised)
	}
	fmt.Fprintln(opt.stderr)
}

// generator returns a generator that draws from the seed.
func (opt *generateOptions) generator(g *grammars.Grammar) (*generate.Generator, error) {
	return generate.New(g, rand.New(rand.NewPCG(opt.seed, 0)), opt.Options)
}

// cover makes inputs that have all paths.
func (opt *generateOptions) cover(ctx context.Context, g *grammars.Grammar, take func(int, *generate.Input) error) error {
	x, err := opt.generator(g) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return err
	}
	cover, err := generate.NewCover(x, opt.k, opt.covering())
	if err != nil {
		return err
	}
	_, all := cover.Covered()
	bar := newProgress(opt.stderr, "paths", all)
	defer bar.end()
	for range opt.n {
		input, err := cover.Next(ctx)
		if err != nil {
			return err
		}
		if input == nil {
			break
		}
		if err := take(0, input); err != nil {
			return err
		}
		covered, _ := cover.Covered()
		bar.set(covered)
	}
	bar.end()
	covered, all := cover.Covered()
	opt.tellCovered(covered, all, len(cover.Unrealised()))
	return nil
}

// forest makes sets of inputs over the whole range of coverage.
func (opt *generateOptions) forest(ctx context.Context, g *grammars.Grammar, take func(int, *generate.Input) error) error {
	x, err := opt.generator(g) //nolint:contextcheck // reading one token back is bounded and takes no context
	if err != nil {
		return err
	}
	forest, err := generate.NewForest(x, opt.k, opt.n, opt.covering())
	if err != nil {
		return err
	}
	bar := newProgress(opt.stderr, "sets", opt.n)
	defer bar.end()
	for {
		set, input, err := forest.Next(ctx)
		if input == nil || err != nil {
			return err
		}
		if err := take(set, input); err != nil {
			return err
		}
		bar.set(set - 1)
	}
}

// An inputWriter writes inputs to where people asked for them: as JSON, or a file
// each.
type inputWriter struct {
	json      *jsonWriter // nil for files
	dir       string
	extension string
	n         int
}

// newInputWriter returns a writer to a folder, which must have nothing in it, or
// else to w in a format.
func newInputWriter(w io.Writer, format, dir, extension string) (*inputWriter, error) {
	if dir == "" {
		return &inputWriter{json: newJSONWriter(w, format)}, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--out %s: %w", dir, cause(err))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("--out %s: %w", dir, cause(err))
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("--out %s: the folder is not empty", dir)
	}
	return &inputWriter{dir: dir, extension: extension}, nil
}

// write writes an input of a set, 0 if there is but one.
func (w *inputWriter) write(set int, text []byte) error {
	w.n++
	if w.json != nil {
		return w.json.write(struct {
			Input string `json:"input"`
			Set   int    `json:"set,omitempty"`
		}{string(text), set})
	}
	name := fmt.Sprintf("%06d.%s", w.n, w.extension)
	if set > 0 {
		name = fmt.Sprintf("%03d-%s", set, name)
	}
	return writeInput(filepath.Join(w.dir, name), text)
}

// writeInput writes a new file into the folder of a corpus. The folder was empty, so
// that there is nothing to replace, and thousands of inputs need not be synced one by one.
func writeInput(name string, text []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // inputs are for others to read
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(name)) // no part of an input
	}
	return nil
}

func (w *inputWriter) end() error {
	if w.json == nil {
		return nil
	}
	return w.json.end()
}
