package model

import (
	"bytes"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/inroad/inroad/model/observation"
)

// unknownPlace marks a run whose failure message names no place.
const unknownPlace = -1

// Failure messages name a line and a column, or an offset. A message that names only a
// line is not used: taking the whole line as the place made models worse.
var (
	lineColumn = regexp.MustCompile(`(?i)\bline[ :=]*(\d{1,9})(?:[ ,;:.]+|, *at +)(?:col(?:umn)?|char(?:acter)?|pos(?:ition)?)?[ :=.]*(\d{1,9})\b`)
	onlyColons = regexp.MustCompile(`(?:^|[\s(\[]|\w:)(\d{1,9}):(\d{1,9})(?:$|[\s:,;)\].])`)
	onlyOffset = regexp.MustCompile(`(?i)\b(?:offset|position|index|byte)[ :=]*(\d{1,9})\b`)
)

// failurePlace returns the offset of the place that the failure message of a run
// names, or unknownPlace. Columns are counted from 1, in characters.
func failurePlace(o observation.Observation) int32 {
	if o.Failure == nil {
		return unknownPlace
	}
	message := o.Failure.Message
	for _, pattern := range []*regexp.Regexp{lineColumn, onlyColons} {
		if m := pattern.FindStringSubmatch(message); m != nil {
			line, _ := strconv.Atoi(m[1]) // digits
			column, _ := strconv.Atoi(m[2])
			return offsetOf(o.Input, line, column)
		}
	}
	if m := onlyOffset.FindStringSubmatch(message); m != nil {
		if offset, _ := strconv.Atoi(m[1]); offset <= len(o.Input) {
			return int32(offset)
		}
	}
	return unknownPlace
}

// offsetOf returns the offset of a line and column, both from 1, or unknownPlace
// if the input has no such place. Any of \n, \r\n and \r ends a line.
func offsetOf(input []byte, line, column int) int32 {
	rest := input
	for ; line > 1; line-- {
		end := bytes.IndexAny(rest, "\n\r")
		if end < 0 {
			return unknownPlace
		}
		if bytes.HasPrefix(rest[end:], []byte("\r\n")) {
			end++
		}
		rest = rest[end+1:]
	}
	offset := len(input) - len(rest)
	for ; column > 1 && len(rest) > 0; column-- {
		_, n := utf8.DecodeRune(rest)
		offset, rest = offset+n, rest[n:]
	}
	if column > 2 { // messages may name the place after the end
		return unknownPlace
	}
	return int32(offset)
}
