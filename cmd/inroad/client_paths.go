package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/limit"
)

// mostPaths is how many paths a service lists beside a coverage.
const mostPaths = 10_000

// countPaths has a service count paths.
func (c *client) countPaths(ctx context.Context, opt *pathsOptions) (string, error) {
	g, err := c.openGrammar(ctx, opt.grammar, &opt.Start, opt.stderr)
	if err != nil {
		return "", err
	}
	resp, err := c.CountPaths(ctx, g.id, &openapi.CountPathsParams{K: opt.k, Start: opt.Start, Trivia: opt.Trivia, Names: opt.Names, Absent: opt.Absent})
	counted, err := read[openapi.PathCount](ctx, c, resp, err)
	return counted.Count, err
}

// listPaths has a service list the paths of a grammar.
func (c *client) listPaths(ctx context.Context, opt *pathsInputOptions) error {
	g, err := c.openGrammar(ctx, opt.grammar, &opt.Start, opt.stderr)
	if err != nil {
		return err
	}
	resp, err := c.ListPaths(ctx, g.id, &openapi.ListPathsParams{K: opt.k, Start: opt.Start, Trivia: opt.Trivia, Names: opt.Names, Absent: opt.Absent})
	out := opt.writer()
	for p, err := range each[openapi.Path](ctx, c, resp, err) {
		if err == nil {
			err = out.write(pathJSON(p))
		}
		if err != nil {
			return err
		}
	}
	return out.end()
}

// listPathsOf has a service list the paths of inputs.
func (c *client) listPathsOf(ctx context.Context, opt *pathsInputOptions) error {
	found, err := c.measure(ctx, opt, &openapi.MeasureCoverageParams{Present: mostPaths})
	if err != nil {
		return err
	}
	out := opt.writer()
	for _, p := range found.Present {
		if err := out.write(pathJSON(p)); err != nil {
			return err
		}
	}
	if found.Covered > len(found.Present) {
		fmt.Fprintf(opt.stderr, "inroad: note: a service lists no more than %d of %d paths\n", len(found.Present), found.Covered)
	}
	return out.end()
}

// coverPaths has a service tell how many of the paths inputs have.
func (c *client) coverPaths(ctx context.Context, opt *pathsInputOptions) error {
	params := &openapi.MeasureCoverageParams{}
	if opt.missing {
		params.Missing = mostPaths
	}
	found, err := c.measure(ctx, opt, params)
	if err != nil {
		return err
	}
	r := &coverageJSON{K: found.K, Covered: found.Covered, Possible: found.Possible, Impossible: found.Impossible}
	if opt.missing {
		r.Missing = []pathJSON{}
	}
	for _, p := range found.Missing {
		r.Missing = append(r.Missing, pathJSON(p))
	}
	if len(found.Missing) == mostPaths {
		fmt.Fprintf(opt.stderr, "inroad: note: a service lists no more than %d paths\n", mostPaths)
	}
	return opt.writeCoverage(r)
}

// measure sends inputs and returns what a service says of their paths. Those
// outside the grammar are reported.
func (c *client) measure(ctx context.Context, opt *pathsInputOptions, params *openapi.MeasureCoverageParams) (openapi.Coverage, error) {
	none := openapi.Coverage{}
	g, err := c.openGrammar(ctx, opt.grammar, &opt.Start, opt.stderr)
	if err != nil {
		return none, err
	}
	files, err := inputFiles(opt.inputs)
	if err != nil {
		return none, err
	}
	params.K, params.Start, params.Trivia, params.Names, params.Absent = opt.k, opt.Start, opt.Trivia, opt.Names, opt.Absent
	failures := make([]error, len(files))
	var sentFiles []int
	body := sendLines(ctx, func(ctx context.Context, line func(any) error) error {
		for i, name := range files {
			input, err := readSent(ctx, name, nil)
			if failures[i] = err; err != nil {
				continue
			}
			sentFiles = append(sentFiles, i)
			in := openapi.Input{}
			in.Input, in.InputBase64 = sent(input)
			if err := line(in); err != nil {
				return err
			}
		}
		return nil
	})
	resp, err := c.MeasureCoverageWithBody(ctx, g.id, params, "application/x-ndjson", body)
	found, err := read[openapi.Coverage](ctx, c, resp, err)
	body.end()
	if err != nil {
		return none, err
	}
	for _, r := range found.Rejected {
		if r.Number < 1 || r.Number > len(sentFiles) {
			return none, fmt.Errorf("%s: it rejects an input that it was not sent", c.url)
		}
		failures[sentFiles[r.Number-1]] = &beyondError{r.Syntax}
	}
	failed := found.Outside > 0
	for i, err := range failures {
		if err != nil {
			failed = true
			fmt.Fprintf(opt.stderr, "inroad: %s\n", newFailure(files[i], err).Message)
		}
	}
	if more := found.Outside - len(found.Rejected); more > 0 {
		fmt.Fprintf(opt.stderr, "inroad: and %d more are outside the grammar\n", more)
	}
	if failed {
		return none, errReported
	}
	return found, nil
}

// readSent reads an input that is to be sent.
func readSent(ctx context.Context, name string, stdin io.Reader) ([]byte, error) {
	input, err := readInput(ctx, name, stdin, maxInputRead)
	if err == nil && len(input) > maxInputRead {
		return nil, &limit.Error{What: "input", Value: strconv.Itoa(maxInputRead) + " bytes"}
	}
	return input, err
}
