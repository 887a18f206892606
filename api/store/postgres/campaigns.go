package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/internal/encoding"
	"github.com/inroad/inroad/model/observation"
)

// NewCampaign implements [store.Store].
func (s *Store) NewCampaign(ctx context.Context, c store.Campaign, request []byte, units []observation.Unit) (store.Campaign, error) {
	encodedRequest, err := s.blocks.Encode(request)
	if err != nil {
		return c, err
	}
	encodedUnits, err := s.blocks.Encode(units)
	if err != nil {
		return c, err
	}
	err = s.update(ctx, func(tx pgx.Tx) error {
		n, err := next(ctx, tx, "campaigns")
		if err != nil {
			return err
		}
		c.ID, c.State, c.Created = n, store.CampaignRunning, s.now()
		c.Updated = c.Created
		return put(ctx, tx, c, "insert into campaigns (id, subject, last, request, units, data) values ($1, $2, 0, $3, $4, $5)",
			int64(n), []byte(c.Subject), encodedRequest, encodedUnits)
	})
	return c, err
}

// Campaign implements [store.Store].
func (s *Store) Campaign(ctx context.Context, id uint64) (store.Campaign, error) {
	var c store.Campaign
	err := s.view(ctx, func(tx pgx.Tx) error {
		return get(ctx, tx, &c, noCampaign(id), "select data from campaigns where id = $1", int64(id))
	})
	return c, err
}

func noCampaign(id uint64) error { return store.NotFound("campaign", fmt.Sprint(id)) }

// Campaigns implements [store.Store].
func (s *Store) Campaigns(ctx context.Context, subject string, before uint64, limit int) ([]store.Campaign, error) {
	return list[store.Campaign](ctx, s, `select data from campaigns
		where ($1::bytea = '' or subject = $1) and ($2::int8 = 0 or id < $2) order by id desc limit $3`, []byte(subject), int64(before), limitOf(limit))
}

// scanCampaign scans columns of a campaign.
func (s *Store) scanCampaign(ctx context.Context, id uint64, columns string, to ...any) error {
	return s.view(ctx, func(tx pgx.Tx) error {
		err := tx.QueryRow(ctx, "select "+columns+" from campaigns where id = $1", int64(id)).Scan(to...)
		if errors.Is(err, pgx.ErrNoRows) {
			return noCampaign(id)
		}
		return err
	})
}

// CampaignRequest implements [store.Store].
func (s *Store) CampaignRequest(ctx context.Context, id uint64) (request []byte, units []observation.Unit, err error) {
	var encodedRequest, encodedUnits []byte
	if err := s.scanCampaign(ctx, id, "request, units", &encodedRequest, &encodedUnits); err != nil {
		return nil, nil, err
	}
	if err := s.blocks.Decode(encodedRequest, &request); err != nil {
		return nil, nil, err
	}
	return request, units, s.blocks.Decode(encodedUnits, &units)
}

// CampaignHistory implements [store.Store].
func (s *Store) CampaignHistory(ctx context.Context, id uint64) (history []store.CampaignPoint, err error) {
	var encoded []byte
	if err := s.scanCampaign(ctx, id, "history", &encoded); err != nil || encoded == nil {
		return nil, err
	}
	return history, s.blocks.Decode(encoded, &history)
}

// CampaignLeases implements [store.Store].
func (s *Store) CampaignLeases(ctx context.Context, id uint64) ([]store.Lease, error) {
	var out []store.Lease
	err := s.view(ctx, func(tx pgx.Tx) (err error) {
		var c store.Campaign
		if err := get(ctx, tx, &c, noCampaign(id), "select data from campaigns where id = $1", int64(id)); err != nil {
			return err
		}
		out, err = query[store.Lease](ctx, tx, "select data from leases where campaign_id = $1", int64(id))
		return err
	})
	slices.SortFunc(out, func(a, b store.Lease) int { return cmp.Compare(a.Number, b.Number) })
	return out, err
}

// PutLeases implements [store.Store].
func (s *Store) PutLeases(ctx context.Context, c store.Campaign, leases []store.Lease) (store.Campaign, error) {
	version := c.Version
	err := s.update(ctx, func(tx pgx.Tx) error {
		if _, err := lockCampaign(ctx, tx, c.ID, version); err != nil {
			return err
		}
		c.Version = version + 1
		for _, l := range leases {
			err := put(ctx, tx, l, `insert into leases (campaign_id, id, data) values ($1, $2, $3)
				on conflict (campaign_id, id) do update set data = excluded.data`, int64(c.ID), []byte(l.ID))
			if err != nil {
				return err
			}
		}
		return put(ctx, tx, c, "update campaigns set data = $2 where id = $1", int64(c.ID))
	})
	return c, err
}

// lockCampaign locks a campaign with a version, and returns the number of the last block of
// its log.
func lockCampaign(ctx context.Context, tx pgx.Tx, id, version uint64) (last uint64, err error) {
	var n int64
	var data []byte
	err = tx.QueryRow(ctx, "select last, data from campaigns where id = $1 for update", int64(id)).Scan(&n, &data)
	if errors.Is(err, pgx.ErrNoRows) {
		err = noCampaign(id)
	}
	var stored store.Campaign
	if err == nil {
		err = encoding.Decode(data, &stored)
	}
	if err == nil && stored.Version != version {
		err = store.ErrChanged
	}
	return uint64(n), err
}

// WasTold implements [store.Store].
func (s *Store) WasTold(ctx context.Context, id uint64, inputs []string) ([]bool, error) {
	out, keys := make([]bool, len(inputs)), make([][]byte, len(inputs))
	for i, input := range inputs {
		keys[i] = []byte(input)
	}
	err := s.view(ctx, func(tx pgx.Tx) error {
		var c store.Campaign
		if err := get(ctx, tx, &c, noCampaign(id), "select data from campaigns where id = $1", int64(id)); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, "select input from told where campaign_id = $1 and input = any($2::bytea[])", int64(id), keys)
		if err != nil {
			return err
		}
		told, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		found := map[string]bool{}
		for _, input := range told {
			found[string(input)] = true
		}
		for i, input := range inputs {
			out[i] = found[input]
		}
		return err
	})
	return out, err
}

// Tell implements [store.Store].
func (s *Store) Tell(ctx context.Context, c store.Campaign, told []store.Told, history []store.CampaignPoint, counted bool) (store.Campaign, error) {
	records, keyed := encoding.ToldRecords(told)
	version := c.Version
	err := s.update(ctx, func(tx pgx.Tx) error {
		last, err := lockCampaign(ctx, tx, c.ID, version)
		if err != nil {
			return err
		}
		c.Version = version + 1
		if len(records) > 0 {
			last++
			if err := s.appendTold(ctx, tx, c.ID, last, records); err != nil {
				return err
			}
			if _, err := s.addObservations(ctx, tx, c.Subject, c.Commit, nil, keyed); err != nil {
				return err
			}
		}
		if c.Last = last; counted {
			c.Counted = last
		}
		if history != nil {
			data, err := s.blocks.Encode(history)
			if err == nil {
				_, err = tx.Exec(ctx, "update campaigns set history = $2 where id = $1", int64(c.ID), data)
			}
			if err != nil {
				return err
			}
		}
		return put(ctx, tx, c, "update campaigns set last = $2, data = $3 where id = $1", int64(c.ID), int64(last))
	})
	return c, err
}

// appendTold appends a block to the log of a campaign, and ends the leases of its inputs.
func (s *Store) appendTold(ctx context.Context, tx pgx.Tx, id, number uint64, records []encoding.ToldRecord) error {
	data, err := s.blocks.Encode(records)
	if err != nil {
		return err
	}
	inputs := make([][]byte, len(records))
	for i, r := range records {
		inputs[i] = []byte(r.ID)
	}
	if _, err := tx.Exec(ctx, "insert into log (campaign_id, number, data) values ($1, $2, $3)", int64(id), int64(number), data); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "delete from leases where campaign_id = $1 and id = any($2::bytea[])", int64(id), inputs); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "insert into told (campaign_id, input) select $1, unnest($2::bytea[]) on conflict do nothing", int64(id), inputs)
	return err
}

// CampaignLog implements [store.Store].
func (s *Store) CampaignLog(ctx context.Context, id, after uint64) iter.Seq2[store.CampaignBlock, error] {
	return func(yield func(store.CampaignBlock, error) bool) {
		if _, err := s.Campaign(ctx, id); err != nil {
			yield(store.CampaignBlock{}, err)
			return
		}
		for at := int64(after); ; {
			var data []byte
			err := s.view(ctx, func(tx pgx.Tx) error {
				return tx.QueryRow(ctx, "select number, data from log where campaign_id = $1 and number > $2 order by number limit 1", int64(id), at).Scan(&at, &data)
			})
			if errors.Is(err, pgx.ErrNoRows) {
				return
			}
			var records []encoding.ToldRecord
			if err == nil {
				if err = s.blocks.Decode(data, &records); err != nil {
					err = fmt.Errorf("block %d of campaign %d: %w", at, id, err)
				}
			}
			if err != nil {
				yield(store.CampaignBlock{}, err)
				return
			}
			if !yield(store.CampaignBlock{Number: uint64(at), Told: encoding.Told(records)}, nil) {
				return
			}
		}
	}
}

// DeleteCampaign implements [store.Store].
func (s *Store) DeleteCampaign(ctx context.Context, id uint64) error {
	return s.update(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, "delete from campaigns where id = $1", int64(id))
		if err == nil && tag.RowsAffected() == 0 {
			err = noCampaign(id)
		}
		return err
	})
}
