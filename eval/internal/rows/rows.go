// Package rows keeps measurements in a file with a JSON value per line, so that an
// interrupted run continues where it stopped.
package rows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Read returns the rows in a file; none if the file does not exist. An incomplete last
// line, which an interrupted run may leave, is left out.
func Read[T any](name string) ([]T, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []T
	for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
		var row T
		if err := json.Unmarshal(line, &row); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, len(out)+1, err)
		}
		out = append(out, row)
	}
	return out, nil
}

// Append adds a row to a file, which it creates with its folder if necessary. It first
// removes an incomplete last line.
func Append[T any](name string, row T) error {
	line, err := json.Marshal(row)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	complete := int64(bytes.LastIndexByte(text, '\n') + 1)
	err = file.Truncate(complete)
	if err == nil {
		_, err = file.WriteAt(append(line, '\n'), complete)
	}
	return errors.Join(err, file.Close())
}
