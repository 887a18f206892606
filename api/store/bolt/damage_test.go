package bolt_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/model/observation"
)

var long = flag.Bool("long", false, "run what takes minutes, too")

// varied returns the path of a store with all kinds of content and all kinds of
// pages: leaves, branches, pages that others continue, small buckets within pages,
// and free pages.
func varied(t *testing.T) string {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 0))
	path := filepath.Join(t.TempDir(), "s.db")
	s := open(t, path)
	text := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = 'a' + byte(random.IntN(26))
		}
		return string(b)
	}
	var errs []error
	for i := range 3 {
		_, _, err := s.PutGrammar(t.Context(), store.Grammar{Name: fmt.Sprint("g", i), Sources: []grammars.Source{{Name: "g.g4", Text: text(3000 * i)}}})
		errs = append(errs, err)
	}
	for i := range 6 {
		var units []observation.Unit
		var found []observation.Observation
		for range 10 + 40*i {
			method := text(20)
			units = append(units, observation.Unit{ID: method, Name: text(10)})
			found = append(found, observed(text(30), method))
		}
		_, err := s.AddObservations(t.Context(), fmt.Sprint("p", i%2), fmt.Sprint("c", i%4), units, found)
		errs = append(errs, err)
	}
	for i := range 4 {
		id := fmt.Sprint("m", i)
		_, err := s.PutModel(t.Context(), store.Model{ID: id, Subject: "p0"}, []byte(text(5000*i)))
		errs = append(errs, err, s.PutAlias(t.Context(), store.Alias{Name: "a" + id, Model: id}))
		j, err := s.NewJob(t.Context(), store.Job{Subject: "p0", Options: []byte(text(100))})
		j.State, j.Model = store.Done, id
		_, _, kerr := s.NewKey(t.Context(), store.Key{Name: id})
		errs = append(errs, err, s.SaveJob(t.Context(), j), kerr)
	}
	if err := errors.Join(append(errs, s.Close())...); err != nil {
		t.Fatal(err)
	}
	return path
}

// contents returns everything that can be read from a store, by name, and the
// errors of reads that failed.
func contents(s *bolt.Store) (map[string]any, error) {
	out := map[string]any{}
	var errs []error
	fail := func(err error) bool {
		errs = append(errs, err)
		return err != nil
	}
	found, err := s.Grammars(context.Background())
	for _, g := range found {
		out["listed grammar "+g.ID] = g
		if g, err := s.Grammar(context.Background(), g.ID); !fail(err) {
			out["grammar "+g.ID] = g
		}
	}
	fail(err)
	subjects, err := s.Subjects(context.Background())
	fail(err)
	for _, subject := range subjects {
		for _, c := range subject.Commits {
			name := subject.Name + "@" + c.Name
			out["commit "+name] = c
			if h, err := s.Header(context.Background(), subject.Name, c.Name); !fail(err) {
				for _, u := range h.Units {
					out["unit "+name+u.ID] = u
				}
			}
			for block, err := range s.Observations(context.Background(), subject.Name, c.Name) {
				if fail(err) {
					break
				}
				for _, o := range block {
					out["observation "+name+string(o.Input)] = o
				}
			}
		}
	}
	models, err := s.Models(context.Background(), "", 0, -1)
	fail(err)
	for _, m := range models {
		out["listed model "+m.ID] = m
		if m, err := s.Model(context.Background(), m.ID); !fail(err) {
			out["model "+m.ID] = m
		}
		if file, err := s.ModelFile(context.Background(), m); !fail(err) {
			out["file "+m.ID] = file
		}
	}
	aliases, err := s.Aliases(context.Background())
	fail(err)
	for _, a := range aliases {
		out["alias "+a.Name] = a
		if m, err := s.Named(context.Background(), a.Name); !fail(err) {
			out["named "+a.Name] = m
		}
	}
	jobs, err := s.Jobs(context.Background(), "", 0, -1)
	fail(err)
	for _, j := range jobs {
		out[fmt.Sprint("job ", j.ID)] = j
	}
	keys, err := s.Keys(context.Background())
	fail(err)
	for _, k := range keys {
		out["key "+k.ID] = k
	}
	return out, errors.Join(errs...)
}

// TestDamage damages a store in many ways. Either the damage is reported, and
// everything that can still be read is as before, or nothing has changed. No
// damage makes a read panic or hang.
func TestDamage(t *testing.T) {
	tries := 150
	if *long {
		tries = 2000
	}
	path := varied(t)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	want, err := contents(s)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 0))
	pageSize := os.Getpagesize()
	pages := len(whole) / pageSize
	verdicts := map[string]int{}
	damaged := filepath.Join(t.TempDir(), "s.db")
	for try := range tries {
		data := append([]byte{}, whole...)
		page := try % pages
		how := damage(data, page, pageSize, random)
		if how == "truncated" {
			data = data[:page*pageSize+random.IntN(pageSize)]
		}
		if err := os.WriteFile(damaged, data, 0o600); err != nil {
			t.Fatal(err)
		}
		verdict, err := judge(damaged, want)
		if err != nil {
			t.Errorf("try %d, page %d %s: %v", try, page, how, err)
		}
		verdicts[verdict]++
	}
	t.Logf("%d pages, %d times damaged: %v", pages, tries, verdicts)
	if verdicts[harmless] == tries || verdicts[harmless] == 0 {
		t.Errorf("unlikely: %v", verdicts)
	}
}

// damage changes a page and returns how. A truncation is left to the caller.
func damage(data []byte, page, size int, random *rand.Rand) string {
	p := data[page*size : (page+1)*size]
	switch random.IntN(9) {
	case 0:
		p[random.IntN(size)] ^= 1 << random.IntN(8)
		return "with a flipped bit"
	case 1:
		p[random.IntN(16)] ^= 1 << random.IntN(8)
		return "with a flipped bit in its header"
	case 2:
		p[random.IntN(256)] ^= byte(1 + random.IntN(255))
		return "with a changed byte near its start"
	case 3:
		at := random.IntN(size)
		clear(p[at:min(size, at+1+random.IntN(512))])
		return "with zeros"
	case 4:
		clear(p)
		return "zeroed"
	case 5:
		for i := range p {
			p[i] = byte(random.Uint32())
		}
		return "overwritten"
	case 6:
		other := random.IntN(len(data) / size)
		q := data[other*size : (other+1)*size]
		for i := range p {
			p[i], q[i] = q[i], p[i]
		}
		return fmt.Sprintf("swapped with page %d", other)
	case 7:
		other := random.IntN(len(data) / size)
		copy(p[16:], data[other*size+16:(other+1)*size])
		return fmt.Sprintf("with the content of page %d", other)
	default:
		return "truncated"
	}
}

const (
	refused  = "refused"
	reported = "reported by a check"
	harmless = "harmless"
)

// judge opens, checks and reads a damaged store.
func judge(path string, want map[string]any) (string, error) {
	readOnly, err := bolt.Open(context.Background(), path, bolt.Options{ReadOnly: true})
	if err != nil {
		if s, err := bolt.Open(context.Background(), path, bolt.Options{}); err == nil {
			return "", errors.Join(errors.New("refused only when it is opened read-only"), s.Close())
		}
		return refused, salvage(path)
	}
	verdict, err := compare(readOnly, want)
	if err := errors.Join(err, readOnly.Close()); err != nil {
		return verdict, err
	}
	s, err := bolt.Open(context.Background(), path, bolt.Options{})
	if err != nil {
		if verdict == harmless {
			return verdict, fmt.Errorf("a check found no fault: %w", err)
		}
		return verdict, nil
	}
	defer s.Close()
	if again, err := compare(s, want); err != nil || again != verdict {
		return verdict, fmt.Errorf("read-only %s, otherwise %s: %w", verdict, again, err)
	}
	if verdict != harmless {
		return verdict, nil
	}
	if _, err := s.NewJob(context.Background(), store.Job{}); err != nil {
		return verdict, err
	}
	if r, err := s.Check(context.Background()); err != nil || len(r.Faults) > 0 {
		return verdict, fmt.Errorf("after a write: %w %v", err, r.Faults)
	}
	return verdict, nil
}

// salvage opens a store that is refused as damaged, if that is possible. A check
// must report faults, and a backup must have what can still be read.
func salvage(path string) error {
	s, err := bolt.Open(context.Background(), path, bolt.Options{ReadOnly: true, Damaged: true})
	if err != nil {
		return nil
	}
	defer s.Close()
	r, err := s.Check(context.Background())
	if err == nil && len(r.Faults) == 0 {
		return errors.New("refused, but a check finds no fault")
	}
	want, err := contents(s)
	if err != nil {
		return nil // values are damaged, too
	}
	copied := path + ".backup"
	defer os.Remove(copied)
	if err := s.Backup(context.Background(), copied); err != nil {
		return err
	}
	backup, err := bolt.Open(context.Background(), copied, bolt.Options{})
	if err != nil {
		return err
	}
	defer backup.Close()
	if got, err := contents(backup); err != nil || !reflect.DeepEqual(got, want) {
		return fmt.Errorf("the backup differs: %w", err)
	}
	return nil
}

// compare checks a store, reads it, and compares it with its contents before.
func compare(s *bolt.Store, want map[string]any) (string, error) {
	verdict := harmless
	if r, err := s.Check(context.Background()); err != nil || len(r.Faults) > 0 {
		verdict = reported
	}
	got, err := contents(s)
	if err != nil && verdict == harmless {
		return verdict, fmt.Errorf("a check found no fault: %w", err)
	}
	for name, value := range got {
		if !reflect.DeepEqual(want[name], value) {
			return verdict, fmt.Errorf("%s: %v, was %v", name, value, want[name])
		}
	}
	if verdict == harmless && len(got) != len(want) {
		return verdict, fmt.Errorf("%d values, were %d", len(got), len(want))
	}
	return verdict, nil
}
