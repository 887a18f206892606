package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/client"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
)

// A Server holds the flag with the address of the service, if any.
type Server struct {
	URL     string
	Workers int    `json:"workers"` // of an engine in this process; one per core if 0
	Memory  int64  `json:"memory"`  // of a training in this process, in MiB; no limit if 0
	key     string // never a flag: others can read command lines
}

// Bind adds the flag --server.
func (s *Server) Bind(flags *pflag.FlagSet) {
	flags.StringVar(&s.URL, "server", os.Getenv("INROAD_SERVER"),
		"ask the service at this `URL`; default INROAD_SERVER, with the key in INROAD_KEY")
	s.key = os.Getenv("INROAD_KEY")
}

// BindWorkers adds the flag --workers. A service has its own workers.
func (s *Server) BindWorkers(flags *pflag.FlagSet) {
	BindFields(flags, s, openapi.Field{Name: "workers", Description: "Number of workers in this process; one per core if 0", Schema: Between(0, 1024)})
}

// BindMemory adds the flag --memory. A service has its own limit.
func (s *Server) BindMemory(flags *pflag.FlagSet) {
	BindFields(flags, s, openapi.Field{Name: "memory", Placeholder: "MIB", Description: "Memory limit of the training in MiB, as estimated. From half of it, features go to temporary files in TMPDIR; the training fails if the rest does not fit. No limit if 0", Schema: Between(0, 1<<30)})
}

// Service returns a client of the service that --server names, or an engine in this
// process.
func (s *Server) Service() (api.Service, error) {
	if s.URL == "" {
		return &api.Engine{Library: &api.Files{}, Workers: s.Workers, MaxMemory: s.Memory << 20}, nil
	}
	return s.Client()
}

// Client returns a client of the service that --server names.
func (s *Server) Client() (*client.Client, error) {
	c, err := client.New(s.URL, s.key)
	if errors.Is(err, client.ErrKey) {
		return nil, fmt.Errorf("INROAD_KEY: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("--server %s: %w", Printable(s.URL), err)
	}
	return c, nil
}

// BindGrammar adds the flags that name a grammar: --grammar, --scannerless and
// --merge-literals. The last two add a prefix to the name; see [api.ScannerlessName].
func BindGrammar(flags *pflag.FlagSet, name *string) {
	g := &grammarName{to: name}
	flags.Var((*grammarFlag)(g), "grammar", "`NAME` of a bundled grammar, or grammar files joined by commas")
	flags.BoolFunc("scannerless", "treat the grammar as scannerless: characters are the tokens", g.setReading(&g.scannerless))
	flags.BoolFunc("merge-literals", "treat the grammar as scannerless, and merge adjacent literals into one", g.setReading(&g.merged))
}

// BindScannerless adds the flags --scannerless and --merge-literals for a command that
// takes grammar files as arguments. The result returns the name of the grammar in these
// files.
func BindScannerless(flags *pflag.FlagSet) func(files string) string {
	var name string
	g := &grammarName{to: &name}
	flags.BoolFunc("scannerless", "treat the grammar as scannerless: characters are the tokens", g.setReading(&g.scannerless))
	flags.BoolFunc("merge-literals", "treat the grammar as scannerless, and merge adjacent literals into one", g.setReading(&g.merged))
	return func(files string) string {
		g.name = files
		g.update()
		return name
	}
}

// A grammarName collects the name of a grammar from flags, which are parsed in any order.
type grammarName struct {
	name                string
	scannerless, merged bool
	to                  *string
}

func (g *grammarName) update() {
	if *g.to = g.name; g.name != "" && (g.scannerless || g.merged) {
		*g.to = api.ScannerlessName(g.name, g.merged)
	}
}

func (g *grammarName) setReading(to *bool) func(string) error {
	return func(text string) (err error) {
		*to, err = strconv.ParseBool(text)
		g.update()
		return err
	}
}

// A grammarFlag is the value of --grammar.
type grammarFlag grammarName

// String implements [pflag.Value].
func (f *grammarFlag) String() string { return f.name }

// Set implements [pflag.Value].
func (f *grammarFlag) Set(text string) error {
	f.name = text
	(*grammarName)(f).update()
	return nil
}

// Type implements [pflag.Value].
func (f *grammarFlag) Type() string { return "string" }

// BindModel adds the flag --model.
func BindModel(flags *pflag.FlagSet, name *string) {
	flags.StringVar(name, "model", "", "model `FILE`, or the name of a model at the service")
}

// OpenGrammar returns a grammar, and notes on standard error if it is approximate.
func OpenGrammar(ctx context.Context, service api.Service, name string, streams Streams) (openapi.Grammar, error) {
	g, err := service.Grammar(ctx, name)
	if err == nil {
		NoteApproximate(streams, g.Report.Summary)
	}
	return g, err
}

// NoteApproximate notes that the trees of a grammar may differ from ANTLR's.
func NoteApproximate(streams Streams, g openapi.GrammarSummary) {
	if g.Exact {
		return
	}
	streams.Notef("note: grammar %s is approximate: %s not run, so trees may differ from ANTLR's; inroad check lists them",
		Printable(g.Name), CodeSummary(g.Code))
}

// CodeSummary counts the pieces of target-language code that can change trees.
func CodeSummary(code []openapi.Code) string {
	var parts []string
	for _, kind := range []struct {
		kind      openapi.CodeKind
		one, many string
	}{
		{openapi.Predicate, "predicate", "predicates"},
		{openapi.Action, "action", "actions"},
		{openapi.Members, "block of members", "blocks of members"},
		{openapi.Superclass, "superclass", "superclasses"},
	} {
		n := 0
		for _, c := range code {
			if c.Kind == kind.kind {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, Count(n, kind.one, kind.many))
		}
	}
	return strings.Join(parts, ", ")
}

// OpenModel returns the service and describes a model, as [OpenModel] does.
func (s *Server) OpenModel(ctx context.Context, name string, streams Streams) (api.Service, openapi.Model, error) {
	service, err := s.Service()
	if err != nil {
		return nil, openapi.Model{}, err
	}
	m, err := OpenModel(ctx, service, name, streams)
	return service, m, err
}

// OpenModel describes a model, and notes on standard error if its grammar is
// approximate.
func OpenModel(ctx context.Context, service api.Service, name string, streams Streams) (openapi.Model, error) {
	if name == "" {
		return openapi.Model{}, errors.New("no model: give --model FILE")
	}
	m, err := service.Model(ctx, name)
	if err == nil && !m.Exact {
		_, err = OpenGrammar(ctx, service, m.Grammar, streams)
	}
	return m, err
}

// Condition returns a condition on inputs in words.
func Condition(with, without []string) string {
	return model.Way{With: with, Without: without}.String()
}
