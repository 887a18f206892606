// Package subjects wraps each parser in a function that parses an input and, if the
// parser is lazy, visits the result.
package subjects

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/beevik/etree"
	"github.com/buger/jsonparser"
	"github.com/dop251/goja"
	jsoniter "github.com/json-iterator/go"
	whatwg "github.com/nlnwa/whatwg-url/url"
	"github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/format"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // values of literals
	ottovm "github.com/robertkrimen/otto"
	otto "github.com/robertkrimen/otto/parser"
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
	"github.com/tdewolff/parse/v2/js"
	"github.com/tidwall/gjson"
	"github.com/valyala/fastjson"
	"gopkg.in/ini.v1"
	"gopkg.in/yaml.v3"
)

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

// WHATWG parses an input as browsers do, and reads every part of the URL.
func WHATWG(input string) error {
	u, err := whatwg.Parse(input)
	if err != nil {
		return err
	}
	_ = u.Href(false) + u.Hostname() + u.Port() + u.Pathname() + u.Search() + u.Hash() + u.SearchParams().String()
	_, err = u.Parse("../x?y#z")
	return err
}

// Goja compiles a script.
func Goja(input string) error {
	_, err := goja.Compile("input.js", input, false)
	return err
}

// INI reads a file, its values as strings and numbers, and writes it again.
func INI(input []byte) error {
	file, err := ini.LoadSources(ini.LoadOptions{AllowBooleanKeys: true}, input)
	if err != nil {
		return err
	}
	for _, section := range file.Sections() {
		for _, key := range section.Keys() {
			_ = key.Value()
			_ = key.MustInt()
		}
	}
	_, err = file.WriteTo(io.Discard)
	return err
}

// TiDB parses statements and writes them again.
func TiDB(input string) error {
	statements, _, err := parser.New().ParseSQL(input)
	if err != nil {
		return err
	}
	for _, s := range statements {
		if err := s.Restore(format.NewRestoreCtx(format.DefaultRestoreFlags, &strings.Builder{})); err != nil {
			return err
		}
	}
	return nil
}

// CSS reads a style sheet up to its first error.
func CSS(input []byte) error {
	for p := css.NewParser(parse.NewInputBytes(bytes.Clone(input)), false); ; {
		if kind, _, _ := p.Next(); kind != css.ErrorGrammar {
			continue
		}
		if errors.Is(p.Err(), io.EOF) {
			return nil
		}
		return p.Err()
	}
}

// JS parses a script and writes it again.
func JS(input []byte) error {
	script, err := js.Parse(parse.NewInputBytes(bytes.Clone(input)), js.Options{})
	if err != nil {
		return err
	}
	script.JS(io.Discard)
	return nil
}

// Otto parses a script.
func Otto(input string) error {
	_, err := otto.ParseFile(nil, "input.js", input, 0)
	return err
}

// maxRun limits the time that a script may run.
const maxRun = time.Second

// OttoRun runs a script.
func OttoRun(input string) (err error) {
	interrupted := errors.New("endless")
	vm := ottovm.New()
	vm.Interrupt = make(chan func(), 1)
	vm.SetStackDepthLimit(200)
	timer := time.AfterFunc(maxRun, func() { vm.Interrupt <- func() { panic(interrupted) } })
	defer timer.Stop()
	defer func() {
		if caught := recover(); caught == interrupted {
			err = interrupted
		} else if caught != nil {
			panic(caught)
		}
	}()
	_, err = vm.Run(input)
	return err
}

// ETree reads a document, visits all elements and writes the document again.
func ETree(input []byte) error {
	document := etree.NewDocument()
	if err := document.ReadFromBytes(input); err != nil {
		return err
	}
	for _, element := range document.FindElements("//*") {
		_ = element.Text() + element.GetPath() + element.NamespaceURI()
	}
	document.Indent(2)
	_, err := document.WriteTo(io.Discard)
	return err
}
