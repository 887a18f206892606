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

	"github.com/inroad/inroad/model/coverage"
	"github.com/inroad/inroad/model/observation"
)

// A JavaTarget is a method of a Java class.
type JavaTarget struct {
	Home      string   // folder of the JDK; default is the JDK on the PATH
	Method    string   // CLASS#METHOD, CLASS#new for a constructor, or CLASS for a fuzz target of Jazzer
	Classpath string   // in the syntax of java -cp
	Packages  []string // packages (including subpackages) or classes to observe; default is the package of the class
	Sources   string   // folder to search for source files; default is the current one
	Blocks    bool     // observe blocks in addition to methods
	Subject   string   // name of the program; default is the method's
	Commit    string   // version of the program; default is the git commit of the sources
}

//go:embed javaharness
var javaHarness embed.FS

// BuildJava returns a program that calls a method. The method takes the input
// as byte[], String, CharSequence, InputStream, Reader, char[] or ByteBuffer.
// An instance method is called on a new object for each input. The method
// fuzzerTestOneInput of a fuzz target may also take Jazzer's FuzzedDataProvider.
//
// BuildJava needs a JDK to compile the instrumentation agent. An exception is a
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
		return nil, fmt.Errorf("no class of %s on the class path", strings.Join(b.Packages, ","))
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

// A javaBuild is the state of BuildJava.
type javaBuild struct {
	JavaTarget
	tmp        string
	units      []observation.Unit // in the order of the probes
	hasSources bool               // some units have source files
}

func (b *javaBuild) tool(name string) string {
	if b.Home != "" {
		return filepath.Join(b.Home, "bin", name)
	}
	return name
}

func (b *javaBuild) agent() string { return filepath.Join(b.tmp, "inroad-agent.jar") }

func (b *javaBuild) tableFile() string { return filepath.Join(b.tmp, "methods.tsv") }

// prepare validates the target and sets defaults.
func (b *javaBuild) prepare() error {
	class, method, ok := strings.Cut(b.Method, "#")
	if class == "" || ok && method == "" {
		return errors.New("must be CLASS#METHOD, or the CLASS of a fuzz target")
	}
	for _, tool := range []string{"java", "javac"} {
		if _, err := exec.LookPath(b.tool(tool)); err != nil {
			return fmt.Errorf("observing Java needs a JDK: %w", err)
		}
	}
	if b.Subject == "" {
		b.Subject = b.Method
	}
	if !ok {
		b.Method += "#fuzzerTestOneInput"
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
	if _, err := os.Stat(b.Sources); err != nil {
		return fmt.Errorf("sources: %w", err)
	}
	return b.resolveClasspath()
}

// resolveClasspath makes the class path absolute and expands wildcards.
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
		return errors.New("empty class path: must list jar files or folders of classes")
	}
	b.Classpath = strings.Join(entries, string(filepath.ListSeparator))
	return nil
}

// run runs a JDK tool and returns its standard output. If it fails, the error
// contains its standard error.
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

// compile compiles the agent.
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

// jar packages the agent. It goes on the boot class path, so that classes of
// all loaders can call the probes.
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

// scan lists the methods on the class path, and their blocks.
func (b *javaBuild) scan(ctx context.Context) error {
	units := "method"
	if b.Blocks {
		units = "block"
	}
	table, err := b.run(ctx, "java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", b.agent(),
		"inroad.observe.Scan", b.Classpath, strings.Join(b.Packages, ","), units)
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.tableFile(), table, 0o666); err != nil {
		return err
	}
	var probes []javaProbe
	var methods []observation.Unit
	sources := findJavaSources(b.Sources)
	for line := range strings.Lines(string(table)) {
		p, err := readJavaProbe(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return err
		}
		probes = append(probes, p)
		if p.offset > 0 {
			continue
		}
		if file := sources.find(p.unit.File); file != "" {
			p.unit = sources.locate(p.unit, file)
			b.hasSources = true
		}
		methods = append(methods, p.unit)
	}
	observation.AssignIDs(methods)
	b.units = javaUnits(probes, methods)
	return nil
}

// A javaProbe is a line of inroad.observe.Scan.
type javaProbe struct {
	unit   observation.Unit // of a block, only its lines are valid
	offset int              // of the first instruction; 0 for the entry of a method
	line   int              // of the first instruction; 0 if unknown
}

// javaUnits returns the units of the probes. The blocks of a method follow it.
// They are named after the line of their first instruction, or after its offset if
// lines are unknown, and numbered if several start on a line.
func javaUnits(probes []javaProbe, methods []observation.Unit) []observation.Unit {
	units := make([]observation.Unit, 0, len(probes))
	var method observation.Unit
	var blocks map[string]int // of the method, by suffix
	for _, p := range probes {
		if p.offset == 0 {
			method, methods, blocks = methods[0], methods[1:], map[string]int{}
			units = append(units, method)
			continue
		}
		suffix, start := fmt.Sprintf(":%d", p.line), p.line // a block may end with the head of the loop around it
		if p.line == 0 {
			suffix, start = fmt.Sprintf("+%d", p.offset), p.unit.Start
		}
		if blocks[suffix]++; blocks[suffix] > 1 {
			suffix += fmt.Sprintf(".%d", blocks[suffix])
		}
		units = append(units, observation.Unit{
			ID: method.ID + suffix, Kind: observation.KindBlock, Name: method.Name + suffix, File: method.File, Start: start, End: p.unit.End,
		})
	}
	return units
}

func readJavaProbe(line string) (javaProbe, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 9 {
		return javaProbe{}, fmt.Errorf("scan: %d fields in %q: must be 9", len(fields), line)
	}
	var n [5]int
	for i, text := range []string{fields[3], fields[5], fields[6], fields[7], fields[8]} {
		var err error
		if n[i], err = strconv.Atoi(text); err != nil {
			return javaProbe{}, fmt.Errorf("scan: %q in %q: must be a number", text, line)
		}
	}
	source := fields[4]
	if source == "" { // compiled without debug information
		outer, _, _ := strings.Cut(path.Base(fields[0]), "$")
		source = outer + ".class"
	}
	u := coverage.JavaMethod(fields[0], path.Join(path.Dir(fields[0]), source), fields[1], fields[2])
	u.Start, u.End = n[1], n[2]
	const synthetic, bridge = 0x1000, 0x40
	if n[0]&(synthetic|bridge) != 0 {
		u.Kind = observation.KindSynthetic
	}
	return javaProbe{unit: u, offset: n[3], line: n[4]}, nil
}

func (b *javaBuild) start(ctx context.Context, limits Limits) (process, error) {
	dir, err := os.MkdirTemp(b.tmp, "run-")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(b.tool("java"), //nolint:noctx // the observer stops it
		"-javaagent:"+b.agent()+"="+b.tableFile(),
		fmt.Sprintf("-Xmx%dm", max(16, limits.Memory>>20)),
		"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", // fast start: processes are many and short-lived
		"-XX:-OmitStackTraceInFastThrow", // stack digests need the stack trace
		"-Djava.awt.headless=true",
		"-cp", b.Classpath, "inroad.observe.Harness", b.Method, strconv.FormatInt(limits.Timeout.Milliseconds(), 10))
	cmd.Dir = dir // files that the method writes are removed with the folder
	p, _, err := startHarness(ctx, cmd, limits.Timeout)
	if err != nil {
		return nil, err
	}
	p.cleanup = func() { _ = os.RemoveAll(dir) } // Program.Close removes the rest
	p.reached = b.reached
	return p, nil
}

// reached decodes the counters from the harness.
func (b *javaBuild) reached(counters []byte) (methods []string, counts []int, err error) {
	methods, counts = []string{}, []int{}
	for at := 0; len(counters) > 0; {
		step, n := binary.Uvarint(counters)
		count, m := binary.Uvarint(counters[max(n, 0):])
		if n <= 0 || m <= 0 || step > uint64(len(b.units)) || at+int(step) >= len(b.units) {
			return nil, nil, errors.New("invalid counters from the harness")
		}
		at += int(step)
		counters = counters[n+m:]
		methods, counts = append(methods, b.units[at].ID), append(counts, int(min(count, 1<<31)))
	}
	return methods, counts, nil
}

// javaSources indexes the source files below a folder.
type javaSources struct {
	root   string
	files  map[string][]string // slash-separated files relative to root, by base name
	parsed map[string]*javaSource
}

// maxJavaSources limits the number of files visited, because the folder is
// arbitrary.
const maxJavaSources = 200_000

func findJavaSources(root string) *javaSources {
	s := &javaSources{root: root, files: map[string][]string{}, parsed: map[string]*javaSource{}}
	seen := 0
	_ = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error { // unreadable folders count as empty
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

// find returns the source file whose path ends in file, or "" unless there is
// exactly one.
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

// globQuote escapes the special characters of a glob pattern.
func globQuote(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
