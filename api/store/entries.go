package store

import (
	"encoding/binary"
	"fmt"
)

// An EntryKind is the kind of an [Entry].
type EntryKind string

// The kinds of entries, in the order of [Store.Export], with the parts of their keys. The
// entries of a commit, and those of a campaign, are together.
const (
	GrammarEntry       EntryKind = "grammar"        // ID; without its sources
	SourcesEntry       EntryKind = "sources"        // ID of the grammar
	CommitEntry        EntryKind = "commit"         // subject, commit
	UnitEntry          EntryKind = "unit"           // subject, commit, digest of the ID
	BlockEntry         EntryKind = "block"          // subject, commit, number; observations
	ChunkEntry         EntryKind = "chunk"          // digest; part of a model's file
	ModelEntry         EntryKind = "model"          // number
	AliasEntry         EntryKind = "alias"          // name; the value is the ID of the model
	JobEntry           EntryKind = "job"            // ID
	CampaignEntry      EntryKind = "campaign"       // ID
	RequestEntry       EntryKind = "request"        // ID of the campaign
	CampaignUnitsEntry EntryKind = "campaign units" // ID of the campaign
	HistoryEntry       EntryKind = "history"        // ID of the campaign
	LeaseEntry         EntryKind = "lease"          // ID of the campaign, ID of the input
	LogEntry           EntryKind = "log"            // ID of the campaign, number; observations
	KeyEntry           EntryKind = "key"            // ID
	EventEntry         EntryKind = "event"          // number
	PolicyEntry        EntryKind = "policy"         // subject
	CounterEntry       EntryKind = "counter"        // name; the value is the last number that was used
)

// The counters of a store.
const (
	SequenceCounter  = "sequence"
	ModelsCounter    = "models"
	JobsCounter      = "jobs"
	CampaignsCounter = "campaigns"
	EventsCounter    = "key_log"
)

// An Entry is a part of a store in the form in which every kind of store keeps it.
// Indexes, such as the digests of observations, are not entries, because they follow from
// the entries.
type Entry struct {
	Kind  EntryKind
	Key   []string // see the kinds; numbers are as [NumberKey] returns them
	Value []byte
}

// parts returns the number of parts of the keys of a kind, or 0 for an unknown kind.
func (k EntryKind) parts() int {
	const one, two, three = 1, 2, 3
	switch k {
	case GrammarEntry, SourcesEntry, ChunkEntry, ModelEntry, AliasEntry, JobEntry, CampaignEntry, RequestEntry,
		CampaignUnitsEntry, HistoryEntry, KeyEntry, EventEntry, PolicyEntry, CounterEntry:
		return one
	case CommitEntry, LeaseEntry, LogEntry:
		return two
	case UnitEntry, BlockEntry:
		return three
	}
	return 0
}

// isNumbered reports whether the last part of the keys of a kind is a number.
func (k EntryKind) isNumbered() bool {
	switch k {
	case BlockEntry, ModelEntry, JobEntry, CampaignEntry, RequestEntry, CampaignUnitsEntry, HistoryEntry, LogEntry, EventEntry:
		return true
	default:
		return false
	}
}

// Check returns an error if the key does not have the parts that its kind requires.
func (e Entry) Check() error {
	numbered := e.Kind.isNumbered()
	malformed := len(e.Key) != e.Kind.parts() || e.Kind.parts() == 0 ||
		numbered && len(e.Key[len(e.Key)-1]) != numberSize || e.Kind.belongsToCampaign() && len(e.Key[0]) != numberSize ||
		e.Kind == CounterEntry && len(e.Value) != numberSize
	if malformed {
		return fmt.Errorf("malformed entry of kind %q: key %q", e.Kind, e.Key)
	}
	return nil
}

func (k EntryKind) belongsToCampaign() bool { return k == LeaseEntry || k == LogEntry }

// Number returns the number that is the last part of the key.
func (e Entry) Number() uint64 { return KeyNumber(e.Key[len(e.Key)-1]) }

const numberSize = 8

// NumberKey returns a number as a part of a key. The order of numbers is the order of
// their bytes.
func NumberKey(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }

// KeyNumber returns the number that [NumberKey] has encoded as part.
func KeyNumber(part string) uint64 { return binary.BigEndian.Uint64([]byte(part)) }
