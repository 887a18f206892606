package model

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/model/gofuzz"
	"github.com/inroad/inroad/targeting/campaign"
)

// maxFind is the maximum size of an input that is taken from another fuzzer: 1 MiB,
// which is also the maximum of AFL++.
const maxFind = 1 << 20

// A fuzzWatch takes the inputs that another fuzzer finds from its folders.
type fuzzWatch struct {
	folders  func() []watchedFolder // returns the folders to look at, some of which may not exist
	interval time.Duration          // between two looks at the folders
	files    map[string]*watchedFile
	noted    map[string]bool // kinds of files that were left out
	reading  time.Duration   // time that the last look took, without waiting for the campaign

	mu    sync.Mutex
	notes []string // not yet printed
}

// A watchedFolder has files that another fuzzer writes.
type watchedFolder struct {
	path string
	name string // for people, before the name of a file
	afl  bool   // only files that are named like those of AFL++ are inputs
}

// A watchedFile is a file in a watched folder.
type watchedFile struct {
	size    int64
	changed time.Time
	steady  bool // it did not change between two looks, and was read
	looked  int  // number of the last look at which it existed
}

// watchInterval is the time between two looks at folders. A file is read when it did not
// change between two looks.
const watchInterval = 500 * time.Millisecond

// newFuzzWatch returns a watch of the folders in which the fuzzer that reads the export
// writes, and of other folders.
func newFuzzWatch(export *fuzzExport, finds []string) *fuzzWatch {
	return &fuzzWatch{
		folders: func() []watchedFolder {
			folders := export.watched()
			for _, dir := range finds {
				folders = append(folders, watchedFolder{path: dir, name: filepath.Base(dir)})
			}
			return folders
		},
		interval: watchInterval, files: map[string]*watchedFile{}, noted: map[string]bool{},
	}
}

// watched returns the folders in which the fuzzer that reads the export writes inputs:
// for AFL++ the queues and crashes of all instances beside the export, and for others
// the folder of the export itself.
func (e *fuzzExport) watched() []watchedFolder {
	if e.dir == "" {
		return nil
	}
	if e.layout != aflLayout {
		return []watchedFolder{{path: e.dir, name: filepath.Base(e.dir)}}
	}
	var out []watchedFolder
	dir, own := filepath.Dir(filepath.Clean(e.dir)), filepath.Base(e.dir)
	entries, _ := os.ReadDir(dir) // AFL++ may not have created it yet
	for _, entry := range entries {
		if name := entry.Name(); name != own && !strings.HasPrefix(name, ".") {
			for _, kind := range []string{"queue", "crashes"} {
				out = append(out, watchedFolder{path: filepath.Join(dir, name, kind), name: name + "/" + kind, afl: true})
			}
		}
	}
	return out
}

// start starts to watch. It returns the channel of inputs, and a function that ends the
// watch.
func (w *fuzzWatch) start(ctx context.Context) (<-chan campaign.Extra, func()) {
	ctx, cancel := context.WithCancel(ctx)
	found, done := make(chan campaign.Extra), make(chan struct{})
	go func() {
		defer close(done)
		w.run(ctx, found)
	}()
	return found, func() {
		cancel()
		<-done
	}
}

// run sends the inputs in the folders, and those that appear later, until ctx ends.
func (w *fuzzWatch) run(ctx context.Context, found chan<- campaign.Extra) {
	for look := 1; ; look++ {
		w.reading = 0
		for _, folder := range w.folders() {
			if err := w.look(ctx, folder, look, found); err != nil {
				return
			}
		}
		for path, file := range w.files {
			if file.looked != look {
				delete(w.files, path) // it is gone
			}
		}
		// Looking at very large folders takes long, and must not take all the time.
		wait := time.NewTimer(max(w.interval, 5*w.reading))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return
		}
	}
}

// look sends the inputs of the files in a folder that did not change since the last look
// and were not sent. It returns an error only if ctx ends.
func (w *fuzzWatch) look(ctx context.Context, folder watchedFolder, look int, found chan<- campaign.Extra) error {
	began := time.Now()
	entries, err := os.ReadDir(folder.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
		w.note("folder "+folder.path, "note: --watch %v", cli.FileError(folder.path, err))
	}
	entries = slices.DeleteFunc(entries, func(entry fs.DirEntry) bool { return !w.due(entry, folder, look) })
	w.reading += time.Since(began)
	for _, entry := range entries {
		name := folder.name + "/" + entry.Name()
		text, ok := w.read(ctx, filepath.Join(folder.path, entry.Name()), name)
		if !ok {
			continue
		}
		select {
		case found <- campaign.Extra{Name: name, Text: text}:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return context.Cause(ctx)
}

// due reports whether a file is to be read now: it was there at the last look, did not
// change since, and was not read.
func (w *fuzzWatch) due(entry fs.DirEntry, folder watchedFolder, look int) bool {
	name := entry.Name()
	path := filepath.Join(folder.path, name)
	if !entry.Type().IsRegular() || strings.HasPrefix(name, ".") || folder.afl && !strings.HasPrefix(name, "id:") && !strings.HasPrefix(name, "id_") {
		return false
	}
	info, err := entry.Info()
	if err != nil {
		return false // it was removed
	}
	file := w.files[path]
	if file == nil || file.size != info.Size() || !file.changed.Equal(info.ModTime()) {
		w.files[path] = &watchedFile{size: info.Size(), changed: info.ModTime(), looked: look}
		return false
	}
	file.looked = look
	if file.steady {
		return false
	}
	file.steady = true
	return true
}

// read returns the input in a file, or false if it is left out.
func (w *fuzzWatch) read(ctx context.Context, path, name string) ([]byte, bool) {
	text, err := cli.ReadCorpusInput(ctx, path, nil, maxFind)
	_, undecoded := errors.AsType[*gofuzz.SignatureError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil:
		return nil, false
	case undecoded:
		w.note("undecoded", "note: %s: %v; such files are left out", cli.Printable(name), err)
		return nil, false
	case err != nil:
		w.note("unreadable", "note: --watch %v; such files are left out", cli.FileError(path, err))
		return nil, false
	case len(text) > maxFind:
		w.note("large", "note: %s has more than %d bytes; such files are left out", cli.Printable(name), maxFind)
		return nil, false
	}
	return slices.Clip(text), true
}

// note keeps a note to print, once for each kind.
func (w *fuzzWatch) note(kind, format string, args ...any) {
	if w.noted[kind] {
		return
	}
	w.noted[kind] = true
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// print prints the notes.
func (w *fuzzWatch) print(streams cli.Streams) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, note := range w.notes {
		streams.Notef("%s", note)
	}
	w.notes = nil
}
