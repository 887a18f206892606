package observation_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/inroad/inroad/model/observation"
)

// readAll reads a whole file and returns the observations and the line errors.
func readAll(tb testing.TB, r *observation.Reader) (all []observation.Observation, bad []string) {
	tb.Helper()
	for {
		o, err := r.Next()
		if _, ok := errors.AsType[*observation.LineError](err); ok {
			bad = append(bad, err.Error())
			continue
		}
		if errors.Is(err, io.EOF) {
			return all, bad
		}
		if err != nil {
			return all, append(bad, "final: "+err.Error())
		}
		all = append(all, o)
	}
}

// The last line of a download from a service is skipped, unless the download is incomplete.
func TestEndOfDownload(t *testing.T) {
	for _, c := range []struct {
		last string
		want []string
	}{
		{`{"count":2}`, nil},
		{`{"count":2,"error":"the service is shutting down"}`, []string{`line 3: incomplete download: "the service is shutting down"`}},
		{`{"error":"what"}`, []string{"line 3: neither input nor input_base64: must have one of them"}},
	} {
		all, bad := readAll(t, observation.NewReader(strings.NewReader(`{"input":"a"}`+"\n"+`{"input":"b","count":7,"error":"c"}`+"\n"+c.last+"\n"+`{"input":"d"}`)))
		if diff := cmp.Diff(c.want, bad); diff != "" || len(all) != 3 {
			t.Errorf("%s: %d observations\n%s", c.last, len(all), diff)
		}
	}
}

func TestReadGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/observations.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	want := []observation.Observation{
		{
			Input: []byte("[1]"), Methods: []string{"JsonReader.java#<init>", "JsonReader.java#peek"}, Counts: []int{1, 4},
			Outcome: observation.OK, Duration: 250 * time.Microsecond,
		},
		{
			Name: "bad.json", Input: []byte("[\"\\ud83d\\ude00\x00😀"), Methods: []string{}, Outcome: observation.Failed,
			Failure: &observation.Failure{Type: "MalformedJsonException", Message: "Unterminated array", Stack: "9f86d081"},
		},
		{Input: []byte("\xff\xfe"), Methods: []string{"a", "b"}, Counts: []int{2, 4}, Outcome: observation.Crashed},
		{Input: []byte{}, Outcome: observation.TimedOut, Duration: 2 * time.Second},
		{Input: []byte("x"), Outcome: observation.Failed, Failure: &observation.Failure{Type: "E"}},
		{Input: []byte("y"), Methods: []string{"b"}, Outcome: observation.OK},
	}
	header := observation.Header{Subject: "gson", Commit: "4e65e6a", Units: []observation.Unit{
		{
			ID: "JsonReader.java#peek", Kind: "method", Name: "com.google.gson.stream.JsonReader.peek()",
			File: "gson/src/main/java/com/google/gson/stream/JsonReader.java", Start: 401, End: 445,
		},
		{ID: "JsonReader.java#<init>", Kind: "constructor", Name: "JsonReader(Reader)"},
	}}
	for _, way := range []struct {
		name string
		r    io.Reader
	}{
		{"at once", bytes.NewReader(text)},
		{"byte by byte", iotest.OneByteReader(bytes.NewReader(text))},
		{"with other line ends", bytes.NewReader(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")))},
		{"without the last line end", bytes.NewReader(bytes.TrimSuffix(text, []byte("\n")))},
	} {
		t.Run(way.name, func(t *testing.T) {
			r := observation.NewReader(way.r)
			if diff := cmp.Diff(header, r.Header()); diff != "" {
				t.Errorf("header (-want +got):\n%s", diff)
			}
			got, bad := readAll(t, r)
			if diff := cmp.Diff(want, got); diff != "" || bad != nil {
				t.Errorf("errors %q, observations (-want +got):\n%s", bad, diff)
			}
			last := observation.Unit{ID: "Gson.java#fromJson", Kind: "method"}
			if diff := cmp.Diff(append(header.Units, last), r.Header().Units); diff != "" {
				t.Errorf("units at the end (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	w, err := observation.NewWriter(&b, observation.Header{Subject: "s", Units: []observation.Unit{{ID: "f.go#F", Kind: observation.KindMethod, Start: 3, End: 9}}})
	if err != nil {
		t.Fatal(err)
	}
	methods := []string{"z", "a"}
	for _, o := range []observation.Observation{
		{Input: []byte("<&>\u2028"), Methods: methods, Duration: 1500 * time.Nanosecond},
		{Input: []byte("\xff"), Methods: []string{}, Outcome: observation.Failed, Failure: &observation.Failure{Message: "no"}},
		{Name: "n", Outcome: observation.Crashed},
	} {
		if err := w.Write(o); err != nil {
			t.Fatal(err)
		}
	}
	const want = `{"inroad":"observations/1","subject":"s","units":[{"id":"f.go#F","start":3,"end":9}]}
{"input":"<&>\u2028","methods":["a","z"],"outcome":"ok","duration_ms":0.0015}
{"input_base64":"/w==","methods":[],"outcome":"failure","failure":{"message":"no"}}
{"name":"n","input":"","outcome":"crash"}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	if methods[0] != "z" {
		t.Error("the caller's methods were sorted")
	}
}

func TestWriteRefuses(t *testing.T) {
	for _, tc := range []struct {
		name string
		o    observation.Observation
		want string
	}{
		{"an outcome of its own", observation.Observation{Outcome: "fine"}, `outcome "fine"`},
		{"a negative time", observation.Observation{Duration: -time.Second}, "duration_ms -1000"},
		{"counts of nothing", observation.Observation{Counts: []int{1}}, "1 counts for 0 methods"},
		{"a nameless method", observation.Observation{Methods: []string{""}}, "empty ID"},
		{"a call of nothing", observation.Observation{Calls: []string{""}}, "calls: empty ID"},
		{"too many calls", observation.Observation{Calls: make([]string, observation.MaxCalls+1)}, "100001 calls: must be at most 100000"},
		{"a huge input", observation.Observation{Input: make([]byte, observation.MaxInput+1)}, "must be at most 8388608"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			err := observation.NewAppender(&b).Write(tc.o)
			if err == nil || !strings.Contains(err.Error(), tc.want) || b.Len() > 0 {
				t.Errorf("got error %v and %q written, want an error with %q", err, &b, tc.want)
			}
		})
	}
}

// TestBadLines puts each bad line between two good ones, which must still be
// read.
func TestBadLines(t *testing.T) {
	for _, tc := range []struct{ name, line, want string }{
		{"no JSON", `input`, "line 2: not a JSON object: invalid character 'i'"},
		{"an array", `[]`, "line 2: not a JSON object"},
		{"half a line", `{"input":"a","meth`, "line 2: not a JSON object: unexpected end"},
		{"no input", `{"methods":[]}`, "line 2: neither input nor input_base64"},
		{"two inputs", `{"input":"","input_base64":""}`, "line 2: both input and input_base64"},
		{"bad base64", `{"input_base64":"?"}`, "line 2: not a JSON object: illegal base64"},
		{"bytes that are no text", "{\"input\":\"\xff\"}", "line 2: not UTF-8: binary inputs must be in input_base64"},
		{"half a pair", `{"input":"\ud800x"}`, "line 2: unpaired surrogate"},
		{"the second half of a pair", `{"input":"\\\udc00"}`, "line 2: unpaired surrogate"},
		{"two first halves", `{"input":"\ud800\uD800\udc00"}`, "line 2: unpaired surrogate"},
		{"methods that are no list", `{"input":"","methods":"a"}`, "line 2: methods: unexpected JSON string, must be an array"},
		{"calls that are no list", `{"input":"","calls":{}}`, "line 2: calls: unexpected JSON object, must be an array"},
		{"a method in a list of its own", `{"input":"","methods":["a",["b"]]}`, "line 2: methods: unexpected JSON array, must be a string or a number"},
		{"a method that is null", `{"input":"","methods":[null]}`, "line 2: methods: unexpected JSON null, must be a string or a number"},
		{"a number without a header", `{"input":"","methods":[0]}`, "line 2: methods: unit 0: must be a whole number below 0, the number of units in the headers above"},
		{"a method without a name", `{"input":"","methods":[""]}`, "line 2: methods: empty ID"},
		{"too few counts", `{"input":"","methods":["a"],"counts":[]}`, "line 2: 0 counts for 1 methods"},
		{"a negative count", `{"input":"","methods":["a"],"counts":[-1]}`, `line 2: count -1 of "a"`},
		{"a huge count", `{"input":"","methods":["a"],"counts":[9223372036854775807]}`, `line 2: count 9223372036854775807 of "a"`},
		{"an unknown outcome", `{"input":"","outcome":"OK"}`, `line 2: outcome "OK": must be ok, failure, crash or timeout`},
		{"a failure that is none", `{"input":"","outcome":"ok","failure":{}}`, "line 2: outcome ok: must not have a failure"},
		{"a negative time", `{"input":"","duration_ms":-1}`, "line 2: duration_ms -1"},
		{"an eternity", `{"input":"","duration_ms":1e300}`, "line 2: duration_ms"},
		{"a unit without an id", `{"inroad":"observations/1","units":[{}]}`, "line 2: units: missing id"},
		{"a unit that ends before it begins", `{"inroad":"observations/1","units":[{"id":"a","start":2,"end":1}]}`, `line 2: units: "a": start 2, end 1: must be 0 <= start <= end`},
		{"deep nesting", strings.Repeat(`{"x":`, 20_000), "line 2: not a JSON object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			text := "{\"input\":\"1\"}\n" + tc.line + "\n{\"input\":\"3\"}\n"
			got, bad := readAll(t, observation.NewReader(strings.NewReader(text)))
			if len(got) != 2 || len(bad) != 1 || !strings.HasPrefix(bad[0], tc.want) {
				t.Errorf("%.100s: got %d observations and errors %q, want 2 and %q", tc.line, len(got), bad, tc.want)
			}
		})
	}
}

// A compressed file has one error, however many lines its bytes look like.
func TestCompressed(t *testing.T) {
	for by, magic := range map[string]string{"gzip": "\x1f\x8b\x08", "zstd": "\x28\xb5\x2f\xfd", "xz": "\xfd7zXZ\x00", "bzip2": "BZh9"} {
		got, bad := readAll(t, observation.NewReader(strings.NewReader(magic+"\x00\n\xff\n\xfe")))
		if want := "line 1: compressed by " + by + ": decompress it first"; len(got) != 0 || len(bad) != 1 || bad[0] != want {
			t.Errorf("got %d observations and errors %q, want %q", len(got), bad, want)
		}
	}
}

func TestFinalErrors(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{
			"a later version", `{"inroad":"observations/3"}`,
			`final: line 1: incompatible observations: version "observations/3": must be "observations/1" or "observations/2"`,
		},
		{
			"two programs", `{"inroad":"observations/1","subject":"a"}` + "\n" + `{"inroad":"observations/1","subject":"b","commit":"c"}`,
			`final: line 2: incompatible observations: program "b" at "c": must be "a", as before`,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := observation.NewReader(strings.NewReader(tc.text + "\n{\"input\":\"\"}\n"))
			for range 2 { // the error is sticky
				if got, bad := readAll(t, r); len(got) != 0 || len(bad) != 1 || bad[0] != tc.want {
					t.Errorf("got %d observations and errors %q, want %q", len(got), bad, tc.want)
				}
			}
			if _, err := r.Next(); !errors.Is(err, observation.ErrIncompatible) {
				t.Errorf("got %v, want ErrObservations", err)
			}
		})
	}
	t.Run("a disk that fails", func(t *testing.T) {
		broken := errors.New("broken")
		r := observation.NewReader(io.MultiReader(strings.NewReader("{\"input\":\"\"}\n{\"inp"), iotest.ErrReader(broken)))
		got, bad := readAll(t, r)
		if len(got) != 1 || len(bad) != 1 || bad[0] != "final: broken" {
			t.Errorf("got %d observations and errors %q", len(got), bad)
		}
	})
}

// TestLongLines reads an input of the maximum size in its longest encoding, and
// skips a line that exceeds the limit.
func TestLongLines(t *testing.T) {
	long := strings.Repeat(`\u0001`, observation.MaxInput)
	tooLong := strings.Repeat("x", 70<<20)
	got, bad := readAll(t, observation.NewReader(io.MultiReader(
		strings.NewReader(`{"input":"`), strings.NewReader(long), strings.NewReader("\"}\n"),
		strings.NewReader(tooLong), strings.NewReader("\n"),
		strings.NewReader(`{"input":"`), strings.NewReader(long[:6000]), strings.NewReader("x\"}\n"),
		strings.NewReader(`{"input":"last"}`))))
	if len(got) != 3 || len(got[0].Input) != observation.MaxInput || string(got[2].Input) != "last" {
		t.Errorf("got %d observations, want the long one, the short one and the last", len(got))
	}
	if len(bad) != 1 || bad[0] != "line 2: must be at most 67108864 bytes" {
		t.Errorf("got errors %q", bad)
	}
}

// Units may have numbers, which count the units of the headers above.
func TestNumbers(t *testing.T) {
	const (
		one   = `{"inroad":"observations/2","units":[{"id":"a"},{"id":"b\"\\","kind":"block"}]}`
		added = `{"inroad":"observations/2","from":2,"units":[{"id":"c"}]}`
		other = `{"inroad":"observations/2","units":[{"id":"b"},{"id":"a"}]}`
		line  = `{"input":"","methods":[ 1 , 0,"x\u0041","]\\"],"counts":[1,2,3,4],"calls":[0,0]}`
	)
	unknown := func(line, unit, units int) string {
		return fmt.Sprintf("line %d: methods: unit %d: must be a whole number below %d, the number of units in the headers above", line, unit, units)
	}
	for _, tc := range []struct {
		name  string
		lines []string
		want  []string // methods of each observation, with counts
		bad   []string
	}{
		{"numbers and IDs", []string{one, line}, []string{"[]\\:4 a:2 b\"\\:1 xA:3]"}, nil},
		{"none", []string{one, `{"input":"","methods":[ ]}`}, []string{"[]"}, nil},
		{"an added unit", []string{one, added, `{"input":"","methods":[2,0]}`}, []string{"[a c]"}, nil},
		{"the same header again", []string{one, one, `{"input":"","methods":[1]}`}, []string{`[b"\]`}, nil},
		{"a joined file", []string{one, added, `{"input":"","methods":[0]}`, other, `{"input":"","methods":[0]}`, `{"input":"","methods":[2]}`}, []string{"[a]", "[b]"}, []string{unknown(6, 2, 2)}},
		{"a number twice", []string{one, `{"input":"","methods":[0,"a",0],"counts":[1,2,3]}`}, []string{"[a:6]"}, nil},
		{"no unit", []string{one, `{"input":"","methods":[2]}`}, nil, []string{unknown(2, 2, 2)}},
		{"a fraction", []string{one, `{"input":"","methods":[0.5]}`}, nil, []string{"line 2: methods: unit 0.5: must be a whole number below 2, the number of units in the headers above"}},
		{"a negative number", []string{one, `{"input":"","methods":[-1]}`}, nil, []string{unknown(2, -1, 2)}},
		{"a lost header", []string{added, `{"input":"","methods":[0]}`, `{"input":"","methods":["a"]}`}, []string{"[a]"}, []string{"line 1: from 2: must be 0 or 0, the number of units in the headers above", unknown(2, 0, 0)}},
		{"a broken header", []string{one, `{"inp` + other, `{"input":"","methods":[0]}`, other, `{"input":"","methods":[0]}`}, []string{"[b]"}, []string{"line 2: not a JSON object: invalid character 'i' after object key", unknown(3, 0, 0)}},
		{"a broken line", []string{one, `{"inp`, `{"input":"","methods":[0]}`}, []string{"[a]"}, []string{"line 2: not a JSON object: unexpected end of JSON input"}},
		{"an invalid header", []string{one, `{"inroad":"observations/2","units":[{}]}`, `{"input":"","methods":[0]}`}, nil, []string{"line 2: units: missing id", unknown(3, 0, 0)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, bad := readAll(t, observation.NewReader(strings.NewReader(strings.Join(tc.lines, "\n"))))
			var have []string
			for _, o := range got {
				have = append(have, fmt.Sprint(reached(o)))
			}
			if diff := cmp.Diff(tc.want, have); diff != "" {
				t.Errorf("methods (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.bad, bad); diff != "" {
				t.Errorf("errors (-want +got):\n%s", diff)
			}
		})
	}
}

// reached returns the methods of an observation, with their counts if they are known.
func reached(o observation.Observation) (out []string) {
	for i, id := range o.Methods {
		if o.Counts != nil {
			id = fmt.Sprint(id, ":", o.Counts[i])
		}
		out = append(out, id)
	}
	return out
}

// Units are written as numbers from the first header on that has blocks or lines.
func TestWriteNumbers(t *testing.T) {
	var b bytes.Buffer
	w, err := observation.NewWriter(&b, observation.Header{Subject: "s", Units: []observation.Unit{{ID: "m", Kind: observation.KindMethod}}})
	write := func(methods ...string) {
		err = errors.Join(err, w.Write(observation.Observation{Methods: methods, Calls: methods}))
	}
	add := func(kind string, ids ...string) {
		h := observation.Header{Subject: "s"}
		for _, id := range ids {
			h.Units = append(h.Units, observation.Unit{ID: id, Kind: kind})
		}
		err = errors.Join(err, w.WriteHeader(h))
	}
	write("m")
	add(observation.KindBlock, "x", "y")
	write("<", "m", "y")
	add(observation.KindMethod, "n")
	write("n", "x")
	write()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"inroad":"observations/1","subject":"s","units":[{"id":"m"}]}
{"input":"","methods":["m"],"calls":["m"],"outcome":"ok"}
{"inroad":"observations/2","subject":"s","units":[{"id":"x","kind":"block"},{"id":"y","kind":"block"}]}
{"input":"","methods":["\u003c","m",1],"calls":["\u003c","m",1],"outcome":"ok"}
{"inroad":"observations/2","subject":"s","from":2,"units":[{"id":"n"}]}
{"input":"","methods":[2,0],"calls":[2,0],"outcome":"ok"}
{"input":"","outcome":"ok"}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
}

// Lines can be read again, unless a later header has changed the meaning of their numbers.
func TestParse(t *testing.T) {
	const text = `{"inroad":"observations/2","units":[{"id":"a"},{"id":"b"}]}
{"input":"1","methods":[1]}
{"input":"2","methods":["x"]}
{"inroad":"observations/2","units":[{"id":"b"},{"id":"a"}]}
{"input":"3","methods":[1]}
{"inroad":"observations/2","from":2,"units":[{"id":"c"}]}
`
	r := observation.NewReader(strings.NewReader(text))
	var got []string
	var spans []observation.Span
	for _, err := r.Next(); err == nil; _, err = r.Next() {
		spans = append(spans, r.Span())
	}
	for _, at := range spans {
		o, err := r.Parse([]byte(text[at.Start:at.Start+int64(at.Size)]), at)
		got = append(got, fmt.Sprint(o.Methods, " ", err))
	}
	want := []string{"[] methods: unit 1: must be a whole number below 0, the number of units in the headers above", "[x] <nil>", "[a] <nil>"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
	var b bytes.Buffer
	w := r.Appender(&b)
	if err := w.Write(observation.Observation{Methods: []string{"a", "c", "x"}}); err != nil {
		t.Fatal(err)
	}
	if want := `{"input":"","methods":[1,2,"x"],"outcome":"ok"}` + "\n"; b.String() != want {
		t.Errorf("appended %s, want %s", &b, want)
	}
}

// TestRoundTrip writes observations and reads them back.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.Custom(drawObservation)).Draw(t, "observations")
		header := observation.Header{Subject: rapid.String().Draw(t, "subject")}
		for _, id := range rapid.SliceOfDistinct(rapid.StringMatching("m[0-9]"), rapid.ID).Draw(t, "units") {
			kind := rapid.SampledFrom([]string{observation.KindMethod, observation.KindBlock}).Draw(t, "kind")
			header.Units = append(header.Units, observation.Unit{ID: id, Kind: kind})
		}
		var b bytes.Buffer
		w, err := observation.NewWriter(&b, header)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range want {
			if err := w.Write(o); err != nil {
				t.Fatal(err)
			}
		}
		r := observation.NewReader(&b)
		for _, o := range want {
			got, err := r.Next()
			if diff := cmp.Diff(o, got); err != nil || diff != "" {
				t.Fatalf("error %v (-written +read):\n%s", err, diff)
			}
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) || r.Header().Subject != header.Subject {
			t.Fatalf("at the end: %v, subject %q", err, r.Header().Subject)
		}
	})
}

func drawObservation(t *rapid.T) observation.Observation {
	o := observation.Observation{
		Name:     rapid.String().Draw(t, "name"),
		Input:    rapid.OneOf(rapid.SliceOf(rapid.Byte()), rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) })).Draw(t, "input"),
		Outcome:  rapid.SampledFrom([]observation.Outcome{observation.OK, observation.Failed, observation.Crashed, observation.TimedOut}).Draw(t, "outcome"),
		Duration: time.Duration(rapid.IntRange(0, 1e12).Draw(t, "duration")),
	}
	if rapid.Bool().Draw(t, "methods known") {
		o.Methods, o.Counts = []string{}, []int{}
		for i := range rapid.IntRange(0, 9).Draw(t, "methods") {
			o.Methods = append(o.Methods, fmt.Sprint("m", i))
			o.Counts = append(o.Counts, rapid.IntRange(0, 1e6).Draw(t, "count"))
		}
		if len(o.Methods) > 0 && rapid.Bool().Draw(t, "calls known") {
			o.Calls = rapid.SliceOfN(rapid.SampledFrom(o.Methods), 1, 20).Draw(t, "calls")
		}
	}
	if o.Outcome != observation.OK && rapid.Bool().Draw(t, "failure known") {
		o.Failure = &observation.Failure{Type: rapid.String().Draw(t, "type"), Message: rapid.String().Draw(t, "message")}
	}
	return o
}

// FuzzReader checks that reading never panics, and that observations survive a
// round trip.
func FuzzReader(f *testing.F) {
	text, err := os.ReadFile("testdata/observations.ndjson")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	for line := range bytes.Lines(text) {
		f.Add(line)
	}
	f.Add([]byte(`{"inroad":"observations/9"}`))
	f.Add([]byte(`{"inroad":"observations/2","units":[{"id":"a","kind":"block"}]}` + "\n" + `{"input":"","methods":["\"b",0],"calls":[0]}`))
	f.Add([]byte(`{"input":"\ud83d\ude00\ud83d"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r := observation.NewReader(bytes.NewReader(text))
		got, _ := readAll(t, r)
		var b bytes.Buffer
		w, err := observation.NewWriter(&b, r.Header())
		if err != nil {
			t.Fatalf("header that was read: %v", err)
		}
		for _, o := range got {
			if err := w.Write(o); err != nil {
				t.Fatalf("observation that was read: %v", err)
			}
		}
		again := observation.NewReader(&b)
		if diff := cmp.Diff(r.Header(), again.Header()); diff != "" {
			t.Errorf("header (-read +read again):\n%s", diff)
		}
		twice, bad := readAll(t, again)
		if diff := cmp.Diff(got, twice); diff != "" || bad != nil {
			t.Errorf("errors %q, observations (-read +read again):\n%s", bad, diff)
		}
	})
}

// Inputs that reach 61 units, with their IDs or with numbers.
func BenchmarkReader(b *testing.B) {
	for _, kind := range []string{observation.KindMethod, observation.KindBlock} {
		b.Run(kind, func(b *testing.B) {
			var header observation.Header
			o := observation.Observation{Input: append(bytes.Repeat([]byte("[1, 2]"), 20), 0xFF)}
			for i := range 61 {
				o.Methods = append(o.Methods, fmt.Sprintf("encoding/json/decode.go#(*decodeState).method%02d", i))
				header.Units = append(header.Units, observation.Unit{ID: o.Methods[i], Kind: kind})
			}
			var text bytes.Buffer
			w, err := observation.NewWriter(&text, header)
			for range 100 {
				err = errors.Join(err, w.Write(o))
			}
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if got, bad := readAll(b, observation.NewReader(bytes.NewReader(text.Bytes()))); len(got) != 100 || bad != nil {
					b.Fatal(len(got), bad)
				}
			}
			b.ReportMetric(float64(text.Len())/100, "B/line")
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/100, "µs/line")
		})
	}
}

// A byte order mark at the start of a file, and of each concatenated file, is skipped.
func TestByteOrderMark(t *testing.T) {
	const file = "\ufeff{\"inroad\":\"observations/1\",\"subject\":\"s\"}\r\n{\"input\":\"\ufeffa\",\"methods\":[\"m\"]}\r\n"
	r := observation.NewReader(strings.NewReader(file + file))
	if got := r.Header().Subject; got != "s" {
		t.Errorf("got subject %q, want s", got)
	}
	for range 2 {
		o, err := r.Next()
		if err != nil || string(o.Input) != "\ufeffa" {
			t.Fatalf("got input %q, %v", o.Input, err)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v at the end, want EOF", err)
	}
}
