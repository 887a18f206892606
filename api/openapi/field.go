package openapi

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// A Schema defines which values a field can have. A field of a generated type is an
// object, whose fields [Fields] lists.
type Schema struct {
	Type     string // integer, number, string, boolean, array or object
	Min, Max *float64
	MinSize  int // minimum number of characters or items
	MaxSize  int // maximum number of characters, items or entries; 0 for no limit
	Pattern  string
	Enum     []string
	Items    *Schema // of an array, and values of an object that is a map
}

// A Field is a property of a request, or one of its query parameters, as the
// contract defines it.
type Field struct {
	Name        string // in JSON, such as max_nodes
	Description string
	Placeholder string // stands for a value in usage texts, such as RULE; may be empty
	Required    bool
	Default     any // nil without a default
	Schema      Schema

	index int // in the Go type
}

// Enum returns the values that the field, or each item of it, can have; nil if any
// value is allowed.
func (f Field) Enum() []string {
	if f.Schema.Type == "array" {
		return f.Schema.Items.Enum
	}
	return f.Schema.Enum
}

// Check returns the error that [Validate] returns for a value of the field; nil if
// the contract allows it.
func (f Field) Check(value any) error {
	return check(f.Name, &f.Schema, reflect.ValueOf(value))
}

// A FieldError reports a field of a request that the contract does not allow.
type FieldError struct {
	Field   string // its name, after the names of the fields that contain it: options.k
	Value   string // as given; empty for lists and objects
	Problem string // the violated rule: must be between 1 and 8
}

func (e *FieldError) Error() string {
	if e.Value == "" {
		return e.Field + ": " + e.Problem
	}
	return e.Field + " " + e.Value + ": " + e.Problem
}

// FieldErrorf returns the error for a field whose value conflicts with the rest of the
// request.
func FieldErrorf(field, format string, args ...any) error {
	return &FieldError{Field: field, Problem: fmt.Sprintf(format, args...)}
}

// Fields returns the fields of a request, which is a struct type generated from the
// contract or a pointer to one.
func Fields(request any) []Field {
	t := reflect.TypeOf(request)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return fieldsOf(t)
}

// Validate sets the absent fields of a request to their defaults and returns a
// [*FieldError] for the first field that the contract does not allow. The request
// is a pointer to a generated struct.
func Validate(request any) error {
	return validate("", reflect.ValueOf(request).Elem())
}

func validate(prefix string, v reflect.Value) error {
	for _, f := range fieldsOf(v.Type()) {
		field := v.Field(f.index)
		if field.IsZero() && field.Kind() == reflect.Struct && len(fieldsOf(field.Type())) > 0 && !f.Required {
			if err := validate(prefix+f.Name+".", field); err != nil {
				return err
			}
			continue
		}
		if field.IsZero() {
			if f.Required && !zeroAllowed(&f.Schema) {
				return &FieldError{Field: prefix + f.Name, Problem: "required"}
			}
			setDefault(field, f.Default)
			continue
		}
		if err := check(prefix+f.Name, &f.Schema, field); err != nil {
			return err
		}
	}
	return nil
}

// zeroAllowed reports whether a required field may have the zero value, which is
// indistinguishable from an absent field.
func zeroAllowed(schema *Schema) bool {
	return schema.Type == "string" && schema.MinSize == 0 && len(schema.Enum) == 0 || schema.Type == "boolean"
}

func setDefault(field reflect.Value, value any) {
	if value == nil {
		return
	}
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	field.Set(reflect.ValueOf(value).Convert(field.Type()))
}

// check returns an error if the contract does not allow a value that is present.
func check(name string, schema *Schema, v reflect.Value) error {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	fail := func(value any) error { return newFieldError(name, schema, value) }
	switch v.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		if n := float64(v.Int()); !inRange(schema, n) {
			return fail(v.Int())
		}
	case reflect.Float32, reflect.Float64:
		if n := v.Float(); math.IsNaN(n) || !inRange(schema, n) {
			return fail(n)
		}
	case reflect.String:
		if !textAllowed(schema, v.String()) {
			return fail(v.String())
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 { // raw JSON, whose content its reader checks
			if !json.Valid(v.Bytes()) {
				return fail(nil)
			}
			return nil
		}
		if n := v.Len(); n < schema.MinSize || schema.MaxSize > 0 && n > schema.MaxSize {
			return fail(nil)
		}
		for i := range v.Len() {
			if err := check(fmt.Sprintf("%s.%d", name, i), schema.Items, v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Map:
		if schema.MaxSize > 0 && v.Len() > schema.MaxSize {
			return fail(nil)
		}
		keys := v.MapKeys() // sorted, so that the same error comes first
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			if err := check(name+"."+key.String(), schema.Items, v.MapIndex(key)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if v.Type().PkgPath() == reflect.TypeFor[Field]().PkgPath() {
			return validate(name+".", v)
		}
	default: // a boolean, which can be either
	}
	return nil
}

func inRange(schema *Schema, n float64) bool {
	return (schema.Min == nil || n >= *schema.Min) && (schema.Max == nil || n <= *schema.Max)
}

func textAllowed(schema *Schema, text string) bool {
	if len(schema.Enum) > 0 {
		return slices.Contains(schema.Enum, text)
	}
	if len(text) < schema.MinSize || schema.MaxSize > 0 && len(text) > schema.MaxSize && utf8.RuneCountInString(text) > schema.MaxSize {
		return false
	}
	return schema.Pattern == "" || pattern(schema.Pattern).MatchString(text)
}

// newFieldError returns the error for a value of the right type that the schema of
// a field does not allow.
func newFieldError(name string, schema *Schema, value any) *FieldError {
	return &FieldError{Field: name, Value: Show(value), Problem: "must " + schema.rule()}
}

// TypeError returns the error for a value that is not of the type of its field.
func (s *Schema) TypeError(name string, value any) *FieldError {
	rule := s.rule()
	noun := map[string]string{"integer": "a whole number", "number": "a number", "array": "a list", "object": "an object", "boolean": "true or false"}[s.Type]
	switch {
	case len(s.Enum) > 0 || s.Type == "boolean" || rule == "be "+noun:
	case strings.HasPrefix(rule, "be "):
		rule = "be " + noun + " " + strings.TrimPrefix(rule, "be ")
	case noun != "":
		rule = "be " + noun
	default:
		rule = "be a string"
	}
	return &FieldError{Field: name, Value: Show(value), Problem: "must " + rule}
}

// Error returns the error for a value of the right type that the schema does not
// allow.
func (s *Schema) Error(name string, value any) *FieldError { return newFieldError(name, s, value) }

// OverflowError returns the error for a whole number that is too large for any
// field.
func (s *Schema) OverflowError(name string, value any) *FieldError {
	if s.Max != nil {
		return s.Error(name, value)
	}
	largest := *s
	largest.Max = new(float64(math.MaxInt64))
	return largest.Error(name, value)
}

// Show formats a value for an error; empty for lists and objects.
func Show(value any) string {
	switch v := value.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case string:
		return excerpt(v)
	case int64, int, bool:
		return fmt.Sprint(v)
	default:
		return ""
	}
}

// maxExcerpt is the maximum number of bytes of a value in an error.
const maxExcerpt = 100

// excerpt shortens a value for an error.
func excerpt(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= maxExcerpt {
		return text
	}
	return strings.ToValidUTF8(text[:maxExcerpt], "") + "…"
}

// rule completes "must": be between 1 and 8.
func (s *Schema) rule() string {
	number := func(n *float64) string {
		if *n == math.MaxInt64 { // as a float64, it is one more
			return strconv.Itoa(math.MaxInt64)
		}
		return strconv.FormatFloat(*n, 'f', -1, 64)
	}
	size := func(of string) string {
		switch {
		case s.MaxSize > 0 && s.MinSize > 0:
			return fmt.Sprintf("have between %d and %d %s", s.MinSize, s.MaxSize, of)
		case s.MaxSize > 0:
			return fmt.Sprintf("have at most %d %s", s.MaxSize, of)
		default:
			return fmt.Sprintf("have at least %d %s", max(1, s.MinSize), of)
		}
	}
	switch {
	case len(s.Enum) > 0:
		return "be " + List(s.Enum)
	case s.Min != nil && s.Max != nil:
		return "be between " + number(s.Min) + " and " + number(s.Max)
	case s.Min != nil:
		return "be at least " + number(s.Min)
	case s.Max != nil:
		return "be at most " + number(s.Max)
	case s.Type == "integer":
		return "be a whole number"
	case s.Type == "number":
		return "be a number"
	case s.Type == "boolean":
		return "be true or false"
	case s.Type == "array":
		return size("items")
	case s.Type == "object" && s.MaxSize > 0:
		return size("entries")
	case s.Type == "object":
		return "be an object"
	case s.Pattern != "":
		return "match " + s.Pattern
	default:
		return size("characters")
	}
}

// List joins alternatives: a, b or c.
func List(values []string) string {
	if len(values) < 2 {
		return strings.Join(values, "")
	}
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

// indexed caches the fields of Go types, and patterns caches compiled patterns.
var indexed, patterns sync.Map //nolint:gochecknoglobals // caches of constant values

func pattern(text string) *regexp.Regexp {
	if re, ok := patterns.Load(text); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(text)
	patterns.Store(text, re)
	return re
}

func fieldsOf(t reflect.Type) []Field {
	if known, ok := indexed.Load(t); ok {
		return known.([]Field)
	}
	var out []Field
	for _, f := range contractFields[t.Name()] {
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name == f.Name {
				f.index = i
				out = append(out, f)
			}
		}
	}
	indexed.Store(t, out)
	return out
}
