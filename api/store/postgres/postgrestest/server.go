//go:build unix

// Package postgrestest starts PostgreSQL for tests.
package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// A Server is a PostgreSQL server that listens on a socket in a temporary folder.
type Server struct {
	Settings []string // such as archive_mode=on

	mu        sync.Mutex
	folder    string
	programs  string
	run       *syscall.SysProcAttr
	databases int
}

// Main runs the tests of a package and stops the server that they have started.
func Main(m *testing.M, s *Server) int {
	defer s.Close()
	return m.Run()
}

// Close stops the server, if it was started, and removes its data.
func (s *Server) Close() {
	if s.folder != "" {
		_ = s.Stop(context.Background())
		_ = os.RemoveAll(s.folder)
	}
}

// Database returns the URL of a new, empty database. It starts the server first, and
// skips the test if PostgreSQL is not installed. The server stops with [Main] or [Server.Close].
func (s *Server) Database(tb testing.TB) string {
	tb.Helper()
	database, err := s.NewDatabase(tb.Context())
	if errors.Is(err, exec.ErrNotFound) {
		tb.Skip("tests with PostgreSQL skipped: initdb is not installed")
	} else if err != nil {
		tb.Fatal(err)
	}
	return database
}

// NewDatabase returns the URL of a new, empty database. It starts the server first. The
// error wraps [exec.ErrNotFound] if PostgreSQL is not installed.
func (s *Server) NewDatabase(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.folder == "" {
		if err := s.create(ctx); err != nil {
			return "", err
		}
	}
	s.databases++
	name := fmt.Sprint("d", s.databases)
	connection, err := pgx.Connect(ctx, s.url("postgres"))
	if err != nil {
		return "", err
	}
	defer func() { _ = connection.Close(context.WithoutCancel(ctx)) }()
	_, err = connection.Exec(ctx, "create database "+name)
	return s.url(name), err
}

func (s *Server) url(database string) string {
	u := url.URL{Scheme: "postgres", Path: "/" + database, RawQuery: url.Values{"host": {s.folder}, "user": {"inroad"}}.Encode()}
	return u.String()
}

// Cut ends all connections to a database.
func (s *Server) Cut(tb testing.TB, database string) error {
	tb.Helper()
	connection, err := pgx.Connect(tb.Context(), database)
	if err != nil {
		return err
	}
	_, err = connection.Exec(tb.Context(), "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()")
	return errors.Join(err, connection.Close(tb.Context()))
}

// create creates and starts a server.
func (s *Server) create(ctx context.Context) (err error) {
	if s.programs, err = findPrograms(); err != nil {
		return err
	}
	if s.folder, err = os.MkdirTemp("", "inroad-postgres-*"); err != nil {
		return err
	}
	if os.Geteuid() == 0 { // PostgreSQL refuses to run as root
		if s.run, err = unprivileged(s.folder); err != nil {
			return err
		}
	}
	if err := s.Call(ctx, "initdb", "--pgdata", s.data(), "--username", "inroad", "--auth", "trust", "--no-sync", "--encoding", "UTF8", "--locale", "C"); err != nil {
		return err
	}
	return s.Start(ctx)
}

func (s *Server) data() string { return filepath.Join(s.folder, "data") }

// Start starts a server that was stopped. Unless the settings have fsync=on, the server
// does not wait for the disk: its data survives the end of its processes, but not that of
// the machine.
func (s *Server) Start(ctx context.Context) error {
	options := fmt.Sprintf("-c listen_addresses='' -c unix_socket_directories='%s' -c max_connections=200 -c fsync=off", s.folder)
	for _, setting := range s.Settings {
		options += fmt.Sprintf(" -c '%s'", setting)
	}
	return s.Call(ctx, "pg_ctl", "--pgdata", s.data(), "--log", filepath.Join(s.folder, "log"), "--options", options, "--wait", "start")
}

// Stop stops the server at once. Transactions in progress fail.
func (s *Server) Stop(ctx context.Context) error {
	return s.Call(ctx, "pg_ctl", "--pgdata", s.data(), "--mode", "immediate", "--wait", "stop")
}

// Folder returns the folder of the server. Its data is in the folder data below it.
func (s *Server) Folder() string { return s.folder }

// Call runs a program of PostgreSQL in the folder of the server.
func (s *Server) Call(ctx context.Context, program string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(s.programs, program), args...)
	cmd.Dir, cmd.SysProcAttr = s.folder, s.run
	log := filepath.Join(s.folder, program+".log") // a pipe would stay open in the server
	out, err := os.Create(log)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = out, out
	err = errors.Join(cmd.Run(), out.Close())
	if err != nil {
		text, _ := os.ReadFile(log)
		return fmt.Errorf("%s: %w\n%s", program, err, text)
	}
	return nil
}

// findPrograms returns the folder of the programs of PostgreSQL. Debian does not put them
// on the PATH.
func findPrograms() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if target, err := filepath.EvalSymlinks(path); err == nil { // not all programs may have links
			path = target
		}
		return filepath.Dir(path), nil
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb") // the pattern is well-formed
	if len(found) == 0 {
		return "", exec.ErrNotFound
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1]), nil
}

// unprivileged gives a folder to a user without privileges, and returns the attributes of
// processes of that user.
func unprivileged(folder string) (*syscall.SysProcAttr, error) {
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.ParseUint(u.Uid, 10, 32)
		if err != nil {
			return nil, err
		}
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return nil, err
		}
		credential := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return &syscall.SysProcAttr{Credential: credential}, os.Chown(folder, int(uid), int(gid))
	}
	return nil, errors.New("no user without privileges: tried postgres and nobody")
}
