package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting"
)

// OutputHelp ends the help of commands that generate inputs.
const OutputHelp = `Without --out, inputs are printed as JSON: {"input": ...}, or {"input_base64": ...}
for an input that is not UTF-8. The same seed gives the same inputs; --seed 0
draws a seed and prints it.`

// An Output says where generated inputs are written: to standard output as JSON, or
// to a folder, one file per input.
type Output struct{ Dir, Format string }

// Bind adds the flags --out and --format.
func (o *Output) Bind(flags *pflag.FlagSet) {
	flags.StringVar(&o.Dir, "out", "", "write one file per input into this `DIR`, which must be empty or absent")
	BindEnum(flags, &o.Format, "format", "without --out: one object per line, or one array", "ndjson", "json")
}

// Check returns an error if the folder is neither empty nor absent.
func (o *Output) Check() error {
	if o.Dir == "" {
		return nil
	}
	entries, err := os.ReadDir(o.Dir)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("--out %s: %w", Printable(o.Dir), Cause(err))
	case len(entries) > 0:
		return fmt.Errorf("--out %s: the folder must be empty", Printable(o.Dir))
	}
	return nil
}

// Open returns a writer of inputs of a grammar. The folder must be empty or absent.
func (o *Output) Open(stdout io.Writer, grammar string) (*InputWriter, error) {
	if o.Dir == "" {
		return &InputWriter{json: NewJSONWriter(stdout, o.Format)}, nil
	}
	return &InputWriter{dir: o.Dir, extension: strings.ToLower(grammar)}, o.Check()
}

// An InputWriter writes generated inputs.
type InputWriter struct {
	json      *JSONWriter // nil for files
	dir       string
	extension string
	n         int
}

// Write writes an answer of the contract as JSON, without delay, or its input, given as
// text or in base64, to a file. The file name begins with the number of the input's set,
// unless the number is 0.
func (w *InputWriter) Write(answer any, text, encoded *string, set int) error {
	prefix := ""
	if set > 0 {
		prefix = fmt.Sprintf("%03d-", set)
	}
	return w.write(answer, text, encoded, prefix, "")
}

// WriteMarked is like Write without a set, but the file name ends with a mark.
func (w *InputWriter) WriteMarked(answer any, text, encoded *string, mark string) error {
	return w.write(answer, text, encoded, "", "-"+mark)
}

func (w *InputWriter) write(answer any, text, encoded *string, prefix, suffix string) error {
	w.n++
	if w.json != nil {
		return cmp.Or(w.json.Encode(answer), w.json.Flush())
	}
	input, err := api.Decode(text, encoded)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return fmt.Errorf("--out %s: %w", Printable(w.dir), Cause(err))
	}
	name := fmt.Sprintf("%s%06d%s.%s", prefix, w.n, suffix, w.extension)
	return writeNew(filepath.Join(w.dir, name), input)
}

// writeNew writes a file that must not exist yet, and removes it on failure. It does
// not sync, because syncing thousands of inputs one by one would be slow.
func writeNew(name string, text []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // inputs are for others to read
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return nil
}

// Close ends the output and returns err, or else its own error. If err occurred before
// the first input, nothing is written.
func (w *InputWriter) Close(err error) error {
	if w.json == nil || err != nil && w.n == 0 {
		return err
	}
	return cmp.Or(err, w.json.Close())
}

// NoteSeed prints the seed that was used if the request asked for a random one.
func NoteSeed(s Streams, asked *openapi.Seed, used int64) {
	if asked != nil && *asked == 0 {
		s.Notef("seed %d", used)
	}
}

// ReportVerdict prints why there is no input if err has a verdict, and returns the
// error that ends the command.
func ReportVerdict(s Streams, err error) error {
	verdict, ok := targeting.VerdictOf(err)
	if !ok || verdict == targeting.Solved {
		return err
	}
	s.Notef("%s", Printable(err.Error()))
	return &VerdictError{verdict}
}

// Learning holds the flags for the probabilities of a request.
type Learning struct {
	From []string
	File string
	// Outcome, if not empty, says that From names files of observations, and selects those
	// to learn from: an outcome, or all.
	Outcome string `json:"outcome"`
	req     openapi.LearnProbabilitiesParams
}

// Bind adds the flags --from and --probabilities, for the strategies or styles that
// use them.
func (l *Learning) Bind(flags *pflag.FlagSet, users string) {
	BindFiles(flags, &l.From, "from", users+": learn probabilities from the inputs in `DIR|FILE`s")
	flags.StringVar(&l.File, "probabilities", "", users+": read probabilities from a `FILE` that inroad probabilities wrote")
}

// BindDetails adds the flags --outcome, with which --from reads files of observations, and
// --context, the length of the paths that probabilities depend on.
func (l *Learning) BindDetails(flags *pflag.FlagSet) {
	Bind(flags, &l.req, "context")
	outcomes := []string{allOutcomes}
	for _, o := range observation.Outcomes() {
		outcomes = append(outcomes, string(o))
	}
	BindFields(flags, l, openapi.Field{
		Name: "outcome", Description: "--from names files of observations: learn from those with this outcome", Schema: openapi.Schema{Type: "string", Enum: outcomes},
	})
}

// allOutcomes selects all observations.
const allOutcomes = "all"

// observed yields the inputs of the observations to learn from.
func (l *Learning) observed(ctx context.Context, streams Streams) (api.Inputs, error) {
	files, err := OpenObservations(ctx, l.From, false, streams)
	if err != nil {
		return nil, err
	}
	return func(yield func(openapi.Input, error) bool) {
		defer files.Close()
		for block, err := range files.Blocks() {
			if err != nil {
				yield(openapi.Input{}, err)
				return
			}
			for i, o := range block.Observations {
				if l.Outcome != allOutcomes && l.Outcome != string(o.Outcome) {
					continue
				}
				in := openapi.Input{Name: cmp.Or(o.Name, fmt.Sprintf("observation %d", i+1))}
				in.Input, in.InputBase64 = api.Encode(o.Input)
				if !yield(in, nil) {
					return
				}
			}
		}
	}, nil
}

// BindFiles adds a flag that takes names of files, joined by commas.
func BindFiles(flags *pflag.FlagSet, names *[]string, name, usage string) {
	flags.StringSliceVar(names, name, nil, usage)
	flag := flags.Lookup(name)
	flag.Value, flag.DefValue = namesValue{flag.Value, name}, ""
}

// A namesValue is a list that refuses an empty value, which would leave the list
// empty as if the flag were absent.
type namesValue struct {
	pflag.Value
	name string
}

func (v namesValue) Set(text string) error {
	if text == "" {
		return openapi.FieldErrorf(v.name, "must name a file or a folder")
	}
	return v.Value.Set(text)
}

// maxProbabilities is the maximum size of a file of probabilities, in bytes.
const maxProbabilities = 16 << 20

// Learn returns the probabilities that the flags ask for, or nil without flags. start
// is the rule that inputs of the corpus derive from, or "" for the grammar's first
// parser rule.
func (l *Learning) Learn(ctx context.Context, service api.Service, grammar, start string, streams Streams) (openapi.Probabilities, error) {
	req := l.req
	req.Start = start
	switch {
	case len(l.From) > 0 && l.File != "":
		return nil, errors.New("--from and --probabilities: give only one of them")
	case l.req.Context > 1 && len(l.From) == 0:
		return nil, errors.New("--context: give --from DIR with a corpus, too")
	case l.Outcome != "" && len(l.From) == 0:
		return nil, errors.New("--outcome: give --from FILE.ndjson with observations, too")
	case l.File != "":
		text, err := ReadInput(ctx, l.File, streams.In, maxProbabilities)
		if err == nil && len(text) > maxProbabilities {
			err = fmt.Errorf("must be at most %d bytes", maxProbabilities)
		}
		if err != nil {
			return nil, fmt.Errorf("--probabilities %s: %w", InputName(l.File), err)
		}
		return append(openapi.Probabilities{}, bytes.TrimSpace(text)...), nil
	case l.Outcome != "":
		inputs, err := l.observed(ctx, streams)
		if err != nil {
			return nil, fmt.Errorf("--from: %w", err)
		}
		learned, err := learnFrom(ctx, service, grammar, req, inputs, streams)
		if err == nil && learned.Inputs == 0 {
			err = fmt.Errorf("no observation has the outcome %s", l.Outcome)
		}
		if err != nil {
			return nil, fmt.Errorf("--from: %w", err)
		}
		return learned.Probabilities, nil
	case len(l.From) > 0:
		learned, err := LearnFrom(ctx, service, grammar, req, l.From, streams)
		if err != nil {
			return nil, fmt.Errorf("--from: %w", err)
		}
		return learned.Probabilities, nil
	default:
		return nil, nil
	}
}

// Explain adds the flag that the probabilities come from to an error about them.
func (l *Learning) Explain(err error) error {
	field, ok := errors.AsType[*openapi.FieldError](err)
	if !ok || field.Field != "probabilities" {
		return err
	}
	named := *field
	if named.Value = l.File; len(l.From) > 0 {
		named.Field, named.Value = "from", strings.Join(l.From, ",")
	}
	return &named
}

// LearnFrom learns from files and folders. It leaves out inputs that do not parse, and
// prints a note; it is an error if no input parses.
func LearnFrom(ctx context.Context, service api.Service, grammar string, req openapi.LearnProbabilitiesParams, names []string, streams Streams) (openapi.Learned, error) {
	var files []string
	var err error
	if len(names) > 0 {
		files, err = CorpusFiles(names)
	}
	if err != nil {
		return openapi.Learned{}, err
	}
	bar := NewProgress(streams.Err, "parsed", len(files))
	defer bar.End()
	return learnFrom(ctx, service, grammar, req, Inputs(ctx, files, streams.In, bar), streams)
}

// learnFrom learns from inputs, like [LearnFrom].
func learnFrom(ctx context.Context, service api.Service, grammar string, req openapi.LearnProbabilitiesParams, inputs api.Inputs, streams Streams) (openapi.Learned, error) {
	learned, err := service.LearnProbabilities(ctx, grammar, req, inputs)
	if err != nil || len(learned.Rejected) == 0 {
		return learned, err
	}
	first := learned.Rejected[0]
	message := first.Name + ": " + first.Message
	if first.Syntax.Line > 0 { // the message begins with the place
		message = first.Name + ":" + first.Message
	}
	if learned.Outside == learned.Inputs {
		return learned, fmt.Errorf("none of %s parses: %s", Count(learned.Inputs, "input", "inputs"), message)
	}
	streams.Notef("note: %d of %d inputs were left out, because they do not parse; the first: %s", learned.Outside, learned.Inputs, Printable(message))
	return learned, nil
}
