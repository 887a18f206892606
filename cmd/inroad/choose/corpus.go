package choose

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/outfile"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/gofuzz"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting/selection"
)

// A corpus holds the inputs to select from, and the facts known about them.
type corpus struct {
	paths        []string // of files and folders
	observations []string // files
	history      string   // file
	cli.Streams

	files   []string
	changed map[string]bool // by path: inputs that the change adds (true) or edits (false)
	failed  map[selection.Digest]bool
	reached map[selection.Digest][]string // methods, by ID
	costs   *selection.Costs              // nil until they are read

	undecoded cli.UndecodedInputs
}

// list lists the files of the corpus.
func (c *corpus) list() error {
	files, err := cli.InputFiles(c.paths)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("--corpus %s: contains no file", cli.Printable(strings.Join(c.paths, ", ")))
	}
	slices.Sort(files)
	c.files = slices.Compact(files)
	return nil
}

// readHistory reads from the history which inputs failed and how long inputs take.
func (c *corpus) readHistory() error {
	h, err := readHistory(c.history)
	if err != nil {
		return err
	}
	c.failed, c.costs = h.Failed(), selection.LearnCosts(h.Timings())
	return nil
}

// readObservations reads which methods inputs reached at the commit of the model, and
// the durations that the history does not have.
func (c *corpus) readObservations(ctx context.Context, commit string) error {
	if err := cli.CheckStdin(c.observations); err != nil {
		return err
	}
	observed := selection.NewObserved(commit)
	for _, name := range c.observations {
		header, err := c.readObservationFile(ctx, name, observed)
		if err != nil {
			return err
		}
		if why := observed.Mismatch(header.Commit); why != "" {
			c.Notef("note: %s was %s; only its durations are used", cli.InputName(name), why)
		}
	}
	c.reached = observed.Reached
	if c.costs.Unknown {
		c.costs = selection.LearnCosts(observed.Timings)
	}
	return nil
}

func (c *corpus) readObservationFile(ctx context.Context, name string, observed *selection.Observed) (header observation.Header, err error) {
	files, err := cli.OpenObservations(ctx, []string{name}, false, c.Streams)
	if err != nil {
		return header, err
	}
	defer files.Close()
	for block, err := range files.Blocks() {
		if err != nil {
			return header, err
		}
		header = block.Header
		for _, o := range block.Observations {
			observed.Add(header.Commit, o)
		}
	}
	files.Summarize()
	return header, nil
}

// readAhead is the number of files to read before they are needed.
const readAhead = 16

// inputs yields the inputs for a request, in order. It ends at the first file that
// cannot be read.
func (c *corpus) inputs(ctx context.Context, bar *cli.Progress) iter.Seq2[openapi.SelectInput, error] {
	type result struct {
		in  openapi.SelectInput
		err error
	}
	return func(yield func(openapi.SelectInput, error) bool) {
		stopped := make(chan struct{})
		results := make(chan chan result, readAhead) // each has the result of one file
		var group sync.WaitGroup
		defer group.Wait()
		defer close(stopped)
		group.Go(func() {
			defer close(results)
			for _, name := range c.files {
				read := make(chan result, 1)
				select {
				case <-stopped:
					return
				case results <- read:
				}
				group.Go(func() {
					in, err := c.input(name)
					read <- result{in, err}
				})
			}
		})
		done := 0
		for read := range results {
			r := <-read
			if r.err == nil {
				r.err = context.Cause(ctx)
			}
			if !yield(r.in, r.err) || r.err != nil {
				return
			}
			done++
			bar.Set(done)
		}
		c.undecoded.Note(c.Streams, "they may reach any method")
	}
}

// input reads an input. The result has the methods that the input reached if they are
// known, or else its content. An input that is too large or cannot be decoded has
// neither, so that it may reach any method.
func (c *corpus) input(name string) (openapi.SelectInput, error) {
	in := openapi.SelectInput{Path: filepath.ToSlash(name)}
	text, err := readInput(name)
	undecoded := c.undecoded.Add(name, err)
	if err != nil && !undecoded {
		return in, cli.FileError(name, err)
	}
	known := selection.Input{Size: len(text)}
	needsContent := len(text) <= observation.MaxInput && !undecoded
	if len(c.failed) > 0 || len(c.reached) > 0 || !c.costs.Unknown || !needsContent {
		known.Digest = selection.DigestOf(text)
	}
	if reached, ok := c.reached[known.Digest]; ok {
		in.Reached, needsContent = new(append([]string{}, reached...)), false
	}
	if needsContent {
		in.Input, in.InputBase64 = api.Encode(text)
	} else {
		in.Digest, in.Size = known.Digest.String(), known.Size
	}
	c.describe(&in, known)
	return in, nil
}

// describe sets the fields of an input other than its content.
func (c *corpus) describe(in *openapi.SelectInput, known selection.Input) {
	if added, ok := c.changed[in.Path]; added {
		in.Changed = openapi.New
	} else if ok {
		in.Changed = openapi.Edited
	}
	in.Failed = c.failed[known.Digest]
	if c.costs != nil && !c.costs.Unknown {
		in.DurationMs = milliseconds(c.costs.Of(known))
	}
}

// withoutContent returns all inputs without their content, including unreadable ones.
func (c *corpus) withoutContent() []openapi.SelectInput {
	out := make([]openapi.SelectInput, len(c.files))
	for i, name := range c.files {
		in, known := &out[i], selection.Input{}
		in.Path = filepath.ToSlash(name)
		if text, err := readInput(name); err == nil || c.undecoded.Add(name, err) {
			known.Digest, known.Size = selection.DigestOf(text), len(text)
			in.Digest, in.Size = known.Digest.String(), known.Size
		}
		c.describe(in, known)
	}
	return out
}

// readInput reads an input, up to one byte over the limit. It decodes a file of a Go fuzz
// corpus; if that is impossible, it returns the file with a [gofuzz.SignatureError].
func readInput(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.Grow(int(min(info.Size(), observation.MaxInput)) + bytes.MinRead) // inputs are many, so they are read at once
	_, err = text.ReadFrom(io.LimitReader(file, observation.MaxInput+1))
	if err != nil || text.Len() > observation.MaxInput {
		return text.Bytes(), err
	}
	input, err := gofuzz.Decode(text.Bytes())
	if err != nil {
		return text.Bytes(), err
	}
	return input, nil
}

// A cache is a file of predictions.
type cache struct {
	file  string
	cache *selection.Cache // nil until it is opened
}

// open reads the predictions of a model. A file that is missing, damaged, or of
// another model is an empty cache. A file that is not a cache is an error, so that
// it is not overwritten.
func (c *cache) open(m *model.Model) (*selection.Cache, error) {
	c.cache = selection.NewCache(m.Digest, len(m.Units))
	file, err := os.Open(c.file)
	if errors.Is(err, fs.ErrNotExist) {
		return c.cache, nil
	}
	if err != nil {
		return nil, fmt.Errorf("--cache %s: %w", cli.Printable(c.file), cli.Cause(err))
	}
	defer func() { _ = file.Close() }() // it was only read
	read, err := selection.ReadCache(file, m.Digest, len(m.Units))
	switch {
	case errors.Is(err, selection.ErrCache):
	case err != nil:
		return nil, fmt.Errorf("--cache %s: %w", cli.Printable(c.file), cli.Cause(err))
	default:
		c.cache = read
	}
	return c.cache, nil
}

// save writes the predictions if they differ from those in the file.
func (c *cache) save() error {
	if c.cache == nil || !c.cache.Changed() {
		return nil
	}
	return cli.FileError(c.file, outfile.Write(c.file, 0o644, c.cache.Write))
}
