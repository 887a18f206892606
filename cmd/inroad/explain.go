package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/model"
)

type explainOptions struct {
	model  string
	method string
	format string
	whole  bool
	server serverOptions
	client *client // nil if no service is asked

	stdout, stderr io.Writer
}

func newExplainCommand() *cobra.Command {
	opt := &explainOptions{}
	cmd := &cobra.Command{
		Use:   "explain --model MODEL METHOD [flags]",
		Short: "Tell which inputs reach a method",
		Long: `Tell which inputs reach a method: the tree that was learned for it.

A METHOD is named by its ID, or by an end of it that no other has. Questions that
chance explains are left out, unless the tree is to be whole; predictions are
always made by the whole tree.`,
		Example: `  inroad explain --model json.model parseObject
  inroad explain --model json.model 'parser.go#parseObject' --format svg >tree.svg`,
		Args:                  cobra.ExactArgs(1),
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			opt.method, opt.stdout, opt.stderr = args[0], cmd.OutOrStdout(), cmd.ErrOrStderr()
			if opt.client, err = opt.server.connect(cmd); err != nil {
				return err
			}
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.model, "model", "", "the `FILE` of the model, or its name at the service")
	flags.StringVar(&opt.format, "format", "text", "text, dot, svg or json")
	choices(flags, "format", "text", "dot", "svg", "json")
	flags.BoolVar(&opt.whole, "whole", false, "the whole tree, with questions that chance may explain")
	opt.server.bind(flags)
	return cmd
}

func (opt *explainOptions) run(ctx context.Context) error {
	if opt.model == "" {
		return errors.New("no model: give --model FILE")
	}
	if opt.client != nil {
		return opt.client.explain(ctx, opt)
	}
	m, err := readModel(opt.model)
	if err != nil {
		return err
	}
	noteApproximate(opt.stderr, m.Grammar)
	unit, err := findUnit(m, opt.method)
	if err != nil {
		return err
	}
	e := m.Explain(unit, opt.whole)
	switch opt.format {
	case "dot":
		return e.WriteDOT(opt.stdout)
	case "svg":
		return e.WriteSVG(opt.stdout)
	case "json":
		return writeExplanationJSON(opt.stdout, m, e)
	default:
		return e.WriteText(&terminalWriter{w: opt.stdout})
	}
}

// findUnit returns the place of the method that a user named.
func findUnit(m *model.Model, name string) (int, error) {
	unit, err := m.Unit(name)
	if unknown, ok := errors.AsType[*model.UnitError](err); ok && len(unknown.Matches) == 0 {
		var names []string
		for _, u := range m.Units {
			names = append(names, u.ID[strings.LastIndex(u.ID, "#")+1:])
		}
		if near := nearest(name, slices.Compact(names)); len(near) > 0 {
			return 0, fmt.Errorf("%w; did you mean %s?", err, strings.Join(near, " or "))
		}
	}
	return unit, err
}

type explanationJSON struct {
	Model      string        `json:"model"`
	Exact      bool          `json:"exact"`
	Method     string        `json:"method"`
	File       string        `json:"file,omitempty"`
	Start      int           `json:"start,omitempty"`
	End        int           `json:"end,omitempty"`
	Reached    int           `json:"reached"`
	All        int           `json:"observations"`
	HeldOut    *reportFigure `json:"held_out,omitempty"`
	Conditions []model.Way   `json:"conditions"`
	Tree       *model.Node   `json:"tree"`
}

func writeExplanationJSON(w io.Writer, m *model.Model, e *model.Explanation) error {
	out := explanationJSON{
		Model: m.Digest, Exact: m.Grammar.Exact(), Method: e.Unit.ID, File: e.Unit.File, Start: e.Unit.Start, End: e.Unit.End,
		Reached: e.Reached, All: e.Rows, Conditions: []model.Way{}, Tree: e.Tree,
	}
	for _, c := range e.Ways {
		c.With, c.Without = append([]string{}, c.With...), append([]string{}, c.Without...)
		out.Conditions = append(out.Conditions, c)
	}
	if e.HeldOut.Total() > 0 {
		out.HeldOut = new(figureOf(e.HeldOut))
	}
	return json.NewEncoder(w).Encode(out)
}
