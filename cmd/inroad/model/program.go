package model

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/coverage"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// A program holds the flags that select the program to run and how to observe its
// methods.
type program struct {
	goFunction string
	javaMethod string
	cBuild     string
	rustTarget string
	target     string
	fork       bool
	classpath  string
	sources    string
	python     string
	node       string
	command    string
	report     string
	cover      []string
	wrap       string
	labels     observation.Labels
	units      string
	calls      bool
	subject    string
	commit     string
}

// A programKind is a flag that names a program of one kind.
type programKind struct {
	flag    string
	usage   string // of the flag, with its placeholder in backquotes
	to      *string
	missing func() error // returns an error if another flag is needed; may be nil
	build   func(ctx context.Context) (*observe.Program, error)
}

// kinds lists the kinds of programs, in the order in which messages name them.
func (p *program) kinds() []programKind {
	return []programKind{
		{flag: "go", usage: "run the Go function `PKG.FUNC`", to: &p.goFunction, build: p.buildGo},
		{flag: "java", usage: "run the Java method `CLASS#METHOD`", to: &p.javaMethod, missing: p.missingJava, build: p.buildJava},
		{flag: "c", usage: "build and run a fuzz target in C or C++ with the shell `COMMAND`", to: &p.cBuild, build: p.buildC},
		{flag: "rust", usage: "run the fuzz target `DIR/NAME` of a Rust package", to: &p.rustTarget, build: p.buildRust},
		{flag: "python", usage: "run the Python function `MODULE:FUNC`, or the fuzz target MODULE or FILE.py", to: &p.python, build: p.buildPython},
		{flag: "node", usage: "run the JavaScript function fuzz of `FILE`, or FILE:EXPORT", to: &p.node, build: p.buildNode},
		{flag: "exec", usage: "run a shell `COMMAND` for each input", to: &p.command, build: p.buildCommand},
	}
}

func (p *program) bind(flags *pflag.FlagSet) {
	for _, k := range p.kinds() {
		flags.StringVar(k.to, k.flag, "", k.usage)
	}
	flags.StringSliceVar(&p.cover, "cover", nil, "observe the packages that match this `PATTERN`, in C and Rust the source files; may be repeated (default those of the program). Not for exec")
	flags.StringVar(&p.classpath, "classpath", "", "java: class `PATH`")
	flags.StringVar(&p.sources, "sources", ".", "`DIR` of the sources. Not for go")
	flags.StringVar(&p.target, "target", "", "c: `NAME` of the executable, if the command builds several")
	flags.BoolVar(&p.fork, "fork", false, "c, rust: run each input in a process of its own, for programs that keep state")
	cli.BindEnum(flags, &p.report, "report", "exec: format of the reports", reportFormats()...)
	flags.BoolVar(&p.labels.MergeOverloads, "merge-overloads", false, "observe methods that differ only in their parameters as one")
	flags.BoolVar(&p.labels.NoConstructors, "no-constructors", false, "leave out constructors")
	flags.BoolVar(&p.calls, "calls", false, "python: also observe the order in which methods are called first")
	flags.StringVar(&p.wrap, "wrap", "", "run the program on inputs in a `FRAME`, such as 'PREFIX{}SUFFIX'; \\0, \\n, \\t, \\\\ and \\xHH stand for bytes")
}

// unitsLike returns the value of --units that gives a program units like the given ones:
// block if there are blocks or lines among them.
func unitsLike(units []observation.Unit) string {
	if slices.ContainsFunc(units, func(u observation.Unit) bool {
		return u.Kind == observation.KindBlock || u.Kind == observation.KindLine
	}) {
		return "block"
	}
	return "method"
}

// reportFormats returns the names of the report formats, the default first.
func reportFormats() []string {
	var names []string
	for _, f := range coverage.Formats() {
		names = append(names, string(f))
	}
	return names
}

// missing returns the error that a flag needs a program.
func (p *program) missing(flag string) error {
	var flags []string
	for _, k := range p.kinds() {
		flags = append(flags, "--"+k.flag)
	}
	return fmt.Errorf("%s: give the program to run, with %s", flag, alternatives(flags, "or"))
}

// given reports whether a flag names a program.
func (p *program) given() bool {
	for _, k := range p.kinds() {
		if *k.to != "" {
			return true
		}
	}
	return false
}

// kind returns the kind of program that the flags name. It returns an error unless they
// name exactly one program, and all other flags that it needs are set.
func (p *program) kind() (programKind, error) {
	var given []programKind
	var usages, flags []string
	for _, k := range p.kinds() {
		if *k.to != "" {
			given, flags = append(given, k), append(flags, "--"+k.flag)
		}
		name, _ := pflag.UnquoteUsage(&pflag.Flag{Usage: k.usage})
		usages = append(usages, "--"+k.flag+" "+name)
	}
	switch {
	case len(given) == 0:
		return programKind{}, fmt.Errorf("no program: give %s", alternatives(usages, "or"))
	case len(given) > 1:
		return programKind{}, fmt.Errorf("%s: give only one of them", alternatives(flags, "and"))
	case given[0].missing != nil:
		return given[0], given[0].missing()
	}
	return given[0], nil
}

// alternatives joins names for a sentence.
func alternatives(names []string, last string) string {
	n := len(names) - 1
	return strings.Join(names[:n], ", ") + " " + last + " " + names[n]
}

func (p *program) check() error {
	if _, _, err := unwrap(p.wrap); err != nil {
		return err
	}
	_, err := p.kind()
	return err
}

// build builds a program that can be run and observed. The caller closes it.
func (p *program) build(ctx context.Context) (*observe.Program, error) {
	prefix, suffix, err := unwrap(p.wrap)
	if err != nil {
		return nil, err
	}
	kind, err := p.kind()
	if err != nil {
		return nil, err
	}
	built, err := kind.build(ctx)
	if err != nil {
		return nil, fmt.Errorf("--%s %w", kind.flag, err)
	}
	built.Wrap(prefix, suffix)
	built.Label(p.labels)
	return built, nil
}

func (p *program) buildGo(ctx context.Context) (*observe.Program, error) {
	return observe.BuildGo(ctx, observe.GoTarget{
		Function: p.goFunction, Packages: p.cover, Blocks: p.units == "block", Subject: p.subject, Commit: p.commit,
	})
}

func (p *program) missingJava() error {
	if p.classpath == "" {
		return errors.New("no classes: give --classpath PATH")
	}
	return nil
}

func (p *program) buildJava(ctx context.Context) (*observe.Program, error) {
	return observe.BuildJava(ctx, observe.JavaTarget{
		Home: os.Getenv("JAVA_HOME"), Method: p.javaMethod, Classpath: p.classpath, Packages: p.cover, Sources: p.sources,
		Blocks: p.units == "block", Subject: p.subject, Commit: p.commit,
	})
}

func (p *program) buildPython(ctx context.Context) (*observe.Program, error) {
	return observe.BuildPython(ctx, observe.PythonTarget{
		Interpreter: os.Getenv("PYTHON"), Function: p.python, Packages: p.cover, Sources: p.sources, Blocks: p.units == "block",
		Calls: p.calls, Subject: p.subject, Commit: p.commit,
	})
}

func (p *program) buildNode(ctx context.Context) (*observe.Program, error) {
	return observe.BuildNode(ctx, observe.NodeTarget{
		Interpreter: os.Getenv("NODE"), File: p.node, Packages: p.cover, Sources: p.sources, Blocks: p.units == "block",
		Subject: p.subject, Commit: p.commit,
	})
}

func (p *program) buildC(ctx context.Context) (*observe.Program, error) {
	built, err := observe.BuildC(ctx, observe.CTarget{
		Command: p.cBuild, Name: p.target, Sources: p.sources, Files: p.cover, Blocks: p.units == "block", Fork: p.fork,
		Subject: p.subject, Commit: p.commit,
	})
	if errors.Is(err, observe.ErrSeveralTargets) {
		err = fmt.Errorf("%w; give --target NAME", err)
	}
	return built, err
}

func (p *program) buildRust(ctx context.Context) (*observe.Program, error) {
	return observe.BuildRust(ctx, observe.RustTarget{
		Target: p.rustTarget, Sources: p.sources, Files: p.cover, Blocks: p.units == "block", Fork: p.fork,
		Subject: p.subject, Commit: p.commit,
	})
}

func (p *program) buildCommand(context.Context) (*observe.Program, error) {
	built, err := observe.NewCommand(observe.CommandTarget{
		Shell: p.command, Format: coverage.Format(p.report), Root: p.sources, Blocks: p.units == "block",
		Subject: p.subject, Commit: p.commit,
	})
	if err != nil {
		return nil, fmt.Errorf("%q: %w", p.command, err)
	}
	return built, nil
}

// unwrap returns the bytes that surround an input, from the value of --wrap.
func unwrap(text string) (prefix, suffix []byte, err error) {
	if text == "" {
		return nil, nil, nil
	}
	before, after, found := strings.Cut(text, "{}")
	if !found || strings.Contains(after, "{}") {
		return nil, nil, fmt.Errorf("--wrap %q: must have {} once, for the input", text)
	}
	if prefix, err = unescape(before); err != nil {
		return nil, nil, fmt.Errorf("--wrap %q: %w", text, err)
	}
	if suffix, err = unescape(after); err != nil {
		return nil, nil, fmt.Errorf("--wrap %q: %w", text, err)
	}
	return prefix, suffix, nil
}

// unescape replaces the escapes of --wrap.
func unescape(text string) ([]byte, error) {
	const escaped = `0nt\`
	var out []byte
	for {
		before, after, found := strings.Cut(text, `\`)
		out = append(out, before...)
		if !found {
			return out, nil
		}
		switch {
		case after != "" && after[0] == 'x' && len(after) >= 3:
			b, err := strconv.ParseUint(after[1:3], 16, 8)
			if err != nil {
				return nil, fmt.Errorf(`\x%s: must be two hexadecimal digits`, after[1:3])
			}
			out, text = append(out, byte(b)), after[3:]
		case after != "" && strings.Contains(escaped, after[:1]):
			out, text = append(out, "\x00\n\t\\"[strings.Index(escaped, after[:1])]), after[1:]
		default:
			return nil, errors.New(`a \ must be followed by 0, n, t, \ or xHH`)
		}
	}
}
