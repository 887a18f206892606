package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/client"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/targeting"
	"github.com/inroad/inroad/targeting/selection"
)

// A request of the parity table: what to ask, and the command that asks it.
type parityRequest struct {
	name string
	// ask asks a service, and returns the values that the command prints as JSON.
	ask  func(ctx context.Context, s api.Service, p *parity) ([]any, error)
	args string // of the command; MODEL, LETTERS and DIR stand for the names in parity, and NOTHING for an empty one
	code int
}

// parity is where the requests are asked.
type parity struct {
	model   string // name of the model of letters
	letters string // grammar file
	dir     string // folder with files
}

func (p *parity) file(name string) string { return filepath.Join(p.dir, name) }

// TestParity asks every request of an engine in this process, of a real server
// through the client, and through the command with and without --server. Answers,
// errors and exit codes are equal.
func TestParity(t *testing.T) {
	local, remote, url := startParity(t)
	engine := &api.Engine{Library: &api.Files{}}
	http, err := client.New(url, "")
	if err != nil {
		t.Fatal(err)
	}
	requests := slices.Concat(grammarRequests(), generateRequests(), modelRequests(), selectRequests())
	if len(requests) < 110 {
		t.Errorf("%d requests, want at least 110", len(requests))
	}
	for _, r := range requests {
		t.Run(r.name, func(t *testing.T) {
			here, hereErr := r.ask(t.Context(), engine, local)
			there, thereErr := r.ask(t.Context(), http, remote)
			if diff := cmp.Diff(asJSON(t, here), asJSON(t, there)); diff != "" && hereErr == nil {
				t.Errorf("answers of the engine (-) and the client (+) differ:\n%s", diff)
			}
			if text(hereErr) != text(thereErr) {
				t.Errorf("the engine fails with %q, the client with %q", text(hereErr), text(thereErr))
			}
			code, stdout, stderr := r.run(t, local)
			remoteCode, remoteStdout, remoteStderr := r.run(t, remote, "--server", url)
			if code != r.code || remoteCode != r.code {
				t.Errorf("exit codes %d here and %d with --server, want %d\n%s%s", code, remoteCode, r.code, stderr, remoteStderr)
			}
			if stdout != remoteStdout || stderr != remoteStderr {
				t.Errorf("the command prints %q and %q, with --server %q and %q", stdout, stderr, remoteStdout, remoteStderr)
			}
			if diff := cmp.Diff(asJSON(t, here), printed(t, stdout)); diff != "" && hereErr == nil {
				t.Errorf("the engine answers (-), the command prints (+):\n%s", diff)
			}
			checkError(t, hereErr, code, stderr)
		})
	}
}

// checkError checks that a command reports the error of the engine.
func checkError(t *testing.T, err error, code int, stderr string) {
	t.Helper()
	if err == nil {
		return
	}
	if verdict, ok := targeting.VerdictOf(err); ok && code > exitWrong && code != exitOf(verdict) {
		t.Errorf("exit code %d, want %d for the verdict %s", code, exitOf(verdict), verdict)
	}
	want := err.Error()
	if field, ok := errors.AsType[*openapi.FieldError](err); ok { // a flag names it
		want = field.Problem
	}
	if want = cli.Printable(want); !strings.Contains(stderr, want) {
		t.Errorf("the engine fails with %q, the command prints %q", want, stderr)
	}
}

func (r *parityRequest) run(t *testing.T, p *parity, more ...string) (code int, stdout, stderr string) {
	t.Helper()
	args := append(strings.Fields(r.args), more...)
	replace := strings.NewReplacer("MODEL", p.model, "LETTERS", p.letters, "DIR", p.dir, "_", " ", "NOTHING", "")
	for i, arg := range args {
		args[i] = replace.Replace(arg)
	}
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs)
	// A model goes by another name at the service; everything else is equal.
	return code, out.String(), strings.ReplaceAll(errs.String(), p.model, "MODEL")
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// asJSON returns values as they are read back from JSON.
func asJSON(t *testing.T, values []any) []any {
	t.Helper()
	var b bytes.Buffer
	for _, v := range values {
		if err := json.NewEncoder(&b).Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	return printed(t, b.String())
}

// printed returns the JSON values that a command printed.
func printed(t *testing.T, stdout string) []any {
	t.Helper()
	out := []any{}
	d := json.NewDecoder(strings.NewReader(stdout))
	for d.More() {
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%v in %q", err, stdout)
		}
		out = append(out, v)
	}
	return out
}

// startParity starts a server and gives it and the local folder the same model.
func startParity(t *testing.T) (local, remote *parity, url string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"letters.g4": "grammar letters; s : letter* EOF ; letter : 'a' | 'b' | 'c' ;", "seen.ndjson": observed(), "bad.g4": "grammar bad; s : t ;", "dense.g4": "grammar dense; s : r EOF ; r : 'a' | '(' r r r r r r r r r r ')' ;",
		"twice.g4": "grammar twice; s : (first | second) EOF ; first : '(' first ')' | '(' ')' ; second : half ')' ; half : '(' | '(' half ')' ;", "a.json": "[1, {}]", "bad.json": "[1,]", "ab": "ab", "c": "c",
		"corpus/one.json": "[1]", "corpus/two.json": `{"a": "b"}`, "letters/ab": "ab", "letters/c": "c", "letters/aa": "aa",
		"change.diff": "--- a/letters.go\n+++ b/letters.go\n@@ -2 +2 @@\n-old\n+new\n", "no.diff": "--- a/letters.go\n+++ b/letters.go\n@@ what @@\n",
		"empty": "", "latin1.json": "[\"\xe9\"]", "bytes": "a\xff", "folder.g4/file": "", "none.ndjson": "", "latin1.g4": "grammar latin1; s : '\xe9\xff' ; // \xe9", "void/void/.keep": "",
	} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "void/void/.keep")); err != nil { // and an empty folder remains
		t.Fatal(err)
	}
	st, err := bolt.Open(t.Context(), filepath.Join(dir, "store.db"), bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Config{Store: st, Timeout: time.Hour}) // a busy machine makes no difference
	if err != nil {
		t.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		<-done
		st.Close()
	})
	url = "http://" + listener.Addr().String()
	local = &parity{model: filepath.Join(dir, "letters.model"), letters: filepath.Join(dir, "letters.g4"), dir: dir}
	remote = &parity{model: "latest", letters: local.letters, dir: dir}
	for _, args := range [][]string{{"--out", local.model}, {"--server", url}} {
		var stderr bytes.Buffer
		args = append([]string{"train", "--grammar", local.letters, "--observations", filepath.Join(dir, "seen.ndjson")}, args...)
		if code := run(t.Context(), args, strings.NewReader(""), &bytes.Buffer{}, &stderr); code != exitDone {
			t.Fatalf("%q: exit code %d: %s", args, code, &stderr)
		}
	}
	return local, remote, url
}

// one returns the values of an answer that is one object.
func one[V any](v V, err error) ([]any, error) { return []any{v}, err }

// all returns the values of an answer that is a stream, without its summary.
func all[V any](stream iter.Seq2[V, error], isSummary func(V) bool) (out []any, err error) {
	for v := range cli.Lines(stream, &err) {
		if isSummary == nil || !isSummary(v) {
			out = append(out, v)
		}
	}
	return out, err
}

func generated(stream iter.Seq2[openapi.GeneratedInput, error]) ([]any, error) {
	return all(stream, func(v openapi.GeneratedInput) bool { return v.Summary != nil })
}

// corpusOf yields files as the inputs of a request. Commands list files before they
// ask anything.
func corpusOf(ctx context.Context, p *parity, names ...string) (api.Inputs, error) {
	var paths []string
	for _, name := range names {
		paths = append(paths, p.file(name))
	}
	files, err := cli.InputFiles(paths)
	return cli.Inputs(ctx, files, nil, nil), err
}

// huge is a name that no error repeats as a whole.
var huge = strings.Repeat("x", 10_000)

func grammarRequests() []parityRequest {
	parse := func(name, file string, req openapi.ParseRequest, grammar, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			req := req
			req.Name, req.Prefix, req.Format = p.file(file), true, openapi.JSONTree
			content, err := os.ReadFile(p.file(file))
			if err != nil {
				return nil, err
			}
			req.Input, req.InputBase64 = api.Encode(content)
			return one(s.Parse(ctx, strings.NewReplacer("LETTERS", p.letters, "DIR", p.dir).Replace(grammar), req))
		}, "parse --format json --grammar " + grammar + " " + args + " DIR/" + file, code}
	}
	count := func(name, grammar string, req openapi.CountPathsParams, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			return one(s.CountPaths(ctx, strings.ReplaceAll(grammar, "DIR", p.dir), req))
		}, "paths count --format json --grammar " + grammar + " " + args, code}
	}
	list := func(name, grammar string, req openapi.ListPathsParams, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			return all(s.ListPaths(ctx, strings.ReplaceAll(grammar, "DIR", p.dir), req), nil)
		}, "paths list --format json --grammar " + grammar + " " + args, code}
	}
	cover := func(name string, req openapi.MeasureCoverageParams, args string, code int, files ...string) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			corpus, err := corpusOf(ctx, p, files...)
			if err != nil {
				return nil, err
			}
			covered, err := s.MeasureCoverage(ctx, "json", req, corpus)
			if covered.Outside > 0 { // the command reports the inputs, and prints nothing
				return nil, fmt.Errorf("%s:%s", covered.Rejected[0].Name, covered.Rejected[0].Syntax.Message)
			}
			return one(covered, err)
		}, "paths coverage --format json --grammar json " + args + " DIR/" + strings.Join(files, " DIR/"), code}
	}
	check := func(name, grammar, args string, req openapi.GrammarSource, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			sources, err := api.ReadGrammar(strings.ReplaceAll(grammar, "DIR", p.dir))
			if err != nil {
				return nil, err
			}
			req := req
			req.Files = nil
			for _, source := range sources {
				req.Files = append(req.Files, openapi.GrammarFile{Name: source.Name, Text: source.Text})
			}
			return one(s.CheckGrammar(ctx, req))
		}, "check --format json " + grammar + " " + args, code}
	}
	return []parityRequest{
		parse("parse", "a.json", openapi.ParseRequest{}, "json", "", 0),
		parse("parse with token derivations", "a.json", openapi.ParseRequest{Inside: true}, "json", "--inside", 0),
		parse("parse with the ANTLR runtime", "a.json", openapi.ParseRequest{Engine: openapi.ANTLREngine}, "json", "--engine antlr", 0),
		parse("parse with a grammar file", "ab", openapi.ParseRequest{}, "LETTERS", "", 0),
		parse("parse from another rule", "a.json", openapi.ParseRequest{Start: "value"}, "json", "--start value", 0),
		parse("parse from an unknown rule", "a.json", openapi.ParseRequest{Start: "valeu"}, "json", "--start valeu", 1),
		parse("parse an input outside the grammar", "bad.json", openapi.ParseRequest{}, "json", "", 1),
		parse("parse too many steps", "a.json", openapi.ParseRequest{MaxSteps: 3}, "json", "--max-steps 3", 1),
		parse("parse with an unknown engine", "a.json", openapi.ParseRequest{Engine: "java"}, "json", "--engine java", 1),
		parse("parse with a limit out of range", "a.json", openapi.ParseRequest{MaxDepth: -1}, "json", "--max-depth -1", 1),
		parse("parse with an unknown grammar", "a.json", openapi.ParseRequest{}, "jsn", "", 1),
		count("count paths", "json", openapi.CountPathsParams{}, "", 0),
		count("count long paths", "json", openapi.CountPathsParams{K: 5}, "--k 5", 0),
		count("count names", "json", openapi.CountPathsParams{K: 3, Names: true}, "--k 3 --names", 0),
		count("count trivia", "json", openapi.CountPathsParams{Trivia: true, Absent: true}, "--trivia --absent", 0),
		count("count too long paths", "json", openapi.CountPathsParams{K: 12}, "--k 12", 1),
		count("count from an unknown rule", "json", openapi.CountPathsParams{Start: "nothing"}, "--start nothing", 1),
		count("count paths of a bad grammar", "DIR/bad.g4", openapi.CountPathsParams{}, "", 1),
		list("list paths", "expr", openapi.ListPathsParams{K: 1}, "--k 1", 0),
		list("list paths from a rule", "json", openapi.ListPathsParams{K: 2, Start: "array"}, "--k 2 --start array", 0),
		list("list too many paths", "DIR/dense.g4", openapi.ListPathsParams{K: 8}, "--k 8", 1),
		list("list too long paths", "json", openapi.ListPathsParams{K: 9}, "--k 9", 1),
		cover("coverage", openapi.MeasureCoverageParams{}, "", 0, "corpus"),
		cover("coverage with missing paths", openapi.MeasureCoverageParams{K: 1, Missing: 3}, "--k 1 --missing=3", 0, "corpus", "a.json"),
		cover("coverage of too long paths", openapi.MeasureCoverageParams{K: 10}, "--k 10", 1, "corpus"),
		check("check", "json", "", openapi.GrammarSource{}, 0),
		parse("parse nothing", "empty", openapi.ParseRequest{}, "json", "", 1),
		parse("parse bytes that are not UTF-8", "latin1.json", openapi.ParseRequest{}, "json", "", 0),
		parse("parse bytes that are not UTF-8 with a grammar file", "bytes", openapi.ParseRequest{}, "LETTERS", "", 1),
		parse("parse from a rule with a huge name", "a.json", openapi.ParseRequest{Start: huge}, "json", "--start "+huge, 1),
		parse("parse a bad input from an unknown rule", "bad.json", openapi.ParseRequest{Start: "valeu"}, "json", "--start valeu", 1),
		parse("parse with an unknown grammar that resembles none", "bad.json", openapi.ParseRequest{}, "cobol", "", 1),
		parse("parse with a grammar that is a folder", "bad.json", openapi.ParseRequest{}, "DIR/folder.g4", "", 1),
		parse("parse with a name missing in a list of grammars", "a.json", openapi.ParseRequest{}, "json,", "", 1),
		count("count too long paths from an unknown rule", "json", openapi.CountPathsParams{K: 12, Start: "nothing"}, "--k 12 --start nothing", 1),
		count("count too long paths of an unknown grammar", "jsn", openapi.CountPathsParams{K: math.MaxInt}, "--k 9223372036854775807", 1),
		count("count from an unknown rule of an unknown grammar", "jsn", openapi.CountPathsParams{Start: "nothing"}, "--start nothing", 1),
		cover("coverage of an empty corpus", openapi.MeasureCoverageParams{K: 1}, "--k 1", 0, "void"),
		cover("coverage of an empty input", openapi.MeasureCoverageParams{K: 1}, "--k 1", 1, "empty"),
		cover("coverage of bytes that are not UTF-8", openapi.MeasureCoverageParams{K: 1}, "--k 1", 0, "latin1.json", "bad.json"),
		cover("coverage of a file that does not exist", openapi.MeasureCoverageParams{K: 1}, "--k 1", 1, "bad.json", "nowhere"),
		cover("coverage from an unknown rule of a file that does not exist", openapi.MeasureCoverageParams{Start: "arry"}, "--start arry", 1, "nowhere"),
		check("check a grammar that is not UTF-8", "DIR/latin1.g4", "", openapi.GrammarSource{}, 1),
		check("check a bad grammar", "DIR/bad.g4", "", openapi.GrammarSource{}, 1),
		check("check from a rule", "expr", "--start addExpr", openapi.GrammarSource{Start: "addExpr"}, 0),
	}
}

func generateRequests() []parityRequest {
	generate := func(name, grammar string, req openapi.GenerateRequest, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			return generated(s.Generate(ctx, strings.ReplaceAll(grammar, "LETTERS", p.letters), req))
		}, "generate --grammar " + grammar + " " + args, code}
	}
	solve := func(name, grammar string, req openapi.SolveRequest, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			return generated(s.Solve(ctx, strings.ReplaceAll(grammar, "DIR", p.dir), req))
		}, "solve --grammar " + grammar + " " + args, code}
	}
	learn := func(name string, req openapi.LearnProbabilitiesParams, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			corpus, err := corpusOf(ctx, p, "corpus")
			if err != nil {
				return nil, err
			}
			learned, err := s.LearnProbabilities(ctx, "json", req, corpus)
			return []any{learned.Probabilities}, err
		}, "probabilities --grammar json " + args + " DIR/corpus", code}
	}
	mutate := func(name string, req openapi.MutateInputsParams, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			inputs, err := corpusOf(ctx, p, "corpus")
			if err != nil {
				return nil, err
			}
			return generated(s.Mutate(ctx, "json", req, inputs))
		}, "mutate --grammar json " + args + " DIR/corpus", code}
	}
	seed := func(n int64) *openapi.Seed { return &n }
	return []parityRequest{
		mutate("mutate", openapi.MutateInputsParams{}, "", 0),
		mutate("mutate in chosen ways", openapi.MutateInputsParams{N: 3, Mutations: []openapi.Mutation{openapi.Swap, openapi.Splice}, Seed: seed(7)}, "--n 3 --mutations swap,splice --seed 7", 0),
		mutate("mutate more often than possible", openapi.MutateInputsParams{N: 1000, Mutations: []openapi.Mutation{openapi.Drop}}, "--n 1000 --mutations drop", 0),
		mutate("mutate in an unknown way", openapi.MutateInputsParams{Mutations: []openapi.Mutation{"splic"}}, "--mutations splic", 1),
		mutate("mutate from an unknown rule", openapi.MutateInputsParams{Start: "arry"}, "--start arry", 1),
		mutate("mutate too often", openapi.MutateInputsParams{N: 1_000_001}, "--n 1000001", 1),
		generate("generate", "json", openapi.GenerateRequest{}, "", 0),
		generate("generate from a file", "LETTERS", openapi.GenerateRequest{N: 3, Seed: seed(7)}, "--n 3 --seed 7", 0),
		generate("generate shortest", "json", openapi.GenerateRequest{Strategy: openapi.Shortest, N: 2}, "--strategy shortest --n 2", 0),
		generate("generate to cover paths", "json", openapi.GenerateRequest{Strategy: openapi.Kpath, K: 2}, "--strategy kpath --k 2", 0),
		generate("generate to cover absences", "json", openapi.GenerateRequest{Strategy: openapi.Kpath, K: 1, Absent: true}, "--strategy kpath --k 1 --absent", 0),
		generate("generate with absences at random", "json", openapi.GenerateRequest{Absent: true}, "--absent", 1),
		generate("generate a forest", "expr", openapi.GenerateRequest{Strategy: openapi.Forest, N: 2, K: 1}, "--strategy forest --n 2 --k 1", 0),
		generate("generate like the samples", "json", openapi.GenerateRequest{Strategy: openapi.Common, N: 3}, "--strategy common --n 3", 0),
		generate("generate duplicates", "json", openapi.GenerateRequest{Strategy: openapi.Common, N: 30, AllowDuplicates: true}, "--strategy common --n 30 --allow-duplicates", 0),
		generate("generate more than there are", "LETTERS", openapi.GenerateRequest{N: 100}, "--n 100", 0),
		generate("generate with spacing", "json", openapi.GenerateRequest{N: 3, Spacing: openapi.RandomSpacing, MaxDepth: 12}, "--n 3 --spacing random --max-depth 12", 0),
		generate("generate too many", "json", openapi.GenerateRequest{N: 1_000_001}, "--n 1000001", 1),
		generate("generate by an unknown strategy", "json", openapi.GenerateRequest{Strategy: "lucky"}, "--strategy lucky", 1),
		generate("generate without probabilities", "LETTERS", openapi.GenerateRequest{Strategy: openapi.Common}, "--strategy common", 1),
		generate("generate with a cooldown out of range", "json", openapi.GenerateRequest{Cooldown: 2}, "--cooldown 2", 1),
		solve("solve", "json", openapi.SolveRequest{Require: []string{"object > member"}}, "--require object_>_member", 0),
		solve("solve varied", "json", openapi.SolveRequest{Require: []string{"array"}, Forbid: []string{"STRING"}, N: 3, Style: "varied", Seed: seed(3)}, "--require array --forbid STRING --n 3 --style varied --seed 3", 0),
		solve("solve with a count", "json", openapi.SolveRequest{Counts: []openapi.CountedPath{{Path: "array", Min: 3}}}, "--at-least array:3", 0),
		solve("solve without a rule", "json", openapi.SolveRequest{Absent: []string{"object"}, MaxNodes: 20}, "--absent object --max-nodes 20", 0),
		solve("solve an infeasible constraint", "json", openapi.SolveRequest{Require: []string{"object > member"}, Forbid: []string{"STRING"}}, "--require object_>_member --forbid STRING", 3),
		solve("solve an unrealised constraint", "DIR/twice.g4", openapi.SolveRequest{Require: []string{"second"}}, "--require second", 4),
		solve("solve beyond a limit", "json", openapi.SolveRequest{Counts: []openapi.CountedPath{{Path: "array", Min: 1000}, {Path: "object", Min: 1000}, {Path: "NUMBER", Min: 1000}}}, "--at-least array:1000 --at-least object:1000 --at-least NUMBER:1000", 5),
		solve("solve with a misspelt symbol", "json", openapi.SolveRequest{Require: []string{"aray"}}, "--require aray", 1),
		solve("solve with an unknown style", "json", openapi.SolveRequest{Style: "pretty"}, "--style pretty", 1),
		solve("solve for too many inputs", "json", openapi.SolveRequest{N: 10_001}, "--n 10001", 1),
		generate("generate with an unknown spacing", "json", openapi.GenerateRequest{Spacing: "wide"}, "--spacing wide", 1),
		generate("generate too many by an unknown strategy", "jsn", openapi.GenerateRequest{N: 1_000_001, Strategy: "lucky"}, "--n 1000001 --strategy lucky", 1),
		generate("generate from an unknown rule without probabilities", "LETTERS", openapi.GenerateRequest{Start: "leter", Strategy: openapi.Common}, "--start leter --strategy common", 1),
		generate("generate with two unknown tokens", "json", openapi.GenerateRequest{Tokens: map[string][]string{"STRNG": {"ab"}, "NUMBR": {"c"}}}, "--tokens STRNG=DIR/ab --tokens NUMBR=DIR/c", 1),
		generate("generate with a text of another token", "json", openapi.GenerateRequest{Tokens: map[string][]string{"STRING": {"ab"}}}, "--tokens STRING=DIR/ab", 1),
		generate("generate with a negative seed", "json", openapi.GenerateRequest{Seed: seed(-1)}, "--seed -1", 1),
		generate("generate within one node", "json", openapi.GenerateRequest{MaxNodes: 1, MaxDepth: 1}, "--max-nodes 1 --max-depth 1", 0),
		solve("solve with an empty path", "json", openapi.SolveRequest{Require: []string{""}}, "--require=", 1),
		solve("solve with a path without a symbol", "json", openapi.SolveRequest{Require: []string{"object > > member"}}, "--require object_>_>_member", 1),
		solve("solve with a path of symbols that do not follow", "json", openapi.SolveRequest{Require: []string{"object > NUMBER"}}, "--require object_>_NUMBER", 1),
		solve("solve with a symbol that is not UTF-8", "json", openapi.SolveRequest{Require: []string{"aray\xff\xfe"}}, "--require aray\xff\xfe", 1),
		solve("solve without a rule that is not UTF-8", "json", openapi.SolveRequest{Absent: []string{"\xff\xfe"}}, "--absent \xff\xfe", 1),
		solve("solve with counts that exclude each other", "json", openapi.SolveRequest{Counts: []openapi.CountedPath{{Path: "array", Min: 3}, {Path: "array", Max: new(2)}}}, "--at-least array:3 --at-most array:2", 3),
		solve("solve with a huge path", "json", openapi.SolveRequest{Forbid: []string{huge}}, "--forbid "+huge, 1),
		solve("solve with a huge count", "json", openapi.SolveRequest{Counts: []openapi.CountedPath{{Path: "array", Min: math.MaxInt}}}, "--at-least array:9223372036854775807", 1),
		solve("solve with two wrong paths", "json", openapi.SolveRequest{Require: []string{"aray"}, Forbid: []string{"objct"}}, "--require aray --forbid objct", 1),
		solve("solve with a wrong path and from an unknown rule", "json", openapi.SolveRequest{Require: []string{"aray"}, Start: "arry"}, "--require aray --start arry", 1),
		learn("learn probabilities", openapi.LearnProbabilitiesParams{}, "", 0),
		learn("learn inverted probabilities", openapi.LearnProbabilitiesParams{Invert: true}, "--invert", 0),
		learn("learn probabilities by context", openapi.LearnProbabilitiesParams{Context: 3}, "--context 3", 0),
		learn("learn probabilities by too long a context", openapi.LearnProbabilitiesParams{Context: 9}, "--context 9", 1),
		learn("learn probabilities from an unknown rule", openapi.LearnProbabilitiesParams{Start: "arry"}, "--start arry", 1),
	}
}

func modelRequests() []parityRequest {
	predict := func(name string, req openapi.PredictParams, args string, code int, files ...string) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			req.Reasons = true
			inputs, err := corpusOf(ctx, p, files...)
			if err != nil {
				return nil, err
			}
			return all(s.Predict(ctx, p.model, req, inputs), nil)
		}, "predict --format ndjson --model MODEL " + args + " DIR/" + strings.Join(files, " DIR/"), code}
	}
	explain := func(name, method string, req openapi.ExplainMethodParams, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			return one(s.Explain(ctx, p.model, method, req))
		}, "explain --format json --model MODEL " + method + " " + args, code}
	}
	methods := func(name string, req openapi.ListMethodsParams, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			return one(s.Methods(ctx, p.model, req))
		}, "methods --format json --model MODEL " + args, code}
	}
	explainOutcome := func(name, outcome string, req openapi.ExplainOutcomeParams, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			return one(s.ExplainOutcome(ctx, p.model, outcome, req))
		}, "explain --format json --model MODEL --outcome=" + strings.ReplaceAll(outcome, " ", "_") + " " + args, code}
	}
	target := func(name string, req openapi.TargetRequest, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			return all(s.Target(ctx, p.model, req), func(v openapi.TargetAnswer) bool { return v.Summary != nil || v.Missed != "" })
		}, "target --model MODEL " + strings.Join(req.Methods, " ") + " " + args, code}
	}
	compare := func(name string, req openapi.CompareRequest, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			req.Before, req.After = p.model, p.model
			return one(s.Compare(ctx, req))
		}, "compare --format json MODEL MODEL " + args, code}
	}
	evaluate := func(name, observations string, params openapi.EvaluateModelParams, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			file, err := os.Open(p.file(observations))
			if err != nil {
				return nil, err
			}
			defer file.Close()
			return one(s.Evaluate(ctx, p.model, observation.Sources{Files: []observation.File{{Name: file.Name(), Reader: file}}}, params))
		}, "evaluate --format json --model MODEL --observations DIR/" + observations + " " + args, code}
	}
	return []parityRequest{
		predict("predict", openapi.PredictParams{}, "", 0, "ab", "c"),
		predict("predict one method", openapi.PredictParams{Method: []string{"both"}}, "--method both", 0, "ab"),
		predict("predict an input outside the grammar", openapi.PredictParams{}, "", 0, "bad.json"),
		predict("predict an unknown method", openapi.PredictParams{Method: []string{"bots"}}, "--method bots", 1, "ab"),
		explain("explain", "both", openapi.ExplainMethodParams{}, "", 0),
		explain("explain the whole tree", "a", openapi.ExplainMethodParams{Whole: true}, "--whole", 0),
		explain("explain an unknown method", "bots", openapi.ExplainMethodParams{}, "", 1),
		explainOutcome("explain an outcome", "failure: TooMany", openapi.ExplainOutcomeParams{}, "", 0),
		explainOutcome("explain the whole tree of an outcome", "ok", openapi.ExplainOutcomeParams{Whole: true}, "--whole", 0),
		explainOutcome("explain an unknown outcome", "failure: TooFew", openapi.ExplainOutcomeParams{}, "", 1),
		explainOutcome("explain an outcome with a strange name", "a/../b?x=%zz#", openapi.ExplainOutcomeParams{}, "", 1),
		explainOutcome("explain an outcome that is not UTF-8", "a\xff\xfe", openapi.ExplainOutcomeParams{}, "", 1),
		explainOutcome("explain no outcome", "", openapi.ExplainOutcomeParams{}, "", 1),
		methods("methods", openapi.ListMethodsParams{}, "", 0),
		methods("methods by score", openapi.ListMethodsParams{Sort: openapi.SortByF1, Descending: true, Limit: 3}, "--sort f1 --descending --limit 3", 0),
		methods("methods after a cursor of another list", openapi.ListMethodsParams{Cursor: "1"}, "--cursor 1", 1),
		methods("methods never or always reached", openapi.ListMethodsParams{Status: []openapi.MethodStatus{openapi.MethodNever, openapi.MethodAlways}, Contains: "e"}, "--status never,always --contains e", 0),
		methods("rare methods", openapi.ListMethodsParams{Rare: true}, "--rare", 0),
		methods("methods in an unknown order", openapi.ListMethodsParams{Sort: "size"}, "--sort size", 1),
		methods("methods of an unknown status", openapi.ListMethodsParams{Status: []openapi.MethodStatus{"often"}}, "--status often", 1),
		methods("too many methods", openapi.ListMethodsParams{Limit: 1_000_001}, "--limit 1000001", 1),
		methods("methods that contain bytes that are not UTF-8", openapi.ListMethodsParams{Contains: "a\xff\xfe"}, "--contains a\xff\xfe", 0),
		target("target", openapi.TargetRequest{Methods: []string{"both"}}, "", 0),
		target("target several", openapi.TargetRequest{Methods: []string{"a", "b"}, N: 2, Style: "varied"}, "--n 2 --style varied", 0),
		target("target what cannot be reached", openapi.TargetRequest{Methods: []string{"both"}, Avoid: []string{"a"}}, "--avoid a", 3),
		target("target what was never observed", openapi.TargetRequest{Methods: []string{"never"}}, "", 5),
		target("target an unknown method", openapi.TargetRequest{Methods: []string{"bots"}}, "", 1),
		target("target an outcome", openapi.TargetRequest{Outcome: "failure: TooMany"}, "--outcome failure:_TooMany", 0),
		target("target a kind of outcome", openapi.TargetRequest{Outcome: "failure", N: 2, Style: "varied"}, "--outcome failure --n 2 --style varied", 0),
		target("target a method with an outcome", openapi.TargetRequest{Methods: []string{"a"}, Outcome: "ok", Avoid: []string{"b"}}, "--outcome ok --avoid b", 0),
		target("target an unknown outcome", openapi.TargetRequest{Outcome: "failure: TooFew"}, "--outcome failure:_TooFew", 1),
		target("target an unknown kind of outcome", openapi.TargetRequest{Outcome: "crash"}, "--outcome crash", 1),
		target("target an unknown method with an unknown outcome", openapi.TargetRequest{Methods: []string{"bots"}, Outcome: "crash"}, "--outcome crash", 1),
		target("target an outcome and any outcome", openapi.TargetRequest{Outcome: "ok", AnyOutcome: true}, "--outcome ok --any-outcome", 1),
		target("target an outcome that is not UTF-8", openapi.TargetRequest{Outcome: "a\xff\xfe"}, "--outcome a\xff\xfe", 1),
		target("target too often", openapi.TargetRequest{Methods: []string{"a"}, N: 10_001}, "--n 10001", 1),
		compare("compare", openapi.CompareRequest{}, "", 0),
		compare("compare on random inputs", openapi.CompareRequest{Random: 20}, "--random 20", 0),
		compare("compare on too many inputs", openapi.CompareRequest{Random: 100_001}, "--random 100001", 1),
		predict("predict an empty input", openapi.PredictParams{}, "", 0, "empty"),
		predict("predict bytes that are not UTF-8", openapi.PredictParams{}, "", 0, "bytes", "latin1.json"),
		predict("predict an ambiguous method", openapi.PredictParams{Method: []string{"twin"}}, "--method twin", 1, "ab"),
		predict("predict an empty method", openapi.PredictParams{Method: []string{""}}, "--method=", 1, "ab"),
		predict("predict a method with a huge name", openapi.PredictParams{Method: []string{huge}}, "--method "+huge, 1, "ab"),
		predict("predict two unknown methods of a bad input", openapi.PredictParams{Method: []string{"bots", "twin"}}, "--method bots --method twin", 1, "bad.json"),
		predict("predict a file that does not exist", openapi.PredictParams{}, "", 1, "nowhere"),
		predict("predict a method that is not UTF-8", openapi.PredictParams{Method: []string{"a\xff\xfe"}}, "--method a\xff\xfe", 1, "ab"),
		explain("explain a method that is not UTF-8", "a\xff\xfe", openapi.ExplainMethodParams{}, "", 1),
		target("target a method that is not UTF-8", openapi.TargetRequest{Methods: []string{"a\xff\xfe"}}, "", 1),
		{"explain no method", func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			return one(s.Explain(ctx, p.model, "", openapi.ExplainMethodParams{}))
		}, "explain --format json --model MODEL NOTHING", 1},
		explain("explain an ambiguous method", "twin", openapi.ExplainMethodParams{}, "", 1),
		explain("explain a method with a strange name", "a/../b?x=%zz#", openapi.ExplainMethodParams{}, "", 1),
		target("target an ambiguous method", openapi.TargetRequest{Methods: []string{"twin"}}, "", 1),
		target("avoid an ambiguous method", openapi.TargetRequest{Methods: []string{"a"}, Avoid: []string{"twin"}}, "--avoid twin", 1),
		target("target an unknown method and avoid another", openapi.TargetRequest{Methods: []string{"a", "bots"}, Avoid: []string{"twin"}}, "--avoid twin", 1),
		target("target an unknown method too often in an unknown style", openapi.TargetRequest{Methods: []string{"bots"}, N: 10_001, Style: "pretty"}, "--n 10001 --style pretty", 1),
		target("target what is to be avoided", openapi.TargetRequest{Methods: []string{"a"}, Avoid: []string{"a"}}, "--avoid a", 3),
		evaluate("evaluate", "seen.ndjson", openapi.EvaluateModelParams{}, "", 0),
		evaluate("evaluate a learning curve of few observations", "seen.ndjson", openapi.EvaluateModelParams{Curve: true}, "--curve", 1),
		evaluate("evaluate on no observation", "none.ndjson", openapi.EvaluateModelParams{}, "", 1),
		evaluate("evaluate on a folder", "letters", openapi.EvaluateModelParams{}, "", 1),
		evaluate("evaluate on what is no observation", "bad.g4", openapi.EvaluateModelParams{}, "", 1),
	}
}

func selectRequests() []parityRequest {
	selects := func(name, diff string, req openapi.SelectRequest, args string, code int) parityRequest {
		return parityRequest{name, func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			text, err := os.ReadFile(p.file(diff))
			if err != nil {
				return nil, err
			}
			req := req
			req.Model, req.Diff, req.Folders = p.model, string(text), []string{p.file("letters")}
			return one(s.Select(ctx, req, selectInputs(ctx, p)))
		}, "select --format json --model MODEL --corpus DIR/letters --on-error fail --diff DIR/" + diff + " " + args, code}
	}
	return []parityRequest{
		selects("select", "change.diff", openapi.SelectRequest{}, "", 0),
		selects("select by recall", "change.diff", openapi.SelectRequest{Recall: 0.5, Sample: new(0.0)}, "--recall 0.5 --sample 0", 0),
		selects("select at most one", "change.diff", openapi.SelectRequest{Max: 1, PerClass: 1, BudgetMs: 150}, "--max 1 --per-class 1 --budget 150ms", 0),
		selects("select always", "change.diff", openapi.SelectRequest{Always: []string{"c"}, Seed: new(openapi.Seed(5))}, "--always c --seed 5", 0),
		selects("select all on a change", "change.diff", openapi.SelectRequest{RunAllOn: []string{"*.{go,h}"}}, "--run-all-on *.{go,h}", 0),
		selects("select and ignore a change", "change.diff", openapi.SelectRequest{Ignore: []string{"letters.*"}}, "--ignore letters.*", 0),
		selects("select with a bad pattern", "change.diff", openapi.SelectRequest{Always: []string{"["}}, "--always [", 1),
		selects("select with a sample out of range", "change.diff", openapi.SelectRequest{Sample: new(2.0)}, "--sample 2", 1),
		selects("select for a damaged diff", "no.diff", openapi.SelectRequest{}, "", 1),
		{"minimize", func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			return one(s.Select(ctx, openapi.SelectRequest{Model: p.model, Minimize: true}, selectInputs(ctx, p)))
		}, "select minimize --format json --model MODEL --corpus DIR/letters", 0},
		{"select with an unknown model", func(ctx context.Context, s api.Service, p *parity) ([]any, error) {
			req := openapi.SelectRequest{Model: "nothing"}
			if _, err := s.Model(ctx, req.Model); !errors.Is(err, fs.ErrNotExist) {
				return nil, fmt.Errorf("got %w, want an error that the model does not exist", err)
			}
			var inputs []openapi.SelectInput
			for in := range selectInputs(ctx, p) {
				text := []byte(*in.Input)
				inputs = append(inputs, openapi.SelectInput{Path: in.Path, Digest: selection.DigestOf(text).String(), Size: len(text)})
			}
			return one(api.SelectAll(req, inputs, openapi.Fallback{Cause: string(selection.NoModel), Detail: "nothing: not found"}))
		}, "select --format json --model nothing --corpus DIR/letters --on-error fail --diff DIR/change.diff", 0},
	}
}

// selectInputs yields the inputs of letters.
func selectInputs(ctx context.Context, p *parity) iter.Seq2[openapi.SelectInput, error] {
	return func(yield func(openapi.SelectInput, error) bool) {
		inputs, err := corpusOf(ctx, p, "letters")
		if err != nil {
			yield(openapi.SelectInput{}, err)
			return
		}
		for in, err := range inputs {
			if !yield(openapi.SelectInput{Path: in.Name, Input: in.Input, InputBase64: in.InputBase64}, err) {
				return
			}
		}
	}
}
