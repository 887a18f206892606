package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
)

type predictOptions struct {
	model   string
	methods []string
	format  string
	inputs  []string

	stdin          io.Reader
	stdout, stderr io.Writer
}

func newPredictCommand() *cobra.Command {
	opt := &predictOptions{}
	cmd := &cobra.Command{
		Use:   "predict --model MODEL [flags] [INPUT|DIR|-]...",
		Short: "Tell which methods inputs will reach, without running the program",
		Long: `Tell which methods inputs will reach, without running the program.

Text has the methods that an input reaches, or those that --methods names, each
with its probability, the interval that the number of observations leaves, and
why. JSON has all methods. An input outside the grammar is answered with where
it leaves the grammar and what such inputs did in the training.`,
		Example: `  inroad predict --model json.model data.json
  inroad predict --model json.model --methods parseObject,parseArray --format ndjson corpus
  echo '[1]' | inroad predict --model json.model`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt.inputs = args
			opt.stdin, opt.stdout, opt.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.model, "model", "", "the `FILE` of the model")
	flags.StringSliceVar(&opt.methods, "methods", nil, "only these methods, by ID or an end of it, joined by commas")
	flags.StringVar(&opt.format, "format", "text", "text, json (one array) or ndjson (an object a line)")
	return cmd
}

func (opt *predictOptions) run(ctx context.Context) error {
	switch {
	case opt.model == "":
		return errors.New("no model: give --model FILE")
	case opt.format != "text" && opt.format != "json" && opt.format != "ndjson":
		return fmt.Errorf("--format %s: it is text, json or ndjson", opt.format)
	}
	m, err := readModel(opt.model)
	if err != nil {
		return err
	}
	noteApproximate(opt.stderr, m.Grammar)
	p := predictPrinter{model: m, out: bufio.NewWriter(opt.stdout), format: opt.format}
	for _, name := range opt.methods {
		unit, err := findUnit(m, name)
		if err != nil {
			return err
		}
		p.units = append(p.units, unit)
	}
	if len(opt.inputs) == 0 {
		opt.inputs = []string{"-"}
	}
	failed := false
	p.begin()
	for _, name := range opt.inputs {
		if err := opt.predict(ctx, &p, name, &failed); err != nil {
			return err
		}
	}
	p.end()
	if err := p.out.Flush(); err != nil {
		return err
	}
	if failed {
		return errReported
	}
	return nil
}

// predict answers for an input, or for all in a folder. What is wrong with one
// does not keep it from the others.
func (opt *predictOptions) predict(ctx context.Context, p *predictPrinter, name string, failed *bool) error {
	files := []string{"-"}
	if name != "-" {
		var err error
		if files, err = inputFiles([]string{name}); err != nil {
			return err
		}
	}
	for _, file := range files {
		var input []byte
		var err error
		if file == "-" {
			input, err = readAll(opt.stdin, maxInputRead)
		} else {
			input, err = readFile(file, maxInputRead)
		}
		var answer *model.Answer
		if err == nil {
			answer, err = p.model.Predict(ctx, input, grammars.Limits{})
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			*failed = true
			fmt.Fprintf(opt.stderr, "inroad: %s\n", newFailure(file, err).Message)
			continue
		}
		if err := p.print(file, answer); err != nil {
			return err
		}
	}
	return nil
}

// A predictPrinter writes answers.
type predictPrinter struct {
	model  *model.Model
	units  []int // that were asked for; all if none
	out    *bufio.Writer
	format string
	begun  bool
}

func (p *predictPrinter) begin() {
	if p.format == "json" {
		fmt.Fprint(p.out, "[")
	}
}

func (p *predictPrinter) end() {
	if p.format == "json" {
		fmt.Fprintln(p.out, "]")
	}
}

func (p *predictPrinter) print(name string, a *model.Answer) error {
	if p.format == "text" {
		p.text(name, a)
		return p.out.Flush()
	}
	text, err := json.Marshal(p.answer(name, a))
	if err != nil {
		return err
	}
	switch {
	case p.format == "ndjson":
		fmt.Fprintf(p.out, "%s\n", text)
		return p.out.Flush()
	case p.begun:
		fmt.Fprint(p.out, ",\n ")
	}
	p.begun = true
	_, err = p.out.Write(text)
	return err
}

func (p *predictPrinter) text(name string, a *model.Answer) {
	if a.Syntax != nil {
		fmt.Fprintf(p.out, "%s: outside the grammar: %s\n", inputName(name), printable(a.Syntax.Error()))
		p.outside()
		return
	}
	fmt.Fprintf(p.out, "%s:", inputName(name))
	if len(a.Outcomes) > 0 {
		fmt.Fprintf(p.out, " %s (probability %.2f),", printable(a.Outcomes[0].Outcome), a.Outcomes[0].Probability)
	}
	covered := 0
	for _, m := range a.Methods {
		if m.Covered {
			covered++
		}
	}
	fmt.Fprintf(p.out, " reaches %d of %s", covered, count(len(a.Methods), "method", "methods"))
	if a.Unseen > 0 {
		fmt.Fprintf(p.out, "; %.1f %% of its paths are new to the model", 100*a.Unseen)
	}
	fmt.Fprintln(p.out)
	for unit, m := range a.Methods {
		if len(p.units) > 0 && !slices.Contains(p.units, unit) || len(p.units) == 0 && !m.Covered {
			continue
		}
		word := "not reached"
		if m.Covered {
			word = "reached"
		}
		fmt.Fprintf(p.out, "  %s: %s, probability %.2f (%.2f to %.2f), as %d of %d like it%s\n", printable(p.model.Units[unit].ID), word,
			m.Probability, m.Low, m.High, m.Positives, m.Rows, printable(p.why(unit, m)))
	}
}

// why says in a line what led to a prediction; nothing if all inputs did the same.
func (p *predictPrinter) why(unit int, m *model.Prediction) string {
	c := model.Condition{}
	for _, t := range p.model.Reasons(unit, m) {
		if text := t.Feature.Describe(p.model.Space()); t.Present {
			c.With = append(c.With, text)
		} else {
			c.Without = append(c.Without, text)
		}
	}
	if len(c.With)+len(c.Without) == 0 {
		return ""
	}
	return ": " + c.String()
}

// outside says what inputs outside the grammar did in the training.
func (p *predictPrinter) outside() {
	o := p.model.Outside
	if o.Rows == 0 {
		fmt.Fprintln(p.out, "  the training had no such input")
		return
	}
	var outcomes []string
	for _, name := range slices.Sorted(maps.Keys(o.Outcomes)) {
		outcomes = append(outcomes, fmt.Sprintf("%s %d", name, o.Outcomes[name]))
	}
	fmt.Fprintf(p.out, "  of %s in the training: %s\n", count(o.Rows, "such input", "such inputs"), printable(strings.Join(outcomes, ", ")))
	for unit, n := range o.Reached {
		if len(p.units) > 0 && !slices.Contains(p.units, unit) || len(p.units) == 0 && 2*n <= o.Rows {
			continue
		}
		fmt.Fprintf(p.out, "  %s: reached by %d of %d\n", printable(p.model.Units[unit].ID), n, o.Rows)
	}
}

type answerJSON struct {
	Input    string           `json:"input"`
	Model    string           `json:"model"`
	Exact    bool             `json:"exact"`
	Outside  *outsideJSON     `json:"outside,omitempty"`
	Outcomes []outcomeJSON    `json:"outcomes,omitzero"`
	Unseen   float64          `json:"unseen"`
	Methods  []predictionJSON `json:"methods,omitzero"`
}

type outcomeJSON struct {
	Outcome     string  `json:"outcome"`
	Probability float64 `json:"probability"`
}

type predictionJSON struct {
	Method      string       `json:"method"`
	Covered     bool         `json:"covered"`
	Probability float64      `json:"probability"`
	Low         float64      `json:"low"`
	High        float64      `json:"high"`
	Rows        int32        `json:"observations"`
	Positives   int32        `json:"reached"`
	Reasons     []reasonJSON `json:"reasons"`
}

type reasonJSON struct {
	Feature string `json:"feature"`
	Present bool   `json:"present"`
}

type outsideJSON struct {
	Error    *failure       `json:"error"`
	Rows     int            `json:"observations"`
	Outcomes map[string]int `json:"outcomes"`
	Methods  []reachedJSON  `json:"methods"`
}

type reachedJSON struct {
	Method  string `json:"method"`
	Reached int    `json:"reached"`
}

func (p *predictPrinter) answer(name string, a *model.Answer) answerJSON {
	out := answerJSON{Input: name, Model: p.model.Digest, Exact: p.model.Grammar.Exact(), Unseen: a.Unseen}
	units := p.units
	if len(units) == 0 {
		for unit := range p.model.Units {
			units = append(units, unit)
		}
	}
	if a.Syntax != nil {
		o := p.model.Outside
		out.Outside = &outsideJSON{Error: newFailure(name, a.Syntax), Rows: o.Rows, Outcomes: o.Outcomes, Methods: []reachedJSON{}}
		for _, unit := range units {
			out.Outside.Methods = append(out.Outside.Methods, reachedJSON{p.model.Units[unit].ID, o.Reached[unit]})
		}
		return out
	}
	out.Outcomes = []outcomeJSON{}
	for _, o := range a.Outcomes {
		out.Outcomes = append(out.Outcomes, outcomeJSON(o))
	}
	for _, unit := range units {
		m := a.Methods[unit]
		reasons := []reasonJSON{}
		for _, t := range p.model.Reasons(unit, m) {
			reasons = append(reasons, reasonJSON{t.Feature.Describe(p.model.Space()), t.Present})
		}
		out.Methods = append(out.Methods, predictionJSON{
			p.model.Units[unit].ID, m.Covered, m.Probability, m.Low, m.High, m.Rows, m.Positives, reasons,
		})
	}
	return out
}
