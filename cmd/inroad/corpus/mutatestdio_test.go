package corpus_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/inroad/inroad/cmd/inroad/corpus"
)

// Requests are answered until standard input ends, and a command that is interrupted does
// not wait for it to end.
func TestMutateStdio(t *testing.T) {
	request := binary.LittleEndian.AppendUint32(nil, 1) // mutant
	request = binary.LittleEndian.AppendUint32(request, 1000)
	request = append(binary.LittleEndian.AppendUint32(request, 3), "[1]"...)
	request = binary.LittleEndian.AppendUint32(request, 0)
	for name, c := range map[string]struct {
		sent      []byte
		interrupt bool // instead of the end of standard input
		want      error
		answered  bool
	}{
		"no request":               {nil, false, nil, false},
		"a request":                {request, false, nil, true},
		"half a request":           {request[:9], false, io.ErrUnexpectedEOF, false},
		"interrupted at once":      {nil, true, context.Canceled, false},
		"interrupted in a request": {request[:9], true, context.Canceled, false},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			in, send := io.Pipe()
			defer send.Close()
			var out bytes.Buffer
			cmd := corpus.NewMutate()
			cmd.SilenceUsage, cmd.SilenceErrors = true, true
			cmd.SetArgs([]string{"--stdio", "--grammar", "json", "--seed", "1"})
			cmd.SetIn(in)
			cmd.SetOut(&out)
			cmd.SetErr(io.Discard)
			ended := make(chan error, 1)
			go func() { ended <- cmd.ExecuteContext(ctx) }()
			if _, err := send.Write(c.sent); err != nil {
				t.Fatal(err)
			}
			if c.interrupt {
				cancel()
			} else {
				send.Close()
			}
			select {
			case err := <-ended:
				if !errors.Is(err, c.want) || (out.Len() > 0) != c.answered {
					t.Errorf("got %d bytes and the error %v, want the error %v", out.Len(), err, c.want)
				}
			case <-time.After(time.Minute):
				t.Error("it does not end")
			}
		})
	}
}
