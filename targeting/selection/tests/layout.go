package tests

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// A Layout knows which files belong to the tests of a record. Files are relative to the
// root of the program.
type Layout struct {
	Module string          // import path of the Go module at the root
	groups []string        // sorted
	others []string        // groups of other kinds, sorted
	files  map[string]bool // of the program
	kinds  map[Kind]bool
}

// NewLayout returns the layout of tests and the files of the units that they may reach.
func NewLayout(module string, all []Test, files []string) *Layout {
	l := &Layout{Module: module, files: map[string]bool{}, kinds: map[Kind]bool{}}
	for _, t := range all {
		l.groups = append(l.groups, Group(t.ID))
		l.kinds[KindOf(t.ID)] = true
		if KindOf(t.ID) == Other {
			l.others = append(l.others, Group(t.ID))
		}
	}
	slices.Sort(l.groups)
	slices.Sort(l.others)
	l.groups = slices.Compact(l.groups)
	for _, file := range files {
		l.files[file] = true
	}
	return l
}

// Groups returns the groups of tests that a changed file belongs to, as a test file or as
// a file that only tests use. It returns false if the file does not belong to tests.
func (l *Layout) Groups(file string) ([]string, bool) {
	if l.kinds[Go] {
		if groups, ok := l.goGroups(file); ok {
			return groups, true
		}
	}
	if l.kinds[Pytest] {
		if groups, ok := l.pytestGroups(file); ok {
			return groups, true
		}
	}
	if l.kinds[JUnit] {
		if groups, ok := l.junitGroups(file); ok {
			return groups, true
		}
	}
	return l.otherGroups(file)
}

// otherGroups returns the groups of all tests whose files are unknown, if a file looks
// like a test file.
func (l *Layout) otherGroups(file string) ([]string, bool) {
	if len(l.others) == 0 || !testFile.MatchString(file) {
		return nil, false
	}
	return l.others, true
}

var testFile = regexp.MustCompile(`(^|/)(tests?|testdata|__tests__|spec)/|(^|/)(test_[^/]*|conftest\.py|[^/]*(_test|_spec|\.test|\.spec|Test|Tests)\.\w+)$`)

// goGroups returns the package of a test file, or the nearest package with tests around a
// testdata folder.
func (l *Layout) goGroups(file string) ([]string, bool) {
	dir := path.Dir(file)
	if strings.HasSuffix(file, "_test.go") {
		return []string{path.Join(l.Module, dir)}, true
	}
	before, _, ok := strings.Cut("/"+file, "/testdata/")
	if !ok {
		return nil, false
	}
	for dir = strings.TrimPrefix(before, "/"); ; dir = path.Dir(dir) {
		if group := path.Join(l.Module, dir); l.has(group) {
			return []string{group}, true
		}
		if dir == "." || dir == "" {
			return nil, false
		}
	}
}

var pytestFile = regexp.MustCompile(`(^|/)(test_[^/]*|[^/]*_test)\.py$`)

// pytestGroups returns a test file itself. It returns all tests in and below the folder
// for conftest.py, for other files in a folder with tests and without files of the program,
// and for files below a folder named test or tests.
func (l *Layout) pytestGroups(file string) ([]string, bool) {
	if pytestFile.MatchString(file) || l.has(file) {
		return []string{file}, true
	}
	if path.Base(file) == "conftest.py" {
		return l.below(path.Dir(file)), true
	}
	folders := strings.Split(path.Dir(file), "/")
	isTest := slices.Contains(folders, "tests") || slices.Contains(folders, "test")
	if l.files[file] && !isTest {
		return nil, false
	}
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if slices.ContainsFunc(l.groups, func(group string) bool { return path.Dir(group) == dir }) {
			return l.below(dir), isTest || !l.isProgram(dir)
		}
	}
	return l.groups, isTest
}

// below returns the groups in and below a folder.
func (l *Layout) below(dir string) []string {
	var out []string
	for _, group := range l.groups {
		if dir == "." || strings.HasPrefix(group, dir+"/") {
			out = append(out, group)
		}
	}
	return out
}

// isProgram reports whether a folder contains files of the program.
func (l *Layout) isProgram(dir string) bool {
	for file := range l.files {
		if strings.HasPrefix(file, dir+"/") && !pytestFile.MatchString(file) {
			return true
		}
	}
	return false
}

var (
	junitSource = regexp.MustCompile(`(?:^|/)src/(?:test|[a-z]\w*Test)/(?:\w+/)?(.*)$`)
	junitClass  = regexp.MustCompile(`(^|[./])(Test\w*|\w*(Test|Tests|TestCase|IT))$`)
)

// junitGroups returns the class of a test file, and all groups for other files of the test
// sources.
func (l *Layout) junitGroups(file string) ([]string, bool) {
	match := junitSource.FindStringSubmatch(file)
	if match == nil {
		return nil, false
	}
	class := strings.ReplaceAll(strings.TrimSuffix(match[1], path.Ext(match[1])), "/", ".")
	if l.has(class) || path.Ext(file) != "" && junitClass.MatchString(class) {
		return []string{class}, true
	}
	return l.groups, true
}

func (l *Layout) has(group string) bool {
	_, ok := slices.BinarySearch(l.groups, group)
	return ok
}
