package model

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
	"github.com/inroad/inroad/targeting/generate"
)

// An inputSource holds the flags for the inputs to run a program on.
type inputSource struct {
	from    string
	N       int `json:"generate"`
	grammar string
	req     openapi.GenerateRequest

	// mutants returns mutants of accepted inputs, to run after the other ones; nil if
	// the inputs are not generated.
	mutants func(accepted *inputSample) iter.Seq2[observe.Input, error]
}

func (s *inputSource) bind(flags *pflag.FlagSet) {
	flags.StringVar(&s.from, "inputs", "", "`DIR` of inputs, or a .ndjson file with an object {\"input\": ...} per line")
	cli.BindFields(flags, s, openapi.Field{Name: "generate", Description: "Generate this many inputs instead", Schema: cli.Between(1, 1_000_000)})
	cli.BindGrammar(flags, &s.grammar)
	cli.Bind(flags, &s.req, "start", "seed")
}

// open returns the inputs, and their number, or 0 if it is unknown.
func (s *inputSource) open(ctx context.Context, streams cli.Streams) (inputs iter.Seq2[observe.Input, error], total int, err error) {
	switch {
	case s.from == "" && s.N == 0:
		return nil, 0, errors.New("no inputs: give --inputs DIR, or --generate N and --grammar")
	case s.from != "" && s.N != 0:
		return nil, 0, errors.New("--inputs and --generate: give only one of them")
	case s.from != "" && s.grammar != "":
		return nil, 0, errors.New("--grammar: only --generate uses a grammar")
	case s.from == "":
		inputs, err := s.generated(ctx, streams)
		return inputs, s.N, err
	}
	info, err := os.Stat(s.from)
	if err != nil {
		return nil, 0, fmt.Errorf("--inputs %w", cli.FileError(s.from, err))
	}
	if !info.IsDir() {
		return listedInputs(s.from), 0, nil
	}
	names, err := cli.InputFiles([]string{s.from})
	if err == nil && len(names) == 0 {
		err = cli.FileError(s.from, errors.New("the folder has no files"))
	}
	if err != nil {
		return nil, 0, fmt.Errorf("--inputs %w", err)
	}
	return fileInputs(ctx, s.from, names, streams), len(names), nil
}

// fileInputs yields the contents of files. Files that are too large, and those of Go fuzz
// corpora that are no single input, are left out with a note.
func fileInputs(ctx context.Context, dir string, names []string, streams cli.Streams) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		undecoded := cli.UndecodedInputs{}
		defer func() { undecoded.Note(streams, "they are left out") }()
		for _, path := range names {
			name := path
			if below, err := filepath.Rel(dir, path); err == nil { // a corpus may move
				name = filepath.ToSlash(below)
			}
			data, err := cli.ReadCorpusInput(ctx, path, nil, observation.MaxInput)
			if undecoded.Add(name, err) {
				continue
			}
			if err != nil {
				yield(observe.Input{}, cli.FileError(name, err))
				return
			}
			if len(data) > observation.MaxInput {
				streams.Notef("note: %s has more than %d bytes and is left out", cli.Printable(name), observation.MaxInput)
				continue
			}
			if !yield(observe.Input{Name: name, Data: data}, nil) {
				return
			}
		}
	}
}

// listedInputs yields the inputs of a file of observations, or of a file that generate
// printed.
func listedInputs(name string) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		file, err := os.Open(name)
		if err != nil {
			yield(observe.Input{}, cli.FileError(name, err))
			return
		}
		defer func() { _ = file.Close() }() // it was only read
		for r := observation.NewReader(file); ; {
			o, err := r.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(observe.Input{Name: o.Name, Data: o.Input}, cli.FileError(name, err)) || err != nil {
				return
			}
		}
	}
}

// generated returns the first two thirds of the generated inputs, and sets s.mutants,
// which returns the rest.
func (s *inputSource) generated(ctx context.Context, streams cli.Streams) (iter.Seq2[observe.Input, error], error) {
	g, err := loadGrammar(ctx, s.grammar, streams)
	if err != nil {
		return nil, err
	}
	start, err := g.ProductiveRule(s.req.Start)
	if err != nil {
		return nil, err
	}
	seed := api.Seed(s.req.Seed)
	cli.NoteSeed(streams, s.req.Seed, int64(seed))
	mutants := s.N / 3
	s.mutants = func(accepted *inputSample) iter.Seq2[observe.Input, error] {
		return func(yield func(observe.Input, error) bool) {
			trees, err := accepted.parse(ctx, g.Grammar, start)
			if err != nil {
				yield(observe.Input{}, err)
				return
			}
			yieldInputs(generate.TrainingMutants(ctx, g.Grammar, start, seed, trees, mutants), yield)
		}
	}
	return func(yield func(observe.Input, error) bool) {
		yieldInputs(generate.TrainingInputs(ctx, g.Grammar, start, seed, s.N-mutants), yield)
	}, nil
}

// yieldInputs yields generated inputs as inputs of a program.
func yieldInputs(inputs iter.Seq2[*generate.Input, error], yield func(observe.Input, error) bool) {
	for input, err := range inputs {
		if err != nil {
			yield(observe.Input{}, err)
			return
		}
		if !yield(observe.Input{Data: input.Text}, nil) {
			return
		}
	}
}

// An inputSample is a random sample of inputs. It depends only on the inputs, not on
// their order.
type inputSample struct {
	max    int
	inputs []sampledInput // smallest digest first
}

type sampledInput struct {
	digest [sha256.Size]byte
	data   []byte
}

func newInputSample(size int) *inputSample { return &inputSample{max: size} }

// add adds an input to the sample, if its digest is among the smallest.
func (s *inputSample) add(data []byte) {
	digest := sha256.Sum256(data)
	at, found := slices.BinarySearchFunc(s.inputs, digest, func(in sampledInput, d [sha256.Size]byte) int { return bytes.Compare(in.digest[:], d[:]) })
	if found || at == s.max {
		return
	}
	s.inputs = slices.Insert(s.inputs, at, sampledInput{digest, bytes.Clone(data)})
	s.inputs = s.inputs[:min(len(s.inputs), s.max)]
}

// parse returns the trees of the inputs.
func (s *inputSample) parse(ctx context.Context, g *grammars.Grammar, start string) ([]*derivation.Tree, error) {
	var trees []*derivation.Tree
	for _, in := range s.inputs {
		tree, err := g.Parse(ctx, in.data, grammars.ParseOptions{Start: start})
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
	}
	return trees, nil
}

// loadGrammar loads a grammar into this process.
func loadGrammar(ctx context.Context, name string, streams cli.Streams) (*api.Grammar, error) {
	library := &api.Files{}
	if _, err := cli.OpenGrammar(ctx, &api.Engine{Library: library}, name, streams); err != nil {
		return nil, err
	}
	return library.Grammar(ctx, name)
}
