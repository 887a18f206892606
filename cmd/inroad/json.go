package main

import (
	"bufio"
	"encoding/json"
	"io"
)

// A jsonWriter writes values: one a line, or all of them in one array.
type jsonWriter struct {
	out     *bufio.Writer
	encoder *json.Encoder
	array   bool
	begun   bool
}

// newJSONWriter returns a writer in a format, json or ndjson.
func newJSONWriter(w io.Writer, format string) *jsonWriter {
	out := &jsonWriter{out: bufio.NewWriter(w), array: format == "json"}
	out.encoder = json.NewEncoder(out)
	out.encoder.SetEscapeHTML(false)
	return out
}

// Write takes a value that was encoded, for the encoder. In an array the comma
// stands behind it.
func (w *jsonWriter) Write(p []byte) (int, error) {
	if !w.array {
		return w.out.Write(p)
	}
	if w.begun {
		w.out.WriteString(",\n ")
	} else {
		w.out.WriteString("[")
	}
	w.begun = true
	if _, err := w.out.Write(p[:len(p)-1]); err != nil { // without the line end
		return 0, err
	}
	return len(p), nil
}

func (w *jsonWriter) write(value any) error { return w.encoder.Encode(value) }

func (w *jsonWriter) flush() error { return w.out.Flush() }

// end ends the array, and writes what is left.
func (w *jsonWriter) end() error {
	switch {
	case w.array && w.begun:
		w.out.WriteString("]\n")
	case w.array:
		w.out.WriteString("[]\n")
	}
	return w.out.Flush()
}

// writeJSON writes a value as a line.
func writeJSON(w io.Writer, value any) error {
	out := newJSONWriter(w, "ndjson")
	if err := out.write(value); err != nil {
		return err
	}
	return out.end()
}
