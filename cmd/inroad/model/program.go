package model

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/observe"
)

// A program holds the flags that select the program to run and how to observe its
// methods.
type program struct {
	goFunction string
	javaMethod string
	classpath  string
	sources    string
	command    string
	report     string
	cover      []string
	units      string
	subject    string
	commit     string
}

func (p *program) bind(flags *pflag.FlagSet) {
	flags.StringVar(&p.goFunction, "go", "", "run the Go function `PKG.FUNC`")
	flags.StringSliceVar(&p.cover, "cover", nil, "go, java: observe the packages that match this `PATTERN`; may be repeated (default the package of the function or method, and its subpackages)")
	flags.StringVar(&p.javaMethod, "java", "", "run the Java method `CLASS#METHOD`")
	flags.StringVar(&p.classpath, "classpath", "", "java: class `PATH`")
	flags.StringVar(&p.sources, "sources", ".", "java, exec: `DIR` of the sources")
	flags.StringVar(&p.command, "exec", "", "run a shell `COMMAND` for each input")
	cli.BindEnum(flags, &p.report, "report", "exec: format of the reports", "auto", "lcov", "jacoco", "gocover")
}

// given reports whether a flag names a program.
func (p *program) given() bool { return p.goFunction+p.javaMethod+p.command != "" }

func (p *program) check() error {
	switch {
	case !p.given():
		return errors.New("no program: give --go PKG.FUNC, --java CLASS#METHOD or --exec COMMAND")
	case p.goFunction != "" && p.javaMethod != "" || p.command != "" && p.goFunction+p.javaMethod != "":
		return errors.New("--go, --java and --exec: give only one of them")
	case p.javaMethod != "" && p.classpath == "":
		return errors.New("no classes: give --classpath PATH")
	case p.javaMethod != "" && p.units == "block":
		return fmt.Errorf("--units %s: Java is observed by method; for lines use JaCoCo, and import its reports", p.units)
	}
	return nil
}

// build builds a program that can be run and observed. The caller closes it.
func (p *program) build(ctx context.Context) (built *observe.Program, err error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	flag := "--go"
	switch {
	case p.javaMethod != "":
		flag = "--java"
		built, err = observe.BuildJava(ctx, observe.JavaTarget{
			Home: os.Getenv("JAVA_HOME"), Method: p.javaMethod, Classpath: p.classpath, Packages: p.cover, Sources: p.sources,
			Subject: p.subject, Commit: p.commit,
		})
	case p.command != "":
		flag = "--exec:"
		built, err = observe.NewCommand(observe.CommandTarget{
			Shell: p.command, Format: observe.Format(p.report), Root: p.sources, Blocks: p.units == "block",
			Subject: p.subject, Commit: p.commit,
		})
	default:
		built, err = observe.BuildGo(ctx, observe.GoTarget{
			Function: p.goFunction, Packages: p.cover, Blocks: p.units == "block", Subject: p.subject, Commit: p.commit,
		})
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w", flag, err)
	}
	return built, nil
}
