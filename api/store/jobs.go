package store

import (
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// A JobState says how far a job is.
type JobState string

// The states of a job. The words are part of the format.
const (
	Queued      JobState = "queued"
	Running     JobState = "running"
	Done        JobState = "done"
	Failed      JobState = "failed"
	Cancelled   JobState = "cancelled"
	Interrupted JobState = "interrupted" // the process ended too often while it ran
)

// Ended reports whether the state is the last of a job.
func (s JobState) Ended() bool { return s != Queued && s != Running }

// A Job is work that was asked for: to train a model.
type Job struct {
	ID       uint64    `cbor:"1,keyasint"` // counts jobs from 1, the oldest first
	State    JobState  `cbor:"2,keyasint"`
	Subject  string    `cbor:"3,keyasint"`
	Commit   string    `cbor:"4,keyasint"`
	Grammar  string    `cbor:"5,keyasint"`
	Options  []byte    `cbor:"6,keyasint"` // of the training, as the one who runs jobs writes them
	Created  time.Time `cbor:"7,keyasint"`
	Started  time.Time `cbor:"8,keyasint,omitzero"`
	Ended    time.Time `cbor:"9,keyasint,omitzero"`
	Attempts int       `cbor:"10,keyasint"`
	Error    string    `cbor:"11,keyasint,omitempty"`
	Model    string    `cbor:"12,keyasint,omitempty"`
	Problem  string    `cbor:"13,keyasint,omitempty"` // the kind of the error
}

// NewJob stores a job that is to be done, and sets its number and when it was created.
func (s *Store) NewJob(j Job) (Job, error) {
	err := s.update(func(tx *bbolt.Tx) error {
		n, err := tx.Bucket([]byte(jobsBucket)).NextSequence()
		if err != nil {
			return err
		}
		j.ID, j.State, j.Created = n, Queued, s.now()
		return putJob(tx, j)
	})
	return j, err
}

// SaveJob stores what became of a job.
func (s *Store) SaveJob(j Job) error {
	return s.update(func(tx *bbolt.Tx) error { return putJob(tx, j) })
}

func putJob(tx *bbolt.Tx, j Job) error {
	value, err := encode(j)
	if err != nil {
		return err
	}
	return tx.Bucket([]byte(jobsBucket)).Put(number(j.ID), value)
}

// Job returns a job.
func (s *Store) Job(id uint64) (Job, error) {
	var j Job
	err := s.db.View(func(tx *bbolt.Tx) error {
		value := tx.Bucket([]byte(jobsBucket)).Get(number(id))
		if value == nil {
			return &NotFoundError{"job", fmt.Sprint(id)}
		}
		return decode(value, &j)
	})
	return j, err
}

// Jobs returns up to limit jobs, the newest first: those older than the one
// numbered before, if that is not 0.
func (s *Store) Jobs(before uint64, limit int) ([]Job, error) {
	return s.jobs(before, limit, func(Job) bool { return true })
}

// OpenJobs returns the jobs that have not ended, the oldest first.
func (s *Store) OpenJobs() ([]Job, error) {
	out, err := s.jobs(0, -1, func(j Job) bool { return !j.State.Ended() })
	slices.Reverse(out)
	return out, err
}

func (s *Store) jobs(before uint64, limit int, wanted func(Job) bool) ([]Job, error) {
	var out []Job
	err := s.db.View(func(tx *bbolt.Tx) error {
		for _, value := range newest(tx.Bucket([]byte(jobsBucket)), before) {
			var j Job
			if err := decode(value, &j); err != nil {
				return err
			}
			if !wanted(j) {
				continue
			}
			if out = append(out, j); len(out) == limit {
				return nil
			}
		}
		return nil
	})
	return out, err
}
