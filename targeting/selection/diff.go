package selection

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// A FileChange is what a diff says of one file.
type FileChange struct {
	Old    string // its path before; empty if it is new
	New    string // its path after; empty if it is gone
	Binary bool   // what changed in it is not told
	Hunks  []Hunk
}

// Name returns the path that people know the file by.
func (f FileChange) Name() string {
	if f.New == "" {
		return f.Old
	}
	return f.New
}

// A Hunk is a run of changed lines.
type Hunk struct {
	Start   int       // the first line that is gone; if there is none, the one that lines were added behind
	Removed []Content // by line
	Added   []Content
}

// A DiffError tells where a diff is wrong.
type DiffError struct {
	Line   int
	Reason string
}

func (e *DiffError) Error() string { return fmt.Sprintf("line %d of the diff: %s", e.Line, e.Reason) }

// Bounds of a diff.
const (
	maxDiffFiles = 200_000
	maxDiffHunks = 2_000_000
	maxDiffLine  = 4096 // bytes of a line that are looked at
	maxDiffCount = 1 << 30
)

// ReadDiff reads a unified diff as git writes it, with or without context.
// Whatever is in it, the error is a *DiffError or that of r.
func ReadDiff(r io.Reader) ([]FileChange, error) {
	d := &diffReader{lines: bufio.NewReaderSize(r, 64<<10)}
	for {
		line, err := d.next()
		if errors.Is(err, io.EOF) {
			d.endFile()
			return d.files, nil
		}
		if err == nil {
			err = d.line(line)
		}
		if err != nil {
			return nil, err
		}
	}
}

// A diffReader is on its way through a diff.
type diffReader struct {
	lines  *bufio.Reader
	number int
	hunks  int

	files   []FileChange
	file    *FileChange // nil before the first
	partial bool        // of the file, only the line "diff --git" was read
}

// next returns the next line without its end, or its beginning if it is long.
func (d *diffReader) next() ([]byte, error) {
	line, err := d.lines.ReadSlice('\n')
	if len(line) == 0 && err != nil {
		return nil, err
	}
	d.number++
	line = bytes.Clone(line[:min(len(line), maxDiffLine)])
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = d.lines.ReadSlice('\n')
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return bytes.TrimSuffix(line, []byte("\n")), nil
}

func (d *diffReader) wrong(format string, args ...any) error {
	return &DiffError{d.number, fmt.Sprintf(format, args...)}
}

// line reads a line outside hunks.
func (d *diffReader) line(line []byte) error {
	text := strings.TrimSuffix(string(line), "\r")
	word, rest, _ := strings.Cut(text, " ")
	switch {
	case strings.HasPrefix(text, "diff --git "):
		return d.begin(strings.TrimPrefix(text, "diff --git "))
	case word == "---":
		return d.before(rest)
	case d.file == nil:
		return nil // what a mail or a log says before the first file
	case word == "+++":
		return d.after(rest)
	case word == "@@":
		return d.hunk(text)
	case strings.HasPrefix(text, "new file mode "):
		d.file.Old = ""
	case strings.HasPrefix(text, "deleted file mode "):
		d.file.New = ""
	case strings.HasPrefix(text, "rename from "), strings.HasPrefix(text, "copy from "):
		return d.named(&d.file.Old, text)
	case strings.HasPrefix(text, "rename to "), strings.HasPrefix(text, "copy to "):
		return d.named(&d.file.New, text)
	case strings.HasPrefix(text, "Binary files "), text == "GIT binary patch":
		d.file.Binary = true
	case strings.HasPrefix(text, "@@@"):
		return d.wrong("it is of a merge; give one of two versions")
	}
	return nil
}

func (d *diffReader) endFile() {
	if d.file != nil {
		d.files = append(d.files, *d.file)
		d.file = nil
	}
}

// begin begins a file. Its two names are the same, unless further lines say
// otherwise: then there is no telling where the first ends.
func (d *diffReader) begin(names string) error {
	d.endFile()
	if len(d.files) == maxDiffFiles {
		return d.wrong("it has more than %d files", maxDiffFiles)
	}
	d.file, d.partial = &FileChange{}, true
	if strings.HasPrefix(names, `"`) {
		if name, err := unquoted(names); err == nil {
			d.file.Old, d.file.New = strip(name), strip(name)
		}
		return nil
	}
	if half := len(names) / 2; len(names)%2 == 1 && names[half] == ' ' && strip(names[:half]) == strip(names[half+1:]) {
		d.file.Old, d.file.New = strip(names[:half]), strip(names[:half])
	}
	return nil
}

// before reads the name of the file before the change. Diffs that are not of
// git have no line in front of it.
func (d *diffReader) before(text string) error {
	if d.file == nil || !d.partial {
		d.endFile()
		if len(d.files) == maxDiffFiles {
			return d.wrong("it has more than %d files", maxDiffFiles)
		}
		d.file = &FileChange{}
	}
	d.partial = false
	name, err := fileName(text)
	if err != nil {
		return d.wrong("%v", err)
	}
	d.file.Old = name
	return nil
}

func (d *diffReader) after(text string) error {
	name, err := fileName(text)
	if err != nil {
		return d.wrong("%v", err)
	}
	d.file.New = name
	return nil
}

// named reads a line such as "rename from NAME", whose name has no prefix.
func (d *diffReader) named(to *string, text string) error {
	_, name, _ := strings.Cut(text, " ")
	_, name, _ = strings.Cut(name, " ")
	if strings.HasPrefix(name, `"`) {
		var err error
		if name, err = unquoted(name); err != nil {
			return d.wrong("%v", err)
		}
	}
	*to = name
	return nil
}

// fileName reads what stands behind --- or +++; it is empty for no file.
func fileName(text string) (string, error) {
	if strings.HasPrefix(text, `"`) {
		name, err := unquoted(text)
		return strip(name), err
	}
	name, _, _ := strings.Cut(text, "\t") // a time may stand behind it
	if name == "/dev/null" {
		return "", nil
	}
	if name == "" {
		return "", errors.New("there is no name")
	}
	return strip(name), nil
}

// strip takes off the a/ or b/ that git puts before names.
func strip(name string) string {
	if len(name) > 2 && name[1] == '/' && (name[0] == 'a' || name[0] == 'b') {
		return name[2:]
	}
	return name
}

// unquoted reads a name as git quotes it: like a C string, with bytes as octal
// numbers.
func unquoted(text string) (string, error) {
	var out []byte
	for i := 1; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return string(out), nil
		case '\\':
			value, size, ok := escape(text[i+1:])
			if !ok {
				return "", errors.New("a name has an escape that is none")
			}
			out = append(out, value)
			i += size
		default:
			out = append(out, c)
		}
	}
	return "", errors.New("a quoted name does not end")
}

// escape reads what stands behind a backslash.
func escape(text string) (value byte, size int, ok bool) {
	if text == "" {
		return 0, 0, false
	}
	const letters, values = `abtnvfr"\`, "\a\b\t\n\v\f\r\"\\"
	if i := strings.IndexByte(letters, text[0]); i >= 0 {
		return values[i], 1, true
	}
	if len(text) < 3 {
		return 0, 0, false
	}
	n, err := strconv.ParseUint(text[:3], 8, 8)
	return byte(n), 3, err == nil
}

// hunk reads a hunk: its head, and as many lines as that tells. What they say
// matters only where no unit is.
func (d *diffReader) hunk(head string) error {
	if d.hunks++; d.hunks > maxDiffHunks {
		return d.wrong("it has more than %d hunks", maxDiffHunks)
	}
	d.partial = false
	fields := strings.Fields(head)
	if len(fields) < 4 || fields[3] != "@@" {
		return d.wrong("%.80q is not the head of a hunk", head)
	}
	old, removed, err := lineRange(fields[1], '-')
	if err != nil {
		return d.wrong("%v", err)
	}
	_, added, err := lineRange(fields[2], '+')
	if err != nil {
		return d.wrong("%v", err)
	}
	if removed == 0 {
		old++ // lines count from the first behind the place
	}
	language := languageOf(path.Ext(d.file.Name()))
	var h *Hunk
	for at := old; removed > 0 || added > 0; {
		line, err := d.next()
		if errors.Is(err, io.EOF) {
			return d.wrong("a hunk ends before its last line")
		}
		if err != nil {
			return err
		}
		sign, text := byte(' '), ""
		if len(line) > 0 { // some tools cut off the blank of an empty line
			sign, text = line[0], string(line[1:])
		}
		switch {
		case sign == '\\': // "No newline at end of file"
			continue
		case sign == ' ' && removed > 0 && added > 0:
			at, removed, added, h = at+1, removed-1, added-1, nil
			continue
		case sign == '-' && removed > 0, sign == '+' && added > 0:
		default:
			return d.wrong("a hunk has a line that does not belong there")
		}
		if h == nil {
			d.file.Hunks = append(d.file.Hunks, Hunk{Start: at - 1})
			h = &d.file.Hunks[len(d.file.Hunks)-1]
		}
		if sign == '-' {
			if len(h.Removed) == 0 {
				h.Start = at
			}
			at, removed = at+1, removed-1
			h.Removed = append(h.Removed, language.content(text, len(line) == maxDiffLine))
		} else {
			added--
			h.Added = append(h.Added, language.content(text, len(line) == maxDiffLine))
		}
	}
	return nil
}

// lineRange reads -12,3 or -12.
func lineRange(text string, sign byte) (start, count int, err error) {
	if text == "" || text[0] != sign {
		return 0, 0, fmt.Errorf("%.40q is not a range of lines", text)
	}
	first, length, ok := strings.Cut(text[1:], ",")
	if !ok {
		length = "1"
	}
	start, err = strconv.Atoi(first)
	if err == nil {
		count, err = strconv.Atoi(length)
	}
	if err != nil || start < 0 || count < 0 || start > maxDiffCount || count > maxDiffCount {
		return 0, 0, fmt.Errorf("%.40q is not a range of lines", text)
	}
	return start, count, nil
}
