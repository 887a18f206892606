package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/inroad/inroad/model/observation"
)

// A CampaignState is the state of a campaign.
type CampaignState string

// The states of a campaign. They are part of the file format.
const (
	CampaignRunning CampaignState = "running"
	CampaignEnded   CampaignState = "ended"
	CampaignStopped CampaignState = "stopped"
	CampaignFailed  CampaignState = "failed"
)

// A Campaign is a fuzzing campaign with the counts that are listed. Its state follows
// from its request and its log.
type Campaign struct {
	ID      uint64        `cbor:"1,keyasint"` // from 1, in order of creation
	State   CampaignState `cbor:"2,keyasint"`
	End     string        `cbor:"3,keyasint,omitempty"` // why the campaign ended
	Error   string        `cbor:"4,keyasint,omitempty"`
	Problem string        `cbor:"5,keyasint,omitempty"` // the kind of the error
	Subject string        `cbor:"6,keyasint"`
	Commit  string        `cbor:"7,keyasint"`
	Grammar string        `cbor:"8,keyasint"`
	Start   string        `cbor:"9,keyasint,omitempty"`
	Options []byte        `cbor:"10,keyasint"`           // opaque to the store
	Client  string        `cbor:"11,keyasint,omitempty"` // that created the campaign
	Created time.Time     `cbor:"12,keyasint"`
	Updated time.Time     `cbor:"13,keyasint"` // when the last observation was told
	Runs    int           `cbor:"14,keyasint"` // observations in the log
	Leased  int           `cbor:"17,keyasint"` // inputs that were handed out and not told

	// Counts are those after the observations of the log up to Counted.
	Last    uint64         `cbor:"18,keyasint"` // number in the log
	Counted uint64         `cbor:"15,keyasint"` // number in the log
	Counts  CampaignCounts `cbor:"16,keyasint"`
}

// CampaignCounts are the counts of a campaign.
type CampaignCounts struct {
	Failing    int    `cbor:"1,keyasint"`
	Generation int    `cbor:"2,keyasint"`
	Reached    int    `cbor:"3,keyasint"`
	Methods    int    `cbor:"4,keyasint"`
	Failures   int    `cbor:"5,keyasint"`
	K          int    `cbor:"6,keyasint"`
	Covered    int    `cbor:"7,keyasint"`
	Possible   string `cbor:"8,keyasint"`
}

// A CampaignPoint is a point in the history of a campaign.
type CampaignPoint struct {
	_                                struct{} `cbor:",toarray"`
	Runs, Reached, Failures, Covered int
	Time                             time.Time
}

// A Lease is an input that was handed out and not told.
type Lease struct {
	ID      string    `cbor:"1,keyasint"`
	Number  int       `cbor:"2,keyasint"`
	Text    []byte    `cbor:"3,keyasint"`
	Aim     string    `cbor:"4,keyasint,omitempty"`
	Expires time.Time `cbor:"5,keyasint"`
}

// A Told is an observation of an input of a campaign.
type Told struct {
	ID          string
	Time        time.Time
	Observation observation.Observation
}

// A toldRecord is the stored form of a [Told].
type toldRecord struct {
	_      struct{} `cbor:",toarray"`
	ID     string
	Time   time.Time
	Record record
}

// Names of the keys and the buckets of a campaign.
const (
	requestKey   = "request"
	historyKey   = "history"
	leasesBucket = "leases"
	logBucket    = "log"
	toldBucket   = "told"
)

// NewCampaign stores a running campaign, and sets its ID and creation time. The
// request is opaque to the store. Units are those of the program.
func (s *Store) NewCampaign(c Campaign, request []byte, units []observation.Unit) (Campaign, error) {
	err := s.update(func(tx *txn) error {
		n, err := tx.bucket(campaignsBucket).next()
		if err != nil {
			return err
		}
		c.ID, c.State, c.Created = n, CampaignRunning, s.now()
		c.Updated = c.Created
		data, err := tx.bucket(campaignDataBucket).create(campaignName(n))
		if err != nil {
			return err
		}
		for _, name := range []string{leasesBucket, logBucket, toldBucket} {
			if _, err := data.create(name); err != nil {
				return err
			}
		}
		for _, part := range []struct {
			key   string
			value any
		}{{requestKey, request}, {unitsBucket, units}} {
			value, err := s.encodeBlock(part.value)
			if err == nil {
				err = data.put([]byte(part.key), value)
			}
			if err != nil {
				return err
			}
		}
		return putCampaign(tx, c)
	})
	return c, err
}

// campaignName returns the name of the bucket of a campaign.
func campaignName(id uint64) string { return string(number(id)) }

func putCampaign(tx *txn, c Campaign) error {
	value, err := encode(c)
	if err != nil {
		return err
	}
	return tx.bucket(campaignsBucket).put(number(c.ID), value)
}

// Campaign returns the campaign with an ID.
func (s *Store) Campaign(id uint64) (Campaign, error) {
	var c Campaign
	err := s.view(func(tx *txn) (err error) {
		c, err = getCampaign(tx, id)
		return err
	})
	return c, err
}

func getCampaign(tx *txn, id uint64) (Campaign, error) {
	var c Campaign
	value, err := tx.bucket(campaignsBucket).get(number(id))
	if err != nil || value == nil {
		return c, cmp.Or[error](err, &NotFoundError{"campaign", fmt.Sprint(id)})
	}
	return c, decode(value, &c)
}

// Campaigns returns up to limit campaigns for a program, newest first; for all
// programs if the name is empty. If before is not 0, it returns only campaigns with a
// lower ID. A negative limit means no limit.
func (s *Store) Campaigns(subject string, before uint64, limit int) ([]Campaign, error) {
	var out []Campaign
	err := s.view(func(tx *txn) error {
		b := tx.bucket(campaignsBucket)
		if b == nil { // in a store that an earlier version wrote, opened read-only
			return nil
		}
		for e, err := range b.newest(before) {
			var c Campaign
			if err == nil {
				err = decode(e.value, &c)
			}
			if err != nil {
				return err
			}
			if subject != "" && c.Subject != subject {
				continue
			}
			if out = append(out, c); len(out) == limit {
				return nil
			}
		}
		return nil
	})
	return out, err
}

// viewCampaign calls view with the bucket of a campaign.
func (s *Store) viewCampaign(id uint64, view func(data *bucket) error) error {
	return s.view(func(tx *txn) error {
		if _, err := getCampaign(tx, id); err != nil {
			return err
		}
		data, err := tx.bucket(campaignDataBucket).part(campaignName(id))
		if err != nil {
			return err
		}
		return view(data)
	})
}

// CampaignRequest returns the request and the units of a campaign.
func (s *Store) CampaignRequest(id uint64) (request []byte, units []observation.Unit, err error) {
	err = s.viewCampaign(id, func(data *bucket) error {
		value, err := data.get([]byte(requestKey))
		if err == nil {
			err = s.decodeBlock(value, &request)
		}
		if err != nil {
			return err
		}
		if value, err = data.get([]byte(unitsBucket)); err != nil {
			return err
		}
		return s.decodeBlock(value, &units)
	})
	return request, units, err
}

// CampaignHistory returns the history of a campaign, oldest first.
func (s *Store) CampaignHistory(id uint64) (history []CampaignPoint, err error) {
	err = s.viewCampaign(id, func(data *bucket) error {
		value, err := data.get([]byte(historyKey))
		if err != nil || value == nil {
			return err
		}
		return s.decodeBlock(value, &history)
	})
	return history, err
}

// CampaignLeases returns the inputs of a campaign that were handed out and not told,
// by number.
func (s *Store) CampaignLeases(id uint64) ([]Lease, error) {
	var out []Lease
	err := s.viewCampaign(id, func(data *bucket) error {
		leases, err := data.part(leasesBucket)
		if err == nil {
			out, err = decodeAll[Lease](leases)
		}
		return err
	})
	slices.SortFunc(out, func(a, b Lease) int { return cmp.Compare(a.Number, b.Number) })
	return out, err
}

// PutLeases stores inputs of a campaign that are handed out, and replaces the campaign.
func (s *Store) PutLeases(c Campaign, leases []Lease) error {
	return s.updateCampaign(c.ID, func(tx *txn, data *bucket) error {
		b, err := data.part(leasesBucket)
		if err != nil {
			return err
		}
		for _, l := range leases {
			value, err := encode(l)
			if err == nil {
				err = b.put([]byte(l.ID), value)
			}
			if err != nil {
				return err
			}
		}
		return putCampaign(tx, c)
	})
}

func (s *Store) updateCampaign(id uint64, change func(tx *txn, data *bucket) error) error {
	return s.update(func(tx *txn) error {
		if _, err := getCampaign(tx, id); err != nil {
			return err
		}
		data, err := tx.bucket(campaignDataBucket).part(campaignName(id))
		if err != nil {
			return err
		}
		return change(tx, data)
	})
}

// WasTold reports for each input whether its observation is in the log of a campaign.
func (s *Store) WasTold(id uint64, inputs []string) ([]bool, error) {
	out := make([]bool, len(inputs))
	err := s.viewCampaign(id, func(data *bucket) error {
		told, err := data.part(toldBucket)
		if err != nil {
			return err
		}
		for i, input := range inputs {
			value, err := told.get([]byte(input))
			if err != nil {
				return err
			}
			out[i] = value != nil
		}
		return nil
	})
	return out, err
}

// Tell replaces a campaign and, unless it is nil, its history. It appends observations of
// leased inputs to the log, ends their leases, and stores them as observations of the
// program, too. If counted is true, the counts of the campaign include them. It returns
// the campaign as it is stored.
func (s *Store) Tell(c Campaign, told []Told, history []CampaignPoint, counted bool) (Campaign, error) {
	records := make([]toldRecord, len(told))
	observations := make([]observation.Observation, len(told))
	for i, t := range told {
		observations[i] = t.Observation
		records[i] = toldRecord{ID: t.ID, Time: t.Time, Record: newRecord(t.Observation)}
	}
	keyed := keyRecords(observations)
	err := s.updateCampaign(c.ID, func(tx *txn, data *bucket) error {
		last, err := s.appendTold(data, records)
		if err != nil {
			return err
		}
		if c.Last = last; counted {
			c.Counted = last
		}
		if history != nil {
			value, err := s.encodeBlock(history)
			if err == nil {
				err = data.put([]byte(historyKey), value)
			}
			if err != nil {
				return err
			}
		}
		if len(keyed) > 0 {
			if _, err := s.addObservations(tx, c.Subject, c.Commit, nil, keyed); err != nil {
				return err
			}
		}
		return putCampaign(tx, c)
	})
	return c, err
}

// appendTold appends observations to the log of a campaign, and ends the leases of
// their inputs. It returns the number of the last block of the log.
func (s *Store) appendTold(data *bucket, records []toldRecord) (uint64, error) {
	log, err := data.part(logBucket)
	if err != nil {
		return 0, err
	}
	if len(records) == 0 {
		return log.bolt.Sequence(), nil
	}
	leases, err := data.part(leasesBucket)
	if err != nil {
		return 0, err
	}
	told, err := data.part(toldBucket)
	if err != nil {
		return 0, err
	}
	n, err := log.next()
	if err != nil {
		return 0, err
	}
	value, err := s.encodeBlock(records)
	if err == nil {
		err = log.put(number(n), value)
	}
	if err != nil {
		return 0, err
	}
	for _, r := range records {
		if err := leases.delete([]byte(r.ID)); err != nil {
			return 0, err
		}
		if err := told.put([]byte(r.ID), number(n)); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// A CampaignBlock has the observations that were told at the same time.
type CampaignBlock struct {
	Number uint64 // in the log, from 1
	Told   []Told
}

// CampaignLog yields the observations of a campaign in the order in which they were
// told, from the first block after a number.
func (s *Store) CampaignLog(id, after uint64) iter.Seq2[CampaignBlock, error] {
	return func(yield func(CampaignBlock, error) bool) {
		for {
			block, err := s.campaignBlock(id, after+1)
			if err != nil {
				yield(block, err)
				return
			}
			if block.Number == 0 || !yield(block, nil) {
				return
			}
			after = block.Number
		}
	}
}

// campaignBlock returns the first block whose number is at least from, or an empty block
// if there is none.
func (s *Store) campaignBlock(id, from uint64) (block CampaignBlock, err error) {
	var value []byte
	err = s.viewCampaign(id, func(data *bucket) error {
		log, err := data.part(logBucket)
		if err != nil {
			return err
		}
		e, err := log.from(number(from))
		if e.key != nil && err == nil {
			block.Number, value = binary.BigEndian.Uint64(e.key), slices.Clone(e.value)
		}
		return err
	})
	if err != nil || value == nil {
		return block, err
	}
	var records []toldRecord
	if err := s.decodeBlock(value, &records); err != nil {
		return block, fmt.Errorf("block %d of campaign %d: %w", block.Number, id, err)
	}
	for _, r := range records {
		block.Told = append(block.Told, Told{r.ID, r.Time, r.Record.observation()})
	}
	return block, nil
}

// DeleteCampaign deletes a campaign. The observations of the program stay.
func (s *Store) DeleteCampaign(id uint64) error {
	return s.updateCampaign(id, func(tx *txn, _ *bucket) error {
		if err := tx.bucket(campaignDataBucket).remove(campaignName(id)); err != nil {
			return err
		}
		return tx.bucket(campaignsBucket).delete(number(id))
	})
}
