// Package gofuzz decodes and encodes the corpora of Go fuzz targets: the files in
// testdata/fuzz/FuzzXxx, and those that go test keeps in its cache.
package gofuzz

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// header is the first line of a file.
const header = "go test fuzz v1"

// A SignatureError reports a file for a fuzz target that takes other parameters than one
// []byte or string, so that no single input can be taken from it.
type SignatureError struct{ Types []string }

func (e *SignatureError) Error() string {
	return fmt.Sprintf("Go fuzz input for the parameters (%s): must be for one []byte or string", strings.Join(e.Types, ", "))
}

// Decode returns the input in a file of a Go fuzz corpus. It returns any other text
// unchanged, even one that starts like such a file.
func Decode(text []byte) ([]byte, error) {
	first, rest, ok := bytes.Cut(text, []byte("\n"))
	if !ok || string(bytes.TrimSuffix(first, []byte("\r"))) != header {
		return text, nil
	}
	var input []byte
	var types []string
	texts := 0
	for line := range bytes.Lines(rest) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		kind, value, ok := decodeValue(string(line))
		if !ok {
			return text, nil // it is no file of a corpus
		}
		types = append(types, kind)
		if kind == "[]byte" || kind == "string" {
			input = []byte(value)
			texts++
		}
	}
	switch {
	case len(types) == 0:
		return text, nil
	case len(types) > 1 || texts != 1:
		return nil, &SignatureError{types}
	}
	return input, nil
}

// decodeValue decodes a line such as []byte("text") or int(7). It returns the value of
// texts only.
func decodeValue(line string) (kind, value string, ok bool) {
	expr, err := parser.ParseExpr(line)
	call, isCall := expr.(*ast.CallExpr)
	if err != nil || !isCall || len(call.Args) != 1 {
		return "", "", false
	}
	switch f := call.Fun.(type) {
	case *ast.ArrayType:
		elem, isIdent := f.Elt.(*ast.Ident)
		if f.Len != nil || !isIdent || elem.Name != "byte" {
			return "", "", false
		}
		kind = "[]byte"
	case *ast.Ident:
		kind = f.Name
	case *ast.SelectorExpr: // math.Float64frombits(0x7ff8000000000001)
		return "float64", "", true
	default:
		return "", "", false
	}
	if kind != "[]byte" && kind != "string" {
		return kind, "", true
	}
	literal, isLiteral := call.Args[0].(*ast.BasicLit)
	if !isLiteral || literal.Kind != token.STRING {
		return "", "", false
	}
	value, err = strconv.Unquote(literal.Value)
	return kind, value, err == nil
}

// Encode returns the file of an input for a fuzz target that takes a []byte.
func Encode(input []byte) []byte {
	return fmt.Appendf(nil, "%s\n[]byte(%q)\n", header, input)
}
