package selection

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"
)

// A FileChange describes the change to one file.
type FileChange struct {
	Old    string // path before the change; empty for a new file
	New    string // path after the change; empty for a deleted file
	Binary bool   // the changed lines are unknown
	Hunks  []Hunk
}

// Name returns the new path of the file, or the old one if the file was deleted.
func (f FileChange) Name() string {
	if f.New == "" {
		return f.Old
	}
	return f.New
}

// A Hunk is a run of consecutive changed lines, without context.
type Hunk struct {
	Start   int       // first removed line; without removed lines, the line before the added ones
	Removed []Content // one per removed line
	Added   []Content // one per added line
}

// A DiffError reports a line of a diff that cannot be parsed.
type DiffError struct {
	Line   int
	Reason string
}

func (e *DiffError) Error() string { return fmt.Sprintf("line %d of the diff: %s", e.Line, e.Reason) }

// Limits of a diff.
const (
	maxDiffFiles  = 200_000
	maxDiffHunks  = 2_000_000
	maxFileLines  = 2_000_000 // of one file, or of all files without a header of git
	maxDiffLine   = 4096      // bytes of a line; the rest of the line is dropped
	maxLineBits   = 30        // of line numbers in a file
	maxLineNumber = 1<<maxLineBits - 1
)

// ParseDiff parses a unified diff of git or diff -u, with or without context.
// The error is a *DiffError.
//
// Text around the files, such as a commit message, is skipped. A non-empty text
// without any file is an error, because it may be a diff in another format.
func ParseDiff(text string) ([]FileChange, error) {
	n := &diffNormalizer{escape: strings.NewReplacer(`\\`, `\134`, `\"`, `\042`)}
	if err := n.normalize(text); err != nil {
		return nil, err
	}
	if len(n.changes) == 0 && strings.TrimSpace(text) != "" {
		return nil, &DiffError{1, "no file of a unified diff: expected 'diff --git', or '---' and '+++' followed by '@@'"}
	}
	return n.changes, nil
}

// gitdiffError is the form of gitdiff's errors.
var gitdiffError = regexp.MustCompile(`(?s)^gitdiff: line (\d+): (.*)$`)

// diffError converts an error of gitdiff to a *DiffError. gitdiff parsed the
// lines from first to last; an error without a line number is about the last
// one.
func diffError(err error, first, last int) error {
	parts := gitdiffError.FindStringSubmatch(err.Error())
	if parts == nil {
		return &DiffError{last, err.Error()}
	}
	line, err := strconv.Atoi(parts[1])
	if err != nil {
		line = last
	}
	return &DiffError{min(first-1+line, last), parts[2]}
}

func fileChange(f *gitdiff.File) FileChange {
	change := FileChange{Old: f.OldName, New: f.NewName, Binary: f.IsBinary}
	if f.IsNew || f.OldName == noFile {
		change.Old = ""
	}
	if f.IsDelete || f.NewName == noFile {
		change.New = ""
	}
	language := languageOf(path.Ext(change.Name()))
	for _, fragment := range f.TextFragments {
		change.Hunks = append(change.Hunks, hunks(fragment, language)...)
	}
	return change
}

// hunks splits a fragment at its context lines.
func hunks(fragment *gitdiff.TextFragment, language language) []Hunk {
	var out []Hunk
	line := int(fragment.OldPosition) // the next line of the old file
	if fragment.OldLines == 0 {
		line++ // the position is that of the line before the added ones
	}
	inside := false
	for _, l := range fragment.Lines {
		if l.Op == gitdiff.OpContext {
			line++
			inside = false
			continue
		}
		if !inside {
			out = append(out, Hunk{Start: line - 1})
			inside = true
		}
		h := &out[len(out)-1]
		text := strings.TrimSuffix(l.Line, "\n")
		content := language.content(text, len(text) == maxDiffLine-1) // the sign is a byte of the line
		if l.Op == gitdiff.OpAdd {
			h.Added = append(h.Added, content)
			continue
		}
		if len(h.Removed) == 0 {
			h.Start = line
		}
		h.Removed = append(h.Removed, content)
		line++
	}
	return out
}

// noFile is the name of the missing side of a new or deleted file.
const noFile = "/dev/null"

// A diffNormalizer checks the limits of a diff, rewrites header lines that gitdiff
// would misread, and has gitdiff parse one file at a time, because gitdiff needs
// some 100 bytes per line. It keeps the number of lines, so that errors of gitdiff
// have the right line numbers.
//
// gitdiff drops the first component of every name behind "diff --git", even if
// git was told to print no prefix; it keeps a/ and b/ in other diffs; it takes
// the quote in `"x\\"` for an escaped one; it keeps carriage returns in names;
// and it skips merges and plain "Binary files" lines without an error.
type diffNormalizer struct {
	changes []FileChange
	out     bytes.Buffer      // normalized lines that are not parsed yet
	parsed  int               // number of lines that are parsed
	line    int               // number of the current line
	escape  *strings.Replacer // of quoted names
	files   int
	hunks   int

	removed, added int // lines of the current hunk that are still to come

	// The header that began with "diff --git", if git is true.
	git      bool
	bare     bool   // its names have no prefix
	from, to string // as in "rename from" and "rename to"
}

func (n *diffNormalizer) normalize(text string) error {
	for line := range strings.Lines(text) {
		if n.line++; n.line-n.parsed > maxFileLines {
			return n.errorf("more than %d lines in one file", maxFileLines)
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		line = line[:min(len(line), maxDiffLine)]
		var err error
		if n.removed > 0 || n.added > 0 {
			err = n.hunkLine(line)
		} else {
			line, err = n.header(line)
		}
		if err != nil {
			return err
		}
		n.out.WriteString(line)
		n.out.WriteByte('\n')
	}
	if n.removed > 0 || n.added > 0 {
		return n.errorf("the hunk ends too early: %d removed and %d added lines are missing", n.removed, n.added)
	}
	return n.parse(n.line)
}

// parse parses the normalized lines, up to a line number.
func (n *diffNormalizer) parse(last int) error {
	files, _, err := gitdiff.Parse(&n.out) // reads all of it
	if err != nil {
		return diffError(err, n.parsed+1, last)
	}
	for _, f := range files {
		n.changes = append(n.changes, fileChange(f))
	}
	n.parsed = last
	return nil
}

func (n *diffNormalizer) errorf(format string, args ...any) error {
	return &DiffError{n.line, fmt.Sprintf(format, args...)}
}

// hunkLine counts a line of a hunk.
func (n *diffNormalizer) hunkLine(line string) error {
	sign := byte(' ') // some tools trim the space of an empty context line
	if line != "" {
		sign = line[0]
	}
	switch sign {
	case ' ':
		n.removed--
		n.added--
	case '-':
		n.removed--
	case '+':
		n.added--
	case '\\': // "\ No newline at end of file"
	default:
		return n.errorf("a line in a hunk begins with %q: expected ' ', '-', '+' or '\\'", sign)
	}
	if n.removed < 0 || n.added < 0 {
		return n.errorf("the hunk has more lines than its header says")
	}
	return nil
}

// Lines without a diff, for the changes of a submodule and for new or deleted files.
var (
	changedSubmodule = regexp.MustCompile(`^Submodule .+ [0-9a-f]{7,64}\.\.\.?[0-9a-f]{7,64}`)
	onlyIn           = regexp.MustCompile(`^Only in .+: .`)
)

// header returns a line outside hunks in the form that gitdiff reads.
func (n *diffNormalizer) header(line string) (string, error) {
	keyword, rest, _ := strings.Cut(line, " ")
	switch {
	case strings.HasPrefix(line, "@@@"), strings.HasPrefix(line, "diff --cc "), strings.HasPrefix(line, "diff --combined "):
		return "", n.errorf("the diff of a merge: expected a diff of two versions")
	case keyword == "@@" && n.files > 0:
		return line, n.hunkHeader(line)
	case strings.HasPrefix(line, "diff --git "):
		if err := n.parse(n.line - 1); err != nil {
			return "", err
		}
		n.git, n.from, n.to = true, "", ""
		return "diff --git " + n.gitNames(strings.TrimPrefix(line, "diff --git ")), n.countFile()
	case keyword == "---" && rest != "":
		name, err := n.fileName(rest, "a/", n.from)
		return "--- " + name, err
	case keyword == "+++" && rest != "":
		name, err := n.fileName(rest, "b/", n.to)
		if err == nil && !n.git {
			err = n.countFile()
		}
		return "+++ " + name, err
	case strings.HasPrefix(line, "Binary files "), line == "GIT binary patch":
		return line, n.binary(line)
	case changedSubmodule.MatchString(line):
		return "", n.errorf("the log of a submodule: expected a diff of git with --submodule=short")
	case onlyIn.MatchString(line):
		return "", n.errorf("a file of one version only: expected its lines, as diff -N prints them")
	case n.git:
		return n.rename(line)
	}
	return line, nil
}

func (n *diffNormalizer) countFile() error {
	if n.files++; n.files > maxDiffFiles {
		return n.errorf("more than %d files", maxDiffFiles)
	}
	return nil
}

func (n *diffNormalizer) hunkHeader(line string) error {
	if n.hunks++; n.hunks > maxDiffHunks {
		return n.errorf("more than %d hunks", maxDiffHunks)
	}
	n.git = false
	parts := strings.SplitN(line, " ", 5)
	if len(parts) < 4 || parts[3] != "@@" {
		return n.errorf("invalid hunk header %.80q", line)
	}
	var err error
	if n.removed, err = lineCount(parts[1], "-"); err == nil {
		n.added, err = lineCount(parts[2], "+")
	}
	if err != nil {
		return n.errorf("invalid hunk header %.80q: %v", line, err)
	}
	return nil
}

// lineCount returns the number of lines in a range such as -12,3 or -12.
func lineCount(text, sign string) (int, error) {
	numbers, ok := strings.CutPrefix(text, sign)
	if !ok {
		return 0, fmt.Errorf("%q: must begin with %q", text, sign)
	}
	start, count, ok := strings.Cut(numbers, ",")
	if !ok {
		count = "1"
	}
	_, startErr := strconv.ParseUint(start, 10, maxLineBits)
	lines, countErr := strconv.ParseUint(count, 10, maxLineBits)
	if err := errors.Join(startErr, countErr); err != nil {
		return 0, fmt.Errorf("line numbers must be between 0 and %d", maxLineNumber)
	}
	return int(lines), nil
}

// gitNames returns the names behind "diff --git", quoted and with a prefix. If their
// lengths differ, the file was renamed, and gitNames returns "", because further lines
// name the file. Quoting also spares gitdiff the search for the space between the
// names, which is quadratic.
func (n *diffNormalizer) gitNames(names string) string {
	half := len(names) / 2
	if len(names)%2 == 0 || names[half] != ' ' {
		n.bare = false
		return ""
	}
	first, second := names[:half], names[half+1:]
	if n.bare = first == second; n.bare {
		first, second = addPrefix(first, "a/"), addPrefix(second, "b/")
	}
	return n.quote(first) + " " + n.quote(second)
}

func (n *diffNormalizer) quote(name string) string {
	if !strings.HasPrefix(name, `"`) {
		name = strconv.Quote(name)
	}
	return n.escape.Replace(name)
}

// fileName returns the name behind --- or +++, and any time behind the name, in the
// form that gitdiff reads: with a prefix only in a header of git. renamed is the name
// without a prefix if the file was renamed.
func (n *diffNormalizer) fileName(text, prefix, renamed string) (string, error) {
	name, _, _ := strings.Cut(text, "\t")
	if name == "" {
		return "", n.errorf("missing file name")
	}
	switch {
	case name == noFile:
		return text, nil
	case !n.git:
		text = trimPrefix(text)
	case n.bare || name == renamed:
		text = addPrefix(text, prefix)
	}
	return n.checkQuoted(text)
}

// rename records the names of a renamed or copied file.
func (n *diffNormalizer) rename(line string) (string, error) {
	for _, keyword := range []string{"rename from ", "copy from ", "rename to ", "copy to "} {
		name, ok := strings.CutPrefix(line, keyword)
		if !ok {
			continue
		}
		if strings.HasSuffix(keyword, "from ") {
			n.from = name
		} else {
			n.to = name
		}
		name, err := n.checkQuoted(name)
		return keyword + name, err
	}
	return line, nil
}

// checkQuoted rewrites the escapes of a quoted name for gitdiff. It returns an
// error if the quoting is invalid, and other text unchanged.
func (n *diffNormalizer) checkQuoted(text string) (string, error) {
	if !strings.HasPrefix(text, `"`) {
		return text, nil
	}
	if _, err := strconv.QuotedPrefix(text); err != nil {
		return "", n.errorf("invalid quoted file name %.80s", text)
	}
	return n.escape.Replace(text), nil
}

// binary records a binary file without a header of its own.
func (n *diffNormalizer) binary(line string) error {
	names, ok := strings.CutPrefix(line, "Binary files ")
	inGit := n.git
	n.git = false
	if inGit || !ok || !strings.HasSuffix(names, " differ") {
		return nil
	}
	before, after, _ := strings.Cut(strings.TrimSuffix(names, " differ"), " and ")
	n.changes = append(n.changes, FileChange{Old: trimPrefix(before), New: trimPrefix(after), Binary: true})
	return n.countFile()
}

// addPrefix adds a/ or b/ to a name that may be quoted.
func addPrefix(name, prefix string) string {
	if rest, ok := strings.CutPrefix(name, `"`); ok {
		return `"` + prefix + rest
	}
	return prefix + name
}

// trimPrefix removes a/ or b/ from a name that may be quoted.
func trimPrefix(name string) string {
	rest, quoted := strings.CutPrefix(name, `"`)
	if len(rest) > 2 && rest[1] == '/' && (rest[0] == 'a' || rest[0] == 'b') {
		rest = rest[2:]
	}
	if quoted {
		return `"` + rest
	}
	return rest
}
