// Package store describes how the service keeps grammars, observations, models, jobs,
// campaigns and keys. Package [github.com/inroad/inroad/api/store/bolt] keeps them in one file,
// package [github.com/inroad/inroad/api/store/postgres] in a database.
package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"time"

	"github.com/inroad/inroad/model/observation"
)

// A Store keeps everything that the service must not lose. It is safe for concurrent
// use.
//
// When a call returns without an error, its changes are durable. A call changes
// everything that it names, or nothing; [Store.PutModel] may leave parts of a model's
// file behind, which are harmless. Returned values are copies: no transaction stays
// open between calls. A call whose context ends before it changes anything returns
// the cause.
type Store interface {
	// PutGrammar stores a grammar and sets its ID and creation time. If the store has
	// the grammar already, it returns the stored one and created is false.
	PutGrammar(ctx context.Context, g Grammar) (stored Grammar, created bool, err error)
	// Grammar returns the grammar with an ID.
	Grammar(ctx context.Context, id string) (Grammar, error)
	// Grammars returns all grammars without their sources, oldest first.
	Grammars(ctx context.Context) ([]Grammar, error)

	// AddObservations stores observations of a program and its units. It skips
	// observations that the store has already.
	AddObservations(ctx context.Context, subject, commit string, units []observation.Unit, observations []observation.Observation) (Added, error)
	// Subjects returns all programs with observations, sorted by name.
	Subjects(ctx context.Context) ([]Subject, error)
	// Subject returns the program with a name.
	Subject(ctx context.Context, name string) (Subject, error)
	// Commit returns the counts of one version of a program.
	Commit(ctx context.Context, subject, commit string) (Commit, error)
	// Header returns the header of the observations of one version of a program, with
	// its units sorted by ID.
	Header(ctx context.Context, subject, commit string) (observation.Header, error)
	// Observations yields the observations of one version of a program in the order in
	// which they were stored, one block at a time.
	Observations(ctx context.Context, subject, commit string) iter.Seq2[[]observation.Observation, error]

	// Block returns the first block of observations of one version of a program whose
	// number is at least from, with its features that have the given key, if any. It
	// returns a block with the number 0 if there is none.
	Block(ctx context.Context, subject, commit string, from uint64, key []byte) (Block, error)
	// PutFeatures stores features of a block, unless the block already has features with
	// the same key. All features together take at most limit bytes. To make room, it
	// deletes the features of other commits or keys, least recently extended first. If
	// that is not enough, it stores nothing.
	PutFeatures(ctx context.Context, f Features, limit int64) error
	// TrimFeatures deletes features, as PutFeatures does, so that all together take at most
	// limit bytes.
	TrimFeatures(ctx context.Context, limit int64) error

	// PutModel stores a model and its file, and sets the model's number and creation
	// time. If the store has the model already, it returns the stored one.
	PutModel(ctx context.Context, m Model, file []byte) (Model, error)
	// Model returns the model with an ID.
	Model(ctx context.Context, id string) (Model, error)
	// Models returns up to limit models of a subject, or of all subjects if it is
	// empty, newest first. If before is not 0, it returns only models with a lower
	// number. A negative limit means no limit.
	Models(ctx context.Context, subject string, before uint64, limit int) ([]Model, error)
	// ModelFile returns the file of a model.
	ModelFile(ctx context.Context, m Model) ([]byte, error)

	// PutAlias points an alias to a model, creating or moving the alias.
	PutAlias(ctx context.Context, a Alias) error
	// DeleteAlias deletes an alias. The model stays.
	DeleteAlias(ctx context.Context, name string) error
	// Named returns the model that an alias points to.
	Named(ctx context.Context, alias string) (Model, error)
	// Aliases returns all aliases, sorted by name.
	Aliases(ctx context.Context) ([]Alias, error)

	// NewJob stores a queued job and sets its ID and creation time.
	NewJob(ctx context.Context, j Job) (Job, error)
	// SaveJob replaces the stored job with the same ID.
	SaveJob(ctx context.Context, j Job) error
	// CompleteJob stores a model and its file like [Store.PutModel], and replaces the job
	// with the same ID, whose model it sets, in the same transaction.
	CompleteJob(ctx context.Context, j Job, m Model, file []byte) (Job, error)
	// Job returns the job with an ID.
	Job(ctx context.Context, id uint64) (Job, error)
	// Jobs returns up to limit jobs of a subject, or of all subjects if it is empty,
	// newest first. If before is not 0, it returns only jobs with a lower ID. A negative
	// limit means no limit.
	Jobs(ctx context.Context, subject string, before uint64, limit int) ([]Job, error)
	// OpenJobs returns the queued and running jobs, oldest first.
	OpenJobs(ctx context.Context) ([]Job, error)

	// NewCampaign stores a running campaign, and sets its ID and creation time. The
	// request is opaque to the store. Units are those of the program.
	NewCampaign(ctx context.Context, c Campaign, request []byte, units []observation.Unit) (Campaign, error)
	// Campaign returns the campaign with an ID.
	Campaign(ctx context.Context, id uint64) (Campaign, error)
	// Campaigns returns up to limit campaigns for a program, newest first; for all
	// programs if the name is empty. If before is not 0, it returns only campaigns with a
	// lower ID. A negative limit means no limit.
	Campaigns(ctx context.Context, subject string, before uint64, limit int) ([]Campaign, error)
	// CampaignRequest returns the request and the units of a campaign.
	CampaignRequest(ctx context.Context, id uint64) (request []byte, units []observation.Unit, err error)
	// CampaignHistory returns the history of a campaign, oldest first.
	CampaignHistory(ctx context.Context, id uint64) (history []CampaignPoint, err error)
	// CampaignLeases returns the handed-out inputs of a campaign without an observation,
	// by number.
	CampaignLeases(ctx context.Context, id uint64) ([]Lease, error)
	// PutLeases stores inputs of a campaign that are handed out, and replaces the
	// campaign. It returns the campaign as it is stored, or [ErrChanged] if the stored
	// campaign has another version.
	PutLeases(ctx context.Context, c Campaign, leases []Lease) (Campaign, error)
	// WasTold reports for each input whether its observation is in the log of a campaign.
	WasTold(ctx context.Context, id uint64, inputs []string) ([]bool, error)
	// Tell replaces a campaign, and its history unless history is nil. It appends
	// observations of inputs to the log, ends the leases of the inputs, and adds the
	// observations to those of the program. counted says whether the counts of the
	// campaign include them. Tell returns the campaign as it is stored, or [ErrChanged]
	// if the stored campaign has another version.
	Tell(ctx context.Context, c Campaign, told []Told, history []CampaignPoint, counted bool) (Campaign, error)
	// CampaignLog yields the observations of a campaign in the order in which they were
	// told, from the first block whose number is greater than after.
	CampaignLog(ctx context.Context, id, after uint64) iter.Seq2[CampaignBlock, error]
	// DeleteCampaign deletes a campaign. The observations of the program stay.
	DeleteCampaign(ctx context.Context, id uint64) error

	// NewKey stores and logs a key, and sets its ID, sequence number, creation time and
	// hash. It returns the secret, which cannot be recovered later.
	NewKey(ctx context.Context, k Key) (Key, string, error)
	// Keys returns all keys, oldest first.
	Keys(ctx context.Context) ([]Key, error)
	// RevokeKey deletes a key and logs the revocation. by is the ID of the key that
	// revoked it, or empty if no key was needed.
	RevokeKey(ctx context.Context, id, by string) error
	// Authenticate returns the key that a secret belongs to. The error is [ErrKey] if
	// there is none, and [ErrExpired], together with the key, if the key has expired.
	Authenticate(ctx context.Context, secret string) (Key, error)
	// LogEvents writes events to the key log in one transaction, and sets the numbers
	// of new events. An event that has a number replaces its entry. A [KeyUsed] event
	// also sets the last use of its key.
	LogEvents(ctx context.Context, events []*Event) error
	// Events returns up to limit entries of the key log, newest first. If before is not
	// 0, it returns only entries with a lower number. A negative limit means no limit.
	Events(ctx context.Context, before uint64, limit int) ([]Event, error)

	// DeleteCommit deletes the observations of one version of a program. Like the other
	// deletions, it returns an [InUseError] if the data is in use according to [Usage].
	// It also returns one if sequence is neither 0 nor the Sequence of the [Commit].
	DeleteCommit(ctx context.Context, subject, commit string, sequence uint64) error
	// DeleteSubject deletes all observations of a program.
	DeleteSubject(ctx context.Context, name string) error
	// DeleteModel deletes the model with an ID and its file.
	DeleteModel(ctx context.Context, id string) error
	// DeleteGrammar deletes the grammar with an ID.
	DeleteGrammar(ctx context.Context, id string) error
	// DeleteEvents deletes the entries of the key log whose last event is before until,
	// and returns their number.
	DeleteEvents(ctx context.Context, until time.Time) (int64, error)
	// Usage returns the users of observations, models and grammars.
	Usage(ctx context.Context) (*Usage, error)

	// PutPolicy creates or replaces the policy of a subject.
	PutPolicy(ctx context.Context, p Policy) error
	// DeletePolicy deletes the policy of a subject.
	DeletePolicy(ctx context.Context, subject string) error
	// Policies returns all policies, sorted by subject.
	Policies(ctx context.Context) ([]Policy, error)

	// Export yields all entries of the store as they are at one time, ordered by the
	// position of their kind and by their key. The store must not be changed from within
	// the loop. Values are valid until the next iteration.
	Export(ctx context.Context) iter.Seq2[Entry, error]
	// Import stores the entries of another store. It returns an error that wraps
	// [ErrNotEmpty] unless this store is empty, and one that wraps [ErrInUse] if a service
	// uses it. At the end it calls check with the entries that this store has now. If
	// Import fails, a database is unchanged, while a file is incomplete and of no use.
	Import(ctx context.Context, entries iter.Seq2[Entry, error], check func(stored iter.Seq2[Entry, error]) error) error

	// Ping returns an error if the store cannot be read.
	Ping(ctx context.Context) error
	// Failure returns an error that wraps [ErrStopped] and its cause once the store has
	// stopped writing, and nil before.
	Failure() error
	// Size returns the size of the stored data in bytes, or 0 if it is not known.
	Size() int64
	// Close closes the store. It waits for calls in progress; a database may limit the wait.
	Close() error
}

// A Copier is a store that can be copied while it is in use.
type Copier interface {
	// Copy writes a snapshot of the store to a new file, and returns that file at
	// offset 0. The caller closes and removes it.
	Copy(ctx context.Context) (*os.File, error)
}

var (
	// ErrInUse is returned when another process has the store open.
	ErrInUse = errors.New("store is in use by another process")
	// ErrNotEmpty is returned by [Store.Import] for a store that has entries.
	ErrNotEmpty = errors.New("the store is not empty")
	// ErrFull is returned when the disk is full. The store is unchanged.
	ErrFull = errors.New("no space left for the store")
	// ErrUnreadable is wrapped by the errors of a store whose data is damaged.
	ErrUnreadable = errors.New("the store is damaged")
	// ErrChanged is returned when another process has changed a campaign meanwhile.
	ErrChanged = errors.New("another process has changed the campaign")
	// ErrUnavailable is wrapped by the errors of a database that cannot be reached or
	// restarts. A change may have been made.
	ErrUnavailable = errors.New("the store is not available")
	// ErrStopped is returned by every write after a write to the file has failed. Only a
	// restart, which reads the store again, shows which changes it contains. Reads
	// continue.
	ErrStopped = errors.New("the store stopped writing")
)

// A NotFoundError reports a name that is not in the store.
type NotFoundError struct{ Kind, Name string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("%s %s: not found", e.Kind, e.Name) }

// NotFound returns a [NotFoundError].
func NotFound(kind, name string) error { return &NotFoundError{kind, name} }

// CommitNotFound returns the error for a version of a program without observations.
func CommitNotFound(subject, commit string) error {
	return NotFound("commit", fmt.Sprintf("%q of subject %s", commit, subject))
}
