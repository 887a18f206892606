//go:build unix

package postgres_test

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store/postgres/postgrestest"
	"github.com/inroad/inroad/model/observation"
)

var long = flag.Bool("long", false, "restore a database to a point in time")

// A database is restored to the moment before an accident, from a base backup and the
// archive of the write-ahead log, as docs/operations.md says.
func TestPointInTime(t *testing.T) {
	if !*long {
		t.Skip("runs with -long: it takes some seconds")
	}
	server := postgrestest.Server{Settings: []string{"archive_mode=on", "archive_command=cp %p ../archive/%f"}}
	defer server.Close()
	database := server.Database(t)
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	in := func(name string) string { return filepath.Join(server.Folder(), name) }
	must(os.Mkdir(in("archive"), 0o700))
	must(os.Chmod(in("archive"), 0o777)) //nolint:gosec // for the user of PostgreSQL
	s := open(t, database)
	add := func(program string) {
		t.Helper()
		_, err := s.AddObservations(t.Context(), program, "", nil, []observation.Observation{{Input: []byte(program), Outcome: observation.OK}})
		must(err)
	}
	add("before the backup")
	must(server.Call(t.Context(), "pg_basebackup", "--host", u.Query().Get("host"), "--username", "inroad", "--pgdata", in("base"), "--checkpoint", "fast"))
	add("after the backup")
	var moment time.Time
	connection, err := pgx.Connect(t.Context(), database)
	must(err)
	must(connection.QueryRow(t.Context(), "select clock_timestamp()").Scan(&moment))
	must(s.DeleteSubject(t.Context(), "after the backup")) // the accident
	_, err = connection.Exec(t.Context(), "select pg_switch_wal()")
	must(err)
	must(connection.Close(t.Context()))
	must(s.Close())

	must(server.Stop(t.Context()))
	must(os.Rename(in("data"), in("lost")))
	// The last part of the log is not in the archive.
	must(os.Rename(in("base"), in("data")))
	must(os.RemoveAll(in("data/pg_wal")))
	must(os.Rename(in("lost/pg_wal"), in("data/pg_wal")))
	must(os.WriteFile(in("data/recovery.signal"), nil, 0o644)) //nolint:gosec // for the user of PostgreSQL
	server.Settings = append(server.Settings, "restore_command=cp ../archive/%f %p", "recovery_target_action=promote",
		fmt.Sprintf("recovery_target_time=%s", moment.UTC().Format("2006-01-02 15:04:05.999999+00")))
	must(server.Start(t.Context()))
	waitFor(t, "the end of the recovery", func() bool {
		connection, err := pgx.Connect(t.Context(), database)
		if err != nil {
			return false
		}
		defer connection.Close(t.Context())
		recovering := true
		err = connection.QueryRow(t.Context(), "select pg_is_in_recovery()").Scan(&recovering)
		return err == nil && !recovering
	})
	s = open(t, database)
	add("after the restore")
	subjects, err := s.Subjects(t.Context())
	if err != nil || len(subjects) != 3 || subjects[0].Name != "after the backup" || subjects[2].Name != "before the backup" {
		t.Errorf("programs: %+v, %v; want those before and after the backup, and after the restore", subjects, err)
	}
}
