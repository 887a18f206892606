package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/grammars/g4"
)

// loadGrammar loads what --grammar says: names joined by commas.
func loadGrammar(value string) (*grammars.Grammar, error) {
	sources, err := grammarSources(value)
	if err != nil {
		return nil, err
	}
	return grammars.Load(sources...)
}

// openGrammar loads what --grammar says, for inputs that begin with the rule that
// --start names, the grammar's own if it is empty.
func openGrammar(value string, start *string, stderr io.Writer) (*grammars.Grammar, error) {
	g, err := loadGrammar(value)
	if err != nil {
		return nil, err
	}
	if *start, err = startRule(g, *start); err != nil {
		return nil, err
	}
	noteApproximate(stderr, g)
	return g, nil
}

// grammarSources reads what --grammar says.
func grammarSources(value string) ([]grammars.Source, error) {
	if value == "" {
		return nil, fmt.Errorf("no grammar: give --grammar FILE.g4[,FILE.g4...], or --grammar NAME of a bundled one: %s",
			strings.Join(bundled.Names(), ", "))
	}
	names := strings.Split(value, ",")
	if slices.Contains(names, "") {
		return nil, fmt.Errorf("--grammar %s: a name is missing before or after a comma", value)
	}
	return readNamed(names)
}

// loadNamed makes one grammar of all that is named. It begins with the start
// rule, or else the first.
func loadNamed(start string, names []string) (*grammars.Grammar, error) {
	sources, err := readNamed(names)
	if err != nil {
		return nil, err
	}
	return grammars.LoadFrom(start, sources...)
}

// readNamed reads all that is named: a file, if the name has a slash in it or
// ends in .g4, else a bundled grammar.
func readNamed(names []string) ([]grammars.Source, error) {
	var sources []grammars.Source
	for _, name := range names {
		of, err := readSources(name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, of...)
	}
	return sources, nil
}

// isGrammarFile tells a file from the name of a grammar.
func isGrammarFile(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".g4")
}

func readSources(name string) ([]grammars.Source, error) {
	if !isGrammarFile(name) {
		sources, err := bundled.Sources(name)
		if err != nil {
			return nil, fmt.Errorf("%w; the name of a file ends in .g4 or has a slash in it", err)
		}
		return sources, nil
	}
	text, err := readFile(name, maxGrammarRead)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable(name), err)
	}
	return []grammars.Source{{Name: printable(name), Text: string(text)}}, nil
}

// maxGrammarRead bounds what is read of a grammar file that may have no end.
// It is more than a grammar may have, so that the limit itself is reported by
// those who know it.
const maxGrammarRead = 16 << 20

// readFile reads a file as [readAll] does. The error leaves out the name.
func readFile(name string, limit int) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, cause(err)
	}
	defer func() { _ = file.Close() }() // it was only read
	return readAll(file, limit)
}

// readInput reads a file, or standard input if it is called -, as [readAll] does.
// The context ends the waiting for it.
func readInput(ctx context.Context, name string, stdin io.Reader, limit int) ([]byte, error) {
	type result struct {
		input []byte
		err   error
	}
	done := make(chan result, 1)
	// Nothing can interrupt a read from a terminal or a pipe. Where the context
	// ends before it does, the process is about to end as well.
	go func() {
		var r result
		if name == "-" {
			r.input, r.err = readAll(stdin, limit)
		} else {
			r.input, r.err = readFile(name, limit)
		}
		done <- r
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case r := <-done:
		return r.input, r.err
	}
}

// readAll reads to the end, but no more than one byte over the limit.
func readAll(r io.Reader, limit int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	return text, cause(err)
}

// cause takes the operation and the name off an error of the file system.
func cause(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

// startRule returns the parser rule to begin with, the grammar's own if name is empty.
func startRule(g *grammars.Grammar, name string) (string, error) {
	if name == "" {
		return g.Start, nil
	}
	var rules []string
	for _, r := range g.ParserRules() {
		rules = append(rules, r.Name)
	}
	switch near := nearest(name, rules); {
	case slices.Contains(rules, name):
		return name, nil
	case g.Rule(name) != nil:
		return "", fmt.Errorf("--start %s: it is a lexer rule of grammar %s; begin with a parser rule such as %s", name, g.Name, g.Start)
	case len(rules) <= 12:
		return "", fmt.Errorf("--start %s: grammar %s has no such parser rule; it has %s", name, g.Name, strings.Join(rules, ", "))
	case len(near) > 0:
		return "", fmt.Errorf("--start %s: grammar %s has no such parser rule; did you mean %s?", name, g.Name, strings.Join(near, " or "))
	default:
		return "", fmt.Errorf("--start %s: grammar %s has no such parser rule; its first are %s", name, g.Name, strings.Join(rules[:12], ", "))
	}
}

// nearest returns those of the names, three at most, that someone may have
// meant who wrote another one.
func nearest(written string, names []string) []string {
	written = strings.ToLower(written)
	var near []string
	for _, bound := range []int{0, 1, 2} {
		for _, name := range names {
			if distance(written, strings.ToLower(name)) == bound && len(near) < 3 {
				near = append(near, name)
			}
		}
	}
	for _, name := range names {
		if strings.Contains(strings.ToLower(name), written) && !slices.Contains(near, name) && len(near) < 3 {
			near = append(near, name)
		}
	}
	return near
}

// distance counts the bytes to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// noteApproximate tells that trees of the grammar may not be the generated
// parser's.
func noteApproximate(w io.Writer, g *grammars.Grammar) {
	if !g.Exact() {
		fmt.Fprintf(w, "inroad: note: grammar %s is approximate, its trees may differ from ANTLR's: %s not run; inroad check lists them\n",
			g.Name, codeSummary(g.Code))
	}
}

// codeName names a kind of code that can change trees; it is empty for any other.
func codeName(kind g4.CodeKind) (one, many string) {
	switch kind {
	case g4.Predicate:
		return "predicate", "predicates"
	case g4.Action:
		return "action", "actions"
	case g4.Members:
		return "block of members", "blocks of members"
	case g4.SuperClass:
		return "superclass", "superclasses"
	default:
		return "", ""
	}
}

// codeSummary counts the pieces of code that can change trees.
func codeSummary(code []g4.Code) string {
	var parts []string
	for _, kind := range []g4.CodeKind{g4.Predicate, g4.Action, g4.Members, g4.SuperClass} {
		n := 0
		for _, c := range code {
			if c.Kind == kind {
				n++
			}
		}
		if n > 0 {
			one, many := codeName(kind)
			parts = append(parts, count(n, one, many))
		}
	}
	return strings.Join(parts, ", ")
}
