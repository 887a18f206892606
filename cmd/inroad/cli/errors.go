package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/limit"
)

// Message returns an error as a command prints it: fields of a request are named by
// the flags that set them.
func Message(cmd *cobra.Command, err error) string {
	text := err.Error()
	if field, ok := errors.AsType[*openapi.FieldError](err); ok {
		if name := FlagName(field.Field); cmd.Flags().Lookup(name) != nil {
			flagged := *field
			flagged.Field = "--" + name
			text = strings.Replace(text, field.Error(), flagged.Error(), 1)
		}
	}
	return text
}

// FlagError explains a flag that cannot be parsed.
func FlagError(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := invalid.GetFlag()
		if field, ok := errors.AsType[*openapi.FieldError](err); ok {
			return &openapi.FieldError{Field: "--" + flag.Name, Value: field.Value, Problem: field.Problem} // the flag may have a prefix
		}
		if rule := typeRule(flag.Value.Type()); rule != "" {
			return fmt.Errorf("--%s %s: must be %s", flag.Name, Printable(invalid.GetValue()), rule)
		}
		return fmt.Errorf("--%s %s: %w", flag.Name, Printable(invalid.GetValue()), invalid.Unwrap())
	}
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}

// typeRule completes "must be" for values that a type of flags rejects, or returns "" if
// the error of the flag says what is allowed.
func typeRule(kind string) string {
	switch kind {
	case "int", "int64":
		return "a whole number below 2^63"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a duration such as 90s or 5m"
	default:
		return ""
	}
}

// Remedy returns a hint at the flag that raises the limit, to append to a limit error.
// It returns "" for other errors and for limits without a flag.
func Remedy(flags *pflag.FlagSet, err error) string {
	reached, ok := errors.AsType[*limit.Error](err)
	if !ok || reached.Option == "" || flags.Lookup(FlagName(reached.Option)) == nil {
		return ""
	}
	return "; raise it with --" + FlagName(reached.Option)
}
