package coverage

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// An xmlHandler takes the elements of a report.
type xmlHandler interface {
	open(e xml.StartElement) error
	text(data []byte)
	close(name string) error
}

// readXML reads a report with this root element. It keeps no stack, so that deep
// elements take no memory.
func readXML(text io.Reader, root string, h xmlHandler) error {
	decoder := xml.NewDecoder(text)
	decoder.Strict = true
	decoder.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil } // names are replaced if they are not UTF-8
	depth, seen := 0, false
	for {
		token, err := decoder.RawToken() // ignores namespaces
		if errors.Is(err, io.EOF) {
			if !seen || depth != 0 {
				return fmt.Errorf("truncated: <%s> must be closed", root)
			}
			return nil
		}
		if err != nil {
			return err
		}
		switch e := token.(type) {
		case xml.StartElement:
			if depth++; depth == 1 && e.Name.Local != root {
				err = fmt.Errorf("root element %q: must be %q", e.Name.Local, root)
			} else {
				err = h.open(e)
			}
			seen = true
		case xml.CharData:
			h.text(e)
		case xml.EndElement:
			if depth--; depth < 0 {
				err = fmt.Errorf("unexpected end of %q", e.Name.Local)
			} else {
				err = h.close(e.Name.Local)
			}
		}
		if err != nil {
			line, _ := decoder.InputPos()
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// numberAttribute returns the value of an attribute, or 0 if the element lacks it.
func numberAttribute(e xml.StartElement, name string) (int, error) {
	text := cmp.Or(attribute(e, name), "0")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%s %q: must be a number", name, text)
	}
	return int(min(max(n, 0), maxCount)), nil // overflowed counters are negative
}
