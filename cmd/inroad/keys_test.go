package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store/bolt"
)

// TestParityOfKeys types the same commands for a store and for a service. Both print
// the same, apart from IDs, secrets and times.
func TestParityOfKeys(t *testing.T) {
	_, _, url := startParity(t)
	file := filepath.Join(t.TempDir(), "s.db")
	s, err := bolt.Open(t.Context(), file, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	doors := [2][]string{{"--store", file}, {"--server", url}}
	var ids [2]string
	for _, c := range []struct {
		args string // ID stands for the ID of the first key
		code int
	}{
		{"list", exitDone},
		{"log", exitDone},
		{"create --name ci --scopes read,write --rate 2 --expires 2999-01-31 --format json", exitDone},
		{"create --name other --expires 90d", exitDone},
		{"create --name late --expires 2001-01-31", exitWrong},
		{"create --name late --expires 10000-01-31", exitWrong},
		{"create --name late --expires soon", exitWrong},
		{"create --expires 90d", exitWrong},
		{"list", exitDone},
		{"list --format json", exitDone},
		{"log", exitDone},
		{"log --limit 1 --format json", exitDone},
		{"log --limit 1", exitDone},
		{"log --limit 1 --all", exitDone},
		{"log --cursor " + api.NumberCursor("key events", 2), exitDone},
		{"log --limit 1001", exitWrong},
		{"log --cursor 2", exitWrong},
		{"revoke ID", exitDone},
		{"revoke ID", exitWrong},
		{"list", exitDone},
		{"log", exitDone},
	} {
		t.Run(c.args, func(t *testing.T) {
			var printed [2]string
			for i, door := range doors {
				args := append([]string{"keys"}, strings.Fields(strings.ReplaceAll(c.args, "ID", ids[i]))...)
				var stdout, stderr bytes.Buffer
				if code := run(t.Context(), append(args, door...), strings.NewReader(""), &stdout, &stderr); code != c.code {
					t.Errorf("%s: exit code %d, want %d: %s", door[0], code, c.code, &stderr)
				}
				var made openapi.NewKey
				if json.Unmarshal(stdout.Bytes(), &made) == nil && made.Key.ID != "" && ids[i] == "" {
					ids[i] = made.Key.ID
				}
				printed[i] = changing.ReplaceAllString(stdout.String()+stderr.String(), "*")
			}
			if printed[0] != printed[1] {
				t.Errorf("with --store:\n%s\nwith --server:\n%s", printed[0], printed[1])
			}
		})
	}
}

// changing matches secrets, IDs, and times of this century.
var changing = regexp.MustCompile(`inroad_[0-9a-f]{8}_[-\w]+|\b[0-9a-f]{8}\b|20\d\d-[\d-]+T[\d:.]+Z`)
