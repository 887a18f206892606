// Package encoding encodes the values that stores keep, so that all stores keep the
// same bytes.
package encoding

import (
	"errors"
	"fmt"
	"sync"

	"github.com/fxamacker/cbor/v2"
	"github.com/klauspost/compress/zstd"
)

// Formats of values, in their first byte.
const (
	formatCBOR  = 1
	formatBlock = 2 // CBOR compressed with zstd
)

// maxBlock limits the decompressed size of a block.
const maxBlock = 256 << 20

var errFormat = errors.New("unknown value format")

// encoding returns a deterministic encoding: equal values have equal bytes.
func encoding() cbor.EncMode {
	opt := cbor.CoreDetEncOptions()
	opt.Time = cbor.TimeRFC3339Nano
	mode, err := opt.EncMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}

func decoding() cbor.DecMode {
	mode, err := cbor.DecOptions{
		MaxArrayElements: 1 << 24, MaxMapPairs: 1 << 20, MaxNestedLevels: 16,
		UTF8: cbor.UTF8DecodeInvalid, // everything that was encoded can be decoded
	}.DecMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}

// Encode returns the stored form of a value.
func Encode(v any) ([]byte, error) {
	data, err := encoding().Marshal(v)
	if err != nil {
		return nil, err
	}
	return append([]byte{formatCBOR}, data...), nil
}

// Decode decodes a stored value into v. It does not retain data.
func Decode(data []byte, v any) error {
	if len(data) == 0 || data[0] != formatCBOR {
		return errFormat
	}
	return decoding().Unmarshal(data[1:], v)
}

// Blocks encodes large values. It is safe for concurrent use.
type Blocks struct {
	enc *zstd.Encoder
	dec *zstd.Decoder

	closing sync.RWMutex // a decoder must not be closed while it decodes: it would wait for ever
}

// NewBlocks returns an encoder of large values.
func NewBlocks() (*Blocks, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxBlock))
	return &Blocks{enc: enc, dec: dec}, err
}

// Close releases the memory of the encoder. It waits for calls of Decode in progress; later
// ones fail. Encode may still be called.
func (b *Blocks) Close() {
	b.closing.Lock()
	defer b.closing.Unlock()
	b.dec.Close()
}

// Encode returns the compressed stored form of a value.
func (b *Blocks) Encode(v any) ([]byte, error) {
	data, err := encoding().Marshal(v)
	if err != nil {
		return nil, err
	}
	return b.enc.EncodeAll(data, []byte{formatBlock}), nil
}

// Decode decodes a compressed stored value into v.
func (b *Blocks) Decode(data []byte, v any) error {
	if len(data) == 0 || data[0] != formatBlock {
		return errFormat
	}
	plain, err := b.decompress(data[1:])
	if err != nil {
		return fmt.Errorf("decompress: %w", err)
	}
	return decoding().Unmarshal(plain, v)
}

func (b *Blocks) decompress(data []byte) ([]byte, error) {
	b.closing.RLock()
	defer b.closing.RUnlock()
	return b.dec.DecodeAll(data, nil)
}
