// Package subjects wraps each parser in a function that parses an input and, if the
// parser is lazy, visits the result.
package subjects

import (
	"encoding/json"
	"errors"
	"net/url"

	"github.com/buger/jsonparser"
	"github.com/dop251/goja"
	jsoniter "github.com/json-iterator/go"
	"github.com/tidwall/gjson"
	"github.com/valyala/fastjson"
	"gopkg.in/yaml.v3"
)

// EncodingJSON decodes into maps and slices and encodes them again.
func EncodingJSON(input []byte) error {
	var v any
	if err := json.Unmarshal(input, &v); err != nil {
		return err
	}
	_, err := json.Marshal(v)
	return err
}

// FastJSON parses an input and writes the value again.
func FastJSON(input []byte) error {
	v, err := fastjson.ParseBytes(input)
	if err != nil {
		return err
	}
	v.MarshalTo(nil)
	return nil
}

// JSONIter decodes into maps and slices and encodes them again.
func JSONIter(input []byte) error {
	var v any
	if err := jsoniter.ConfigCompatibleWithStandardLibrary.Unmarshal(input, &v); err != nil {
		return err
	}
	_, err := jsoniter.ConfigCompatibleWithStandardLibrary.Marshal(v)
	return err
}

var errInvalid = errors.New("invalid")

// GJSON validates an input and visits all values.
func GJSON(input []byte) error {
	if !gjson.ValidBytes(input) {
		return errInvalid
	}
	var visit func(v gjson.Result)
	visit = func(v gjson.Result) {
		_ = v.String()
		if v.IsObject() || v.IsArray() {
			v.ForEach(func(_, value gjson.Result) bool {
				visit(value)
				return true
			})
		}
	}
	visit(gjson.ParseBytes(input))
	return nil
}

// JSONParser visits all values of an input.
func JSONParser(input []byte) error {
	value, kind, _, err := jsonparser.Get(input)
	if err != nil {
		return err
	}
	return visitJSONParser(value, kind)
}

func visitJSONParser(value []byte, kind jsonparser.ValueType) error {
	switch kind {
	case jsonparser.Object:
		return jsonparser.ObjectEach(value, func(_, v []byte, kind jsonparser.ValueType, _ int) error {
			return visitJSONParser(v, kind)
		})
	case jsonparser.Array:
		var failed error
		_, err := jsonparser.ArrayEach(value, func(v []byte, kind jsonparser.ValueType, _ int, err error) {
			failed = errors.Join(failed, err, visitJSONParser(v, kind))
		})
		return errors.Join(err, failed)
	case jsonparser.Number:
		_, err := jsonparser.ParseFloat(value)
		return err
	case jsonparser.Boolean:
		_, err := jsonparser.ParseBoolean(value)
		return err
	case jsonparser.String:
		_, err := jsonparser.ParseString(value)
		return err
	default:
		return nil
	}
}

// YAML decodes into maps and slices and encodes them again.
func YAML(input []byte) error {
	var v any
	if err := yaml.Unmarshal(input, &v); err != nil {
		return err
	}
	_, err := yaml.Marshal(v)
	return err
}

// NetURL parses an input and reads every part of the URL.
func NetURL(input string) error {
	u, err := url.Parse(input)
	if err != nil {
		return err
	}
	_, err = url.ParseQuery(u.RawQuery)
	_ = u.String() + u.Hostname() + u.Port() + u.EscapedPath() + u.EscapedFragment() + u.Redacted()
	_ = u.JoinPath("..", "x").RequestURI()
	return err
}

// Goja compiles a script.
func Goja(input string) error {
	_, err := goja.Compile("input.js", input, false)
	return err
}
