package store

import (
	"time"

	"github.com/inroad/inroad/model/observation"
)

// A CampaignState is the state of a campaign.
type CampaignState string

// The states of a campaign. They are part of the stored format.
const (
	CampaignRunning CampaignState = "running"
	CampaignEnded   CampaignState = "ended"
	CampaignStopped CampaignState = "stopped"
	CampaignFailed  CampaignState = "failed"
)

// A Campaign describes a fuzzing campaign, with its counts. The state of the campaign
// follows from its request and its log.
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
	Leased  int           `cbor:"17,keyasint"` // handed-out inputs without an observation

	// Counts include the observations of the log up to Counted.
	Last    uint64         `cbor:"18,keyasint"` // number of the last block of the log
	Counted uint64         `cbor:"15,keyasint"` // number of a block of the log
	Counts  CampaignCounts `cbor:"16,keyasint"`

	Version uint64 `cbor:"19,keyasint,omitempty"` // increases with each change
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

// A Lease is a handed-out input without an observation.
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

// A CampaignBlock has the observations that were told at the same time.
type CampaignBlock struct {
	Number uint64 // in the log, from 1
	Told   []Told
}
