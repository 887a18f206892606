package observe

import (
	"archive/zip"
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// A JavaTarget is a method of a Java class.
type JavaTarget struct {
	Home      string   // the folder of the JDK; if empty, the one that the PATH has
	Method    string   // CLASS#METHOD, or CLASS#new for a constructor
	Classpath string   // as java takes it
	Packages  []string // packages, with those below them, or classes to observe; if there are none, the package of the class
	Sources   string   // the folder to look for sources in; the current one if empty
	Subject   string   // a name for the program; if empty, the method's
	Commit    string   // its version; if empty, what git says of the sources
}

//go:embed javaharness
var javaHarness embed.FS

// BuildJava makes a program of a method that takes an input as byte[], String,
// CharSequence, InputStream, Reader, char[] or ByteBuffer. A method that is not
// static gets a new object for each input.
//
// It needs a JDK: the agent that counts is compiled for it. An exception is a
// failure, and a java.lang.Error is a crash.
func BuildJava(ctx context.Context, target JavaTarget) (*Program, error) {
	return buildIn(target.Method, func(dir string) (*Program, error) { return buildJava(ctx, target, dir) })
}

func buildJava(ctx context.Context, target JavaTarget, dir string) (*Program, error) {
	b := &javaBuild{JavaTarget: target, tmp: dir}
	if err := b.prepare(); err != nil {
		return nil, err
	}
	if err := b.compile(ctx); err != nil {
		return nil, err
	}
	if err := b.scan(ctx); err != nil {
		return nil, err
	}
	if len(b.units) == 0 {
		return nil, fmt.Errorf("the class path has no class of %s", strings.Join(b.Packages, ","))
	}
	program := &Program{dir: dir, start: b.start, header: observation.Header{Subject: b.Subject, Commit: b.Commit, Units: b.units}}
	p, err := b.start(ctx, Limits{Timeout: startTimeout, Memory: 1 << 30})
	if err != nil {
		return nil, err
	}
	p.stop()
	if b.Commit == "" && b.hasSources {
		program.header.Commit = gitCommit(ctx, b.Sources)
	}
	return program, nil
}

// A javaBuild is on its way to become a program.
type javaBuild struct {
	JavaTarget
	tmp        string
	units      []observation.Unit // in the order of the probes
	hasSources bool               // some sources
}

func (b *javaBuild) tool(name string) string {
	if b.Home != "" {
		return filepath.Join(b.Home, "bin", name)
	}
	return name
}

func (b *javaBuild) agent() string { return filepath.Join(b.tmp, "inroad-agent.jar") }

func (b *javaBuild) tableFile() string { return filepath.Join(b.tmp, "methods.tsv") }

// prepare checks what was given, and fills in the rest.
func (b *javaBuild) prepare() error {
	class, method, ok := strings.Cut(b.Method, "#")
	if !ok || class == "" || method == "" {
		return errors.New("it is CLASS#METHOD, such as org.example.Parser#parse")
	}
	for _, tool := range []string{"java", "javac"} {
		if _, err := exec.LookPath(b.tool(tool)); err != nil {
			return fmt.Errorf("observing Java needs a JDK: %w", err)
		}
	}
	if b.Subject == "" {
		b.Subject = b.Method
	}
	if len(b.Packages) == 0 {
		pkg := ""
		if i := strings.LastIndexByte(class, '.'); i >= 0 {
			pkg = class[:i]
		}
		b.Packages = []string{pkg}
	}
	if b.Sources == "" {
		b.Sources = "."
	}
	return b.resolveClasspath()
}

// absolute makes the class path independent of the current folder, and writes
// out folders of jars.
func (b *javaBuild) resolveClasspath() error {
	var entries []string
	for _, entry := range filepath.SplitList(b.Classpath) {
		entry, err := filepath.Abs(entry)
		if err != nil {
			return err
		}
		if filepath.Base(entry) != "*" {
			if _, err := os.Stat(entry); err != nil {
				return fmt.Errorf("class path: %w", err)
			}
			entries = append(entries, entry)
			continue
		}
		jars, err := filepath.Glob(filepath.Join(globQuote(filepath.Dir(entry)), "*.[jJ][aA][rR]"))
		if err != nil {
			return err
		}
		entries = append(entries, jars...)
	}
	if len(entries) == 0 {
		return errors.New("the class path is empty")
	}
	b.Classpath = strings.Join(entries, string(filepath.ListSeparator))
	return nil
}

// run runs a tool of the JDK. What it says of its troubles becomes the error.
func (b *javaBuild) run(ctx context.Context, tool string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, b.tool(tool), args...)
	cmd.Dir = b.tmp
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); ok && stderr.Len() > 0 {
		return nil, fmt.Errorf("%s: %s", tool, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), err
}

// compile makes the agent.
func (b *javaBuild) compile(ctx context.Context) error {
	sources, classes := filepath.Join(b.tmp, "sources"), filepath.Join(b.tmp, "classes")
	if err := os.CopyFS(sources, javaHarness); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(globQuote(sources), "javaharness/inroad/observe/*.java"))
	if err != nil {
		return err
	}
	if _, err := b.run(ctx, "javac", append([]string{"-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "-nowarn", "-proc:none", "-encoding", "UTF-8", "-d", classes}, files...)...); err != nil {
		return err
	}
	return b.jar(classes)
}

// jar packs the agent. Probes must be visible to classes of all loaders.
func (b *javaBuild) jar(classes string) error {
	var data bytes.Buffer
	w := zip.NewWriter(&data)
	manifest, err := w.Create("META-INF/MANIFEST.MF")
	if err != nil {
		return err
	}
	fmt.Fprintf(manifest, "Manifest-Version: 1.0\r\nPremain-Class: inroad.observe.Agent\r\nBoot-Class-Path: %s\r\n\r\n", filepath.Base(b.agent()))
	if err := w.AddFS(os.DirFS(classes)); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(b.agent(), data.Bytes(), 0o666)
}

// scan lists the methods of the class path.
func (b *javaBuild) scan(ctx context.Context) error {
	table, err := b.run(ctx, "java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", b.agent(), "inroad.observe.Scan", b.Classpath, strings.Join(b.Packages, ","))
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.tableFile(), table, 0o666); err != nil {
		return err
	}
	sources := findJavaSources(b.Sources)
	for line := range strings.Lines(string(table)) {
		u, err := readJavaUnit(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return err
		}
		if file := sources.find(u.File); file != "" {
			u = sources.locate(u, file)
			b.hasSources = true
		}
		b.units = append(b.units, u)
	}
	assignIDs(b.units)
	return nil
}

// readJavaUnit reads a line of what the scanner prints.
func readJavaUnit(line string) (observation.Unit, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 7 {
		return observation.Unit{}, fmt.Errorf("scan: %d fields in %q", len(fields), line)
	}
	var n [3]int
	for i, text := range []string{fields[3], fields[5], fields[6]} {
		var err error
		if n[i], err = strconv.Atoi(text); err != nil {
			return observation.Unit{}, fmt.Errorf("scan: %q in %q", text, line)
		}
	}
	source := fields[4]
	if source == "" { // compiled without
		outer, _, _ := strings.Cut(path.Base(fields[0]), "$")
		source = outer + ".class"
	}
	u := javaUnit(fields[0], path.Join(path.Dir(fields[0]), source), fields[1], fields[2])
	u.Start, u.End = n[1], n[2]
	const synthetic, bridge = 0x1000, 0x40
	if n[0]&(synthetic|bridge) != 0 {
		u.Kind = observation.KindSynthetic
	}
	return u, nil
}

func (b *javaBuild) start(ctx context.Context, limits Limits) (process, error) {
	dir, err := os.MkdirTemp(b.tmp, "run-")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(b.tool("java"), //nolint:noctx // the observer stops it
		"-javaagent:"+b.agent()+"="+b.tableFile(),
		fmt.Sprintf("-Xmx%dm", max(16, limits.Memory>>20)),
		"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", // inputs are small, and processes many
		"-XX:-OmitStackTraceInFastThrow", // or digests would change
		"-Djava.awt.headless=true",
		"-cp", b.Classpath, "inroad.observe.Harness", b.Method, strconv.FormatInt(limits.Timeout.Milliseconds(), 10))
	cmd.Dir = dir // what the method writes is gone with it
	p, _, err := startHarness(ctx, cmd, limits.Timeout)
	if err != nil {
		return nil, err
	}
	p.cleanup = func() { _ = os.RemoveAll(dir) } // or else with the program
	p.reached = b.reached
	return p, nil
}

// executed reads the counters that the harness sends.
func (b *javaBuild) reached(counters []byte) (methods []string, counts []int, err error) {
	methods, counts = []string{}, []int{}
	for at := 0; len(counters) > 0; {
		step, n := binary.Uvarint(counters)
		count, m := binary.Uvarint(counters[max(n, 0):])
		if n <= 0 || m <= 0 || step > uint64(len(b.units)) || at+int(step) >= len(b.units) {
			return nil, nil, errors.New("the harness sent counters that cannot be read")
		}
		at += int(step)
		counters = counters[n+m:]
		methods, counts = append(methods, b.units[at].ID), append(counts, int(min(count, 1<<31)))
	}
	return methods, counts, nil
}

// javaSources are the source files below a folder, by the end of their paths.
type javaSources struct {
	root   string
	files  map[string][]string // by base name, with slashes, from the root
	parsed map[string]*javaSource
}

// maxJavaSources bounds how many files are looked at: the folder may be any.
const maxJavaSources = 200_000

func findJavaSources(root string) *javaSources {
	s := &javaSources{root: root, files: map[string][]string{}, parsed: map[string]*javaSource{}}
	seen := 0
	_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error { // what cannot be read has no sources
		if seen++; seen > maxJavaSources {
			return fs.SkipAll
		}
		base := entry.Name()
		switch {
		case err != nil, entry.IsDir() && name != root && (strings.HasPrefix(base, ".") || base == "node_modules"):
			return fs.SkipDir
		case entry.Type().IsRegular() && (strings.HasSuffix(base, ".java") || strings.HasSuffix(base, ".kt") || strings.HasSuffix(base, ".scala") || strings.HasSuffix(base, ".groovy")):
			if below, err := filepath.Rel(root, name); err == nil {
				s.files[base] = append(s.files[base], filepath.ToSlash(below))
			}
		}
		return nil
	})
	return s
}

// find returns the source whose path ends like that of a unit; empty if there is none, or
// more than one.
func (s *javaSources) find(file string) string {
	found := ""
	for _, name := range s.files[path.Base(file)] {
		if name == file || strings.HasSuffix(name, "/"+file) {
			if found != "" {
				return ""
			}
			found = name
		}
	}
	return found
}
