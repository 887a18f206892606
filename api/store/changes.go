package store

// A ChangeKind is the kind of data that has changed in a store.
type ChangeKind string

// The kinds of changes. They are names of tables.
const (
	AnyChange      ChangeKind = "" // changes may have been missed
	JobChange      ChangeKind = "jobs"
	CampaignChange ChangeKind = "campaigns"
	KeyChange      ChangeKind = "keys"
	ModelChange    ChangeKind = "models" // models and aliases
)

// A Change is a committed change of a store.
type Change struct {
	Kind    ChangeKind
	ID      string // of the job, campaign or key
	Deleted bool
}

// A Shared store is used by several replicas of the service at the same time.
type Shared interface {
	// Subscribe calls notify for each change of the store by any replica, soon after its
	// commit, until the caller calls end. notify gets an [AnyChange] if changes may have
	// been missed. It must not block.
	Subscribe(notify func(c Change)) (end func())
	// Replicas returns the number of replicas that take requests, at least 1.
	Replicas() int
}
