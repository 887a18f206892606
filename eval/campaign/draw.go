package main

import (
	"context"
	"runtime"
	"strings"

	"github.com/inroad/inroad/examples/draw"
	"github.com/inroad/inroad/model/observe"
)

// drawings returns the program of examples/draw.
func drawings(blocks bool) program {
	const path = "github.com/inroad/inroad/examples/draw"
	return program{
		name: "draw", grammar: "../examples/draw/draw.g4", corpus: [][]byte{[]byte(`let x = 2; repeat 3 { draw circle x at (1, x) fill #00f; }`)},
		build: func(ctx context.Context) (*observe.Program, error) {
			return observe.BuildGo(ctx, observe.GoTarget{Function: path + ".Run", Packages: []string{path}, Blocks: blocks})
		},
		defects: defect,
	}
}

// defect returns the function in which a drawing panics, or "".
func defect(input []byte) (function string) {
	defer func() {
		if recover() == nil {
			return
		}
		var pcs [100]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
		for frame, more := frames.Next(); more; frame, more = frames.Next() {
			if _, method, ok := strings.Cut(frame.Function, "draw.(*canvas)."); ok {
				function = method
				return
			}
		}
	}()
	_ = draw.Run(string(input)) // only panics count
	return ""
}
