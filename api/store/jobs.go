package store

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A JobState is the state of a job.
type JobState string

// The states of a job. They are part of the file format.
const (
	Queued      JobState = "queued"
	Running     JobState = "running"
	Done        JobState = "done"
	Failed      JobState = "failed"
	Cancelled   JobState = "cancelled"
	Interrupted JobState = "interrupted" // the process stopped too often while the job ran
)

// Ended reports whether the state is final.
func (s JobState) Ended() bool { return s != Queued && s != Running }

// A Job is a request to train a model.
type Job struct {
	ID       uint64    `cbor:"1,keyasint"` // from 1, in order of creation
	State    JobState  `cbor:"2,keyasint"`
	Subject  string    `cbor:"3,keyasint"`
	Commit   string    `cbor:"4,keyasint"`
	Grammar  string    `cbor:"5,keyasint"`
	Options  []byte    `cbor:"6,keyasint"` // training options, opaque to the store
	Created  time.Time `cbor:"7,keyasint"`
	Started  time.Time `cbor:"8,keyasint,omitzero"`
	Ended    time.Time `cbor:"9,keyasint,omitzero"`
	Attempts int       `cbor:"10,keyasint"`
	Error    string    `cbor:"11,keyasint,omitempty"`
	Model    string    `cbor:"12,keyasint,omitempty"`
	Problem  string    `cbor:"13,keyasint,omitempty"` // the kind of the error
	Start    string    `cbor:"14,keyasint,omitempty"` // the parser rule to start from; the grammar's own if empty
	From     string    `cbor:"15,keyasint,omitempty"` // the model whose trees are reused
}

// NewJob stores a queued job and sets its ID and creation time.
func (s *Store) NewJob(j Job) (Job, error) {
	err := s.update(func(tx *txn) error {
		n, err := tx.bucket(jobsBucket).next()
		if err != nil {
			return err
		}
		j.ID, j.State, j.Created = n, Queued, s.now()
		return putJob(tx, j)
	})
	return j, err
}

// SaveJob replaces the stored job with the same ID.
func (s *Store) SaveJob(j Job) error {
	return s.update(func(tx *txn) error { return putJob(tx, j) })
}

func putJob(tx *txn, j Job) error {
	value, err := encode(j)
	if err != nil {
		return err
	}
	return tx.bucket(jobsBucket).put(number(j.ID), value)
}

// Job returns the job with an ID.
func (s *Store) Job(id uint64) (Job, error) {
	var j Job
	err := s.view(func(tx *txn) error {
		value, err := tx.bucket(jobsBucket).get(number(id))
		if err != nil || value == nil {
			return cmp.Or[error](err, &NotFoundError{"job", fmt.Sprint(id)})
		}
		return decode(value, &j)
	})
	return j, err
}

// Jobs returns up to limit jobs of a subject, or of all subjects if it is empty,
// newest first. If before is not 0, it returns only jobs with a lower ID. A negative
// limit means no limit.
func (s *Store) Jobs(subject string, before uint64, limit int) ([]Job, error) {
	return s.jobs(before, limit, func(j Job) bool { return subject == "" || j.Subject == subject })
}

// OpenJobs returns the queued and running jobs, oldest first.
func (s *Store) OpenJobs() ([]Job, error) {
	out, err := s.jobs(0, -1, func(j Job) bool { return !j.State.Ended() })
	slices.Reverse(out)
	return out, err
}

func (s *Store) jobs(before uint64, limit int, keep func(Job) bool) ([]Job, error) {
	var out []Job
	err := s.view(func(tx *txn) error {
		for e, err := range tx.bucket(jobsBucket).newest(before) {
			var j Job
			if err == nil {
				err = decode(e.value, &j)
			}
			if err != nil {
				return err
			}
			if !keep(j) {
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
