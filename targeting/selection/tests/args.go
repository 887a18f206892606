package tests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Format is the syntax of the arguments of a tool that runs tests.
type Format string

// The formats.
const (
	GoArgs       Format = "go"       // a line of arguments of go test per package
	PytestArgs   Format = "pytest"   // a node ID or file per line
	SurefireArgs Format = "surefire" // -Dtest=... for Maven
	GradleArgs   Format = "gradle"   // --tests ... for Gradle
	Names        Format = "names"    // an ID per line
)

// FormatOf returns the format for tests of a kind.
func FormatOf(kind Kind) Format {
	switch kind {
	case Go:
		return GoArgs
	case Pytest:
		return PytestArgs
	case JUnit:
		return SurefireArgs
	}
	return Names
}

// Args returns the arguments that run a selection, as lines. It returns no lines if there
// is nothing to run. exists reports whether a package or file still exists.
func Args(s *Selection, format Format, exists func(file string) bool) []string {
	whole := map[string]bool{}
	for _, group := range s.Groups {
		whole[group] = true
	}
	parts := map[string][]string{} // names of tests, by group
	for _, t := range s.Tests {
		if group, name := split(t.ID); !whole[group] {
			parts[group] = append(parts[group], name)
		}
	}
	groups := slices.Sorted(maps.Keys(parts))
	for _, names := range parts {
		slices.Sort(names)
	}
	switch format {
	case GoArgs:
		return goArgs(s, groups, parts, exists)
	case PytestArgs:
		return pytestArgs(s, groups, parts, exists)
	case SurefireArgs:
		return surefireArgs(s, groups, parts)
	case GradleArgs:
		return gradleArgs(s, groups, parts)
	}
	var out []string
	for _, t := range s.Tests {
		out = append(out, t.ID)
	}
	return out
}

func goArgs(s *Selection, groups []string, parts map[string][]string, exists func(string) bool) []string {
	if s.Everything {
		return []string{"./..."}
	}
	out := existing(s.Groups, exists)
	for _, group := range groups {
		out = append(out, fmt.Sprintf("-run '^(%s)$' %s", strings.Join(parts[group], "|"), group))
	}
	return out
}

func pytestArgs(s *Selection, groups []string, parts map[string][]string, exists func(string) bool) []string {
	if s.Everything {
		return []string{"."}
	}
	out := existing(s.Groups, exists)
	for _, group := range groups {
		for _, name := range parts[group] {
			out = append(out, group+"::"+name)
		}
	}
	return out
}

func existing(groups []string, exists func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(groups), func(group string) bool { return !exists(group) })
}

func surefireArgs(s *Selection, groups []string, parts map[string][]string) []string {
	if s.Everything {
		return []string{"-Dtest=*"}
	}
	list := slices.Clone(s.Groups)
	for _, group := range groups {
		list = append(list, group+"#"+strings.Join(parts[group], "+"))
	}
	if len(list) == 0 {
		return nil
	}
	return []string{"-Dtest=" + strings.Join(list, ",")}
}

func gradleArgs(s *Selection, groups []string, parts map[string][]string) []string {
	if s.Everything {
		return []string{"--tests '*'"}
	}
	var list []string
	for _, group := range s.Groups {
		list = append(list, "--tests "+group)
	}
	for _, group := range groups {
		for _, name := range parts[group] {
			list = append(list, "--tests "+group+"."+name)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return []string{strings.Join(list, " ")}
}
