package openapi_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/openapi/contract"
)

// requestTypes are the types of requests in a body or in a line of one.
var requestTypes = []any{
	openapi.AliasRequest{},
	openapi.AskRequest{},
	openapi.CampaignRequest{},
	openapi.CompareRequest{},
	openapi.GenerateRequest{},
	openapi.GrammarSource{},
	openapi.Input{},
	openapi.InputList{},
	openapi.KeyRequest{},
	openapi.ParseRequest{},
	openapi.PolicyRequest{},
	openapi.PruneRequest{},
	openapi.SelectInput{},
	openapi.SelectRequest{},
	openapi.SolveRequest{},
	openapi.TargetRequest{},
	openapi.TellRequest{},
	openapi.TrainRequest{},
}

// decode decodes a text to a new request of the type of another.
func decode(like any, text string) (any, error) {
	request := reflect.New(reflect.TypeOf(like))
	err := openapi.NewDecoder(bufio.NewReader(strings.NewReader(text)), nil).Decode(request.Interface())
	return request.Elem().Interface(), err
}

func TestDecode(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       any
	}{
		{"nothing", `{}`, openapi.GenerateRequest{}},
		{"white space", " \t\r\n{ \"n\" :\n1 } \n", openapi.GenerateRequest{N: 1}},
		{"numbers", `{"n":10,"cooldown":0.5,"seed":9223372036854775807}`, openapi.GenerateRequest{N: 10, Cooldown: 0.5, Seed: new(openapi.Seed(9223372036854775807))}},
		{"a whole number with a fraction", `{"n":8.0}`, openapi.GenerateRequest{N: 8}},
		{"a whole number with an exponent", `{"n":1e2}`, openapi.GenerateRequest{N: 100}},
		{"a whole number with both", `{"n":0.25E+2}`, openapi.GenerateRequest{N: 25}},
		{"a large number with an exponent", `{"seed":9.223372036854775807e18}`, openapi.GenerateRequest{Seed: new(openapi.Seed(9223372036854775807))}},
		{"zero", `{"seed":-0.0e99999999999999999999}`, openapi.GenerateRequest{Seed: new(openapi.Seed(0))}},
		{"a boolean", `{"one_target":true,"synthetic_names":false}`, openapi.GenerateRequest{OneTarget: true}},
		{"a map", `{"tokens":{"ID":["a","b"]}}`, openapi.GenerateRequest{Tokens: map[string][]string{"ID": {"a", "b"}}}},
		{"raw JSON", `{"probabilities":{ "a" : [1, "é", null, {"b": true}] , "c":{}}}`, openapi.GenerateRequest{Probabilities: []byte(`{"a":[1,"é",null,{"b":true}],"c":{}}`)}},
		{"an object in an object", `{"subject":"s","grammar":"g","options":{"folds":3,"margin":0}}`, openapi.TrainRequest{Subject: "s", Grammar: "g", Options: openapi.TrainOptions{Folds: 3, Margin: new(0.0)}}},
		{"objects in a list", `{"inputs":[{"input":""},{"input_base64":"MQ=="}]}`, openapi.InputList{Inputs: []openapi.Input{{Input: new("")}, {InputBase64: new("MQ==")}}}},
		{"an empty list", `{"require":[]}`, openapi.SolveRequest{Require: []string{}}},
		{"escapes", `{"input":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é"}`, openapi.Input{Input: new("\"\\/\b\f\n\r\té😀é")}},
	} {
		got, err := decode(c.want, c.text)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", c.name, err, diff)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		like any
		text string
		want string
	}{
		{"no text", openapi.GenerateRequest{}, ``, "empty: must be a JSON object"},
		{"white space", openapi.GenerateRequest{}, " \n", "empty: must be a JSON object"},
		{"null", openapi.GenerateRequest{}, `null`, "body: must be an object"},
		{"a list", openapi.GenerateRequest{}, `[]`, "body: must be an object"},
		{"a string", openapi.GenerateRequest{}, `"x"`, "body x: must be an object"},
		{"a second value", openapi.GenerateRequest{}, `{}{}`, "expected one JSON value, but more follows it"},
		{"text after the value", openapi.GenerateRequest{}, `{} x`, "expected one JSON value, but more follows it"},
		{"a required field", openapi.CompareRequest{}, `{}`, "after: required"},
		{"a required field of an item", openapi.SelectRequest{}, `{"model":"m","inputs":[{"path":"a"},{}]}`, "inputs.1.path: required"},
		{"an unknown field", openapi.GenerateRequest{}, `{"m":1}`, "m: unknown field"},
		{"another case", openapi.GenerateRequest{}, `{"N":1}`, "N: unknown field"},
		{"an unknown field of an item", openapi.InputList{}, `{"inputs":[{"text":1}]}`, "inputs.0.text: unknown field"},
		{"a field twice", openapi.GenerateRequest{}, `{"n":1,"n":1}`, "n: given more than once"},
		{"a field of an item twice", openapi.InputList{}, `{"inputs":[{"input":"1","input":"2"}]}`, "inputs.0.input: given more than once"},
		{"an entry twice", openapi.GenerateRequest{}, `{"tokens":{"a":["b"],"a":["c"]}}`, "tokens.a: given more than once"},
		{"a name in raw JSON twice", openapi.GenerateRequest{}, `{"probabilities":{"a":[{"b":1,"b":2}]}}`, "probabilities.a.0.b: given more than once"},
		{"null for a number", openapi.GenerateRequest{}, `{"n":null}`, "n: must be a whole number between 1 and 1000000"},
		{"null for a list", openapi.InputList{}, `{"inputs":null}`, "inputs: must be a list"},
		{"a fraction", openapi.GenerateRequest{}, `{"n":1.5}`, "n 1.5: must be a whole number between 1 and 1000000"},
		{"a small fraction", openapi.GenerateRequest{}, `{"n":1e-99999999999999999999}`, "n 1e-99999999999999999999: must be a whole number between 1 and 1000000"},
		{"a number that no field can have", openapi.GenerateRequest{}, `{"seed":9223372036854775808}`, "seed 9223372036854775808: must be between 0 and 9223372036854775807"},
		{"a number with a large exponent", openapi.GenerateRequest{}, `{"seed":1e99999999999999999999}`, "seed 1e99999999999999999999: must be between 0 and 9223372036854775807"},
		{"a number over its maximum", openapi.GenerateRequest{}, `{"k":12}`, "k 12: must be between 1 and 8"},
		{"a number that is not finite", openapi.GenerateRequest{}, `{"cooldown":1e999}`, "cooldown 1e999: must be a number between 0.000001 and 1"},
		{"a string for a number", openapi.GenerateRequest{}, `{"k":"8"}`, "k 8: must be a whole number between 1 and 8"},
		{"a number for a string", openapi.Input{}, `{"input":1}`, "input 1: must be a string"},
		{"a number for a boolean", openapi.GenerateRequest{}, `{"one_target":1}`, "one_target 1: must be true or false"},
		{"a word that is not in the list", openapi.GenerateRequest{}, `{"strategy":"x"}`, "strategy x: must be random, shortest, kpath, forest, common, uncommon or failure"},
		{"a long string", openapi.GenerateRequest{}, `{"start":"` + strings.Repeat("é", 201) + `"}`, "start " + strings.Repeat("é", 50) + "…: must have at most 200 characters"},
		{"a string that does not match", openapi.Input{}, `{"input_base64":"?"}`, `input_base64 ?: must match ^[A-Za-z0-9+/]*={0,2}$`},
		{"too few items", openapi.InputList{}, `{"inputs":[]}`, "inputs: must have between 1 and 10000 items"},
		{"too many items", openapi.SolveRequest{}, `{"require":["a","a","a","a","a","a","a","a","a","a","a","a",`, "require: must have at most 12 items"},
		{"a list for raw JSON", openapi.GenerateRequest{}, `{"probabilities":[]}`, "probabilities: must be an object"},
		{"deep raw JSON", openapi.GenerateRequest{}, `{"probabilities":{"a":` + strings.Repeat("[", 1000), "must have at most 100 levels"},
		{"cut off", openapi.GenerateRequest{}, `{"n":1`, "invalid JSON at byte 7: unexpected end, expected ',' or '}'"},
		{"no value", openapi.GenerateRequest{}, `{"n":}`, "invalid JSON at byte 6: unexpected '}', expected a value"},
		{"no comma", openapi.GenerateRequest{}, `{"n":1 "k":1}`, `invalid JSON at byte 8: unexpected '"', expected ',' or '}'`},
		{"a comma too many", openapi.GenerateRequest{}, `{"n":1,}`, `invalid JSON at byte 8: unexpected '}', expected a name in quotes`},
		{"a leading zero", openapi.GenerateRequest{}, `{"n":01}`, `invalid JSON at byte 8: "01" is not a number`},
		{"a literal that is not one", openapi.GenerateRequest{}, `{"one_target":trux}`, `unexpected 'x', expected true`},
		{"a byte that is not UTF-8", openapi.Input{}, "{\"input\":\"a\xff\"}", "not UTF-8"},
		{"a character that is cut off", openapi.Input{}, "{\"input\":\"a\xc3", "not UTF-8"},
		{"half of a surrogate pair", openapi.Input{}, `{"input":"\ud83d"}`, "unpaired surrogate"},
		{"two first halves", openapi.Input{}, `{"input":"\ud83d\ud83d"}`, "unpaired surrogate"},
		{"a control character", openapi.Input{}, "{\"input\":\"\x1f\"}", `control character '\x1f' in a string: must be escaped`},
		{"an unknown escape", openapi.Input{}, `{"input":"\x"}`, `unknown escape \x`},
	} {
		for _, slow := range []bool{false, true} {
			var r io.Reader = strings.NewReader(c.text)
			if slow {
				r = iotest.OneByteReader(r)
			}
			err := openapi.NewDecoder(bufio.NewReaderSize(r, 16), nil).Decode(reflect.New(reflect.TypeOf(c.like)).Interface())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %q", c.name, err, c.want)
			}
		}
	}
}

// A line is decoded as soon as it is complete, and after an invalid line the next is
// read.
func TestDecodeLine(t *testing.T) {
	client, server := io.Pipe()
	d := openapi.NewDecoder(bufio.NewReader(client), nil)
	for i, c := range []struct{ send, want string }{
		{"{\"input\":\"1\"}\n", ""},
		{"\n \r\n{\"input\":\"2\"} \r\n", ""},
		{"{\"text\":\"3\"}\n", "text: unknown field"},
		{"{\"input\":\"\\ud800\"}\n", "unpaired surrogate"},
		{"{\"input\":\"4\n", "unexpected end of a string"},
		{"{\n", "unexpected end, expected a name in quotes"},
		{"{\"input\":\"5\"}{}\n", "more follows"},
		{"{\"input\":\"6\"}\n", ""},
	} {
		go io.WriteString(server, c.send)
		var in openapi.Input
		if err := d.DecodeLine(&in); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("line %d: got %v, want %q", i, err, c.want)
		}
		if d.Buffered() {
			t.Errorf("line %d: a part of the next line is buffered", i)
		}
	}
	go func() {
		io.WriteString(server, "{\"input\":\"7\"}\n{\"input\":\"8\"}")
		server.Close()
	}()
	for i, want := range []string{"7", "8"} {
		var in openapi.Input
		if err := d.DecodeLine(&in); err != nil || *in.Input != want || d.Line() != 11+i {
			t.Errorf("line %d: got %v, %v", d.Line(), in, err)
		}
	}
	if err := d.DecodeLine(&openapi.Input{}); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

// Memory is reserved before it is allocated, and reading ends when it is refused.
func TestDecodeReserves(t *testing.T) {
	errFull := errors.New("full")
	for name, text := range map[string]io.Reader{
		"items":       strings.NewReader(`{"model":"m","ignored":[` + strings.Repeat(`"",`, 199_999) + `""]}`),
		"a string":    strings.NewReader(`{"model":"m","diff":"` + strings.Repeat("x", 2<<20)),
		"escapes":     strings.NewReader(`{"model":"m","diff":"` + strings.Repeat(`\n`, 2<<20)),
		"items twice": strings.NewReader(`{"model":"m","inputs":[` + strings.Repeat(`{"path":"x","reached":["",""]},`, 20_000)),
	} {
		left := 1 << 20
		err := openapi.NewDecoder(bufio.NewReader(text), func(n int) error {
			if left -= n; left < 0 {
				return errFull
			}
			return nil
		}).Decode(&openapi.SelectRequest{})
		if !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every list and map of a request has a maximum, and every object lists its fields.
func TestRequestsAreBounded(t *testing.T) {
	doc, err := contract.Load(openapi.Document)
	if err != nil {
		t.Fatal(err)
	}
	var visit func(where string, ref *openapi3.SchemaRef)
	visit = func(where string, ref *openapi3.SchemaRef) {
		s := ref.Value
		switch {
		case s.Type.Is("array") && s.MaxItems == nil:
			t.Errorf("%s: no maxItems", where)
		case s.Type.Is("object") && s.AdditionalProperties.Schema != nil && s.MaxProps == nil:
			t.Errorf("%s: no maxProperties", where)
		case s.Type.Is("object") && len(s.Properties) > 0 && (s.AdditionalProperties.Has == nil || *s.AdditionalProperties.Has):
			t.Errorf("%s: additionalProperties is not false", where)
		}
		if s.Items != nil {
			visit(where+"[]", s.Items)
		}
		if s.AdditionalProperties.Schema != nil {
			visit(where+"{}", s.AdditionalProperties.Schema)
		}
		for name, property := range s.Properties {
			visit(where+"."+name, property)
		}
	}
	names := map[string]bool{"Input": true, "SelectInput": true} // lines
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			for _, p := range slices.Concat(item.Parameters, op.Parameters) {
				visit(method+" "+path+" "+p.Value.Name, p.Value.Schema)
			}
			if op.RequestBody == nil {
				continue
			}
			if body := op.RequestBody.Value.Content.Get("application/json"); body != nil {
				visit(method+" "+path, body.Schema)
				names[body.Schema.Ref[strings.LastIndex(body.Schema.Ref, "/")+1:]] = true
			}
		}
	}
	var tested []string
	for _, r := range requestTypes {
		tested = append(tested, reflect.TypeOf(r).Name())
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(names)), tested); diff != "" {
		t.Errorf("requests (-contract +tests):\n%s", diff)
	}
}

// FuzzDecode decodes any bytes as any request. A Decoder and a validator that reads the
// contract itself accept the same texts, and an accepted request is what encoding/json
// reads.
func FuzzDecode(f *testing.F) {
	doc, err := contract.Load(openapi.Document)
	if err != nil {
		f.Fatal(err)
	}
	for i := range requestTypes {
		for _, text := range []string{
			`{}`, `null`, `[]`, ` {"n":8.0,"k":1e0,"seed":-0}`, `{"name":"é\u00e9\ud83d\ude00","scopes":["read"],"rate":1.5,"upload":1}`,
			`{"files":[{"name":"a","text":"b"}]}`, `{"inputs":[{"input":"1","name":"a"},{"input_base64":"MQ=="}],"before":"a","after":"b"}`,
			`{"tokens":{"a":["b"],"c":["d"]},"probabilities":{"a":[1,null,true,{}]}}`, `{"methods":["a"],"style":"varied","any_outcome":true}`,
			`{"subject":"a","grammar":"b","options":{"features":["all"],"outcome":false,"margin":0}}`, `{"model":"m","ignored":[],"fallbacks":[{"cause":"a","detail":""}]}`,
			`{"path":"a","reached":[],"size":1,"changed":"new","digest":"` + strings.Repeat("0", 64) + `"}`, `{"counts":[{"path":"a","min":1}],"require":["b"]}`,
			`{"n":1,"n":2}`, "{\"start\":\"\xff\"}", `{"cooldown":1e-7}`, `{"max_steps":1e99}`, `{"n":1}x`, `{"timeout_ms":0.1,"input":""}`,
			`{"subject":"a","grammar":"b","corpus":[{"input":"1"}],"options":{"algorithm":"evogfuzz","elitism":0,"ignore":["runtime"]}}`, `{"n":1000,"lease_ms":1,"wait_ms":0}`,
			`{"observations":[{"id":"a","methods":[],"counts":[1],"outcome":"crash","failure":{"type":"b"},"duration_ms":0.5}]}`,
		} {
			f.Add(byte(i), []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, which byte, text []byte) {
		like := requestTypes[int(which)%len(requestTypes)]
		got, err := decode(like, string(text))
		lined, lineErr := decodeLine(like, text)
		if !bytes.ContainsAny(text, "\n") && ((err == nil) != (lineErr == nil) || err == nil && !reflect.DeepEqual(got, lined)) {
			t.Fatalf("as a body %v, %v; as a line %v, %v", got, err, lined, lineErr)
		}
		var tree any
		theirs := json.Unmarshal(text, &tree)
		if theirs == nil {
			theirs = doc.Components.Schemas[reflect.TypeOf(like).Name()].Value.VisitJSON(tree)
		}
		if err != nil && stricter(err, text) {
			return
		}
		if (err == nil) != (theirs == nil) {
			t.Fatalf("%T %q: the Decoder says %v, the contract says %v", like, text, err, theirs)
		}
		if err == nil {
			checkSame(t, text, got)
		}
	})
}

// FuzzDecodeLine decodes any bytes as lines. Each line is decoded as it would be alone.
func FuzzDecodeLine(f *testing.F) {
	for _, text := range []string{
		"", "\n", "{}", "{}\n", "{\"input\":\"1\"}\n\n \r\n{\"input_base64\":\"MQ==\"}", "{\n}\n", "[\n", "{\"input\":\"\n\"}\n{}", "{\"name\":\"\xff\"}\n{}",
		"{\"x\":[1,\n2]}\n{}\n", "{} {}\n{}", "\\\n\"\n{\"input\":\"\\ud800\\\n{}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		d := openapi.NewDecoder(bufio.NewReaderSize(bytes.NewReader(text), 16), nil)
		for i, line := range bytes.Split(text, []byte("\n")) {
			if len(bytes.Trim(line, " \t\r")) == 0 {
				continue
			}
			want, wantErr := decode(openapi.Input{}, string(line))
			var got openapi.Input
			err := d.DecodeLine(&got)
			if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() || err == nil && !reflect.DeepEqual(got, want) || d.Line() != i+1 {
				t.Fatalf("line %d of %q is decoded as %v, %v, and %q as %v, %v", d.Line(), text, got, err, line, want, wantErr)
			}
		}
		if err := d.DecodeLine(&openapi.Input{}); !errors.Is(err, io.EOF) {
			t.Fatalf("%q: at the end %v", text, err)
		}
	})
}

// BenchmarkDecode decodes a request of an ordinary size, and inputs of the maximum size.
func BenchmarkDecode(b *testing.B) {
	for name, text := range map[string]string{
		"small":   `{"inputs":[{"input":"` + strings.Repeat("(1+22)*x-", 11) + `1"}]}`,
		"plain":   `{"inputs":[{"input":"` + strings.Repeat("x", 8<<20) + `"}]}`,
		"escaped": `{"inputs":[{"input":"` + strings.Repeat(`\u0001`, 8<<20) + `"}]}`,
		"many":    `{"inputs":[` + strings.Repeat(`{"input":"1+2"},`, 9999) + `{}]}`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decode(openapi.InputList{}, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func decodeLine(like any, text []byte) (any, error) {
	request := reflect.New(reflect.TypeOf(like))
	err := openapi.NewDecoder(bufio.NewReaderSize(iotest.OneByteReader(bytes.NewReader(text)), 16), nil).DecodeLine(request.Interface())
	return request.Elem().Interface(), err
}

// stricter reports whether a Decoder rejects a text that encoding/json and the contract
// allow: repeated names, text that is not Unicode, and numbers and raw JSON that are too
// large.
func stricter(err error, text []byte) bool {
	for _, problem := range []string{
		"given more than once", "unpaired surrogate", "9223372036854775807", "levels", "number too long", "must be a time",
	} {
		if strings.Contains(err.Error(), problem) {
			return true
		}
	}
	return !utf8.Valid(text)
}

// checkSame checks that a request is what encoding/json reads, as far as it can read it.
func checkSame(t *testing.T, text []byte, got any) {
	t.Helper()
	want := reflect.New(reflect.TypeOf(got))
	if json.Unmarshal(text, want.Interface()) != nil {
		return // 8.0
	}
	if diff := cmp.Diff(generic(t, want.Interface()), generic(t, got)); diff != "" {
		t.Fatalf("%q (-encoding/json +Decoder):\n%s", text, diff)
	}
}

// generic returns a request as encoding/json reads its JSON.
func generic(t *testing.T, request any) (out any) {
	t.Helper()
	text, err := json.Marshal(request)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}
