package openapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A Decoder reads requests as JSON. It checks them against the contract while it reads:
// types, unknown, repeated and missing fields, sizes and ranges. It stops at the first
// violation, so it never holds more than the contract allows.
type Decoder struct {
	scanner
	number int  // of the line
	rest   bool // the rest of the line is not read yet
}

// NewDecoder returns a Decoder that reads from r. It calls reserve before it allocates
// memory for a request, and fails with the error that reserve returns; reserve may be
// nil.
func NewDecoder(r *bufio.Reader, reserve func(bytes int) error) *Decoder {
	return &Decoder{scanner: scanner{r: r, reserve: reserve}}
}

// Decode reads a request, after which the text must end. request is a pointer to a
// generated struct. The error is a [*FieldError] if the contract does not allow a
// field, a [*JSONError] if the text is not JSON, and otherwise an error of the
// reader. Defaults are set by [Validate].
func (d *Decoder) Decode(request any) error {
	if _, err := d.token(); errors.Is(err, io.EOF) {
		return &JSONError{-1, "empty: must be a JSON object"}
	}
	err := d.value(&Schema{Type: "object"}, reflect.ValueOf(request).Elem())
	if field, ok := err.(*FieldError); ok && field.Field == "" { //nolint:errorlint // value returns it unwrapped
		field.Field = "body"
	}
	if err != nil {
		return err
	}
	if _, err := d.token(); err == nil {
		return &JSONError{-1, "expected one JSON value, but more follows it"}
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// DecodeLine reads the next line that is not blank like Decode. It returns io.EOF at the
// end. After a [*FieldError] or a [*JSONError] the next call continues with the
// following line.
func (d *Decoder) DecodeLine(request any) error {
	d.lines = true
	for {
		if err := d.endLine(); err != nil {
			return err
		}
		d.number, d.offset, d.rest = d.number+1, 0, true
		if _, err := d.token(); err == nil {
			return d.Decode(request)
		} else if !errors.Is(err, io.EOF) {
			return err
		}
	}
}

// endLine reads the rest of a line with its end. It returns io.EOF if no line follows.
func (d *Decoder) endLine() error {
	for d.rest {
		_, err := d.r.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		d.rest = err != nil
	}
	_, err := d.r.Peek(1)
	return err
}

// Line returns the number of the line that was read last, from 1.
func (d *Decoder) Line() int { return d.number }

// Buffered reports whether a part of the next line can be read without waiting for the
// reader.
func (d *Decoder) Buffered() bool {
	buffered, _ := d.r.Peek(d.r.Buffered())
	if d.rest {
		_, buffered, _ = bytes.Cut(buffered, []byte("\n"))
	}
	return len(buffered) > 0
}

// value reads a value. Names in field errors are relative to the value.
func (d *Decoder) value(schema *Schema, v reflect.Value) error {
	c, err := d.token()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if v.Kind() == reflect.Pointer {
		if err := d.reserveBytes(int(v.Type().Elem().Size())); err != nil {
			return err
		}
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch {
	case err != nil || !strings.ContainsRune(`{["-0123456789tfn`, rune(c)):
		return d.unexpected("a value")
	case v.Type() == reflect.TypeFor[json.RawMessage]():
		return d.raw(schema, c, v)
	case v.Kind() == reflect.Struct && len(fieldsOf(v.Type())) > 0 && c == '{':
		return d.object(fieldsOf(v.Type()), v)
	case v.Kind() == reflect.Map && c == '{':
		return d.entries(schema, v)
	case v.Kind() == reflect.Slice && c == '[':
		return d.items(schema, v)
	case v.Kind() == reflect.Bool && c == 't', v.Kind() == reflect.Bool && c == 'f':
		v.SetBool(c == 't')
		return d.literal(strconv.FormatBool(c == 't'))
	case v.CanInt() && (c == '-' || '0' <= c && c <= '9'):
		return d.integer(schema, v)
	case v.CanFloat() && (c == '-' || '0' <= c && c <= '9'):
		return d.float(schema, v)
	case v.Kind() == reflect.String && c == '"':
		return d.string(schema, v)
	case v.Type() == reflect.TypeFor[time.Time]() && c == '"':
		return d.time(v)
	default:
		return d.wrongType(schema, c)
	}
}

// wrongType returns the error for a value whose type differs from the type of the
// schema.
func (d *Decoder) wrongType(schema *Schema, c byte) error {
	var value any
	switch c {
	case '{', '[':
	case '"':
		text, err := d.text(2 * maxExcerpt)
		if err != nil && !errors.Is(err, errTooLong) {
			return err
		}
		value = text
	case 't', 'f':
		value = c == 't'
		if err := d.literal(strconv.FormatBool(c == 't')); err != nil {
			return err
		}
	case 'n':
		if err := d.literal("null"); err != nil {
			return err
		}
	default:
		text, err := d.scanner.number()
		if err != nil {
			return err
		}
		value = string(text)
	}
	return schema.TypeError("", value)
}

// within adds the name of an object or a list to the error of its element.
func within(name string, err error) error {
	if field, ok := err.(*FieldError); ok { //nolint:errorlint // elements return it unwrapped
		field.Field = strings.TrimSuffix(name+"."+field.Field, ".")
	}
	return err
}

// members reads an object. It calls each with every name, before the value of the
// name.
func (d *Decoder) members(each func(name string) error) error {
	d.skip(1)
	if c, err := d.token(); err == nil && c == '}' {
		d.skip(1)
		return nil
	}
	for {
		c, err := d.token()
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err != nil || c != '"' {
			return d.unexpected("a name in quotes")
		}
		name, err := d.text(maxName)
		if errors.Is(err, errTooLong) {
			return &FieldError{Field: excerpt(name), Problem: "unknown field"}
		}
		if err != nil {
			return err
		}
		if err := d.expect(':', "':'"); err != nil {
			return err
		}
		if err := each(name); err != nil {
			return err
		}
		if c, err = d.token(); err == nil && c == ',' {
			d.skip(1)
			continue
		}
		return d.expect('}', "',' or '}'")
	}
}

// object reads a generated struct.
func (d *Decoder) object(fields []Field, v reflect.Value) error {
	seen := make([]bool, 0, 32)[:len(fields)]
	err := d.members(func(name string) error {
		for i := range fields {
			f := &fields[i]
			if f.Name != name {
				continue
			}
			if seen[i] {
				return &FieldError{Field: name, Problem: repeated}
			}
			seen[i] = true
			return within(name, d.value(&f.Schema, v.Field(f.index)))
		}
		return &FieldError{Field: excerpt(name), Problem: "unknown field"}
	})
	if err != nil {
		return err
	}
	for i := range fields {
		if fields[i].Required && !seen[i] {
			return &FieldError{Field: fields[i].Name, Problem: "required"}
		}
	}
	return nil
}

// repeated is the problem of a name that an object has twice.
const repeated = "given more than once"

// entries reads a map.
func (d *Decoder) entries(schema *Schema, v reflect.Value) error {
	v.Set(reflect.MakeMap(v.Type()))
	element := v.Type().Elem()
	size := int(v.Type().Key().Size()+element.Size())*2 + 16 // with the room that a map leaves free
	return d.members(func(name string) error {
		key := reflect.ValueOf(name).Convert(v.Type().Key())
		if v.MapIndex(key).IsValid() {
			return &FieldError{Field: excerpt(name), Problem: repeated}
		}
		if schema.MaxSize > 0 && v.Len() == schema.MaxSize {
			return schema.Error("", nil)
		}
		if err := d.reserveBytes(size); err != nil {
			return err
		}
		value := reflect.New(element).Elem()
		if err := d.value(schema.Items, value); err != nil {
			return within(excerpt(name), err)
		}
		v.SetMapIndex(key, value)
		return nil
	})
}

// elements reads a list. It calls each before every item.
func (d *Decoder) elements(each func(i int) error) error {
	d.skip(1)
	if c, err := d.token(); err == nil && c == ']' {
		d.skip(1)
		return nil
	}
	for i := 0; ; i++ {
		if err := each(i); err != nil {
			return err
		}
		if c, err := d.token(); err == nil && c == ',' {
			d.skip(1)
			continue
		}
		return d.expect(']', "',' or ']'")
	}
}

// items reads a list.
func (d *Decoder) items(schema *Schema, v reflect.Value) error {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	err := d.elements(func(i int) error {
		if schema.MaxSize > 0 && i == schema.MaxSize {
			return schema.Error("", nil)
		}
		if i == v.Cap() {
			more := max(1, v.Cap())
			if err := d.reserveBytes(more * int(v.Type().Elem().Size())); err != nil {
				return err
			}
			v.Grow(more)
		}
		v.SetLen(i + 1)
		if err := d.value(schema.Items, v.Index(i)); err != nil {
			return within(strconv.Itoa(i), err)
		}
		return nil
	})
	if err == nil && v.Len() < schema.MinSize {
		return schema.Error("", nil)
	}
	return err
}

func (d *Decoder) string(schema *Schema, v reflect.Value) error {
	text, err := d.text(schema.MaxSize)
	if errors.Is(err, errTooLong) || err == nil && !textAllowed(schema, text) {
		return schema.Error("", text)
	}
	v.SetString(text)
	return err
}

// time reads a point in time.
func (d *Decoder) time(v reflect.Value) error {
	text, err := d.text(maxExcerpt)
	if err != nil && !errors.Is(err, errTooLong) {
		return err
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return &FieldError{Value: excerpt(text), Problem: "must be a time such as 2027-01-31T00:00:00Z"}
	}
	v.Set(reflect.ValueOf(at))
	return nil
}

func (d *Decoder) integer(schema *Schema, v reflect.Value) error {
	text, err := d.scanner.number()
	if err != nil {
		return err
	}
	n, whole, err := parseInteger(string(text))
	switch {
	case !whole:
		return schema.TypeError("", string(text))
	case err != nil || v.OverflowInt(n):
		return schema.OverflowError("", string(text))
	case !inRange(schema, float64(n)):
		return schema.Error("", n)
	}
	v.SetInt(n)
	return nil
}

// maxDigits is the number of digits of the largest integer.
const maxDigits = 19

// parseInteger returns the value of a number of JSON, and whether it is whole: 8, 8.0
// and 80e-1 are. The error reports a whole number that is too large.
func parseInteger(number string) (n int64, whole bool, err error) {
	if n, err := strconv.ParseInt(number, 10, 64); err == nil {
		return n, true, nil
	}
	mantissa, exponent := number, 0
	if i := strings.IndexAny(number, "eE"); i >= 0 {
		mantissa = number[:i]
		if exponent, err = strconv.Atoi(number[i+1:]); err != nil { // Atoi returns the nearest int
			exponent = max(math.MinInt32, min(exponent, math.MaxInt32))
		}
	}
	digits, negative := strings.CutPrefix(mantissa, "-")
	digits, fraction, _ := strings.Cut(digits, ".")
	point := len(digits) + exponent
	digits = strings.TrimRight(digits+fraction, "0")
	for strings.HasPrefix(digits, "0") {
		digits, point = digits[1:], point-1
	}
	if digits == "" {
		return 0, true, nil
	}
	if len(digits) > point {
		return 0, false, nil
	}
	if point > maxDigits {
		return 0, true, strconv.ErrRange
	}
	digits += strings.Repeat("0", point-len(digits))
	if negative {
		digits = "-" + digits
	}
	n, err = strconv.ParseInt(digits, 10, 64)
	return n, true, err
}

func (d *Decoder) float(schema *Schema, v reflect.Value) error {
	text, err := d.scanner.number()
	if err != nil {
		return err
	}
	n, err := strconv.ParseFloat(string(text), 64)
	if err != nil || v.OverflowFloat(n) {
		return schema.TypeError("", string(text))
	}
	if !inRange(schema, n) {
		return schema.Error("", n)
	}
	v.SetFloat(n)
	return nil
}

// Limits of a raw JSON value, whose content the contract does not define. Its reader
// may need rawFactor times the memory of the text.
const (
	maxRaw      = 2 << 20
	maxRawDepth = 100
	rawFactor   = 16
)

// raw reads any object as compact JSON.
func (d *Decoder) raw(schema *Schema, c byte, v reflect.Value) error {
	if c != '{' {
		return d.wrongType(schema, c)
	}
	text, err := d.appendRaw(nil, 0)
	v.SetBytes(text)
	return err
}

func (d *Decoder) appendRaw(out []byte, depth int) ([]byte, error) {
	switch {
	case len(out) > maxRaw:
		return out, &FieldError{Problem: "must have at most " + strconv.Itoa(maxRaw) + " bytes"}
	case depth > maxRawDepth:
		return out, &FieldError{Problem: "must have at most " + strconv.Itoa(maxRawDepth) + " levels"}
	}
	c, err := d.token()
	if err != nil && !errors.Is(err, io.EOF) {
		return out, err
	}
	from := len(out)
	switch {
	case err == nil && c == '{':
		return d.appendObject(out, depth)
	case err == nil && c == '[':
		out = append(out, '[')
		err = d.elements(func(i int) error {
			if i > 0 {
				out = append(out, ',')
			}
			out, err = d.appendRaw(out, depth+1)
			return within(strconv.Itoa(i), err)
		})
		return append(out, ']'), err
	case err == nil && c == '"':
		out, err = d.appendText(out)
	case err == nil && c == 't':
		out, err = append(out, "true"...), d.literal("true")
	case err == nil && c == 'f':
		out, err = append(out, "false"...), d.literal("false")
	case err == nil && c == 'n':
		out, err = append(out, "null"...), d.literal("null")
	case err == nil && (c == '-' || '0' <= c && c <= '9'):
		var text []byte
		text, err = d.scanner.number()
		out = append(out, text...)
	default:
		return out, d.unexpected("a value")
	}
	if err != nil {
		return out, err
	}
	return out, d.reserveBytes(rawFactor * (len(out) - from + 1))
}

func (d *Decoder) appendText(out []byte) ([]byte, error) {
	text, err := d.text(maxRaw)
	if errors.Is(err, errTooLong) {
		return out, &FieldError{Problem: "must have at most " + strconv.Itoa(maxRaw) + " bytes"}
	}
	if err != nil {
		return out, err
	}
	quoted, err := json.Marshal(text)
	return append(out, quoted...), err
}

func (d *Decoder) appendObject(out []byte, depth int) ([]byte, error) {
	seen := map[string]bool{}
	out = append(out, '{')
	err := d.members(func(name string) error {
		if seen[name] {
			return &FieldError{Field: excerpt(name), Problem: repeated}
		}
		if len(seen) > 0 {
			out = append(out, ',')
		}
		seen[name] = true
		quoted, err := json.Marshal(name)
		if err != nil {
			return err
		}
		if err := d.reserveBytes(rawFactor * len(quoted)); err != nil {
			return err
		}
		out = append(append(out, quoted...), ':')
		out, err = d.appendRaw(out, depth+1)
		return within(excerpt(name), err)
	})
	return append(out, '}'), err
}
