package corpus

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/targeting/campaign"
	"github.com/inroad/inroad/targeting/generate"
)

// runStdio answers requests for mutants on standard input, until the input or ctx ends.
// Numbers have 32 bits, the lowest byte first. A request has the number of mutants, their
// maximum size, an input, and another input to take parts from. The answer has the number
// of mutants, and the mutants. The size of each input and mutant precedes its bytes.
func (c *mutateCommand) runStdio(ctx context.Context) error {
	library := &api.Files{}
	if _, err := cli.OpenGrammar(ctx, &api.Engine{Library: library}, c.name, c.Streams); err != nil {
		return err
	}
	g, err := library.Grammar(ctx, c.name)
	if err != nil {
		return err
	}
	opt := generate.Options{MaxNodes: c.req.MaxNodes}
	if opt.Start, err = g.ProductiveRule(c.req.Start); err != nil {
		return err
	}
	if g.Bundled {
		if opt.Names, err = generate.SampleNames(ctx, g.ID, g.Grammar); err != nil {
			return err
		}
	}
	seed := api.Seed(c.req.Seed)
	cli.NoteSeed(c.Streams, c.req.Seed, int64(seed))
	m, err := campaign.NewMutator(ctx, g.Grammar, rand.New(rand.NewPCG(seed, 0)), opt)
	if err != nil {
		return err
	}
	collect := debug.SetGCPercent(campaign.GCPercent)
	defer debug.SetGCPercent(collect)
	ended := make(chan error, 1)
	// Nothing interrupts a read from a pipe. If the context ends before the input does, the
	// process is about to end as well.
	go func() { ended <- c.answer(ctx, m) }()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case err := <-ended:
		return err
	}
}

// answer answers requests until the end of standard input.
func (c *mutateCommand) answer(ctx context.Context, m *campaign.Mutator) error {
	in, out := bufio.NewReader(c.In), bufio.NewWriter(c.Out)
	for {
		r, err := readMutateRequest(in)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("standard input: %w", err)
		}
		mutants, err := m.Mutants(ctx, r.input, r.more, r.n, r.maxSize)
		if err == nil {
			err = writeMutants(out, mutants)
		}
		if err != nil {
			return err
		}
	}
}

// A mutateRequest asks for mutants of an input.
type mutateRequest struct {
	n, maxSize  int
	input, more []byte
}

// maxMutants limits the mutants of a request.
const maxMutants = 10_000

// readMutateRequest reads a request. The error is io.EOF if there is none.
func readMutateRequest(in io.Reader) (r mutateRequest, err error) {
	var head [2]uint32
	if err := binary.Read(in, binary.LittleEndian, &head); err != nil {
		return r, err
	}
	if head[0] > maxMutants {
		return r, fmt.Errorf("request for %d mutants: must be at most %d", head[0], maxMutants)
	}
	r.n, r.maxSize = int(head[0]), int(head[1])
	for _, to := range []*[]byte{&r.input, &r.more} {
		var size uint32
		if err := binary.Read(in, binary.LittleEndian, &size); err != nil {
			return r, noEOF(err)
		}
		if size > cli.MaxInput {
			return r, fmt.Errorf("input of %d bytes: must be at most %d", size, cli.MaxInput)
		}
		*to = make([]byte, size)
		if _, err := io.ReadFull(in, *to); err != nil {
			return r, noEOF(err)
		}
	}
	return r, nil
}

// noEOF returns the error of a request that ends early.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func writeMutants(out *bufio.Writer, mutants [][]byte) error {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(mutants)))
	for _, text := range mutants {
		head = append(binary.LittleEndian.AppendUint32(head, uint32(len(text))), text...)
	}
	if _, err := out.Write(head); err != nil {
		return err
	}
	return out.Flush()
}
