package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/inroad/inroad/api/store"
)

// DeleteCommit implements [store.Store].
func (s *Store) DeleteCommit(ctx context.Context, subject, commit string, sequence uint64) error {
	err := s.updateUsed(ctx, func(tx pgx.Tx, u *store.Usage) error {
		id, _, err := readCommit(ctx, tx, subject, commit)
		if err = cmp.Or(err, u.CheckCommit(subject, commit)); err != nil {
			return err
		}
		return deleteOne(ctx, tx, store.UpdatedError(subject, commit), hideCommits+"id = $1 and $2::bigint in (0, sequence)", id, int64(sequence))
	})
	if err != nil {
		return err
	}
	return s.removeHidden(ctx)
}

// DeleteSubject implements [store.Store].
func (s *Store) DeleteSubject(ctx context.Context, name string) error {
	err := s.updateUsed(ctx, func(tx pgx.Tx, u *store.Usage) error {
		rows, err := tx.Query(ctx, "select name from commits where subject = $1", []byte(name))
		if err != nil {
			return err
		}
		commits, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
		if err == nil && len(commits) == 0 {
			err = store.NotFound("subject", name)
		}
		for _, commit := range commits {
			err = cmp.Or(err, u.CheckCommit(name, string(commit)))
		}
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, hideCommits+"subject = $1", []byte(name))
		return err
	})
	if err != nil {
		return err
	}
	return s.removeHidden(ctx)
}

// hideCommits hides commits at once: it moves them to the subject "", which no program
// has as its name.
const hideCommits = "update commits set subject = '', name = convert_to(id::text, 'UTF8') where "

// removeHidden removes the observations of hidden commits, which may take minutes,
// without the locks that others wait for. It removes them in parts, so that the next
// deletion continues after a crash, the end of ctx or a failure of the database. None of
// these is an error, because the commits are no longer visible.
func (s *Store) removeHidden(ctx context.Context) error {
	for _, part := range []struct {
		table string
		rows  int
	}{{"seen", 10_000}, {"units", 10_000}, {"blocks", 100}} {
		for removed := int64(1); removed > 0; {
			err := s.updateRepeatably(ctx, func(tx pgx.Tx) error {
				tag, err := tx.Exec(ctx, "delete from "+part.table+" where ctid = any(array(select ctid from "+part.table+
					" where commit_id in (select id from commits where subject = '') limit $1 for update skip locked))", part.rows)
				removed = tag.RowsAffected()
				return err
			})
			if err != nil {
				return ignoreInterrupted(ctx, err)
			}
		}
	}
	return ignoreInterrupted(ctx, s.updateRepeatably(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "delete from commits where id in (select id from commits where subject = '' for update skip locked)")
		return err
	}))
}

func ignoreInterrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil || errors.Is(err, store.ErrUnavailable) {
		return nil
	}
	return err
}

// DeleteModel implements [store.Store].
func (s *Store) DeleteModel(ctx context.Context, id string) error {
	defer s.dropCached(store.ModelChange, "")
	return s.updateUsed(ctx, func(tx pgx.Tx, u *store.Usage) error {
		at := slices.IndexFunc(u.Models, func(m store.Model) bool { return m.ID == id })
		if at < 0 {
			return store.NotFound("model", id)
		}
		if err := u.CheckModel(u.Models[at]); err != nil {
			return err
		}
		unused := slices.Clone(u.Models[at].Chunks)
		for i, m := range u.Models {
			if i != at {
				unused = slices.DeleteFunc(unused, func(digest []byte) bool {
					return slices.ContainsFunc(m.Chunks, func(other []byte) bool { return bytes.Equal(digest, other) })
				})
			}
		}
		if _, err := tx.Exec(ctx, "delete from models where id = $1", []byte(id)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, "delete from chunks where digest = any($1::bytea[])", unused)
		return err
	})
}

// DeleteGrammar implements [store.Store].
func (s *Store) DeleteGrammar(ctx context.Context, id string) error {
	return s.updateUsed(ctx, func(tx pgx.Tx, u *store.Usage) error {
		if err := u.CheckGrammar(id); err != nil {
			return err
		}
		return deleteOne(ctx, tx, store.NotFound("grammar", id), "delete from grammars where id = $1", []byte(id))
	})
}

// deleteOne runs a statement that deletes one row. It returns missing if it deletes none.
func deleteOne(ctx context.Context, tx pgx.Tx, missing error, statement string, args ...any) error {
	tag, err := tx.Exec(ctx, statement, args...)
	if err == nil && tag.RowsAffected() == 0 {
		return missing
	}
	return err
}

// DeleteEvents implements [store.Store].
func (s *Store) DeleteEvents(ctx context.Context, until time.Time) (deleted int64, err error) {
	err = s.update(ctx, func(tx pgx.Tx) error {
		events, err := query[store.Event](ctx, tx, "select data from key_log")
		if err != nil {
			return err
		}
		var old []int64
		for _, e := range events {
			if e.Last.Before(until) {
				old = append(old, int64(e.Number))
			}
		}
		tag, err := tx.Exec(ctx, "delete from key_log where number = any($1)", old)
		deleted = tag.RowsAffected()
		return err
	})
	return deleted, err
}

// Usage implements [store.Store].
func (s *Store) Usage(ctx context.Context) (u *store.Usage, err error) {
	err = s.view(ctx, func(tx pgx.Tx) error {
		u, err = usage(ctx, tx)
		return err
	})
	return u, err
}

// updateUsed runs a read-write transaction with the usage of the store, to which nothing is
// added until the transaction ends.
func (s *Store) updateUsed(ctx context.Context, do func(tx pgx.Tx, u *store.Usage) error) error {
	return s.update(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "select from counters where name in ('models', 'jobs', 'campaigns') order by name for update"); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "lock table aliases in share mode"); err != nil {
			return err
		}
		u, err := usage(ctx, tx)
		if err != nil {
			return err
		}
		return do(tx, u)
	})
}

func usage(ctx context.Context, tx pgx.Tx) (*store.Usage, error) {
	var u store.Usage
	var err error
	if u.Models, err = query[store.Model](ctx, tx, "select data from models order by number"); err != nil {
		return nil, err
	}
	if u.Jobs, err = query[store.Job](ctx, tx, "select data from jobs where not ended order by id"); err != nil {
		return nil, err
	}
	if u.Campaigns, err = query[store.Campaign](ctx, tx, "select data from campaigns order by id"); err != nil {
		return nil, err
	}
	u.Aliases, err = aliases(ctx, tx)
	return &u, err
}

// PutPolicy implements [store.Store].
func (s *Store) PutPolicy(ctx context.Context, p store.Policy) error {
	return s.update(ctx, func(tx pgx.Tx) error {
		return put(ctx, tx, p, "insert into policies (subject, data) values ($1, $2) on conflict (subject) do update set data = excluded.data", []byte(p.Subject))
	})
}

// DeletePolicy implements [store.Store].
func (s *Store) DeletePolicy(ctx context.Context, subject string) error {
	return s.update(ctx, func(tx pgx.Tx) error {
		return deleteOne(ctx, tx, store.NotFound("policy", subject), "delete from policies where subject = $1", []byte(subject))
	})
}

// Policies implements [store.Store].
func (s *Store) Policies(ctx context.Context) ([]store.Policy, error) {
	return list[store.Policy](ctx, s, "select data from policies order by subject")
}
