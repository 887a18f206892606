package api

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/inroad/inroad/api/openapi"
)

// NewCursor returns the cursor with which a list continues after a position. Cursors are
// opaque to clients.
func NewCursor(list string, position ...string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strings.Join(append([]string{list}, position...), "\x00")))
}

// ReadCursor returns the position of a cursor, which has as many parts as were given to
// [NewCursor]. It returns nil if there is no cursor.
func ReadCursor(list, cursor string, parts int) ([]string, error) {
	if cursor == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	position := strings.SplitN(string(text), "\x00", parts+1)
	if err != nil || position[0] != list || len(position) != parts+1 {
		return nil, wrongCursor()
	}
	return position[1:], nil
}

func wrongCursor() error {
	return openapi.FieldErrorf("cursor", "must be the value of `next` from the previous page")
}

// NumberCursor returns the cursor with which a list continues after a number, or "" if
// the number is 0.
func NumberCursor(list string, n uint64) string {
	if n == 0 {
		return ""
	}
	return NewCursor(list, strconv.FormatUint(n, 10))
}

// ReadNumber returns the number of a [NumberCursor], or 0 if there is no cursor.
func ReadNumber(list, cursor string) (uint64, error) {
	position, err := ReadCursor(list, cursor, 1)
	if err != nil || position == nil {
		return 0, err
	}
	n, err := strconv.ParseUint(position[0], 10, 63)
	if err != nil || n == 0 {
		return 0, wrongCursor()
	}
	return n, nil
}

// ReadOffset returns the offset and the other part of a cursor that has these two parts.
// The offset is 0 if there is no cursor.
func ReadOffset(list, cursor string) (offset int, of string, err error) {
	position, err := ReadCursor(list, cursor, 2)
	if err != nil || position == nil {
		return 0, "", err
	}
	if offset, err = strconv.Atoi(position[0]); err != nil || offset < 1 {
		return 0, "", wrongCursor()
	}
	return offset, position[1], nil
}

// PageAfter returns the page of a list that comes after a cursor, and the cursor of the
// next page. The list is sorted by key; a limit of 0 means no limit.
func PageAfter[T any](list []T, name, cursor string, limit int, key func(T) string) (page []T, next string, err error) {
	position, err := ReadCursor(name, cursor, 1)
	if err != nil {
		return nil, "", err
	}
	for position != nil && len(list) > 0 && key(list[0]) <= position[0] {
		list = list[1:]
	}
	if limit == 0 || limit >= len(list) {
		return list, "", nil
	}
	return list[:limit], NewCursor(name, key(list[limit-1])), nil
}
