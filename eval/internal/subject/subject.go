// Package subject lists the programs that the measurements observe, builds them, and
// reads their observations.
package subject

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/inroad/inroad/eval/maven"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// A Subject is a parser in Go or Java.
type Subject struct {
	Name    string
	Grammar string
	Target  string // a function of package observe/subjects, PACKAGE.FUNCTION of a package below it, or a Java method
	Cover   string // packages to observe, separated by spaces
	Jar     string // group:artifact:version; empty for Go
	Driver  string // Java file that calls the jar; may be empty

	Libraries []string // further jars that the jar needs
}

// Evaluation returns the programs on which results are reported. No default is
// chosen on them, except where docs/evaluation/prediction.md says so.
func Evaluation() []Subject {
	return []Subject{
		{"encoding-xml", "xml", "std.EncodingXML", "encoding/xml", "", "", nil},
		{"ini", "ini", "INI", "gopkg.in/ini.v1", "", "", nil},
		{"encoding-csv", "csv", "std.EncodingCSV", "encoding/csv", "", "", nil},
		{"rhino", "javascript", "Rhino#run", "org.mozilla.javascript", "org.mozilla:rhino:1.7.13", "observe/java/Rhino.java", nil},
		{"goja", "javascript", "Goja", "github.com/dop251/goja/...", "", "", nil},
		{"net-url", "url", "std.NetURL", "net/url", "", "", nil},
		{"whatwg-url", "url", "WHATWG", "github.com/nlnwa/whatwg-url/...", "", "", nil},
		{"encoding-json", "json", "std.EncodingJSON", "encoding/json", "", "", nil},
		{"fastjson", "json", "FastJSON", "github.com/valyala/fastjson/...", "", "", nil},
		{"gjson", "json", "GJSON", "github.com/tidwall/gjson", "", "", nil},
		{"jsoniter", "json", "JSONIter", "github.com/json-iterator/go", "", "", nil},
		{"jsonparser", "json", "JSONParser", "github.com/buger/jsonparser", "", "", nil},
		{"yaml", "json", "YAML", "gopkg.in/yaml.v3", "", "", nil},
		{"gson", "json", "com.google.gson.JsonParser#parseString", "com.google.gson", "com.google.code.gson:gson:2.8.6", "", nil},
		{"json-simple", "json", "org.json.simple.parser.JSONParser#parse", "org.json.simple", "com.googlecode.json-simple:json-simple:1.1.1", "", nil},
		{"minimal-json", "json", "com.eclipsesource.json.Json#parse", "com.eclipsesource.json", "com.eclipsesource.minimal-json:minimal-json:0.9.5", "", nil},
	}
}

// Development returns the programs on which defaults may be chosen. No result is
// reported on them.
func Development() []Subject {
	return []Subject{
		{"tidb-parser", "sql", "TiDB", "github.com/pingcap/tidb/pkg/parser/...", "", "", nil},
		{"jsqlparser", "sql", "SQL#run", "net.sf.jsqlparser", "com.github.jsqlparser:jsqlparser:4.9", "observe/java/SQL.java", nil},
		{"parse-css", "css", "CSS", "github.com/tdewolff/parse/v2/...", "", "", nil},
		{"parse-js", "javascript", "JS", "github.com/tdewolff/parse/v2/...", "", "", nil},
		{"otto", "javascript", "Otto", "github.com/robertkrimen/otto/...", "", "", nil},
		{"otto-run", "javascript", "OttoRun", "github.com/robertkrimen/otto/...", "", "", nil},
		{"univocity", "csv", "CSV#run", "com.univocity.parsers", "com.univocity:univocity-parsers:2.9.1", "observe/java/CSV.java", nil},
		{"etree", "xml", "ETree", "github.com/beevik/etree", "", "", nil},
	}
}

// A Builder builds programs. It runs in the root of the module of measurements.
type Builder struct {
	Repository string // address of a Maven repository
	Dir        string // folder for jars and compiled drivers
	Blocks     bool   // observe blocks in addition to methods
}

// Build builds the program, and returns the flags of inroad observe for it.
func (b Builder) Build(ctx context.Context, s Subject) (*observe.Program, []string, error) {
	if s.Jar == "" {
		function := "./observe/subjects." + s.Target
		if strings.Contains(s.Target, ".") {
			function = "./observe/subjects/" + s.Target
		}
		program, err := observe.BuildGo(ctx, observe.GoTarget{Function: function, Packages: []string{s.Cover}, Blocks: b.Blocks})
		return program, []string{"--go", function, "--units", b.units()}, err
	}
	classpath, err := b.Classpath(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	program, err := observe.BuildJava(ctx, observe.JavaTarget{Method: s.Target, Classpath: classpath, Packages: strings.Fields(s.Cover), Blocks: b.Blocks})
	return program, []string{"--java", s.Target, "--classpath", classpath, "--units", b.units()}, err
}

func (b Builder) units() string {
	if b.Blocks {
		return "block"
	}
	return "method"
}

// Classpath downloads the jars of a program in Java, compiles its driver, if any,
// and returns the class path, which starts with the program's own jar.
func (b Builder) Classpath(ctx context.Context, s Subject) (string, error) {
	var jars []string
	for _, jar := range append([]string{s.Jar}, s.Libraries...) {
		file, err := maven.Fetch(ctx, b.Repository, b.Dir, jar, "")
		if err != nil {
			return "", err
		}
		jars = append(jars, file)
	}
	classpath := strings.Join(jars, string(filepath.ListSeparator))
	if s.Driver == "" {
		return classpath, nil
	}
	dir := filepath.Join(b.Dir, s.Name+"-driver")
	if out, err := exec.CommandContext(ctx, "javac", "-cp", classpath, "-d", dir, s.Driver).CombinedOutput(); err != nil {
		return "", fmt.Errorf("javac: %w\n%s", err, out)
	}
	return classpath + string(filepath.ListSeparator) + dir, nil
}

// Read reads files of observations of one program.
func Read(files ...string) (header observation.Header, all []observation.Observation, err error) {
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return header, nil, err
		}
		r := observation.NewReader(bytes.NewReader(data))
		for {
			o, err := r.Next()
			if errors.Is(err, io.EOF) {
				header = r.Header()
				break
			}
			if err != nil {
				return header, nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, o)
		}
	}
	return header, all, nil
}
