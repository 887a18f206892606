package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/tribble"
	"github.com/inroad/inroad/model"
)

// A Library resolves the names of grammars and models in requests.
type Library interface {
	Grammars(ctx context.Context) ([]*Grammar, error) // only ID, Name, Bundled and Created are set
	Grammar(ctx context.Context, name string) (*Grammar, error)
	Model(ctx context.Context, name string) (*Model, error)
}

// A Grammar is a grammar that is ready for use, with its origin.
type Grammar struct {
	*grammars.Grammar
	ID      string // names the grammar in requests
	Name    string
	Bundled bool
	Created time.Time // zero unless it was uploaded
	Sources []grammars.Source
}

// A NotFoundError reports a name that identifies nothing: no grammar, model, method or
// outcome.
type NotFoundError struct {
	Kind, Name string
	Known      []string // names to suggest; may be empty
	Listed     string   // heading of the list of known names, which is shown if no known name is similar; no list if empty
	Advice     string   // other names that are allowed; may be empty
}

func (e *NotFoundError) Error() string {
	text := fmt.Sprintf("%s %s: not found", e.Kind, Excerpt(e.Name))
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	near := didYouMean(e.Name, e.Known)
	if near == "" && e.Listed != "" {
		return text + "; " + e.Listed + ": " + strings.Join(e.Known, ", ")
	}
	return text + near
}

// GrammarNotFound returns the error for an unknown grammar name.
func GrammarNotFound(name string) *NotFoundError {
	return &NotFoundError{Kind: "grammar", Name: name, Known: bundled.Names(), Listed: "bundled grammars"}
}

// GrammarFileNotFound returns the error for an unknown grammar name that could also be
// a file name.
func GrammarFileNotFound(name string) *NotFoundError {
	err := GrammarNotFound(name)
	err.Advice = "names of files end in .g4 or .scala, or contain a slash"
	return err
}

// LoadGrammar loads a grammar whose inputs derive from a parser rule; from its
// first parser rule if start is empty.
func LoadGrammar(ctx context.Context, start string, sources []grammars.Source) (*grammars.Grammar, error) {
	g, err := grammars.Load(ctx, sources...)
	if err != nil || start == "" || start == g.Start {
		return g, err
	}
	if _, err := startRule(g, start); err != nil {
		return nil, err
	}
	return grammars.LoadWith(ctx, grammars.LoadOptions{Start: start}, sources...)
}

// Files is the library of commands: grammars are bundled or files, and models are
// files. The zero Files is ready for use. Loaded grammars and models are kept.
type Files struct {
	mu       sync.Mutex
	grammars map[string]*Grammar
	models   map[string]*Model
}

// IsGrammarFile reports whether a name is a file name: it contains a slash or ends in
// .g4 or .scala. Other names are those of bundled grammars.
func IsGrammarFile(name string) bool {
	if _, scannerless, _ := cutReading(name); scannerless {
		return true
	}
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".g4") || strings.HasSuffix(name, tribble.Extension)
}

// Grammars returns the bundled grammars.
func (f *Files) Grammars(context.Context) ([]*Grammar, error) {
	var out []*Grammar
	for _, name := range bundled.Names() {
		out = append(out, &Grammar{ID: name, Name: name, Bundled: true})
	}
	return out, nil
}

// Grammar loads a grammar from a comma-separated list of bundled grammars and files.
func (f *Files) Grammar(ctx context.Context, name string) (*Grammar, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g := f.grammars[name]; g != nil {
		return g, nil
	}
	sources, err := ReadGrammar(name)
	if err != nil {
		return nil, err
	}
	g, err := grammars.Load(ctx, sources...)
	if err != nil {
		return nil, err
	}
	if f.grammars == nil {
		f.grammars = map[string]*Grammar{}
	}
	f.grammars[name] = &Grammar{Grammar: g, ID: name, Name: g.Name, Bundled: slices.Contains(bundled.Names(), name), Sources: sources}
	return f.grammars[name], nil
}

// Prefixes of the name of a grammar that say how its files are read.
const (
	scannerlessPrefix = "scannerless:"
	mergedPrefix      = "merge-literals:"
)

// ScannerlessName returns the name of a grammar that is to be read as scannerless. If
// merge is true, adjacent literals are merged into one.
func ScannerlessName(name string, merge bool) string {
	if merge {
		return mergedPrefix + name
	}
	return scannerlessPrefix + name
}

// cutReading splits the name of a grammar into the arguments of [ScannerlessName].
func cutReading(name string) (rest string, scannerless, merge bool) {
	if rest, merge = strings.CutPrefix(name, mergedPrefix); merge {
		return rest, true, true
	}
	rest, scannerless = strings.CutPrefix(name, scannerlessPrefix)
	return rest, scannerless, false
}

// ReadGrammar reads the sources in a comma-separated list of bundled grammars and
// files.
func ReadGrammar(name string) ([]grammars.Source, error) {
	if rest, scannerless, merge := cutReading(name); scannerless {
		sources, err := ReadGrammar(rest)
		return grammars.Scannerless(sources, merge), err
	}
	if name == "" {
		return nil, fmt.Errorf("no grammar: give a bundled grammar (%s) or .g4 files, joined by commas", strings.Join(bundled.Names(), ", "))
	}
	var out []grammars.Source
	for part := range strings.SplitSeq(name, ",") {
		if part == "" {
			return nil, fmt.Errorf("grammar %s: a name is missing before or after a comma", name)
		}
		sources, err := readSources(part)
		if err != nil {
			return nil, err
		}
		out = append(out, sources...)
	}
	return out, nil
}

// maxGrammar is the maximum number of bytes to read from a grammar file. It exceeds the
// limit of package g4, so that the parser reports that limit.
const maxGrammar = 1<<20 + 1

func readSources(name string) ([]grammars.Source, error) {
	if !IsGrammarFile(name) {
		if !slices.Contains(bundled.Names(), name) {
			return nil, GrammarFileNotFound(name)
		}
		return bundled.Sources(name)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxGrammar))
	if err != nil {
		return nil, fileError(name, err)
	}
	return []grammars.Source{{Name: name, Text: string(text)}}, nil
}

// fileError prefixes the cause of a file system error with the name of the file.
func fileError(name string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Model reads the file of a model. Its digest names it in later requests.
func (f *Files) Model(ctx context.Context, name string) (*Model, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.models[name]; m != nil {
		return m, nil
	}
	if name == "" {
		return nil, errors.New("no model: give a model file")
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer func() { _ = file.Close() }() // it was only read
	m, err := model.ReadModel(ctx, file)
	if err != nil {
		return nil, fileError(name, err)
	}
	out := NewModel(m)
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		out.Size = info.Size()
	}
	f.keep(name, out)
	f.keep(m.Digest, out) // the ID that the model has in answers
	if f.grammars == nil {
		f.grammars = map[string]*Grammar{}
	}
	f.grammars[out.GrammarID] = &Grammar{Grammar: m.Grammar, ID: out.GrammarID, Name: m.Grammar.Name, Sources: m.Sources()}
	return out, nil
}

// Keep adds a model under its digest.
func (f *Files) Keep(m *Model) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keep(m.Digest, m)
}

func (f *Files) keep(name string, m *Model) {
	if f.models == nil {
		f.models = map[string]*Model{}
	}
	f.models[name] = m
}
