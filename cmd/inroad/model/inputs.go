package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// An inputSource holds the flags that say which inputs a program is run on.
type inputSource struct {
	from    string
	N       int `json:"generate"`
	grammar string
	req     openapi.GenerateRequest
}

func (s *inputSource) bind(flags *pflag.FlagSet) {
	flags.StringVar(&s.from, "inputs", "", "`DIR` of inputs, or a .ndjson file with an object {\"input\": ...} per line")
	cli.BindFields(flags, s, openapi.Field{Name: "generate", Description: "Generate this many inputs instead", Schema: cli.Between(1, 1_000_000)})
	cli.BindGrammar(flags, &s.grammar)
	cli.Bind(flags, &s.req, "start", "seed")
}

// open returns the inputs, and their number if it is known.
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

// fileInputs yields the contents of files. Files that are too large are left out
// with a note.
func fileInputs(ctx context.Context, dir string, names []string, streams cli.Streams) iter.Seq2[observe.Input, error] {
	return func(yield func(observe.Input, error) bool) {
		for _, path := range names {
			name := path
			if below, err := filepath.Rel(dir, path); err == nil { // a corpus may move
				name = filepath.ToSlash(below)
			}
			data, err := cli.ReadInput(ctx, path, nil, observation.MaxInput)
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

// listedInputs yields the inputs of a file of observations, or of what generate
// prints.
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

// generated returns inputs to learn from: every other one covers paths of the
// grammar that the ones before did not, the rest are drawn at random in all sizes.
// No two are the same, as far as the grammar allows.
func (s *inputSource) generated(ctx context.Context, streams cli.Streams) (iter.Seq2[observe.Input, error], error) {
	service := &api.Engine{Library: &api.Files{}, Workers: 1}
	g, err := cli.OpenGrammar(ctx, service, s.grammar, streams)
	if err != nil {
		return nil, err
	}
	seed := uint64(*s.req.Seed)
	if seed == 0 {
		seed = rand.Uint64() >> 1
		cli.NoteSeed(streams, s.req.Seed, int64(seed))
	}
	request := func(number uint64, req openapi.GenerateRequest) iter.Seq2[openapi.GeneratedInput, error] {
		req.Start, req.SyntheticNames = s.req.Start, true
		req.Seed = new(openapi.Seed(rand.NewPCG(seed, number).Uint64()>>1 | 1))
		return service.Generate(ctx, g.ID, req)
	}
	for _, err := range request(0, openapi.GenerateRequest{N: 1}) { // reports a wrong rule before the program is built
		if err != nil {
			return nil, err
		}
	}
	return func(yield func(observe.Input, error) bool) {
		covering, stopCovering := iter.Pull2(coveringInputs(request))
		defer stopCovering()
		random, stopRandom := iter.Pull2(randomInputs(request))
		defer stopRandom()
		seen := map[string]bool{}
		for n, tries := 0, 0; n < s.N; {
			next := covering
			if n%2 == 1 || tries > 20 { // covering again may give the same inputs
				next = random
			}
			line, err, _ := next()
			var input []byte
			if err == nil {
				input, err = api.Decode(line.Input, line.InputBase64)
			}
			if err != nil {
				yield(observe.Input{}, err)
				return
			}
			if tries++; seen[string(input)] && tries < 200 {
				continue
			}
			tries = 0
			seen[string(input)] = true
			if !yield(observe.Input{Data: input}, nil) {
				return
			}
			n++
		}
	}, nil
}

// A requester generates inputs. Requests with different numbers have different
// seeds.
type requester func(number uint64, req openapi.GenerateRequest) iter.Seq2[openapi.GeneratedInput, error]

// spacings are used in turn: programs have code for white space and comments, too.
func spacings(turn uint64) openapi.GenerateRequestSpacing {
	return []openapi.GenerateRequestSpacing{openapi.CompactSpacing, openapi.RandomSpacing, openapi.FullSpacing}[turn%3]
}

// coveringInputs covers the grammar again and again, with paths of several lengths
// and inputs of several sizes.
func coveringInputs(request requester) iter.Seq2[openapi.GeneratedInput, error] {
	lengths, sizes := []int{2, 3}, []int{20, 50, 100}
	return repeated(func(round uint64) iter.Seq2[openapi.GeneratedInput, error] {
		return request(round<<1, openapi.GenerateRequest{
			Strategy: openapi.Kpath, K: lengths[round%2], MaxNodes: sizes[round%3], Spacing: spacings(round / 2),
		})
	})
}

// randomInputs draws inputs of several depths and lengths in turn.
func randomInputs(request requester) iter.Seq2[openapi.GeneratedInput, error] {
	return func(yield func(openapi.GeneratedInput, error) bool) {
		var sources []func() (openapi.GeneratedInput, error, bool)
		for i, depth := range []int{6, 10, 15, 20, 30} {
			for j, repeat := range []int{2, 4, 10} {
				next, stop := iter.Pull2(repeated(func(round uint64) iter.Seq2[openapi.GeneratedInput, error] {
					return request((round*15+uint64(i*3+j))<<1|1, openapi.GenerateRequest{
						N: 1_000_000, MaxDepth: depth, MaxRepeat: repeat, Spacing: spacings(uint64(i + j)),
					})
				}))
				defer stop()
				sources = append(sources, next)
			}
		}
		for turn := 0; ; turn++ {
			if line, err, _ := sources[turn%len(sources)](); !yield(line, err) {
				return
			}
		}
	}
}

// repeated yields the inputs of one round after the other, without summaries.
func repeated(round func(number uint64) iter.Seq2[openapi.GeneratedInput, error]) iter.Seq2[openapi.GeneratedInput, error] {
	return func(yield func(openapi.GeneratedInput, error) bool) {
		for number := uint64(0); ; number++ {
			for line, err := range round(number) {
				if line.Summary == nil && !yield(line, err) {
					return
				}
			}
		}
	}
}
