// Package std wraps parsers of the standard library, as package subjects wraps others. It is
// a package of its own, because observing a package of the standard library compiles
// everything again that imports it.
package std

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/url"
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

// EncodingXML reads all tokens and writes them again.
func EncodingXML(input []byte) error {
	decoder, encoder := xml.NewDecoder(bytes.NewReader(input)), xml.NewEncoder(io.Discard)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return encoder.Close()
		}
		if err != nil {
			return err
		}
		if err := encoder.EncodeToken(token); err != nil {
			return err
		}
	}
}

// EncodingCSV reads all records and writes them again.
func EncodingCSV(input []byte) error {
	records, err := csv.NewReader(bytes.NewReader(input)).ReadAll()
	if err != nil {
		return err
	}
	return csv.NewWriter(io.Discard).WriteAll(records)
}
