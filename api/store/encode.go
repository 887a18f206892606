package store

import (
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// Formats of values, their first byte.
const (
	formatCBOR  = 1
	formatBlock = 2 // CBOR under zstd
)

// maxBlock bounds what a block is decompressed to.
const maxBlock = 256 << 20

var errFormat = errors.New("a value is of a format that this program does not know")

// encoding returns the way values are written: the same value is the same bytes.
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

// encode returns a value as it is stored.
func encode(v any) ([]byte, error) {
	data, err := encoding().Marshal(v)
	if err != nil {
		return nil, err
	}
	return append([]byte{formatCBOR}, data...), nil
}

// decode reads a stored value. It keeps nothing of data.
func decode(data []byte, v any) error {
	if len(data) == 0 || data[0] != formatCBOR {
		return errFormat
	}
	return decoding().Unmarshal(data[1:], v)
}

// encodeBlock returns a large value as it is stored.
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
