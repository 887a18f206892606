package main

import (
	"bufio"
	"bytes"
	"context"
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
		out, err := exec.CommandContext(ctx, "go", "tool", "covdata", "func", "-i="+counters).Output()
		if err != nil {
			return nil, err
		}
		theirs[i] = map[string]bool{}
		for scanner := bufio.NewScanner(bytes.NewReader(out)); scanner.Scan(); {
			match := covdataLine.FindStringSubmatch(scanner.Text())
			if match == nil {
				continue
			}
			line, err := strconv.Atoi(match[2])
			if err != nil {
				return nil, err
			}
			if id := unitAt(p.Header().Units, match[1], line); id != "" {
				known[id] = true
				theirs[i][id] = match[4] != "0.0"
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

// download fetches the jar group:artifact:version and returns its file name.
func (opt *options) download(ctx context.Context, jar, classifier string) (string, error) {
	return maven.Fetch(ctx, opt.maven, opt.tmp, jar, classifier)
}
