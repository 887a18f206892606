package server

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model"
)

// A loadedModel is a model that is ready for use. What it says of a method comes
// from the leaves of a tree, so the same is said again and again: it remembers
// how that is written.
type loadedModel struct {
	*model.Model
	all     []int        // its units
	phrases [2]sync.Map  // *model.Prediction -> []byte, without reasons and with them
	size    atomic.Int64 // of phrases, about
}

// maxPhrases bounds how many bytes of phrases a model remembers.
const maxPhrases = 8 << 20

func newLoadedModel(m *model.Model) *loadedModel {
	l := &loadedModel{Model: m, all: make([]int, len(m.Units))}
	for unit := range l.all {
		l.all[unit] = unit
	}
	return l
}

// phrase appends what is said of a unit to a text.
func (m *loadedModel) phrase(text []byte, unit int, p *model.Prediction, reasons bool) []byte {
	phrases := &m.phrases[0]
	if reasons {
		phrases = &m.phrases[1]
	}
	if known, ok := phrases.Load(p); ok {
		return append(text, known.([]byte)...)
	}
	start := len(text)
	text = m.appendPrediction(text, unit, p, reasons)
	const entry = 128 // bytes that a phrase takes besides its own
	if n := int64(len(text)-start) + entry; p.Shared() && m.size.Add(n) <= maxPhrases {
		phrases.Store(p, bytes.Clone(text[start:]))
	}
	return text
}

func (m *loadedModel) appendPrediction(text []byte, unit int, p *model.Prediction, reasons bool) []byte {
	text = appendJSON(append(text, `{"method":`...), m.Units[unit].ID)
	text = strconv.AppendBool(append(text, `,"covered":`...), p.Reached)
	text = appendNumber(append(text, `,"probability":`...), p.Probability)
	text = appendNumber(append(text, `,"low":`...), p.Low)
	text = appendNumber(append(text, `,"high":`...), p.High)
	text = strconv.AppendInt(append(text, `,"observations":`...), int64(p.Rows), 10)
	text = strconv.AppendInt(append(text, `,"reached":`...), int64(p.Positives), 10)
	if reasons {
		found := []openapi.Reason{}
		for _, t := range m.Reasons(unit, p) {
			found = append(found, openapi.Reason{Feature: t.Feature.Describe(m.Space()), Present: t.Present})
		}
		text = appendJSON(append(text, `,"reasons":`...), found)
	}
	return append(text, '}')
}

// appendNumber appends a number that is not infinite as JSON.
func appendNumber(text []byte, n float64) []byte {
	if n == math.Trunc(n) && math.Abs(n) < 1e9 {
		return strconv.AppendInt(text, int64(n), 10)
	}
	return strconv.AppendFloat(text, n, 'g', -1, 64)
}

// appendJSON appends a value that has a form in JSON. What is special in HTML is
// left as it is: nobody puts it there unseen.
func appendJSON(text []byte, v any) []byte {
	out := bytes.NewBuffer(text)
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // values of ours, which can be encoded
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// A text is memory that is used again.
type text []byte

// texts holds those that are free.
var texts = sync.Pool{New: func() any { return new(text) }} //nolint:gochecknoglobals // memory, which all servers may share

func newText() *text { return texts.Get().(*text) }

// free gives back a text, unless it is large.
func (t *text) free() {
	const most = 1 << 20
	if t == nil || cap(*t) > most {
		return
	}
	*t = (*t)[:0]
	texts.Put(t)
}
