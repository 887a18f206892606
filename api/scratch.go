package api

import (
	"errors"
	"os"

	"github.com/inroad/inroad/model"
)

// newScratchFile returns a temporary file, which is removed when it is closed.
func newScratchFile() (model.ScratchFile, error) {
	f, err := os.CreateTemp("", "inroad-train-*")
	if err != nil {
		return nil, err
	}
	// Unix removes the file at once, so that nothing is left behind if the process ends.
	// Other systems need the file to be closed first.
	removed := os.Remove(f.Name()) == nil
	return &scratchFile{f, removed}, nil
}

type scratchFile struct {
	*os.File
	removed bool
}

func (f *scratchFile) Close() error {
	err := f.File.Close()
	if !f.removed {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}
