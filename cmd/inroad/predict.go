package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
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
	server  serverOptions
	client  *client // nil if no service is asked

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
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			opt.inputs = args
			opt.stdin, opt.stdout, opt.stderr = cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr()
			if opt.client, err = opt.server.connect(cmd); err != nil {
				return err
			}
			return opt.run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&opt.model, "model", "", "the `FILE` of the model, or its name at the service")
	flags.StringSliceVar(&opt.methods, "methods", nil, "only these methods, by ID or an end of it, joined by commas")
	flags.StringVar(&opt.format, "format", "text", "text, json (one array) or ndjson (an object a line)")
	choices(flags, "format", "text", "json", "ndjson")
	opt.server.bind(flags)
	return cmd
}

func (opt *predictOptions) run(ctx context.Context) error {
	if opt.model == "" {
		return errors.New("no model: give --model FILE")
	}
	if len(opt.inputs) == 0 {
		opt.inputs = []string{"-"}
	}
	p := &predictPrinter{named: len(opt.methods) > 0, out: bufio.NewWriter(opt.stdout), stderr: opt.stderr}
	if opt.format != "text" {
		p.json = newJSONWriter(opt.stdout, opt.format)
	}
	answer := opt.predictAll
	if opt.client != nil {
		answer = opt.client.predictAll
	}
	if err := answer(ctx, opt, p); err != nil {
		return err
	}
	if p.json != nil {
		if err := p.json.end(); err != nil {
			return err
		}
	}
	if p.failed {
		return errReported
	}
	return nil
}

// files yields the inputs, and those in folders, in order.
func (opt *predictOptions) files() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, name := range opt.inputs {
			files := []string{"-"}
			if name != "-" {
				var err error
				if files, err = inputFiles([]string{name}); err != nil {
					yield("", err)
					return
				}
			}
			for _, file := range files {
				if !yield(file, nil) {
					return
				}
			}
		}
	}
}

// predictAll answers for all inputs.
func (*predictOptions) predictAll(ctx context.Context, opt *predictOptions, p *predictPrinter) error {
	m, err := readModel(opt.model)
	if err != nil {
		return err
	}
	noteApproximate(opt.stderr, m.Grammar)
	units, err := findUnits(m, opt.methods)
	if err != nil {
		return err
	}
	for file, err := range opt.files() {
		if err != nil {
			return err
		}
		input, err := readInput(ctx, file, opt.stdin, maxInputRead)
		var answer *model.Answer
		if err == nil {
			answer, err = m.Predict(ctx, input, grammars.Limits{})
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			p.fail(file, err)
			continue
		}
		if err := p.print(newAnswer(m, units, file, answer)); err != nil {
			return err
		}
	}
	return nil
}

// A predictPrinter writes answers.
type predictPrinter struct {
	named  bool // methods were asked for by name
	out    *bufio.Writer
	json   *jsonWriter // nil for text
	stderr io.Writer
	failed bool
}

// fail tells why an input has no answer, which does not keep it from the others.
func (p *predictPrinter) fail(name string, err error) {
	p.failed = true
	fmt.Fprintf(p.stderr, "inroad: %s\n", newFailure(name, err).Message)
}

func (p *predictPrinter) print(a *answerJSON) error {
	if p.json == nil {
		p.text(a)
		return p.out.Flush()
	}
	if err := p.json.write(a); err != nil {
		return err
	}
	return p.json.flush()
}

func (p *predictPrinter) text(a *answerJSON) {
	if a.Outside != nil {
		fmt.Fprintf(p.out, "%s: outside the grammar: %s\n", inputName(a.Input), printable(a.Outside.message))
		p.outside(a.Outside)
		return
	}
	fmt.Fprintf(p.out, "%s:", inputName(a.Input))
	if len(a.Outcomes) > 0 {
		fmt.Fprintf(p.out, " %s (probability %.2f),", printable(a.Outcomes[0].Outcome), a.Outcomes[0].Probability)
	}
	fmt.Fprintf(p.out, " reaches %d of %s", a.reaches, count(a.known, "method", "methods"))
	if a.Unseen > 0 {
		fmt.Fprintf(p.out, "; %.1f %% of its paths are new to the model", 100*a.Unseen)
	}
	fmt.Fprintln(p.out)
	for _, m := range a.Methods {
		if !p.named && !m.Covered {
			continue
		}
		word := "not reached"
		if m.Covered {
			word = "reached"
		}
		fmt.Fprintf(p.out, "  %s: %s, probability %.2f (%.2f to %.2f), as %d of %d like it%s\n", printable(m.Method), word,
			m.Probability, m.Low, m.High, m.Positives, m.Rows, printable(why(m.Reasons)))
	}
}

// why says in a line what led to a prediction; nothing if all inputs did the same.
func why(reasons []reasonJSON) string {
	c := model.Way{}
	for _, r := range reasons {
		if r.Present {
			c.With = append(c.With, r.Feature)
		} else {
			c.Without = append(c.Without, r.Feature)
		}
	}
	if len(reasons) == 0 {
		return ""
	}
	return ": " + c.String()
}

// outside says what inputs outside the grammar did in the training.
func (p *predictPrinter) outside(o *outsideJSON) {
	if o.Rows == 0 {
		fmt.Fprintln(p.out, "  the training had no such input")
		return
	}
	var outcomes []string
	for _, name := range slices.Sorted(maps.Keys(o.Outcomes)) {
		outcomes = append(outcomes, fmt.Sprintf("%s %d", name, o.Outcomes[name]))
	}
	fmt.Fprintf(p.out, "  of %s in the training: %s\n", count(o.Rows, "such input", "such inputs"), printable(strings.Join(outcomes, ", ")))
	for _, m := range o.Methods {
		if p.named || 2*m.Reached > o.Rows {
			fmt.Fprintf(p.out, "  %s: reached by %d of %d\n", printable(m.Method), m.Reached, o.Rows)
		}
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

	reaches, known int // methods in all, whichever were asked for
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

	message string // of the error, without the name of the input
}

type reachedJSON struct {
	Method  string `json:"method"`
	Reached int    `json:"reached"`
}

// newAnswer returns what is told of an input: what becomes of some methods, or of
// all if none is named.
func newAnswer(m *model.Model, units []int, name string, a *model.Answer) *answerJSON {
	out := &answerJSON{Input: name, Model: m.Digest, Exact: m.Grammar.Exact(), Unseen: a.Unseen, known: len(m.Units)}
	if len(units) == 0 {
		for unit := range m.Units {
			units = append(units, unit)
		}
	}
	if a.Syntax != nil {
		o := m.Outside
		out.Outside = &outsideJSON{
			Error: newFailure(name, a.Syntax), Rows: o.Rows, Outcomes: map[string]int{}, Methods: []reachedJSON{}, message: a.Syntax.Error(),
		}
		maps.Copy(out.Outside.Outcomes, o.Outcomes)
		for _, unit := range units {
			if o.Rows == 0 {
				break // nothing is known
			}
			out.Outside.Methods = append(out.Outside.Methods, reachedJSON{m.Units[unit].ID, o.Reached[unit]})
		}
		return out
	}
	out.Outcomes = []outcomeJSON{}
	for _, o := range a.Outcomes {
		out.Outcomes = append(out.Outcomes, outcomeJSON(o))
	}
	for _, p := range a.Methods {
		if p.Reached {
			out.reaches++
		}
	}
	for _, unit := range units {
		p := a.Methods[unit]
		reasons := []reasonJSON{}
		for _, t := range m.Reasons(unit, p) {
			reasons = append(reasons, reasonJSON{t.Feature.Describe(m.Space()), t.Present})
		}
		out.Methods = append(out.Methods, predictionJSON{
			m.Units[unit].ID, p.Reached, p.Probability, p.Low, p.High, p.Rows, p.Positives, reasons,
		})
	}
	return out
}
