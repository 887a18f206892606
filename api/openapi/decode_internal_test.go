package openapi

import (
	"bufio"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestDecodeTime(t *testing.T) {
	const problem = ": must be a time such as 2027-01-31T00:00:00Z"
	for text, want := range map[string]string{
		`"2027-01-31T01:02:03Z"`:          "2027-01-31T01:02:03Z",
		`"2027-01-31T01:02:03.004+01:00"`: "2027-01-31T01:02:03.004+01:00",
		`"2027-01-31"`:                    " 2027-01-31" + problem,
		`1`:                               " 1: must be a string",
	} {
		var at time.Time
		err := NewDecoder(bufio.NewReader(strings.NewReader(text)), nil).value(&Schema{Type: "string", MaxSize: 40}, reflect.ValueOf(&at).Elem())
		got := at.Format(time.RFC3339Nano)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
