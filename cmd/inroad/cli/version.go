package cli

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// A Build describes how the program was built. JSON fields that the answer of GET
// /v1/version also has mean the same there.
type Build struct {
	Version  string   `json:"version"`            // a tag, or a pseudo-version with time and commit
	Revision string   `json:"revision,omitempty"` // the commit, if the program was built in a clone
	Time     string   `json:"time,omitempty"`     // of the commit, in RFC 3339
	Modified bool     `json:"modified"`           // whether the clone had uncommitted changes
	Go       string   `json:"go"`
	OS       string   `json:"os"`
	Arch     string   `json:"arch"`
	Tags     []string `json:"tags,omitempty"` // build tags, such as nogolearn
}

// ReadBuild returns the build of the running program.
func ReadBuild() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return buildOf(info)
}

// Version returns the version of the running program.
func Version() string { return ReadBuild().Version }

func buildOf(info *debug.BuildInfo) Build {
	b := Build{Version: info.Main.Version, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	if b.Version == "" {
		b.Version = "(unknown)"
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Revision = setting.Value
		case "vcs.time":
			b.Time = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		case "-tags":
			b.Tags = strings.FieldsFunc(setting.Value, func(r rune) bool { return r == ',' })
		}
	}
	return b
}
