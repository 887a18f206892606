// Package limit defines the error that every package returns when work stops at
// a limit.
package limit

import "fmt"

// An Error reports that work stopped because it reached a limit. Option names
// the setting that raises the limit; the caller translates it to a flag or a
// field of a request.
type Error struct {
	What   string // the limit, as a noun phrase: "parser steps"
	Value  string // with its unit if it has one: "50000000", "5 bytes"
	Option string // the request option that raises the limit: "max_steps"; empty if the limit is fixed
	Advice string // how to stay below a fixed limit: "ask for fewer paths"; empty if there is no advice
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s: limit of %s reached", e.What, e.Value)
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}
