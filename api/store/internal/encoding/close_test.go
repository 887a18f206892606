package encoding

import (
	"bytes"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Values may be decoded while the encoder is closed: decoding ends, with an error or not.
func TestCloseWhileDecoding(t *testing.T) {
	b, err := NewBlocks()
	if err != nil {
		t.Fatal(err)
	}
	value, err := b.Encode(bytes.Repeat([]byte("observation "), 1<<16))
	if err != nil {
		t.Fatal(err)
	}
	var decoding sync.WaitGroup
	for range 4 {
		decoding.Go(func() {
			var err error
			for err == nil {
				var out []byte
				err = b.Decode(value, &out)
			}
			if !errors.Is(err, zstd.ErrDecoderClosed) {
				t.Error(err)
			}
		})
	}
	time.Sleep(20 * time.Millisecond)
	b.Close()
	done := make(chan struct{})
	go func() { decoding.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("a value is still decoded")
	}
}
