// Command builds compares the processor time that builds of inroad take to train
// on the same observations:
//
//	go run ./learn/builds -grammar url -train 1000 -inroad OLD,NEW OBSERVATIONS.ndjson
//
// It runs inroad train of the builds in turn, and prints the least processor time of
// each, parsing included, and its ratio to that of the first.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

type options struct {
	grammar string
	builds  string
	train   int
	runs    int
}

func main() {
	var opt options
	flag.StringVar(&opt.grammar, "grammar", "json", "grammar of the observations, as for inroad train")
	flag.StringVar(&opt.builds, "inroad", "inroad", "`files` of the builds, joined by commas")
	flag.IntVar(&opt.train, "train", 1000, "number of observations to train on")
	flag.IntVar(&opt.runs, "runs", 3, "number of trainings of each build")
	flag.Parse()
	if err := opt.run(context.Background(), flag.Args(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func (opt *options) run(ctx context.Context, files []string, stdout io.Writer) (err error) {
	if len(files) == 0 || opt.runs < 1 {
		return errors.New("give a file of observations, and at least 1 for -runs")
	}
	folder, err := os.MkdirTemp("", "inroad-builds-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	builds := strings.Split(opt.builds, ",")
	for _, file := range files {
		drawn := filepath.Join(folder, "drawn.ndjson")
		if err := opt.draw(file, drawn); err != nil {
			return err
		}
		least := make([]time.Duration, len(builds))
		for range opt.runs {
			for i, build := range builds {
				took, err := train(ctx, build, opt.grammar, drawn, filepath.Join(folder, "model"))
				if err != nil {
					return fmt.Errorf("%s: %w", build, err)
				}
				if least[i] == 0 || took < least[i] {
					least[i] = took
				}
			}
		}
		for i, build := range builds {
			fmt.Fprintf(stdout, "%s: %s: %.2f s, %.2f times the first\n", filepath.Base(file), build, least[i].Seconds(), least[i].Seconds()/least[0].Seconds())
		}
	}
	return nil
}

// draw writes the header of a file of observations and a random sample of its observations
// to another file. The sample is the same in each run.
func (opt *options) draw(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	header, rest, _ := bytes.Cut(data, []byte("\n"))
	lines := bytes.Split(bytes.TrimSpace(rest), []byte("\n"))
	rand.New(rand.NewPCG(1, 0)).Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	lines = append([][]byte{header}, lines[:min(opt.train, len(lines))]...)
	return os.WriteFile(to, append(bytes.Join(lines, []byte("\n")), '\n'), 0o600)
}

// train returns the processor time of a training.
func train(ctx context.Context, build, grammar, observations, out string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, build, "train", "--grammar", grammar, "--observations", observations, "--out", out)
	if printed, err := cmd.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, printed)
	}
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
}
