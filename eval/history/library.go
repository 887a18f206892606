package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A library is a parser whose history is studied. Its file names are relative to
// the folder of the checkouts.
type library struct {
	Name     string   `json:"name"`     // also the folder of the checkout
	Language string   `json:"language"` // go, java, python or javascript
	Grammar  string   `json:"grammar"`  // of its inputs: a bundled grammar
	Role     string   `json:"role"`     // dev if defaults were chosen on it, held-out otherwise
	At       string   `json:"at"`       // the newest revision to study; HEAD if empty
	Sources  []string `json:"sources"`  // git pathspecs of the code, without tests
	Driver   string   `json:"driver"`   // file with the function that is observed
	Module   string   `json:"module"`   // go: module path where a commit has no go.mod
	Roots    []string `json:"roots"`    // java: folders of a commit to compile
	Cover    []string `json:"cover"`    // what to observe, as inroad observe takes it
	Path     []string `json:"path"`     // jars or folders of dependencies
	Samples  []string `json:"samples"`  // git pathspecs of inputs in the repository
}

// readLibraries reads the descriptions in a folder of checkouts, and returns the
// named ones, or all if there are no names.
func readLibraries(dir string, names []string) ([]library, error) {
	file := filepath.Join(dir, "libraries.json")
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []library
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return chooseLibraries(all, names)
}

// chooseLibraries checks the descriptions, and returns the named ones in their order.
func chooseLibraries(all []library, names []string) ([]library, error) {
	for i := range all {
		if err := all[i].check(); err != nil {
			return nil, fmt.Errorf("library %d: %w", i+1, err)
		}
	}
	for _, name := range names {
		if !slices.ContainsFunc(all, func(l library) bool { return l.Name == name }) {
			return nil, fmt.Errorf("library %s: not found in libraries.json", name)
		}
	}
	return slices.DeleteFunc(all, func(l library) bool { return len(names) > 0 && !slices.Contains(names, l.Name) }), nil
}

func (l *library) check() error {
	if l.At == "" {
		l.At = "HEAD"
	}
	switch {
	case l.Name == "" || l.Grammar == "" || l.Driver == "" || len(l.Sources) == 0:
		return errors.New("name, grammar, driver and sources are required")
	case !slices.Contains([]string{"dev", "held-out"}, l.Role):
		return fmt.Errorf("%s: role %q: must be dev or held-out", l.Name, l.Role)
	case harnesses[l.Language] == nil:
		return fmt.Errorf("%s: language %q: must be go, java, python or javascript", l.Name, l.Language)
	}
	return nil
}
