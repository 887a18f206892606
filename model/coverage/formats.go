package coverage

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A Format is a coverage report format.
type Format string

// Report formats.
const (
	Auto       Format = "auto"        // detect the format
	LCOV       Format = "lcov"        // lcov tracefiles, which many tools write
	JaCoCo     Format = "jacoco"      // JaCoCo XML reports
	GoCover    Format = "gocover"     // GOCOVERDIR folders and text profiles
	LLVMCov    Format = "llvm-cov"    // JSON of llvm-cov export
	Gcov       Format = "gcov"        // JSON of gcov --json-format
	CoveragePy Format = "coverage.py" // JSON of coverage json
	Istanbul   Format = "istanbul"    // coverage-final.json of nyc, c8 and Jest
	V8         Format = "v8"          // files that Node writes to NODE_V8_COVERAGE
	Cobertura  Format = "cobertura"   // Cobertura XML reports, which many tools write
)

// A reader reads the reports in one format.
type reader struct {
	format  Format
	name    string // of a report
	methods string // where a report lists methods
	read    func(r *Reports, text io.Reader, run string) error
}

func readers() []reader {
	return []reader{
		{LCOV, "an lcov tracefile", "lines FN: or FNL:", (*Reports).readLCOV},
		{JaCoCo, "a JaCoCo XML report", "method elements", (*Reports).readJaCoCo},
		{GoCover, "a Go profile", "blocks of functions", (*Reports).readGoProfile},
		{LLVMCov, "JSON of llvm-cov export", `"functions"`, (*Reports).readLLVM},
		{Gcov, "JSON of gcov", `"functions"`, (*Reports).readGcov},
		{CoveragePy, "JSON of coverage.py", `"functions"`, (*Reports).readCoveragePy},
		{Istanbul, "a coverage-final.json of istanbul", `functions in "fnMap"`, (*Reports).readIstanbul},
		{V8, "a NODE_V8_COVERAGE file", "scripts below the folder of the sources and outside node_modules", (*Reports).readV8},
		{Cobertura, "a Cobertura XML report", "method elements", (*Reports).readCobertura},
	}
}

// Formats returns all formats, [Auto] first.
func Formats() []Format {
	all := []Format{Auto}
	for _, r := range readers() {
		all = append(all, r.format)
	}
	return all
}

func readerOf(format Format) (reader, error) {
	all := readers()
	if i := slices.IndexFunc(all, func(r reader) bool { return r.format == format }); i >= 0 {
		return all[i], nil
	}
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return reader{}, fmt.Errorf("format %q: must be %s", format, oneOf(names))
}

// unknownFormat reports that the start of a report matches no format.
func unknownFormat(head []byte) error {
	var names []string
	for _, r := range readers() {
		names = append(names, r.name)
	}
	found := "unknown report format"
	head = trimHead(head)
	if key, ok := jsonKey(json.NewDecoder(bytes.NewReader(head))); ok {
		found += fmt.Sprintf(", JSON with the member %q", key)
	} else if root := xmlRoot(head); root != "" {
		found += fmt.Sprintf(", XML with the root element %q", root)
	}
	return fmt.Errorf("%s: must be %s", found, oneOf(names))
}

func oneOf(names []string) string {
	n := len(names) - 1
	return strings.Join(names[:n], ", ") + " or " + names[n]
}

func trimHead(head []byte) []byte {
	return bytes.TrimLeft(bytes.TrimPrefix(head, []byte(byteOrderMark)), " \t\r\n")
}

// detectFormat guesses the format from the start of a report. It returns "" if the
// format is unknown.
func detectFormat(head []byte) Format {
	head = trimHead(head)
	has := func(prefix string) bool { return bytes.HasPrefix(head, []byte(prefix)) }
	switch {
	case has("TN:"), has("SF:"):
		return LCOV
	case has("mode: "):
		return GoCover
	case has("{"):
		return detectJSON(head)
	}
	switch xmlRoot(head) {
	case "report":
		return JaCoCo
	case "coverage":
		if !bytes.Contains(head, []byte(" clover=")) {
			return Cobertura
		}
	}
	return ""
}

// xmlRoot returns the name of the first element, or "".
func xmlRoot(head []byte) string {
	if !bytes.HasPrefix(head, []byte("<")) {
		return ""
	}
	decoder := xml.NewDecoder(bytes.NewReader(head))
	decoder.CharsetReader = func(_ string, text io.Reader) (io.Reader, error) { return text, nil }
	for {
		token, err := decoder.RawToken()
		if err != nil {
			return ""
		}
		if e, ok := token.(xml.StartElement); ok {
			return e.Name.Local
		}
	}
}

// jsonKey returns the next key, if an object starts or continues.
func jsonKey(d *json.Decoder) (string, bool) {
	token, err := d.Token()
	if token == json.Delim('{') && err == nil {
		token, err = d.Token()
	}
	key, ok := token.(string)
	return key, ok && err == nil
}

// detectJSON tells JSON reports apart by their first member.
func detectJSON(head []byte) Format {
	d := json.NewDecoder(bytes.NewReader(head))
	key, ok := jsonKey(d)
	if !ok {
		return ""
	}
	switch key {
	case "data", "type", "version":
		return LLVMCov
	case "gcc_version", "format_version", "current_working_directory", "data_file":
		return Gcov
	case "meta", "totals":
		return CoveragePy
	case "result", "timestamp", "source-map-cache":
		return V8
	}
	value, err := d.Token()
	switch {
	case err != nil:
		return ""
	case key == "files" && value == json.Delim('['):
		return Gcov
	case key == "files" && value == json.Delim('{'):
		return CoveragePy
	case value != json.Delim('{'):
		return ""
	}
	if member, ok := jsonKey(d); ok && slices.Contains([]string{"path", "all", "statementMap", "fnMap", "branchMap", "s", "f", "b", "data"}, member) {
		return Istanbul
	}
	return ""
}

// isObservation reports whether a text starts like an observation or the header of a
// file of observations.
func isObservation(head []byte) bool {
	head = trimHead(head)
	return bytes.HasPrefix(head, []byte("{")) && detectFormat(head) == "" &&
		(bytes.Contains(head, []byte(`"inroad"`)) || bytes.Contains(head, []byte(`"input`)))
}

var v8File = regexp.MustCompile(`^coverage-\d+-\d+-\d+\.json$`)

// isRunFile reports whether a tool wrote a file of this name to a folder for one run.
func isRunFile(name string) bool {
	return strings.HasPrefix(name, "covmeta.") || strings.HasSuffix(name, ".gcov.json.gz") || strings.HasSuffix(name, ".gcov.json") || v8File.MatchString(name)
}
