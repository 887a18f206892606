package cli

import (
	"bufio"
	"encoding/json"
	"io"
)

// A JSONWriter writes values, one per line or all in one array.
type JSONWriter struct {
	out     *bufio.Writer
	encoder *json.Encoder
	array   bool
	begun   bool
}

// NewJSONWriter returns a writer for a format, json (an array) or ndjson.
func NewJSONWriter(w io.Writer, format string) *JSONWriter {
	out := &JSONWriter{out: bufio.NewWriter(w), array: format == "json"}
	out.encoder = json.NewEncoder(out)
	out.encoder.SetEscapeHTML(false)
	return out
}

// Write writes an encoded value. It is called by the encoder.
func (w *JSONWriter) Write(p []byte) (int, error) {
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

// Encode writes a value.
func (w *JSONWriter) Encode(value any) error { return w.encoder.Encode(value) }

// Flush flushes the buffer.
func (w *JSONWriter) Flush() error { return w.out.Flush() }

// Close closes the array and flushes the buffer.
func (w *JSONWriter) Close() error {
	switch {
	case w.array && w.begun:
		w.out.WriteString("]\n")
	case w.array:
		w.out.WriteString("[]\n")
	}
	return w.out.Flush()
}

// WriteJSON writes a value as one line.
func WriteJSON(w io.Writer, value any) error {
	out := NewJSONWriter(w, "ndjson")
	if err := out.Encode(value); err != nil {
		return err
	}
	return out.Close()
}
