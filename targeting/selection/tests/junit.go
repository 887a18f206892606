package tests

import (
	"encoding/xml"
	"io"
	"strings"

	"github.com/inroad/inroad/targeting/selection"
)

// A Case is a test case in the JUnit report of a selection.
type Case struct {
	Class, Name string
	Reasons     []selection.Reason // why it is selected
	Skipped     bool               // it is left out
}

// The elements of a JUnit report.
type (
	junitSuite struct {
		XMLName xml.Name    `xml:"testsuite"`
		Name    string      `xml:"name,attr"`
		Tests   int         `xml:"tests,attr"`
		Skipped int         `xml:"skipped,attr"`
		Cases   []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Skipped *junitMessage `xml:"skipped"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
	}
)

// WriteJUnit writes a selection as a JUnit report: the selected tests with their reasons,
// and the others as skipped.
func WriteJUnit(w io.Writer, s *Selection) error {
	var cases []Case
	for _, t := range s.Tests {
		class, name := junitName(t.ID)
		cases = append(cases, Case{Class: class, Name: name, Reasons: t.Reasons})
	}
	for _, t := range s.Rest {
		class, name := junitName(t.ID)
		cases = append(cases, Case{Class: class, Name: name, Skipped: true})
	}
	return WriteCases(w, "inroad tests select", cases)
}

// WriteCases writes a JUnit report.
func WriteCases(w io.Writer, name string, cases []Case) error {
	suite := junitSuite{Name: name, Tests: len(cases)}
	for _, c := range cases {
		entry := junitCase{Class: c.Class, Name: c.Name}
		if c.Skipped {
			suite.Skipped++
			entry.Skipped = &junitMessage{"left out: not needed for this change"}
		}
		var reasons []string
		for _, r := range c.Reasons {
			reasons = append(reasons, r.String())
		}
		entry.Output = strings.Join(reasons, "\n")
		suite.Cases = append(suite.Cases, entry)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	out := xml.NewEncoder(w)
	out.Indent("", " ")
	if err := out.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// junitName returns the class and the name of a test in JUnit reports.
func junitName(id string) (class, name string) {
	group, name := split(id)
	if KindOf(id) != Pytest {
		return group, name
	}
	// tests/test_a.py::C::test_x is tests.test_a.C and test_x
	class = strings.ReplaceAll(strings.TrimSuffix(group, ".py"), "/", ".")
	bare, parameter, hasParameter := strings.Cut(name, "[")
	if i := strings.LastIndex(bare, "::"); i >= 0 {
		class += "." + strings.ReplaceAll(bare[:i], "::", ".")
		bare = bare[i+2:]
	}
	if hasParameter {
		bare += "[" + parameter
	}
	return class, bare
}
