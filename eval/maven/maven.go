// Package maven fetches jars from a Maven repository.
package maven

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// maxJar limits the size of a jar.
const maxJar = 64 << 20

// Fetch downloads the jar group:artifact:version into a folder, unless the folder
// has it, and returns its file name. The classifier, such as "sources", may be
// empty.
func Fetch(ctx context.Context, repository, dir, jar, classifier string) (string, error) {
	part := strings.Split(jar, ":")
	if len(part) != 3 {
		return "", fmt.Errorf("jar %q: must be group:artifact:version", jar)
	}
	base := part[1] + "-" + part[2]
	if classifier != "" {
		base += "-" + classifier
	}
	base += ".jar"
	file := filepath.Join(dir, base)
	if _, err := os.Stat(file); err == nil {
		return file, nil
	}
	if repository == "" {
		return "", errors.New("no Maven repository: set -maven or MAVEN_REPOSITORY to its address")
	}
	data, err := get(ctx, strings.Join([]string{strings.TrimSuffix(repository, "/"), strings.ReplaceAll(part[0], ".", "/"), part[1], part[2], base}, "/"))
	if err != nil {
		return "", err
	}
	return file, os.WriteFile(file, data, 0o600)
}

func get(ctx context.Context, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }() // only read
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", address, response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxJar+1))
	if err == nil && len(data) > maxJar {
		err = fmt.Errorf("%s: must be at most %d bytes", address, maxJar)
	}
	return data, err
}
