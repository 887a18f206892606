package main

import (
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/inroad/inroad/eval/internal/subject"
	"github.com/inroad/inroad/eval/maven"
	"github.com/inroad/inroad/model/coverage"
	"github.com/inroad/inroad/model/observation"
	"github.com/inroad/inroad/model/observe"
)

// covdataLine matches a line of go tool covdata func: file, line, function and
// percentage of covered statements.
var covdataLine = regexp.MustCompile(`^(\S+):(\d+):\s+(\S+)\s+([\d.]+)%$`)

// covdata runs each file after the warm-up in a process of its own, and returns the
// functions that go tool covdata reports as executed. It adds the functions in the
// reports to known.
func (opt *options) covdata(ctx context.Context, s subject.Subject, p *observe.Program, dir string, files []string, known map[string]bool) ([]map[string]bool, error) {
	return opt.runOnce(ctx, s, dir, files, known, func(counters string) (string, error) {
		out, err := exec.CommandContext(ctx, "go", "tool", "covdata", "func", "-i="+counters).Output()
		return string(out), err
	}, func(text string) (id string, reached bool) {
		match := covdataLine.FindStringSubmatch(text)
		if match == nil {
			return "", false
		}
		line, err := strconv.Atoi(match[2])
		if err != nil {
			return "", false
		}
		return unitAt(p.Header().Units, match[1], line), match[4] != "0.0"
	})
}

// profileLine matches a line of a text profile: file, start and end of a block,
// statements and executions.
var profileLine = regexp.MustCompile(`^(\S+):(\d+\.\d+),\d+\.\d+ \d+ (\d+)$`)

// profiles is covdata for blocks, which text profiles list. The first block of a
// function is not a unit.
func (opt *options) profiles(ctx context.Context, s subject.Subject, p *observe.Program, dir string, files []string, known map[string]bool) ([]map[string]bool, error) {
	blocks := map[string]string{}
	for _, u := range p.Header().Units {
		if u.Kind == observation.KindBlock {
			blocks[u.File+u.Name[strings.LastIndexByte(u.Name, ':'):]] = u.ID
		}
	}
	return opt.runOnce(ctx, s, dir, files, known, func(counters string) (string, error) {
		profile := counters + ".txt"
		if err := command(ctx, ".", nil, "go", "tool", "covdata", "textfmt", "-i="+counters, "-o="+profile); err != nil {
			return "", err
		}
		text, err := os.ReadFile(profile)
		return string(text), err
	}, func(text string) (id string, reached bool) {
		match := profileLine.FindStringSubmatch(text)
		if match == nil {
			return "", false
		}
		return blocks[match[1]+":"+match[2]], match[3] != "0"
	})
}

// runOnce runs each file after the warm-up in a process of its own that writes its
// counters. report turns these into text, of which unit reads a line.
func (opt *options) runOnce(ctx context.Context, s subject.Subject, dir string, files []string, known map[string]bool,
	report func(counters string) (string, error), unit func(line string) (id string, reached bool),
) ([]map[string]bool, error) {
	once := filepath.Join(dir, "once")
	if err := command(ctx, ".", nil, "go", "build", "-cover", "-covermode=atomic",
		"-coverpkg="+s.Cover+",github.com/inroad/inroad/eval/observe/once", "-o", once, "./observe/once"); err != nil {
		return nil, err
	}
	theirs := make([]map[string]bool, len(files))
	for i := warmup; i < len(files); i++ {
		counters := filepath.Join(dir, fmt.Sprint("cov", i))
		if err := os.Mkdir(counters, 0o777); err != nil {
			return nil, err
		}
		args := append([]string{s.Name, files[i]}, files[:warmup]...)
		if err := command(ctx, ".", []string{"GOCOVERDIR=" + counters}, once, args...); err != nil {
			return nil, err
		}
		text, err := report(counters)
		if err != nil {
			return nil, err
		}
		theirs[i] = map[string]bool{}
		for line := range strings.Lines(text) {
			if id, reached := unit(strings.TrimSpace(line)); id != "" {
				known[id] = true
				theirs[i][id] = theirs[i][id] || reached
			}
		}
	}
	return theirs, nil
}

const (
	jacocoVersion = "0.8.12"
	asmVersion    = "9.7"
)

// jacoco runs the files under JaCoCo's agent, and returns the methods that its
// reports show as executed. It adds the methods in the reports to known: JaCoCo
// leaves out methods that the compiler added.
func (opt *options) jacoco(ctx context.Context, s subject.Subject, p *observe.Program, dir, corpus string, files []string, known map[string]bool) ([]map[string]bool, error) {
	agent, err := opt.download(ctx, "org.jacoco:org.jacoco.agent:"+jacocoVersion, "runtime")
	if err != nil {
		return nil, err
	}
	program, err := opt.builder().Classpath(ctx, s)
	if err != nil {
		return nil, err
	}
	jar, _, _ := strings.Cut(program, string(filepath.ListSeparator))
	classpath := []string{dir, agent, program}
	for _, library := range []string{
		"org.jacoco:org.jacoco.core:" + jacocoVersion, "org.jacoco:org.jacoco.report:" + jacocoVersion,
		"org.ow2.asm:asm:" + asmVersion, "org.ow2.asm:asm-commons:" + asmVersion, "org.ow2.asm:asm-tree:" + asmVersion,
	} {
		file, err := opt.download(ctx, library, "")
		if err != nil {
			return nil, err
		}
		classpath = append(classpath, file)
	}
	joined := strings.Join(classpath, string(filepath.ListSeparator))
	if err := command(ctx, ".", nil, "javac", "-cp", joined, "-d", dir, "observe/java/Reports.java"); err != nil {
		return nil, err
	}
	reports := filepath.Join(dir, "reports")
	if err := os.Mkdir(reports, 0o777); err != nil {
		return nil, err
	}
	if err := command(ctx, ".", nil, "java", "-javaagent:"+agent+"=output=none,includes="+s.Cover+".*", "-cp", joined,
		"Reports", s.Target, jar, corpus, strconv.Itoa(warmup), reports); err != nil {
		return nil, err
	}
	if opt.blocks {
		return jacocoLines(p, reports, files, known)
	}
	read := &coverage.Reports{}
	if err := read.Read(reports, coverage.JaCoCo); err != nil {
		return nil, err
	}
	// Names agree, but the line suffix of duplicate names does not.
	ids := map[string]string{}
	for _, u := range p.Header().Units {
		if name := u.File + "#" + u.Name; ids[name] == "" || u.Kind != observation.KindSynthetic { // JaCoCo leaves out bridge methods
			ids[name] = u.ID
		}
	}
	places := map[string]string{}
	for _, u := range read.Units() {
		places[u.ID] = ids[u.File+"#"+u.Name]
		known[places[u.ID]] = true
	}
	theirs := make([]map[string]bool, len(files))
	for i := range theirs {
		theirs[i] = map[string]bool{}
	}
	for _, run := range read.Runs() {
		i, err := strconv.Atoi(run.Name)
		if err != nil || i >= len(files) {
			return nil, fmt.Errorf("unexpected report %q", run.Name)
		}
		for _, m := range run.Methods {
			theirs[i][places[m]] = true
		}
	}
	return theirs, nil
}

// jacocoLines returns the blocks whose lines the reports show as executed. Reports
// have lines, not blocks, so known gets the blocks whose first line has code of no
// other block and no branches: the line was executed if and only if the block was.
func jacocoLines(p *observe.Program, reports string, files []string, known map[string]bool) ([]map[string]bool, error) {
	type line struct {
		file string
		line int
	}
	blocks := map[line][]string{}
	for _, u := range p.Header().Units {
		for n := u.Start; n <= u.End && (u.Kind == observation.KindBlock || n == u.Start); n++ {
			blocks[line{u.File, n}] = append(blocks[line{u.File, n}], u.ID)
		}
	}
	at := map[line]string{} // blocks to compare
	for _, u := range p.Header().Units {
		if first := (line{u.File, u.Start}); u.Kind == observation.KindBlock && len(blocks[first]) == 1 {
			at[first] = u.ID
		}
	}
	theirs := make([]map[string]bool, len(files))
	for i, file := range files {
		theirs[i] = map[string]bool{}
		data, err := os.ReadFile(filepath.Join(reports, filepath.Base(file)+".xml"))
		if errors.Is(err, os.ErrNotExist) {
			continue // of the warm-up
		}
		if err != nil {
			return nil, err
		}
		var report struct {
			Packages []struct {
				Name    string `xml:"name,attr"`
				Sources []struct {
					Name  string `xml:"name,attr"`
					Lines []struct {
						Number   int `xml:"nr,attr"`
						Executed int `xml:"ci,attr"`
						Missed   int `xml:"mb,attr"` // branches
						Covered  int `xml:"cb,attr"`
					} `xml:"line"`
				} `xml:"sourcefile"`
			} `xml:"package"`
		}
		if err := xml.Unmarshal(data, &report); err != nil {
			return nil, err
		}
		for _, pkg := range report.Packages {
			for _, source := range pkg.Sources {
				for _, l := range source.Lines {
					if id := at[line{pkg.Name + "/" + source.Name, l.Number}]; id != "" && l.Missed+l.Covered == 0 {
						known[id] = true
						theirs[i][id] = l.Executed > 0
					}
				}
			}
		}
	}
	return theirs, nil
}

// download fetches the jar group:artifact:version and returns its file name.
func (opt *options) download(ctx context.Context, jar, classifier string) (string, error) {
	return maven.Fetch(ctx, opt.maven, opt.tmp, jar, classifier)
}
