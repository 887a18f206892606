package main

import (
	"archive/zip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// libraries returns jars compiled from several languages by old and new compilers.
func libraries() []string {
	return []string{
		"com.google.guava:guava:33.0.0-jre",
		"org.antlr:antlr4-runtime:4.13.1",
		"org.apache.groovy:groovy:4.0.18",
		"org.clojure:clojure:1.11.1",
		"org.jetbrains.kotlin:kotlin-stdlib:1.9.22",
		"org.mozilla:rhino:1.7.13",
		"org.scala-lang:scala-library:2.13.12",
		"log4j:log4j:1.2.12",
		"xerces:xercesImpl:2.12.2",
	}
}

// classes loads every class of the libraries with probes in all methods or blocks, and
// counts the classes that the verifier of the Java virtual machine rejects.
func (opt *options) classes(ctx context.Context) error {
	dir := filepath.Join(opt.tmp, "load")
	if err := command(ctx, ".", nil, "javac", "-d", dir, "observe/java/Load.java"); err != nil {
		return err
	}
	classpath := []string{dir}
	var names []string
	packages := map[string]bool{}
	for _, library := range libraries() {
		jar, err := opt.download(ctx, library, "")
		if err != nil {
			return err
		}
		classpath = append(classpath, jar)
		found, err := classNames(jar)
		if err != nil {
			return err
		}
		for _, name := range found {
			names = append(names, name)
			top, _, _ := strings.Cut(name, ".")
			packages[top] = true
		}
	}
	var cover []string
	for top := range packages {
		cover = append(cover, top)
	}
	slices.Sort(cover)
	program, err := observe.BuildJava(ctx, observe.JavaTarget{
		Method: "Load#load", Classpath: strings.Join(classpath, string(filepath.ListSeparator)), Packages: cover, Sources: dir, Blocks: opt.blocks,
	})
	if err != nil {
		return err
	}
	defer program.Close()
	inputs := func(yield func(observe.Input, error) bool) {
		for _, name := range names {
			if !yield(observe.Input{Name: name, Data: []byte(name)}, nil) {
				return
			}
		}
	}
	outcomes, rejected := map[observation.Outcome]int{}, 0
	err = program.Observe(ctx, inputs, observe.Options{}, func(o observation.Observation) error {
		outcomes[o.Outcome]++
		if o.Failure != nil && (o.Failure.Type == "java.lang.VerifyError" || o.Failure.Type == "java.lang.ClassFormatError") {
			rejected++
			fmt.Fprintf(opt.progress, "  rejected: %s: %s\n", o.Name, o.Failure.Message)
		}
		return nil
	})
	fmt.Fprintf(opt.stdout, "%d classes with %d probes: %d rejected, %d loaded, %d with missing dependencies\n",
		len(names), len(program.Header().Units), rejected, outcomes[observation.OK], len(names)-outcomes[observation.OK]-rejected)
	return err
}

// classNames returns the names of the classes in a jar.
func classNames(jar string) ([]string, error) {
	info, err := os.Stat(jar)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(jar)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range archive.File {
		name, ok := strings.CutSuffix(entry.Name, ".class")
		if ok && !strings.HasPrefix(name, "META-INF/") && name != "module-info" {
			names = append(names, strings.ReplaceAll(name, "/", "."))
		}
	}
	return names, nil
}
