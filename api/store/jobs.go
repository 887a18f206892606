package store

import "time"

// A JobState is the state of a job.
type JobState string

// The states of a job. They are part of the stored format.
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
	ID         uint64    `cbor:"1,keyasint"` // from 1, in order of creation
	State      JobState  `cbor:"2,keyasint"`
	Subject    string    `cbor:"3,keyasint"`
	Commit     string    `cbor:"4,keyasint"`
	Grammar    string    `cbor:"5,keyasint"`
	Options    []byte    `cbor:"6,keyasint"` // training options, opaque to the store
	Created    time.Time `cbor:"7,keyasint"`
	Started    time.Time `cbor:"8,keyasint,omitzero"`
	Ended      time.Time `cbor:"9,keyasint,omitzero"`
	Attempts   int       `cbor:"10,keyasint"`
	Error      string    `cbor:"11,keyasint,omitempty"`
	Model      string    `cbor:"12,keyasint,omitempty"`
	Problem    string    `cbor:"13,keyasint,omitempty"` // the kind of the error
	Start      string    `cbor:"14,keyasint,omitempty"` // the parser rule to start from; the grammar's own if empty
	From       string    `cbor:"15,keyasint,omitempty"` // the model whose trees are reused
	RequestKey string    `cbor:"16,keyasint,omitempty"` // digest of the client and its idempotency key; empty without a key
	BodyDigest []byte    `cbor:"17,keyasint,omitempty"` // of the request with that key
	Blocks     uint64    `cbor:"18,keyasint,omitempty"` // the last block of observations to train on, so that several processes train on the same; 0 for all blocks
}
