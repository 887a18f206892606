package main

import (
	"context"
	"fmt"
	"os"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/inroad/inroad/eval/internal/process"
)

// exitMemory is the exit code of a process that used too much memory.
const exitMemory = 70

// A timeError says that a step took too much processor time.
type timeError struct{ limit time.Duration }

func (e *timeError) Error() string { return fmt.Sprintf("%v of processor time", e.limit) }

// within runs a step until it has used the processor time given. A step that
// does not honour its context is ended with its process, by the parent.
func within(ctx context.Context, limit time.Duration, step func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	end := process.OwnTime() + limit
	go func() {
		for ctx.Err() == nil {
			if process.OwnTime() > end {
				cancel(&timeError{limit})
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return step(ctx)
}

// watchMemory ends the process when it uses more memory than allowed.
func watchMemory(limit int64) {
	for {
		checkMemory(limit)
		time.Sleep(20 * time.Millisecond)
	}
}

// checkMemory ends the process if it uses more memory than allowed.
func checkMemory(limit int64) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	if used := samples[0].Value.Uint64() - samples[1].Value.Uint64(); used > uint64(limit) {
		os.Exit(exitMemory)
	}
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
