//go:build !linux

package outfile

import "os"

// openStream opens a device or a FIFO.
func openStream(path string) (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }
