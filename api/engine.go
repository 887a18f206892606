package api

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/targeting/selection"
)

// An Engine answers requests in this process. It is safe for concurrent use.
type Engine struct {
	Library Library         // resolves the names of grammars and models
	Limits  grammars.Limits // maximum limits of a request; zero fields mean the defaults of the contract
	Workers int             // goroutines of one request; one per core if 0
	// MaxMemory is the approximate number of bytes of a training or an evaluation; 0 means
	// that there is no limit. A training that needs more uses temporary files.
	MaxMemory int64
	// Untrusted restricts the ANTLR runtime, which can be neither interrupted nor
	// limited, to small inputs of bundled grammars.
	Untrusted bool
	// Cache returns the predictions of a model that [Engine.Select] reuses and adds
	// to. It may be nil.
	Cache func(m *model.Model) (*selection.Cache, error)
}

var _ Service = (*Engine)(nil)

func (e *Engine) workers() int {
	if e.Workers > 0 {
		return e.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// capped returns a value of a request, but at most the engine's limit.
func capped(asked, most int) int {
	if most > 0 && (asked == 0 || asked > most) {
		return most
	}
	return asked
}

// Seed returns the seed of a request, and draws one if it is 0.
func Seed(asked *openapi.Seed) uint64 {
	if asked == nil {
		return 1
	}
	if *asked == 0 {
		return rand.Uint64() >> 1 //nolint:forbidigo // the answer tells which seed was drawn
	}
	return uint64(*asked)
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// errInput reports an input with both or neither of its fields.
var errInput = errors.New("exactly one of input and input_base64 is required")

// Decode returns the bytes of an input.
func Decode(text, encoded *string) ([]byte, error) {
	switch {
	case (text == nil) == (encoded == nil):
		return nil, &openapi.FieldError{Field: "input", Problem: errInput.Error()}
	case text != nil:
		return []byte(*text), nil
	}
	input, err := base64.StdEncoding.DecodeString(*encoded)
	if err != nil {
		return nil, &openapi.FieldError{Field: "input_base64", Problem: err.Error()}
	}
	return input, nil
}

// Encode returns an input as text if it is UTF-8, and in base64 otherwise.
func Encode(input []byte) (text, encoded *string) {
	if utf8.Valid(input) {
		return new(string(input)), nil
	}
	return nil, new(base64.StdEncoding.EncodeToString(input))
}

// Excerpt shortens an untrusted text for errors and logs.
func Excerpt(text string) string {
	const most = 500
	text = asJSON(text)
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// ReadLine reads up to the end of a line or of r, and returns the line without its
// end.
func ReadLine(r *bufio.Reader, maxBytes int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxBytes {
			return nil, fmt.Errorf("line too long: must have at most %d bytes", maxBytes)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(line, []byte("\n")), err
		}
	}
}

// asJSON returns a text as a JSON decoder would return it: every byte that is not UTF-8
// is replaced. Errors then quote the same text with and without a service.
func asJSON(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return string([]rune(text))
}
