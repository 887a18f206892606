package selection

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// A Version is a version of the files of a repository.
type Version interface {
	// Files returns the paths of all files, sorted.
	Files(ctx context.Context) ([]string, error)
	// Read returns the content of a file; nil if the version does not have the file, or if
	// the file is too large for a source file.
	Read(ctx context.Context, name string) ([]byte, error)
}

// maxSource is the maximum size of a source file to read.
const maxSource = 16 << 20

// A commitVersion is the version of a commit.
type commitVersion struct {
	repository *Repository
	commit     string
}

// Files implements [Version].
func (v *commitVersion) Files(ctx context.Context) ([]string, error) {
	out, err := git(ctx, "ls-tree", "-r", "-z", "--name-only", "--full-tree", v.commit)
	return splitNames(out), err
}

// Read implements [Version].
func (v *commitVersion) Read(ctx context.Context, name string) ([]byte, error) {
	return v.repository.object(ctx, v.commit+":"+name)
}

// A workingTree is the version of the files in the working tree, including those that
// git neither tracks nor ignores.
type workingTree struct {
	root      string
	untracked []string
}

// Files implements [Version].
func (v *workingTree) Files(ctx context.Context) ([]string, error) {
	out, err := git(ctx, "ls-files", "-z", "--full-name", "--", ":/")
	if err != nil {
		return nil, err
	}
	files := append(splitNames(out), v.untracked...)
	slices.Sort(files)
	return slices.Compact(files), nil
}

// Read implements [Version].
func (v *workingTree) Read(_ context.Context, name string) ([]byte, error) {
	name = filepath.Join(v.root, filepath.FromSlash(name))
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > maxSource:
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if text == nil && err == nil {
		text = []byte{}
	}
	return text, err
}

func splitNames(out string) []string {
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
}

// An objectReader reads objects of a repository through one process of git.
type objectReader struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// object returns the content of an object, such as commit:path; nil if the object does not
// exist, is no file, or is too large.
func (r *Repository) object(ctx context.Context, name string) ([]byte, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if strings.ContainsAny(name, "\n\x00") {
		return nil, nil // git reads one name per line
	}
	if r.objects == nil {
		if err := r.startReader(ctx); err != nil {
			return nil, err
		}
	}
	text, err := r.objects.read(name)
	if err != nil {
		return nil, fmt.Errorf("git cat-file: %w", err)
	}
	return text, nil
}

// startReader starts git. It ends when its input is closed.
func (r *Repository) startReader(ctx context.Context) (err error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), "git", "--no-pager", "cat-file", "--batch")
	cmd.Env = append(cmd.Environ(), gitEnvironment()...)
	reader := &objectReader{cmd: cmd}
	if reader.in, err = cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	reader.out = bufio.NewReaderSize(out, 1<<16)
	if err := cmd.Start(); err != nil {
		return err
	}
	r.objects = reader
	return nil
}

// Close ends the process that reads objects.
func (r *Repository) Close() error {
	if r.objects == nil {
		return nil
	}
	err := r.objects.in.Close()
	_, drained := io.Copy(io.Discard, r.objects.out)
	err = errors.Join(err, drained, r.objects.cmd.Wait())
	r.objects = nil
	return err
}

func (o *objectReader) read(name string) ([]byte, error) {
	if _, err := io.WriteString(o.in, name+"\n"); err != nil {
		return nil, err
	}
	line, err := o.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(line)
	if len(fields) < 3 || fields[len(fields)-1] == "missing" || fields[len(fields)-1] == "ambiguous" {
		return nil, nil
	}
	kind, size := fields[len(fields)-2], fields[len(fields)-1]
	n, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("unexpected answer %.80q", line)
	}
	if kind != "blob" || n > maxSource {
		_, err := io.CopyN(io.Discard, o.out, n+1)
		return nil, err
	}
	text := make([]byte, n+1) // with a line end
	if _, err := io.ReadFull(o.out, text); err != nil {
		return nil, err
	}
	return text[:n:n], nil
}

// A FileStatus is a file that differs between two versions.
type FileStatus struct {
	Path      string
	New       bool // the old version does not contain it
	Deleted   bool // the new version does not contain it
	Untracked bool // git does not track it
	Submodule bool // it is a submodule
}

// changedFiles returns the files that differ between the commit from and the commit head,
// or the working tree if head is empty. A moved file counts as deleted and new. Changes of
// the mode alone do not count.
func (r *Repository) changedFiles(ctx context.Context, from, head string) ([]FileStatus, error) {
	args := []string{
		"diff", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-relative",
		"-O" + os.DevNull, "--ignore-submodules=dirty", "--end-of-options", from,
	}
	if head != "" {
		args = append(args, head)
	}
	out, err := git(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	return parseRaw(out)
}

// gitlink is the mode of a submodule.
const gitlink = "160000"

// parseRaw parses the output of git diff --raw -z.
func parseRaw(out string) ([]FileStatus, error) {
	var files []FileStatus
	fields := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		parts := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(parts) != 5 || !strings.HasPrefix(fields[i], ":") {
			return nil, fmt.Errorf("git diff: unexpected line %.80q", fields[i])
		}
		status := parts[4]
		f := FileStatus{
			Path: fields[i+1], New: status == "A", Deleted: status == "D",
			Submodule: parts[0] == gitlink || parts[1] == gitlink,
		}
		if parts[2] == parts[3] && strings.Trim(parts[3], "0") != "" {
			continue // only the mode differs
		}
		files = append(files, f)
	}
	return files, nil
}
