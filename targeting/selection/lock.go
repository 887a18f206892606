package selection

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/inroad/inroad/targeting/selection/source"
)

// lockOf returns the parser of a file that lists exact versions of dependencies, or nil for
// other files.
func lockOf(name string) manifest {
	base := path.Base(name)
	switch base {
	case "package-lock.json", "npm-shrinkwrap.json":
		return nodeLocked
	case "Pipfile.lock":
		return pipLocked
	case "Cargo.lock", "poetry.lock", "uv.lock":
		return tomlLocked
	case "yarn.lock", "pnpm-lock.yaml":
		return plainLines
	}
	if base == "constraints.txt" || base == "requirements.in" || path.Ext(base) == ".txt" && (strings.HasPrefix(base, "requirements") || path.Base(path.Dir(name)) == "requirements") && !isForDevelopment(base) {
		return plainLines
	}
	return nil
}

// isForDevelopment reports whether a file lists dependencies that the program itself does
// not need.
func isForDevelopment(name string) bool {
	parts := strings.FieldsFunc(strings.TrimSuffix(name, path.Ext(name)), func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	return slices.ContainsFunc(parts, func(part string) bool {
		switch strings.TrimSuffix(part, "s") {
		case "dev", "test", "doc", "lint", "ci", "build":
			return true
		}
		return false
	})
}

// plainLines returns the lines of a file without comments.
func plainLines(text []byte) ([]string, bool) {
	var out []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, " #")
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			out = append(out, line)
		}
	}
	return out, true
}

// tomlLocked returns the packages of a lock file in TOML with their versions.
func tomlLocked(text []byte) ([]string, bool) {
	var out []string
	name, version, inPackage, development := "", "", false, false
	add := func() {
		if inPackage && !development && name != "" {
			out = append(out, name+" "+version)
		}
		name, version, inPackage, development = "", "", false, false
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		key, value, _ := strings.Cut(line, "=")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch strings.TrimSpace(key) {
		case "[[package]]":
			add()
			inPackage = true
		case "name":
			name = value
		case "version":
			version = value
		case "source", "checksum":
			version += " " + value
		case "category":
			development = value == "dev"
		}
	}
	add()
	return out, true
}

// pipLocked returns the packages of a Pipfile.lock that are not for development.
func pipLocked(text []byte) ([]string, bool) {
	var lock struct {
		Default map[string]json.RawMessage `json:"default"`
	}
	if len(text) > 0 && json.Unmarshal(text, &lock) != nil {
		return nil, false
	}
	var out []string
	for name, value := range lock.Default {
		out = append(out, name+" "+string(value))
	}
	return out, true
}

func isNodeLock(name string) bool {
	base := path.Base(name)
	return base == "package-lock.json" || base == "npm-shrinkwrap.json"
}

// A nodeLock is a lock file of npm. Packages have paths such as node_modules/a.
type nodeLock struct {
	Packages     map[string]nodePackage `json:"packages"`
	Dependencies map[string]nodePackage `json:"dependencies"` // up to version 1 of the format
}

type nodePackage struct {
	Version      string                     `json:"version"`
	Resolved     string                     `json:"resolved"`
	Dev          bool                       `json:"dev"`
	Dependencies map[string]json.RawMessage `json:"dependencies"`
	Requires     map[string]json.RawMessage `json:"requires"`
	Optional     map[string]json.RawMessage `json:"optionalDependencies"`
	Peers        map[string]json.RawMessage `json:"peerDependencies"`
}

func readNodeLock(text []byte) (map[string]nodePackage, bool) {
	var lock nodeLock
	if len(text) > 0 && json.Unmarshal(text, &lock) != nil {
		return nil, false
	}
	packages := map[string]nodePackage{}
	for _, group := range []map[string]nodePackage{lock.Dependencies, lock.Packages} {
		for place, p := range group {
			if place != "" && !p.Dev {
				packages[place] = p
			}
		}
	}
	return packages, true
}

// nodeLocked returns the packages of a lock file that are not for development.
func nodeLocked(text []byte) ([]string, bool) {
	packages, ok := readNodeLock(text)
	var out []string
	for place, p := range packages {
		out = append(out, nodeName(place)+" "+p.Version+" "+p.Resolved)
	}
	return out, ok
}

// nodeName returns the name of the package at a place.
func nodeName(place string) string {
	if i := strings.LastIndex(place, "node_modules/"); i >= 0 {
		return place[i+len("node_modules/"):]
	}
	return place
}

// nodeDependencies adds the methods of JavaScript files that import a changed package, or
// a package that depends on a changed one.
func (c *comparer) nodeDependencies(lock string, changed []string, texts ...[]byte) {
	affected := map[string]bool{}
	for _, text := range changed {
		name, _, _ := strings.Cut(text, " ")
		affected[name] = true
	}
	for grown := true; grown; {
		grown = false
		for _, text := range texts {
			packages, _ := readNodeLock(text)
			for place, p := range packages {
				name := nodeName(place)
				for _, needs := range []map[string]json.RawMessage{p.Dependencies, p.Requires, p.Optional, p.Peers} {
					for needed := range needs {
						if affected[needed] && !affected[name] {
							affected[name], grown = true, true
						}
					}
				}
			}
		}
	}
	r := newRegions()
	for _, name := range c.headFiles() {
		if source.LanguageOf(name) != "javascript" || source.IsTest(name) || !under(path.Dir(lock), name) {
			continue
		}
		if outline := c.outline(c.Head, name); outline != nil && slices.ContainsFunc(outline.Imports, func(p string) bool { return affected[packageName(p)] }) {
			c.codeOf(r, name)
		}
	}
	c.addDependencies(lock, r)
}

// packageName returns the package of a module that JavaScript imports.
func packageName(module string) string {
	parts := strings.Split(module, "/")
	if strings.HasPrefix(module, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}
