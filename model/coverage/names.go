package coverage

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const maxReportNames = 1_000_000

// ReadNames reads a list of methods, one per line. isList is false if the file is a
// report in another format.
func ReadNames(name string) (names []string, isList bool, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = file.Close() }() // opened for reading only
	buffered := bufio.NewReaderSize(file, 1<<16)
	head, err := buffered.Peek(512)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	if isGzip(head) || detectFormat(head) != "" {
		return nil, false, nil
	}
	scanner := bufio.NewScanner(buffered)
	scanner.Buffer(nil, maxReportLine)
	for scanner.Scan() {
		if id := strings.ToValidUTF8(strings.TrimSpace(scanner.Text()), "\uFFFD"); id != "" {
			names = append(names, id)
		}
		if len(names) > maxReportNames {
			return nil, true, fmt.Errorf("must list at most %d methods", maxReportNames)
		}
	}
	return names, true, scanner.Err()
}
