package bolt

import (
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
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
	mode, err := cbor.DecOptions{MaxArrayElements: 1 << 24, MaxMapPairs: 1 << 20, MaxNestedLevels: 16}.DecMode()
	if err != nil {
		panic(err) // the options are constants
	}
	return mode
}

// encode returns the stored form of a value.
func encode(v any) ([]byte, error) {
	data, err := encoding().Marshal(v)
	if err != nil {
		return nil, err
	}
	return append([]byte{formatCBOR}, data...), nil
}

// decode decodes a stored value into v. It does not retain data.
func decode(data []byte, v any) error {
	if len(data) == 0 || data[0] != formatCBOR {
		return errFormat
	}
	return decoding().Unmarshal(data[1:], v)
}

// decodeAll decodes all values of a bucket, in the order of their keys.
func decodeAll[T any](b *bucket) ([]T, error) {
	var out []T
	for e, err := range b.all() {
		var v T
		if err == nil {
			err = decode(e.value, &v)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// encodeBlock returns the compressed stored form of a value.
func (s *Store) encodeBlock(v any) ([]byte, error) {
	data, err := encoding().Marshal(v)
	if err != nil {
		return nil, err
	}
	return s.enc.EncodeAll(data, []byte{formatBlock}), nil
}

func (s *Store) decodeBlock(data []byte, v any) error {
	if len(data) == 0 || data[0] != formatBlock {
		return errFormat
	}
	plain, err := s.dec.DecodeAll(data[1:], nil)
	if err != nil {
		return fmt.Errorf("decompress: %w", err)
	}
	return decoding().Unmarshal(plain, v)
}
