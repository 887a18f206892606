package cli

import (
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBuildOf(t *testing.T) {
	machine := Build{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	for _, tt := range []struct {
		name string
		info debug.BuildInfo
		want func(b *Build)
	}{
		{
			"installed from the module proxy",
			debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}},
			func(b *Build) { b.Version = "v1.2.3" },
		},
		{
			"built in a clone with changes, and with tags",
			debug.BuildInfo{Main: debug.Module{Version: "v1.2.3+dirty"}, Settings: []debug.BuildSetting{
				{Key: "-tags", Value: "nogolearn,other"},
				{Key: "vcs.revision", Value: "0123abcd"},
				{Key: "vcs.time", Value: "2026-01-02T03:04:05Z"},
				{Key: "vcs.modified", Value: "true"},
			}},
			func(b *Build) {
				b.Version, b.Revision, b.Time, b.Modified = "v1.2.3+dirty", "0123abcd", "2026-01-02T03:04:05Z", true
				b.Tags = []string{"nogolearn", "other"}
			},
		},
		{"built without build information", debug.BuildInfo{}, func(b *Build) { b.Version = "(unknown)" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := machine
			tt.want(&want)
			if diff := cmp.Diff(want, buildOf(&tt.info)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
