package bolt_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A recording has the system calls with which a process changed the files of a folder.
type recording struct {
	files   []*recordedFile
	names   []change // of the folder, in order
	synced  []span   // of the folder
	written []change // to the log, in order
	end     int      // the time after the last call
}

// A span is the time that a call took, in lines of the trace.
type span struct{ begin, end int }

// A recordedFile has the changes of a file, in order, whatever its name is.
type recordedFile struct {
	changes []change
	synced  []span
}

// A change is a change of a file or of the names in a folder.
type change struct {
	span
	offset int64
	data   []byte
	resize bool // to offset, without data

	name, from string        // file has this name now, and not the name from
	file       *recordedFile // nil if there is no file with this name any more
}

// record runs a command under strace and returns how it changed the files of a
// folder. Writes to the file log in the folder are apart. The test is skipped if
// strace is missing or not allowed to trace.
func record(t *testing.T, folder, log string, command ...string) *recording {
	t.Helper()
	tool := straceTool(t)
	trace := filepath.Join(t.TempDir(), "trace")
	args := append([]string{
		"-f", "-qq", "--seccomp-bpf", "-y", "-xx", "-s", "100000000", "-e", "signal=none", "-o", trace,
		"-e", "trace=/open.*,creat,/write.*,/pwrite.*,lseek,/.*truncate,fallocate,/f.*sync,sync_file_range,/rename.*,/unlink.*,/link.*,/copy_file.*,/sendfile.*,splice,mmap,msync",
	}, command...)
	out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput()
	text, _ := os.ReadFile(trace)
	switch {
	case len(text) == 0:
		t.Skipf("strace cannot trace here: %v: %s", err, out)
	case err != nil:
		t.Fatalf("%v: %s", err, out)
	}
	p := &traceParser{folder: folder, log: filepath.Join(folder, log), names: map[string]*recordedFile{}, offsets: map[string]int64{}, waiting: map[string]call{}}
	for line := range bytes.Lines(text) {
		if err := p.line(string(line)); err != nil {
			t.Fatalf("line %d of the trace: %v: %.300s", p.end+1, err, line)
		}
		p.end++
	}
	return &p.recording
}

type traceParser struct {
	recording
	folder, log string
	names       map[string]*recordedFile // that open files have now
	offsets     map[string]int64         // of open files, by descriptor
	waiting     map[string]call          // calls that have not ended, by thread
}

type call struct {
	text  string
	begin int
}

// line parses a line of the trace. Another thread may interrupt a call:
//
//	7 fsync(5<file> <unfinished ...>
//	8 …
//	7 <... fsync resumed>) = 0
func (p *traceParser) line(line string) error {
	thread, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	c := call{strings.TrimLeft(text, " "), p.end}
	if begin, ok := strings.CutSuffix(c.text, " <unfinished ...>"); ok {
		p.waiting[thread] = call{begin, p.end}
		return nil
	}
	if strings.HasSuffix(c.text, "<detached ...>") { // a thread that ended
		return nil
	}
	if strings.HasPrefix(c.text, "<... ") {
		_, rest, _ := strings.Cut(c.text, " resumed>")
		c = p.waiting[thread]
		c.text += rest
	}
	name, rest, _ := strings.Cut(c.text, "(")
	i := strings.LastIndex(rest, " = ")
	if i < 0 {
		return errors.New("no call")
	}
	args, result := strings.TrimSuffix(strings.TrimRight(rest[:i], " "), ")"), rest[i+len(" = "):]
	if strings.HasPrefix(result, "-") || strings.HasPrefix(result, "?") { // failed, or the process ended
		return nil
	}
	return p.call(name, strings.Split(args, ", "), result, span{c.begin, p.end})
}

// call records a call with its arguments and its result.
func (p *traceParser) call(name string, args []string, result string, at span) error {
	switch name {
	case "openat":
		return p.open(string(unhex(args[1])), args[2], result, at)
	case "renameat", "renameat2":
		from, to := string(unhex(args[1])), string(unhex(args[3]))
		p.rename(from, to, at)
		return nil
	case "linkat":
		p.link(string(unhex(args[1])), string(unhex(args[3])), at)
		return nil
	case "unlinkat":
		p.rename(string(unhex(args[1])), "", at)
		return nil
	}
	descriptor, path, deleted := parseFile(args[0])
	if name == "mmap" {
		_, path, _ = parseFile(args[4])
		if strings.Contains(args[2], "PROT_WRITE") && p.inside(path) {
			return errors.New("a mapping that can be written to is not recorded")
		}
		return nil
	}
	if path == p.folder && name == "fsync" {
		p.synced = append(p.synced, at)
	}
	if !p.inside(path) || deleted {
		return nil
	}
	if path == p.log {
		p.written = append(p.written, change{span: at, data: unhex(args[1])})
		return nil
	}
	file := p.names[path]
	if file == nil {
		return fmt.Errorf("%s was not opened", path)
	}
	switch name {
	case "fsync", "fdatasync":
		file.synced = append(file.synced, at)
	case "pwrite64", "write":
		data := unhex(args[1])
		offset := p.offsets[descriptor]
		if name == "pwrite64" {
			offset, _ = strconv.ParseInt(args[3], 10, 64)
		} else {
			p.offsets[descriptor] += int64(len(data))
		}
		if result != fmt.Sprint(len(data)) {
			return errors.New("a short write")
		}
		file.changes = append(file.changes, change{span: at, offset: offset, data: data})
	case "lseek":
		p.offsets[descriptor], _ = strconv.ParseInt(result, 10, 64)
	case "ftruncate":
		size, _ := strconv.ParseInt(args[1], 10, 64)
		file.changes = append(file.changes, change{span: at, offset: size, resize: true})
	default:
		return errors.New("this call is not recorded")
	}
	return nil
}

func (p *traceParser) open(path, flags, result string, at span) error {
	if !p.inside(path) || path == p.log {
		return nil
	}
	descriptor, _, _ := parseFile(result)
	p.offsets[descriptor] = 0
	if p.names[path] == nil && strings.Contains(flags, "O_CREAT") {
		p.names[path] = &recordedFile{}
		p.files = append(p.files, p.names[path])
		p.recording.names = append(p.recording.names, change{span: at, name: path, file: p.names[path]})
	}
	if strings.Contains(flags, "O_TRUNC") || strings.Contains(flags, "O_APPEND") || strings.Contains(flags, "O_TMPFILE") {
		return errors.New("these flags are not recorded")
	}
	return nil
}

// rename records that a file has another name, or none.
func (p *traceParser) rename(from, to string, at span) {
	file := p.names[from]
	if file == nil {
		return
	}
	delete(p.names, from)
	c := change{span: at, name: to, from: from, file: file}
	if to == "" {
		c.name, c.file = from, nil
	} else {
		p.names[to] = file
	}
	p.recording.names = append(p.recording.names, c)
}

// link records that a file has a second name.
func (p *traceParser) link(from, to string, at span) {
	if file := p.names[from]; file != nil {
		p.names[to] = file
		p.recording.names = append(p.recording.names, change{span: at, name: to, file: file})
	}
}

func (p *traceParser) inside(path string) bool { return filepath.Dir(path) == p.folder }

// parseFile parses a descriptor with the file that it is of: 5</tmp/file>.
func parseFile(text string) (descriptor, path string, deleted bool) {
	descriptor, rest, _ := strings.Cut(text, "<")
	path, deletion, _ := strings.Cut(rest, ">")
	if !strings.HasPrefix(path, `\x`) {
		return descriptor, "", false
	}
	return descriptor, string(unhex(path)), deletion != ""
}

// unhex returns the bytes of text such as "\x41\x42".
func unhex(text string) []byte {
	text = strings.Trim(text, `"`)
	out := make([]byte, len(text)/4)
	for i := range out {
		if _, err := hex.Decode(out[i:i+1], []byte(text[4*i+2:4*i+4])); err != nil {
			panic(fmt.Sprintf("%.100s: %v", text, err)) // strace was asked to print every byte in hexadecimal
		}
	}
	return out
}

// before returns how many changes are certainly on disk at a time, because a sync
// that began after them had ended; and how many had begun.
func before(changes []change, synced []span, time int) (safe, begun int) {
	for _, s := range synced {
		if s.end >= time {
			continue
		}
		for safe < len(changes) && changes[safe].end < s.begin {
			safe++
		}
	}
	for begun < len(changes) && changes[begun].begin < time {
		begun++
	}
	return safe, max(safe, begun)
}

// lose writes a folder as the disk may have it after the power was lost at a time.
// Changes before the last sync of a file are there. Of later ones, any sector may be
// there or not. Names of files change in order: any number of changes since the last
// sync of the folder may be there.
func (r *recording) lose(t *testing.T, random *rand.Rand, time int, to string) {
	t.Helper()
	names := map[string]*recordedFile{}
	safe, begun := before(r.names, r.synced, time)
	for _, c := range r.names[:safe+random.IntN(begun-safe+1)] {
		delete(names, c.from)
		if names[c.name] = c.file; c.file == nil {
			delete(names, c.name)
		}
	}
	for path, file := range maps.All(names) {
		if err := os.WriteFile(filepath.Join(to, filepath.Base(path)), file.lose(random, time), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// lose returns the contents of a file after the power was lost.
func (f *recordedFile) lose(random *rand.Rand, time int) []byte {
	sector := []int64{512, 4096}[random.IntN(2)]
	kept := []float64{0, 0.1, 0.5, 0.9, 1}[random.IntN(5)] // share of what was not synced
	safe, begun := before(f.changes, f.synced, time)
	var out []byte
	resize := func(size int64) {
		if size > int64(len(out)) {
			out = append(out, make([]byte, size-int64(len(out)))...)
		}
	}
	for i, c := range f.changes[:begun] {
		keep := func() bool { return i < safe || random.Float64() < kept }
		if c.resize {
			if keep() {
				resize(c.offset)
				out = out[:c.offset]
			}
			continue
		}
		for data, at := c.data, c.offset; len(data) > 0; {
			n := min(int64(len(data)), sector-at%sector)
			if keep() {
				resize(at + n)
				copy(out[at:], data[:n])
			}
			data, at = data[n:], at+n
		}
	}
	return out
}
