package limit_test

import (
	"testing"

	"github.com/inroad/inroad/grammars/limit"
)

func TestError(t *testing.T) {
	for _, test := range []struct {
		name string
		err  limit.Error
		want string
	}{
		{"fixed", limit.Error{What: "count of a path", Value: "1000"}, "count of a path: limit of 1000 reached"},
		{"with an option", limit.Error{What: "input", Value: "5 bytes", Option: "max_input"}, "input: limit of 5 bytes reached"},
		{"with advice", limit.Error{What: "forbidden paths", Value: "100", Advice: "leave some out"}, "forbidden paths: limit of 100 reached; leave some out"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.err.Error(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
