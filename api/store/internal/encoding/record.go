package encoding

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/fxamacker/cbor/v2"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/model/observation"
)

// A Record is the stored form of an observation.
type Record struct {
	_        struct{} `cbor:",toarray"`
	Name     string
	Input    []byte
	Known    bool // the methods are known
	Methods  []string
	Counts   []int
	Outcome  string
	Failure  *observation.Failure
	Duration time.Duration
	Calls    calls
}

// calls are the calls of an observation. If there are none, a number is stored in their
// place, as earlier versions always did.
type calls []string

// MarshalCBOR implements [cbor.Marshaler].
func (c calls) MarshalCBOR() ([]byte, error) {
	if c == nil {
		return cbor.Marshal(0.0)
	}
	return cbor.Marshal([]string(c))
}

// UnmarshalCBOR implements [cbor.Unmarshaler].
func (c *calls) UnmarshalCBOR(data []byte) error {
	var number float64
	if cbor.Unmarshal(data, &number) == nil {
		*c = nil
		return nil
	}
	return cbor.Unmarshal(data, (*[]string)(c))
}

// NewRecord returns the stored form of an observation.
func NewRecord(o observation.Observation) Record {
	return Record{
		Name: o.Name, Input: o.Input, Known: o.Methods != nil, Methods: o.Methods, Counts: o.Counts,
		Outcome: string(o.Outcome), Failure: o.Failure, Duration: o.Duration, Calls: o.Calls,
	}
}

// Observation returns the observation.
func (r Record) Observation() observation.Observation {
	out := observation.Observation{
		Name: r.Name, Input: r.Input, Counts: r.Counts,
		Outcome: observation.Outcome(r.Outcome), Failure: r.Failure, Duration: r.Duration, Calls: r.Calls,
	}
	if r.Known {
		out.Methods = append([]string{}, r.Methods...)
	}
	if len(out.Counts) == 0 {
		out.Counts = nil
	}
	return out
}

// Observations returns the observations of records.
func Observations(records []Record) []observation.Observation {
	out := make([]observation.Observation, len(records))
	for i, r := range records {
		out[i] = r.Observation()
	}
	return out
}

// digest returns a digest of the outcome, the methods and the failure. Fields that
// vary between runs, such as the duration, are not part of it.
func (r Record) digest() []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%t %s", r.Known, r.Outcome)
	for _, m := range r.Methods {
		fmt.Fprintf(h, " %d:%s", len(m), m)
	}
	if r.Failure != nil {
		fmt.Fprintf(h, " %d:%s %s", len(r.Failure.Type), r.Failure.Type, r.Failure.Stack)
	}
	return h.Sum(nil)[:8]
}

// A KeyedRecord is a record with the digests of its input and of its result. Records
// with the same digests are duplicates.
type KeyedRecord struct {
	Record
	InputDigest, ResultDigest []byte
}

// KeyRecords returns the stored forms of observations.
func KeyRecords(observations []observation.Observation) []KeyedRecord {
	out := make([]KeyedRecord, len(observations))
	for i, o := range observations {
		r := NewRecord(o)
		out[i] = KeyedRecord{r, Key(o.Input), r.digest()}
	}
	return out
}

// Key returns the digest that stands for a long key.
func Key(key []byte) []byte {
	digest := sha256.Sum256(key)
	return digest[:16]
}

// A KeyedUnit is a unit with the digest of its ID.
type KeyedUnit struct{ Key, Value []byte }

// KeyUnits returns the stored forms of units.
func KeyUnits(units []observation.Unit) ([]KeyedUnit, error) {
	out := make([]KeyedUnit, len(units))
	for i, u := range units {
		value, err := Encode(u)
		if err != nil {
			return nil, err
		}
		out[i] = KeyedUnit{Key([]byte(u.ID)), value}
	}
	return out, nil
}

// Count adds stored records to the counts of a commit.
func Count(c *store.Commit, added store.Added, fresh []Record) {
	c.Observations += added.Stored
	c.Contradictory += added.Contradictory
	for _, r := range fresh {
		if c.Outcomes == nil {
			c.Outcomes = map[observation.Outcome]int64{}
		}
		c.Outcomes[cmp.Or(observation.Outcome(r.Outcome), observation.OK)]++
	}
}

// A ToldRecord is the stored form of a [store.Told].
type ToldRecord struct {
	_      struct{} `cbor:",toarray"`
	ID     string
	Time   time.Time
	Record Record
}

// ToldRecords returns the stored forms of observations that were told to a campaign, and
// the keyed records of the same observations.
func ToldRecords(told []store.Told) ([]ToldRecord, []KeyedRecord) {
	records := make([]ToldRecord, len(told))
	observations := make([]observation.Observation, len(told))
	for i, t := range told {
		observations[i] = t.Observation
		records[i] = ToldRecord{ID: t.ID, Time: t.Time, Record: NewRecord(t.Observation)}
	}
	return records, KeyRecords(observations)
}

// Told returns the observations that records store.
func Told(records []ToldRecord) []store.Told {
	out := make([]store.Told, len(records))
	for i, r := range records {
		out[i] = store.Told{ID: r.ID, Time: r.Time, Observation: r.Record.Observation()}
	}
	return out
}
