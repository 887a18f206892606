package api

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
)

// A Model is a model that is ready for use. Predictions come from the leaves of decision
// trees, so the same few predictions recur, and a Model caches their encoding.
type Model struct {
	*model.Model
	GrammarID string    // names its grammar in requests
	Number    uint64    // of a stored model, oldest first
	Created   time.Time // of a stored model
	Size      int64     // of its file, if it is stored

	all     []int        // all units
	phrases [2]sync.Map  // *model.Prediction -> []byte, without reasons and with them
	size    atomic.Int64 // approximate bytes of phrases
}

// maxPhrases is the maximum size in bytes of the encoded predictions that a model
// caches.
const maxPhrases = 8 << 20

// NewModel returns a model that is ready for use.
func NewModel(m *model.Model) *Model {
	l := &Model{Model: m, GrammarID: m.Grammar.Name, all: make([]int, len(m.Units))}
	for unit := range l.all {
		l.all[unit] = unit
	}
	return l
}

// appendCached appends the encoded prediction for a unit, from the cache if possible.
func (m *Model) appendCached(text []byte, unit int, p *model.Prediction, reasons bool) []byte {
	phrases := &m.phrases[0]
	if reasons {
		phrases = &m.phrases[1]
	}
	if known, ok := phrases.Load(p); ok {
		return append(text, known.([]byte)...)
	}
	start := len(text)
	text = m.appendPrediction(text, unit, p, reasons)
	const entry = 128 // overhead of a phrase in bytes
	if n := int64(len(text)-start) + entry; p.Shared() && m.size.Add(n) <= maxPhrases {
		phrases.Store(p, bytes.Clone(text[start:]))
	}
	return text
}

func (m *Model) appendPrediction(text []byte, unit int, p *model.Prediction, reasons bool) []byte {
	text = AppendJSON(append(text, `{"method":`...), m.Units[unit].ID)
	text = strconv.AppendBool(append(text, `,"reached":`...), p.Reached)
	if p.Unknown {
		text = append(text, `,"unknown":true`...)
	}
	if p.Overruled {
		text = append(text, `,"overruled":true`...)
	}
	text = appendNumber(append(text, `,"probability":`...), p.Probability)
	text = appendNumber(append(text, `,"low":`...), p.Low)
	text = appendNumber(append(text, `,"high":`...), p.High)
	text = strconv.AppendInt(append(text, `,"support":`...), int64(p.Rows), 10)
	text = strconv.AppendInt(append(text, `,"support_reached":`...), int64(p.Positives), 10)
	if reasons {
		if list := m.reasons(unit, p); len(list) > 0 {
			text = AppendJSON(append(text, `,"reasons":`...), list)
		}
	}
	return append(text, '}')
}

func (m *Model) reasons(unit int, p *model.Prediction) []openapi.Reason {
	var out []openapi.Reason
	add := func(f *model.Feature, present bool, weight float64) {
		reason := openapi.Reason{Feature: m.Describe(*f), Present: present, Weight: weight}
		for _, o := range f.Path {
			reason.Path = append(reason.Path, int(o))
		}
		out = append(out, reason)
	}
	if p.Overruled {
		votes := m.Votes(p)
		for _, v := range votes[:min(len(votes), maxVotes)] {
			add(v.Feature, true, v.Weight)
		}
		return out
	}
	for _, t := range m.Reasons(unit, p) {
		add(t.Feature, t.Present, 0)
	}
	return out
}

// maxVotes is the maximum number of reasons for a prediction that overrules a tree.
const maxVotes = 5

// prediction converts the prediction for a unit to the type of the contract.
func (m *Model) prediction(unit int, p *model.Prediction, reasons bool) openapi.Prediction {
	out := openapi.Prediction{
		Method: m.Units[unit].ID, Reached: p.Reached, Probability: p.Probability, Low: p.Low, High: p.High,
		Support: int(p.Rows), SupportReached: int(p.Positives), Unknown: p.Unknown, Overruled: p.Overruled,
	}
	if reasons {
		out.Reasons = m.reasons(unit, p)
	}
	return out
}

// appendNumber appends a finite number as JSON.
func appendNumber(text []byte, n float64) []byte {
	if n == math.Trunc(n) && math.Abs(n) < 1e9 {
		return strconv.AppendInt(text, int64(n), 10)
	}
	return strconv.AppendFloat(text, n, 'g', -1, 64)
}

// AppendJSON appends a value of the contract as JSON without HTML escapes.
func AppendJSON(text []byte, v any) []byte {
	out := bytes.NewBuffer(text)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // values of the contract can always be encoded
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
