package cli

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api/openapi"
)

// EnumKey is the annotation of a flag that lists the values it takes, for shells to
// complete.
const EnumKey = "inroad_enum"

// Bind adds a flag for each named field of a request, which is a pointer to a generated
// struct, in the order of the names. The name, default, description and allowed values
// of a flag are those of the contract: max_nodes becomes --max-nodes, and a duration
// such as budget_ms becomes --budget. A flag for a time takes a duration from now, too.
func Bind(flags *pflag.FlagSet, request any, names ...string) {
	BindPrefixed(flags, "", request, names...)
}

// BindPrefixed is like [Bind], but adds a prefix to the names of the flags.
func BindPrefixed(flags *pflag.FlagSet, prefix string, request any, names ...string) {
	fields := openapi.Fields(request)
	v := reflect.ValueOf(request).Elem()
	for _, name := range names {
		i := slices.IndexFunc(fields, func(f openapi.Field) bool { return f.Name == name })
		if i < 0 {
			panic(fmt.Sprintf("%T has no field %s", request, name))
		}
		bindField(flags, prefix, fields[i], v)
	}
}

// BindFields adds flags for fields that no request has, such as limits of a command
// that runs only locally. Each flag sets the struct field with the same JSON name.
func BindFields(flags *pflag.FlagSet, to any, fields ...openapi.Field) {
	for _, f := range fields {
		bindField(flags, "", f, reflect.ValueOf(to).Elem())
	}
}

// Between returns the schema of an integer in a range.
func Between(least, most float64) openapi.Schema {
	return openapi.Schema{Type: "integer", Min: &least, Max: &most}
}

// FlagName returns the flag for a field of a request.
func FlagName(field string) string {
	field = field[strings.LastIndexByte(field, '.')+1:]
	return strings.ReplaceAll(strings.TrimSuffix(field, "_ms"), "_", "-")
}

func bindField(flags *pflag.FlagSet, prefix string, f openapi.Field, request reflect.Value) {
	value := &fieldValue{field: f, to: fieldByJSON(request, f.Name)}
	if f.Default != nil {
		text := fmt.Sprint(f.Default)
		if value.isTime() {
			text += "ms"
		}
		if err := value.Set(text); err != nil {
			panic(err) // the contract's own default
		}
	}
	flag := flags.VarPF(value, prefix+FlagName(f.Name), "", usage(f.Description))
	flag.DefValue = value.String()
	if flag.DefValue == "false" || flag.DefValue == "0" || flag.DefValue == "[]" {
		flag.DefValue = ""
	}
	value.touched = false
	if f.Schema.Type == "boolean" {
		flag.NoOptDefVal = "true"
	}
	if enum := f.Enum(); len(enum) > 0 {
		_ = flags.SetAnnotation(flag.Name, EnumKey, enum) // the flag exists
	}
}

func fieldByJSON(v reflect.Value, name string) reflect.Value {
	for i := range v.NumField() {
		if tag, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); tag == name {
			return v.Field(i)
		}
	}
	panic("no field " + name)
}

// usage turns a description of the contract into the usage of a flag.
func usage(description string) string {
	description = strings.TrimSuffix(description, ".")
	runes := []rune(description)
	if len(runes) > 1 && unicode.IsUpper(runes[0]) && !unicode.IsUpper(runes[1]) && runes[1] != '\'' {
		runes[0] = unicode.ToLower(runes[0])
	}
	return strings.ReplaceAll(string(runes), "`", "")
}

// A fieldValue is a flag that sets a field of a request.
type fieldValue struct {
	field   openapi.Field
	to      reflect.Value
	touched bool // a list was set, and further values are added
}

func (v *fieldValue) isTime() bool { return strings.HasSuffix(v.field.Name, "_ms") }

// Type returns the placeholder that stands for the value in usage texts.
func (v *fieldValue) Type() string {
	switch {
	case v.field.Placeholder != "":
		return v.field.Placeholder
	case v.isTime():
		return "duration"
	case len(v.field.Enum()) > 0:
		return strings.Join(v.field.Enum(), "|")
	case v.field.Schema.Type == "boolean":
		return "bool"
	case v.field.Schema.Type == "integer":
		return "N"
	case v.field.Schema.Type == "number":
		return "NUMBER"
	default:
		return "TEXT"
	}
}

// IsBoolFlag makes --flag without a value mean true.
func (v *fieldValue) IsBoolFlag() bool { return v.field.Schema.Type == "boolean" }

// String returns the value as written on the command line.
func (v *fieldValue) String() string {
	if v == nil || !v.to.IsValid() {
		return ""
	}
	to := v.to
	if to.Kind() == reflect.Pointer {
		if to.IsNil() {
			return ""
		}
		to = to.Elem()
	}
	if t, ok := reflect.TypeAssert[time.Time](to); ok {
		if t.IsZero() {
			return ""
		}
		return t.Format(time.RFC3339)
	}
	switch {
	case v.isTime() && to.Float() == 0:
		return ""
	case v.isTime():
		return time.Duration(to.Float() * float64(time.Millisecond)).String()
	case to.Kind() == reflect.Slice:
		var parts []string
		for i := range to.Len() {
			parts = append(parts, fmt.Sprint(to.Index(i)))
		}
		return strings.Join(parts, ",")
	default:
		return fmt.Sprint(to)
	}
}

// Set checks a value against the contract and sets the field.
func (v *fieldValue) Set(text string) error {
	parsed, err := v.parse(text)
	if err != nil {
		return err
	}
	if v.field.Schema.Type == "array" {
		return v.add(text)
	}
	if err := v.field.Check(parsed.Interface()); err != nil {
		return v.inTime(text, err)
	}
	to := v.to
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	to.Set(parsed.Convert(to.Type()))
	return nil
}

// inTime returns the error for a duration that is out of range, with the limits as
// durations. It returns other errors unchanged.
func (v *fieldValue) inTime(text string, err error) error {
	limits := v.field.Schema
	if !v.isTime() || limits.Min == nil || limits.Max == nil {
		return err
	}
	duration := func(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
	return &openapi.FieldError{Field: v.field.Name, Value: text, Problem: fmt.Sprintf("must be between %v and %v", duration(*limits.Min), duration(*limits.Max))}
}

// parse parses a value of the field's type.
func (v *fieldValue) parse(text string) (out reflect.Value, err error) {
	switch {
	case v.to.Type() == reflect.TypeFor[time.Time]():
		t, ok := parseTime(text, time.Now())
		if !ok {
			return out, &openapi.FieldError{Field: v.field.Name, Value: text, Problem: "must be a duration such as 90d or 12h, a date such as 2027-01-31, or a time such as 2027-01-31T12:00:00Z"}
		}
		return reflect.ValueOf(t), nil
	case v.isTime():
		d, err := time.ParseDuration(text)
		if err != nil {
			return out, &openapi.FieldError{Field: v.field.Name, Value: text, Problem: "must be a duration such as 500ms or 5m"}
		}
		return reflect.ValueOf(float64(d) / float64(time.Millisecond)), nil
	case v.field.Schema.Type == "integer":
		n, err := strconv.ParseInt(text, 10, 64)
		if errors.Is(err, strconv.ErrRange) {
			return out, v.field.Schema.OverflowError(v.field.Name, text)
		}
		if err != nil {
			return out, v.field.Schema.TypeError(v.field.Name, text)
		}
		return reflect.ValueOf(n), nil
	case v.field.Schema.Type == "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return out, v.field.Schema.TypeError(v.field.Name, text)
		}
		return reflect.ValueOf(n), nil
	case v.field.Schema.Type == "boolean":
		b, err := strconv.ParseBool(text)
		if err != nil {
			return out, v.field.Schema.TypeError(v.field.Name, text)
		}
		return reflect.ValueOf(b), nil
	default:
		return reflect.ValueOf(text), nil
	}
}

// parseTime returns the time that a text stands for: a duration from now, in days (90d)
// or smaller units (12h), the beginning of a day in UTC, or a time of RFC 3339.
func parseTime(text string, now time.Time) (t time.Time, ok bool) {
	const maxDays = 100 * 365 // durations of Go end after 292 years
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		n, err := strconv.Atoi(days)
		return now.Add(time.Duration(n) * 24 * time.Hour).UTC(), err == nil && n > 0 && n <= maxDays
	}
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(d).UTC(), d > 0
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// add appends to a list: all values of a comma-separated list if the field is an
// enumeration, else the text as one value.
func (v *fieldValue) add(text string) error {
	if !v.touched {
		v.to.SetZero()
		v.touched = true
	}
	parts := []string{text}
	if len(v.field.Enum()) > 0 {
		parts = strings.Split(text, ",")
	}
	to := v.to
	if to.Kind() == reflect.Pointer {
		if to.IsNil() {
			to.Set(reflect.New(to.Type().Elem()))
		}
		to = to.Elem()
	}
	for _, part := range parts {
		if err := (openapi.Field{Name: v.field.Name, Schema: *v.field.Schema.Items}).Check(part); err != nil {
			return err
		}
		to.Set(reflect.Append(to, reflect.ValueOf(part).Convert(to.Type().Elem())))
	}
	return v.field.Check(to.Interface())
}

// BindFormat adds the flag --format with the formats that a command prints, the
// default first.
func BindFormat(flags *pflag.FlagSet, format *string, formats ...string) {
	BindEnum(flags, format, "format", "format of the output", formats...)
}

// BindEnum adds a flag that takes one of several values, the default first.
func BindEnum(flags *pflag.FlagSet, to *string, name, usage string, values ...string) {
	*to = values[0]
	v := &enumValue{to, values, name}
	if v.Type() == longEnum {
		usage += ": " + strings.Join(values, ", ")
	}
	flags.VarP(v, name, "", usage)
	_ = flags.SetAnnotation(name, EnumKey, values) // the flag exists
}

type enumValue struct {
	to     *string
	values []string
	name   string
}

func (v *enumValue) String() string { return *v.to }

// longEnum stands for values that are too long for the column of the flags.
const longEnum = "VALUE"

func (v *enumValue) Type() string {
	if all := strings.Join(v.values, "|"); len(all) <= 50 {
		return all
	}
	return longEnum
}

func (v *enumValue) Set(text string) error {
	f := openapi.Field{Name: v.name, Schema: openapi.Schema{Type: "string", Enum: v.values}}
	if err := f.Check(text); err != nil {
		return err
	}
	*v.to = text
	return nil
}

// MaximumWithoutValue lets a flag be given without a value, which then is the contract's
// maximum.
func MaximumWithoutValue(flags *pflag.FlagSet, name string) {
	flag := flags.Lookup(name)
	flag.NoOptDefVal = strconv.FormatFloat(*flag.Value.(*fieldValue).field.Schema.Max, 'f', -1, 64)
}

// SetDefault replaces the contract's default of a flag.
func SetDefault(flags *pflag.FlagSet, name, value string) {
	flag := flags.Lookup(name)
	if err := flag.Value.Set(value); err != nil {
		panic(err) // a value that the contract does not allow
	}
	flag.DefValue = value
	if v, ok := flag.Value.(*fieldValue); ok {
		v.touched = false
	}
}
