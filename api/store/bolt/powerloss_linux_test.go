package bolt_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

var (
	losses  = flag.Int("losses", 30, "number of power losses that TestPowerLoss simulates")
	useIn   = flag.String("use", "", "only use a store in this `folder`, as the process that TestPowerLoss records")
	useSeed = flag.Uint64("use-seed", 0, "seed for -use")
)

// Names of the files of TestPowerLoss, and the number of losses for one recording.
const (
	lossStore     = "s.db"
	lossLog       = "acknowledged"
	lossesPerUser = 100
)

// TestPowerLoss records the system calls of a process that uses a store, and loses
// the power at random moments. Whatever the process was told is stored must be there
// afterwards, nothing may be there by half, and the store must open and be whole.
func TestPowerLoss(t *testing.T) {
	if *useIn != "" {
		useStore(t, *useIn, *useSeed)
		return
	}
	random := rand.New(rand.NewPCG(1, 0))
	calls, acknowledged := 0, 0
	for done := 0; done < *losses; done += lossesPerUser {
		r := recordUser(t, done)
		first, soon := r.written[0].begin, r.written[10].begin
		for i := range min(lossesPerUser, *losses-done) {
			last := r.end
			if i%5 == 0 { // when the store is new
				last = soon
			}
			r.loseAndVerify(t, random, first+1+random.IntN(last-first))
		}
		calls += r.end
		acknowledged += len(r.written)
	}
	t.Logf("%d power losses during %d system calls with %d acknowledged changes", *losses, calls, acknowledged)
}

// TestPowerLossAtCreation loses the power while a store is created. The store must
// open, new or created: nobody has to remove a file.
func TestPowerLossAtCreation(t *testing.T) {
	r := recordUser(t, 0)
	random := rand.New(rand.NewPCG(1, 0))
	for time := r.names[0].begin; time <= r.written[0].begin; time++ {
		for range 3 {
			r.loseAndVerify(t, random, time)
		}
	}
}

// recordUser records a process that uses a store.
func recordUser(t *testing.T, seed int) *recording {
	t.Helper()
	folder := t.TempDir()
	return record(t, folder, lossLog, os.Args[0], "-test.run=^TestPowerLoss$", "-use", folder, "-use-seed", fmt.Sprint(seed))
}

// loseAndVerify loses the power at a time and verifies the store.
func (r *recording) loseAndVerify(t *testing.T, random *rand.Rand, time int) {
	t.Helper()
	disk := t.TempDir()
	r.lose(t, random, time, disk)
	verifyAcknowledged(t, disk, r.written, time)
	if t.Failed() {
		t.Fatalf("the power was lost at line %d of %d of the trace", time, r.end)
	}
	if err := os.RemoveAll(disk); err != nil { // there are hundreds
		t.Fatal(err)
	}
}

// An acknowledgement names data that the store said it has.
type acknowledgement struct {
	Observations string         // prefix of their inputs,
	Inputs       int            // and their number
	Grammar      string         // ID
	Model        string         // ID
	Alias        string         // name,
	Number       uint64         // and the number of its model; later models have higher numbers
	Job          uint64         // ID,
	State        store.JobState // and its state; a later one is possible
	Key, Revoked string         // ID
	Backup       string         // name of the file
}

// useStore changes a store in many ways, and writes an acknowledgement to the log
// after each change.
func useStore(t *testing.T, folder string, seed uint64) {
	t.Helper()
	u := &storeUser{Rand: rand.New(rand.NewPCG(seed, 0)), folder: folder}
	var err error
	if u.log, err = os.Create(filepath.Join(folder, lossLog)); err != nil {
		t.Fatal(err)
	}
	defer u.log.Close()
	u.Store = open(t, filepath.Join(folder, lossStore))
	for u.step = range 60 {
		done, err := u.change(t)
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(done)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := u.log.Write(append(line, '\n')); err != nil {
			t.Fatal(err)
		}
	}
}

type storeUser struct {
	*bolt.Store
	*rand.Rand
	folder string
	log    *os.File
	step   int
	model  store.Model
	job    store.Job
	key    store.Key
}

// change makes a change.
func (u *storeUser) change(t *testing.T) (done acknowledgement, err error) {
	t.Helper()
	kind := u.IntN(12)
	if u.step < 5 { // changes that sync no folder
		kind = u.IntN(8)
	}
	switch kind {
	case 0:
		done.Grammar, err = u.putGrammar()
	case 1, 2:
		err = u.putModel()
		done.Model = u.model.ID
	case 3:
		if u.model.ID == "" {
			return done, nil
		}
		done.Alias, done.Number = "stable", u.model.Number
		err = u.PutAlias(context.Background(), store.Alias{Name: done.Alias, Model: u.model.ID})
	case 4:
		u.job, err = u.NewJob(context.Background(), store.Job{Subject: "p"})
		done.Job, done.State = u.job.ID, u.job.State
	case 5:
		if u.job.State != store.Queued {
			return done, nil
		}
		u.job.State = store.Failed
		err = u.SaveJob(context.Background(), u.job)
		done.Job, done.State = u.job.ID, u.job.State
	case 6:
		u.key, _, err = u.NewKey(context.Background(), store.Key{Name: "k", Scopes: store.Scopes()})
		done.Key = u.key.ID
	case 7:
		if u.key.ID == "" {
			return done, nil
		}
		done.Revoked, u.key.ID = u.key.ID, ""
		err = u.RevokeKey(context.Background(), done.Revoked, "")
	case 8:
		done.Backup = fmt.Sprintf("backup%d.db", u.step)
		err = u.Backup(context.Background(), filepath.Join(u.folder, done.Backup))
	case 9:
		path := filepath.Join(u.folder, lossStore)
		if err := u.Close(); err != nil {
			return done, err
		}
		if u.IntN(2) == 0 {
			_, _, err = bolt.CompactFile(t.Context(), path)
		}
		u.Store = open(t, path)
	default:
		done.Observations, done.Inputs = fmt.Sprintf("%d:", u.step), 1+u.IntN(100)
		err = u.observe(done.Observations, done.Inputs)
	}
	return done, err
}

func (u *storeUser) putGrammar() (string, error) {
	text := fmt.Sprintf("grammar g; a : 'x%d' ; // %s", u.step, strings.Repeat("x", u.IntN(20_000)))
	g, _, err := u.PutGrammar(context.Background(), store.Grammar{Name: "g", Sources: []grammars.Source{{Name: "g.g4", Text: text}}})
	return g.ID, err
}

// putModel stores a model whose ID is the digest of its file.
func (u *storeUser) putModel() (err error) {
	file := make([]byte, u.IntN(100_000))
	for i := range file {
		file[i] = byte(u.Uint32())
	}
	digest := sha256.Sum256(file)
	u.model, err = u.PutModel(context.Background(), store.Model{ID: hex.EncodeToString(digest[:]), Subject: "p"}, file)
	return err
}

func (u *storeUser) observe(prefix string, inputs int) error {
	var block []observation.Observation
	for i := range inputs {
		block = append(block, observed(fmt.Sprintf("%s%d %x", prefix, i, u.Uint64()), "a.go#f"))
	}
	_, err := u.AddObservations(context.Background(), "p", "", []observation.Unit{{ID: "a.go#f"}}, block)
	return err
}

// verifyAcknowledged verifies that the store in a folder is whole and has everything
// that was acknowledged before a time.
func verifyAcknowledged(t *testing.T, folder string, log []change, time int) {
	t.Helper()
	path := filepath.Join(folder, lossStore)
	_, missing := os.Stat(path)
	if len(log) > 0 && log[0].begin < time && missing != nil {
		t.Fatalf("the store is gone: %v", missing)
	}
	s, err := bolt.Open(t.Context(), path, bolt.Options{})
	if err != nil {
		t.Fatalf("the store does not open: %v", err)
	}
	defer s.Close()
	if report, err := s.Check(t.Context()); err != nil || len(report.Faults) > 0 {
		t.Fatalf("the store is damaged: %v, %+v", err, report)
	}
	found := map[string]int{} // observations by prefix
	for block, err := range s.Observations(t.Context(), "p", "") {
		if _, none := errors.AsType[*store.NotFoundError](err); err != nil && !none {
			t.Fatal(err)
		}
		for _, o := range block {
			prefix, _, _ := strings.Cut(string(o.Input), ":")
			found[prefix+":"]++
		}
	}
	all := make([]acknowledgement, len(log))
	revoked := map[string]bool{} // some time
	for i, c := range log {
		if err := json.Unmarshal(c.data, &all[i]); err != nil {
			t.Fatal(err)
		}
		revoked[all[i].Revoked] = true
	}
	for i, a := range all {
		if n := found[a.Observations]; n != 0 && n != a.Inputs {
			t.Errorf("%d observations %s, want %d or none", n, a.Observations, a.Inputs)
		}
		if log[i].begin >= time {
			continue
		}
		if err := verifyOne(s, folder, a, found, revoked[a.Key]); err != nil {
			t.Errorf("acknowledged as %d of %d: %+v: %v", i, len(log), a, err)
		}
	}
}

// verifyOne verifies that a store has what an acknowledgement says. A key may have
// been revoked since.
func verifyOne(s *bolt.Store, folder string, a acknowledgement, found map[string]int, revoked bool) error {
	switch {
	case a.Inputs > 0 && found[a.Observations] != a.Inputs:
		return fmt.Errorf("%d observations", found[a.Observations])
	case a.Grammar != "":
		_, err := s.Grammar(context.Background(), a.Grammar)
		return err
	case a.Model != "":
		m, err := s.Model(context.Background(), a.Model)
		if err != nil {
			return err
		}
		file, err := s.ModelFile(context.Background(), m)
		if digest := sha256.Sum256(file); err == nil && hex.EncodeToString(digest[:]) != a.Model {
			err = errors.New("the file is another one")
		}
		return err
	case a.Alias != "":
		m, err := s.Named(context.Background(), a.Alias)
		if err == nil && m.Number < a.Number {
			err = fmt.Errorf("leads to model %d", m.Number)
		}
		return err
	case a.Job != 0:
		j, err := s.Job(context.Background(), a.Job)
		if err == nil && j.State != a.State && j.State != store.Failed {
			err = fmt.Errorf("is %s", j.State)
		}
		return err
	case a.Key != "" || a.Revoked != "":
		keys, err := s.Keys(context.Background())
		for _, k := range keys {
			if k.ID == a.Revoked {
				return errors.New("is a key again")
			}
			revoked = revoked || k.ID == a.Key
		}
		if !revoked && a.Key != "" && err == nil {
			err = fs.ErrNotExist
		}
		return err
	case a.Backup != "":
		backup, err := bolt.Open(context.Background(), filepath.Join(folder, a.Backup), bolt.Options{ReadOnly: true})
		if err != nil {
			return err
		}
		report, err := backup.Check(context.Background())
		if err == nil && len(report.Faults) > 0 {
			err = fmt.Errorf("%v", report.Faults)
		}
		return errors.Join(err, backup.Close())
	}
	return nil
}
