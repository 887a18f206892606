package selection

import (
	"regexp"
	"strings"
)

// Content classifies a changed line by its text alone. Kinds are ordered: the
// greatest of several lines decides how the lines are mapped.
type Content uint8

// The kinds of content.
const (
	None         Content = iota // no line
	Blank                       // white space
	Comment                     // part of a comment
	Import                      // an import of another package
	Decoration                  // an annotation, or nothing but brackets
	Signature                   // possibly part of a method's signature
	TopSignature                // a Signature that is not indented
	Code                        // anything else
)

// A language describes the comments and imports of a programming language.
type language struct {
	comments []string // prefixes of line comments
	stars    bool     // it has /* */ comments, whose lines may begin with *
	imports  *regexp.Regexp
}

var (
	goImport     = regexp.MustCompile(`^import\s+([A-Za-z_.]\w*\s+)?"[\w./~-]+"$`) // a string alone may be part of a constant
	dottedImport = regexp.MustCompile(`^(import|using|use)\s+[\w.:*{}, ]+;?$`)
	scriptImport = regexp.MustCompile(`^import\s+[\w*{}, $]+\s+from\s+['"][\w@./-]+['"];?$`)
)

// languageOf returns the language of files with an extension. In an unknown
// language, neither comments nor imports are recognized.
func languageOf(extension string) language {
	switch extension {
	case ".go":
		return language{[]string{"//"}, true, goImport}
	case ".java", ".kt", ".kts", ".scala", ".groovy", ".cs", ".rs", ".swift", ".dart":
		return language{[]string{"//"}, true, dottedImport}
	case ".js", ".mjs", ".cjs", ".ts", ".jsx", ".tsx":
		return language{[]string{"//"}, true, scriptImport}
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".m", ".php":
		return language{[]string{"//"}, true, nil}
	case ".py", ".rb", ".pl", ".r":
		return language{[]string{"#"}, false, nil}
	case ".lua", ".hs", ".sql":
		return language{[]string{"--"}, false, nil}
	default:
		return language{}
	}
}

// directive matches comments that compilers or interpreters obey.
var directive = regexp.MustCompile(`^(//(go:|export\b|line\b|\s*\+build\b|\s*#)|#!|#\s*-\*-)`)

// signature matches lines that may begin a method or declare its parameters:
// they have an opening parenthesis, but no assignment and no end of a statement.
var signature = regexp.MustCompile(`^[^=;]*\([^=;]*$`)

// content classifies a line. A truncated line counts as code.
func (l language) content(line string, truncated bool) Content {
	text := strings.TrimSpace(line)
	switch {
	case truncated:
		return Code
	case text == "":
		return Blank
	case l.comment(text):
		return Comment
	case l.imports != nil && l.imports.MatchString(text):
		return Import
	case strings.HasPrefix(text, "@"), strings.Trim(text, "{}()[],;") == "":
		return Decoration
	case signature.MatchString(text) && line[0] != ' ' && line[0] != '\t':
		return TopSignature
	case signature.MatchString(text):
		return Signature
	}
	return Code
}

func (l language) comment(text string) bool {
	if directive.MatchString(text) {
		return false
	}
	for _, mark := range l.comments {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	if !l.stars {
		return false
	}
	if end := strings.Index(text, "*/"); end >= 0 && end != len(text)-2 {
		return false // code follows the comment
	}
	return strings.HasPrefix(text, "/*") || text == "*" || text == "*/" ||
		strings.HasPrefix(text, "* ") && !strings.HasSuffix(text, ";")
}
