package bolt

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
	"github.com/inroad/inroad/model/observation"
)

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
func (s *Store) NewCampaign(ctx context.Context, c store.Campaign, request []byte, units []observation.Unit) (store.Campaign, error) {
	err := s.update(ctx, func(tx *txn) error {
		n, err := tx.bucket(campaignsBucket).next()
		if err != nil {
			return err
		}
		c.ID, c.State, c.Created = n, store.CampaignRunning, s.now()
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
			value, err := s.blocks.Encode(part.value)
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

func putCampaign(tx *txn, c store.Campaign) error {
	value, err := encode(c)
	if err != nil {
		return err
	}
	return tx.bucket(campaignsBucket).put(number(c.ID), value)
}

// Campaign returns the campaign with an ID.
func (s *Store) Campaign(ctx context.Context, id uint64) (store.Campaign, error) {
	var c store.Campaign
	err := s.view(ctx, func(tx *txn) (err error) {
		c, err = getCampaign(tx, id)
		return err
	})
	return c, err
}

func getCampaign(tx *txn, id uint64) (store.Campaign, error) {
	var c store.Campaign
	value, err := tx.bucket(campaignsBucket).get(number(id))
	if err != nil || value == nil {
		return c, cmp.Or(err, store.NotFound("campaign", fmt.Sprint(id)))
	}
	return c, decode(value, &c)
}

// Campaigns returns up to limit campaigns for a program, newest first; for all
// programs if the name is empty. If before is not 0, it returns only campaigns with a
// lower ID. A negative limit means no limit.
func (s *Store) Campaigns(ctx context.Context, subject string, before uint64, limit int) ([]store.Campaign, error) {
	var out []store.Campaign
	err := s.view(ctx, func(tx *txn) error {
		b := tx.bucket(campaignsBucket)
		if b == nil { // in a store that an earlier version wrote, opened read-only
			return nil
		}
		for e, err := range b.newest(before) {
			var c store.Campaign
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
func (s *Store) viewCampaign(ctx context.Context, id uint64, view func(data *bucket) error) error {
	return s.view(ctx, func(tx *txn) error {
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
func (s *Store) CampaignRequest(ctx context.Context, id uint64) (request []byte, units []observation.Unit, err error) {
	err = s.viewCampaign(ctx, id, func(data *bucket) error {
		value, err := data.get([]byte(requestKey))
		if err == nil {
			err = s.blocks.Decode(value, &request)
		}
		if err != nil {
			return err
		}
		if value, err = data.get([]byte(unitsBucket)); err != nil {
			return err
		}
		return s.blocks.Decode(value, &units)
	})
	return request, units, err
}

// CampaignHistory returns the history of a campaign, oldest first.
func (s *Store) CampaignHistory(ctx context.Context, id uint64) (history []store.CampaignPoint, err error) {
	err = s.viewCampaign(ctx, id, func(data *bucket) error {
		value, err := data.get([]byte(historyKey))
		if err != nil || value == nil {
			return err
		}
		return s.blocks.Decode(value, &history)
	})
	return history, err
}

// CampaignLeases returns the handed-out inputs of a campaign without an observation, by
// number.
func (s *Store) CampaignLeases(ctx context.Context, id uint64) ([]store.Lease, error) {
	var out []store.Lease
	err := s.viewCampaign(ctx, id, func(data *bucket) error {
		leases, err := data.part(leasesBucket)
		if err == nil {
			out, err = decodeAll[store.Lease](leases)
		}
		return err
	})
	slices.SortFunc(out, func(a, b store.Lease) int { return cmp.Compare(a.Number, b.Number) })
	return out, err
}

// PutLeases implements [store.Store].
func (s *Store) PutLeases(ctx context.Context, c store.Campaign, leases []store.Lease) (store.Campaign, error) {
	err := s.updateCampaign(ctx, &c, func(tx *txn, data *bucket) error {
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
	return c, err
}

// updateCampaign changes a campaign, unless the stored campaign has another version.
func (s *Store) updateCampaign(ctx context.Context, c *store.Campaign, change func(tx *txn, data *bucket) error) error {
	version := c.Version
	return s.update(ctx, func(tx *txn) error {
		stored, err := getCampaign(tx, c.ID)
		if err == nil && stored.Version != version {
			err = store.ErrChanged
		}
		if err != nil {
			return err
		}
		data, err := tx.bucket(campaignDataBucket).part(campaignName(c.ID))
		if err != nil {
			return err
		}
		c.Version = version + 1
		return change(tx, data)
	})
}

// WasTold reports for each input whether its observation is in the log of a campaign.
func (s *Store) WasTold(ctx context.Context, id uint64, inputs []string) ([]bool, error) {
	out := make([]bool, len(inputs))
	err := s.viewCampaign(ctx, id, func(data *bucket) error {
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

// Tell implements [store.Store].
func (s *Store) Tell(ctx context.Context, c store.Campaign, told []store.Told, history []store.CampaignPoint, counted bool) (store.Campaign, error) {
	records, keyed := encoding.ToldRecords(told)
	err := s.updateCampaign(ctx, &c, func(tx *txn, data *bucket) error {
		last, err := s.appendTold(data, records)
		if err != nil {
			return err
		}
		if c.Last = last; counted {
			c.Counted = last
		}
		if history != nil {
			value, err := s.blocks.Encode(history)
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
func (s *Store) appendTold(data *bucket, records []encoding.ToldRecord) (uint64, error) {
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
	value, err := s.blocks.Encode(records)
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

// CampaignLog yields the observations of a campaign in the order in which they were told,
// from the first block whose number is greater than after.
func (s *Store) CampaignLog(ctx context.Context, id, after uint64) iter.Seq2[store.CampaignBlock, error] {
	return func(yield func(store.CampaignBlock, error) bool) {
		for {
			block, err := s.campaignBlock(ctx, id, after+1)
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
func (s *Store) campaignBlock(ctx context.Context, id, from uint64) (block store.CampaignBlock, err error) {
	var value []byte
	err = s.viewCampaign(ctx, id, func(data *bucket) error {
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
	var records []encoding.ToldRecord
	if err := s.blocks.Decode(value, &records); err != nil {
		return block, fmt.Errorf("block %d of campaign %d: %w", block.Number, id, err)
	}
	block.Told = encoding.Told(records)
	return block, nil
}

// DeleteCampaign deletes a campaign. The observations of the program stay.
func (s *Store) DeleteCampaign(ctx context.Context, id uint64) error {
	return s.update(ctx, func(tx *txn) error {
		if _, err := getCampaign(tx, id); err != nil {
			return err
		}
		if err := tx.bucket(campaignDataBucket).remove(campaignName(id)); err != nil {
			return err
		}
		return tx.bucket(campaignsBucket).delete(number(id))
	})
}
