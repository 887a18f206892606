package store

import "time"

// A Model describes a stored model.
type Model struct {
	ID      string    `cbor:"1,keyasint"` // digest of the model
	Number  uint64    `cbor:"2,keyasint"` // from 1, in order of creation
	Subject string    `cbor:"3,keyasint"`
	Commit  string    `cbor:"4,keyasint"`
	Grammar string    `cbor:"5,keyasint"` // ID of the grammar
	Created time.Time `cbor:"6,keyasint"`
	Size    int64     `cbor:"7,keyasint"`           // bytes of the file
	Chunks  [][]byte  `cbor:"8,keyasint"`           // digests of the file's chunks
	Quality []byte    `cbor:"9,keyasint,omitempty"` // size and scores, opaque to the store; earlier versions stored none
}

// An Alias is a name for a model.
type Alias struct{ Name, Model string }
