// Package hostile does to its process what an input says.
package hostile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

var (
	kept   [][]byte
	refuse = errors.New("refused")
)

type sad struct{}

func (sad) Error() string { panic("no message") }

func Parse(input string) (string, error) {
	for _, word := range strings.Fields(input) {
		if err := do(word); err != nil {
			return "", err
		}
	}
	return input, nil
}

func do(word string) error {
	switch word {
	case "fail":
		return fail()
	case "sad":
		return sad{}
	case "panic":
		panics()
	case "nil":
		var p *int
		*p = 1
	case "goexit":
		runtime.Goexit()
	case "goroutine":
		goroutine()
	case "hang":
		hang()
	case "sleep":
		time.Sleep(time.Hour)
	case "exit0":
		exit(0)
	case "exit3":
		exit(3)
	case "overflow":
		overflow(0)
	case "leak":
		leak()
	case "spawn":
		for i := 0; i < 300; i++ {
			go func() { select {} }()
		}
	case "hoard":
		for {
			leak()
		}
	case "huge":
		kept = append(kept, make([]byte, 1<<46))
	case "print":
		garbage()
	case "pipes":
		os.NewFile(4, "answers").WriteString("R garbage, and not what the harness says")
	case "stdin":
		_, err := io.ReadAll(os.Stdin)
		return err
	}
	return nil
}

func fail() error { return refuse }

func panics() { panic(fmt.Errorf("panicked: %w", refuse)) }

func goroutine() {
	go func() { panic("elsewhere") }()
	select {}
}

func hang() {
	for {
	}
}

func exit(code int) { os.Exit(code) }

func overflow(n int) int { return overflow(n+1) + 1 }

func leak() {
	block := make([]byte, 8<<20)
	for i := range block {
		block[i] = 1
	}
	kept = append(kept, block)
}

func garbage() {
	text := strings.Repeat("panic: not really\n\x00\xff\x1b[2J{\"outcome\":\"ok\"}", 10_000)
	fmt.Print(text)
	fmt.Fprint(os.Stderr, text)
}
