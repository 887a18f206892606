// Package corpus holds the commands that generate inputs: generate, mutate, probabilities
// and solve.
package corpus

import (
	"context"
	"iter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{NewGenerate(), NewMutate(), NewProbabilities(), NewSolve()}
}

// A command asks a service about a grammar.
type command struct {
	name    string // of the grammar
	server  cli.Server
	service api.Service
	grammar openapi.Grammar
	cli.Streams
}

// open opens the grammar.
func (c *command) open(cmd *cobra.Command) (err error) {
	c.Streams = cli.StreamsOf(cmd)
	if c.service, err = c.server.Service(); err != nil {
		return err
	}
	c.grammar, err = cli.OpenGrammar(cmd.Context(), c.service, c.name, c.Streams)
	return err
}

// A generator is a command that writes inputs.
type generator struct {
	command
	learning cli.Learning
	output   cli.Output
}

// bindOutput adds the flags for the output and the service.
func (c *generator) bindOutput(flags *pflag.FlagSet) {
	c.output.Bind(flags)
	c.server.Bind(flags)
}

// learn returns the probabilities that the flags ask for.
func (c *generator) learn(ctx context.Context, start string) (openapi.Probabilities, error) {
	return c.learning.Learn(ctx, c.service, c.grammar.ID, start, c.Streams)
}

// write writes inputs and returns their summary. It calls written after each input.
func (c *generator) write(inputs iter.Seq2[openapi.GeneratedInput, error], written func(openapi.GeneratedInput)) (summary openapi.GenerateSummary, err error) {
	out, err := c.output.Open(c.Out, c.grammar.Report.Summary.Name)
	if err != nil {
		return summary, err
	}
	for line := range cli.Lines(inputs, &err) {
		if line.Summary != nil {
			summary = *line.Summary
			continue
		}
		if err = out.Write(line, line.Input, line.InputBase64, line.Set); err != nil {
			break
		}
		written(line)
	}
	return summary, out.Close(c.learning.Explain(err))
}
