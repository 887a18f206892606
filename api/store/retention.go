package store

import (
	"fmt"
	"strings"
)

// AllSubjects is the subject of the policy for programs without a policy of their own.
const AllSubjects = "*"

// A Policy limits the data that is kept of a program. Fields that are nil do not limit
// it.
type Policy struct {
	Subject string `cbor:"1,keyasint"`           // or [AllSubjects]
	Commits *int   `cbor:"2,keyasint,omitempty"` // observations of this many commits, the most recently updated ones
	Models  *int   `cbor:"3,keyasint,omitempty"` // this many of the newest models
	Days    *int   `cbor:"4,keyasint,omitempty"` // observations and models of this many days
}

// An InUseError reports data that cannot be deleted because it is in use.
type InUseError struct{ Kind, Name, User string }

func (e *InUseError) Error() string {
	return fmt.Sprintf("%s %s: in use by %s", e.Kind, e.Name, e.User)
}

// Usage lists the users of the observations, models and grammars in a store.
type Usage struct {
	Models    []Model
	Aliases   []Alias
	Jobs      []Job // queued and running
	Campaigns []Campaign
}

// CheckCommit returns an [InUseError] if the observations of one version of a program are
// in use by an open job, a running campaign, or an alias of a model that was trained on
// them.
func (u *Usage) CheckCommit(subject, commit string) error {
	inUse := func(format string, args ...any) error {
		return &InUseError{"commit", fmt.Sprintf("%q of subject %s", commit, subject), fmt.Sprintf(format, args...)}
	}
	for _, j := range u.Jobs {
		if j.Subject == subject && j.Commit == commit {
			return inUse("job %d", j.ID)
		}
	}
	for _, c := range u.Campaigns {
		if c.State == CampaignRunning && c.Subject == subject && c.Commit == commit {
			return inUse("campaign %d", c.ID)
		}
	}
	for _, m := range u.Models {
		if alias := u.alias(m.ID); alias != "" && m.Subject == subject && m.Commit == commit {
			return inUse("model %s with alias %s", m.ID, alias)
		}
	}
	return nil
}

// UpdatedError returns the error for deleting a commit that has got observations since
// the deletion was planned.
func UpdatedError(subject, commit string) error {
	return &InUseError{"commit", fmt.Sprintf("%q of subject %s", commit, subject), "a later upload"}
}

// CheckModel returns an [InUseError] if a model is in use by an alias, or by an open job
// that starts from it.
func (u *Usage) CheckModel(m Model) error {
	if alias := u.alias(m.ID); alias != "" {
		return &InUseError{"model", m.ID, "alias " + alias}
	}
	for _, j := range u.Jobs {
		subject, latest := strings.CutSuffix(j.From, "latest")
		latest = latest && (subject == "" && u.isNewest(m, "") || strings.HasSuffix(subject, "@") && u.isNewest(m, strings.TrimSuffix(subject, "@")))
		if j.From == m.ID || latest {
			return &InUseError{"model", m.ID, fmt.Sprintf("job %d", j.ID)}
		}
	}
	return nil
}

// isNewest reports whether a model is the newest one of a subject, or of all subjects if
// it is empty.
func (u *Usage) isNewest(m Model, subject string) bool {
	for _, other := range u.Models {
		if other.Number > m.Number && (subject == "" || other.Subject == subject) {
			return false
		}
	}
	return subject == "" || m.Subject == subject
}

// alias returns an alias of a model, or "" if it has none.
func (u *Usage) alias(model string) string {
	for _, a := range u.Aliases {
		if a.Model == model {
			return a.Name
		}
	}
	return ""
}

// CheckGrammar returns an [InUseError] if a grammar is in use by a model, an open job, or
// a campaign, which may have ended.
func (u *Usage) CheckGrammar(id string) error {
	for _, m := range u.Models {
		if m.Grammar == id {
			return &InUseError{"grammar", id, "model " + m.ID}
		}
	}
	for _, j := range u.Jobs {
		if j.Grammar == id {
			return &InUseError{"grammar", id, fmt.Sprintf("job %d", j.ID)}
		}
	}
	for _, c := range u.Campaigns {
		if c.Grammar == id {
			return &InUseError{"grammar", id, fmt.Sprintf("campaign %d", c.ID)}
		}
	}
	return nil
}
