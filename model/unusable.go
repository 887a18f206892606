package model

import (
	"errors"
	"fmt"
	"strings"

	"github.com/inroad/inroad/grammars"
)

// unusable counts the observations that no method can be learned from.
type unusable struct {
	unlabelled, outside, limited int

	// Of the first observation of each kind.
	unlabelledInput, outsideInput, limitedInput string
	outsideErr, limitedErr                      error
}

// add counts an observation. err is the error of parsing its input.
func (u *unusable) add(input []byte, unlabelled bool, err error) {
	_, syntax := errors.AsType[*grammars.SyntaxError](err)
	switch {
	case unlabelled:
		if u.unlabelled++; u.unlabelled == 1 {
			u.unlabelledInput = quoteInput(input)
		}
	case syntax:
		if u.outside++; u.outside == 1 {
			u.outsideInput, u.outsideErr = quoteInput(input), err
		}
	case err != nil:
		if u.limited++; u.limited == 1 {
			u.limitedInput, u.limitedErr = quoteInput(input), err
		}
	}
}

// quoteInput returns the start of an input for a message.
func quoteInput(input []byte) string {
	const most = 60
	if len(input) > most {
		return fmt.Sprintf("%q...", input[:most])
	}
	return fmt.Sprintf("%q", input)
}

// explain returns an error that says why nothing can be learned from the observations.
func (u *unusable) explain(observations int, grammar string) error {
	var why []string
	if observations == 0 {
		why = append(why, "there are no observations")
	}
	if u.unlabelled > 0 {
		why = append(why, fmt.Sprintf("%d of %d observations have no methods, such as that of input %s", u.unlabelled, observations, u.unlabelledInput))
	}
	if u.outside > 0 {
		why = append(why, fmt.Sprintf("%d of %d inputs are outside grammar %s, such as %s: %v", u.outside, observations, grammar, u.outsideInput, u.outsideErr))
	}
	if u.limited > 0 {
		why = append(why, fmt.Sprintf("%d of %d inputs reach a limit of the parser, such as %s: %v", u.limited, observations, u.limitedInput, u.limitedErr))
	}
	return fmt.Errorf("%w: %s", ErrNoObservations, strings.Join(why, "; "))
}
