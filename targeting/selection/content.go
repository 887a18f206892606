package selection

import (
	"regexp"
	"strings"
)

// Content is what a changed line is, as far as that can be told without knowing
// the language. Of several lines the greatest counts.
type Content uint8

// Kinds of content.
const (
	Nothing    Content = iota // there is no line
	Blank                     // a line without text
	Comment                   // a line of a comment
	Import                    // a name of another package
	Decoration                // an annotation, or brackets alone
	Head                      // what looks like the head of a method
	OuterHead                 // the same, and not indented
	Code                      // anything else
)

// A language tells comments and imports.
type language struct {
	comments []string
	stars    bool // comments run over lines, which begin with *
	imports  *regexp.Regexp
}

var (
	goImport     = regexp.MustCompile(`^(import\s*\(|\)|(import\s+)?([A-Za-z]\w*\s+)?"[\w./~-]+")$`)
	dottedImport = regexp.MustCompile(`^(import|using|use)\s+[\w.:*{}, ]+;?$`)
	scriptImport = regexp.MustCompile(`^import\s+[\w*{}, $]+\s+from\s+['"][\w@./-]+['"];?$`)
)

// languageOf returns what is known of files with an extension. Where nothing is
// known, all is code.
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

// directive is a comment that compilers or interpreters obey.
var directive = regexp.MustCompile(`^(//(go:|export\b|line\b|\s*\+build\b|\s*#)|#!|#\s*-\*-)`)

// head is a line that may open a method or declare its parameters: it has a
// bracket, gives nothing a value and does not end a statement.
var head = regexp.MustCompile(`^[^=;]*\([^=;]*$`)

// content tells what a line is. Of a line that was cut nothing is known.
func (l language) content(line string, cut bool) Content {
	text := strings.TrimSpace(line)
	switch {
	case cut:
		return Code
	case text == "":
		return Blank
	case l.comment(text):
		return Comment
	case l.imports != nil && l.imports.MatchString(text):
		return Import
	case strings.HasPrefix(text, "@"), strings.Trim(text, "{}()[],;") == "":
		return Decoration
	case head.MatchString(text) && line[0] != ' ' && line[0] != '\t':
		return OuterHead
	case head.MatchString(text):
		return Head
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
		return false // something stands behind the comment
	}
	return strings.HasPrefix(text, "/*") || text == "*" || text == "*/" ||
		strings.HasPrefix(text, "* ") && !strings.HasSuffix(text, ";")
}
