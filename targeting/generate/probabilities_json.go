package generate

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/inroad/inroad/features"
	"github.com/inroad/inroad/grammars"
)

// probabilitiesVersion is the version of the file format.
const probabilitiesVersion = "probabilities/1"

// probabilitiesFile is the file format. Nodes are identified by number; their
// rules and texts are for readers and are ignored.
type probabilitiesFile struct {
	Version      string             `json:"inroad"`
	Grammar      string             `json:"grammar"`
	Digest       string             `json:"digest"`
	Numbering    int                `json:"numbering"`
	Alternatives []alternativesFile `json:"alternatives"`
	Repetitions  []repetitionFile   `json:"repetitions"`
}

type alternativesFile struct {
	Node grammars.Occurrence `json:"node"`
	Rule string              `json:"rule,omitempty"`
	Of   []string            `json:"of"`
	P    []*float64          `json:"p"` // null: an equal share of the rest
}

type repetitionFile struct {
	Node grammars.Occurrence `json:"node"`
	Rule string              `json:"rule,omitempty"`
	Of   string              `json:"of"`
	P    map[string]*float64 `json:"p"` // by number of rounds
}

// WriteJSON writes the probabilities of every choice of the grammar. Choices
// without probabilities are written as null, to be filled in.
func (p *Probabilities) WriteJSON(w io.Writer) error {
	file := probabilitiesFile{probabilitiesVersion, p.grammar.Name, p.grammar.Digest, grammars.NumberingVersion, []alternativesFile{}, []repetitionFile{}}
	for _, n := range p.grammar.Nodes {
		rule := ""
		if n.Rule != nil {
			rule = n.Rule.Name
		}
		switch n.Kind {
		case grammars.Alternation:
			a := alternativesFile{Node: n.ID, Rule: rule, P: make([]*float64, len(n.Children))}
			for i, alt := range n.Children {
				a.Of = append(a.Of, features.Describe(alt))
				if ps := p.alternatives[n.ID]; ps != nil {
					a.P[i] = &ps[i]
				}
			}
			file.Alternatives = append(file.Alternatives, a)
		case grammars.Repetition:
			r := repetitionFile{Node: n.ID, Rule: rule, Of: features.Describe(n), P: map[string]*float64{}}
			for times, p := range p.repetitions[n.ID] {
				r.P[strconv.Itoa(times)] = &p
			}
			file.Repetitions = append(file.Repetitions, r)
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(file)
}

// maxTimes limits the number of rounds of a repetition in a file.
const maxTimes = 100_000

// ReadProbabilities reads the probabilities of a grammar. Options of a choice without
// a probability share the remaining probability equally, which may be 0. The options
// of a repetition are the numbers of rounds up to ten.
func ReadProbabilities(r io.Reader, g *grammars.Grammar) (*Probabilities, error) {
	var file probabilitiesFile
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("read probabilities: %w", err)
	}
	switch {
	case file.Version != probabilitiesVersion:
		return nil, fmt.Errorf("read probabilities: version %q: must be %q", file.Version, probabilitiesVersion)
	case file.Digest != g.Digest || file.Numbering != grammars.NumberingVersion:
		return nil, fmt.Errorf("read probabilities: grammar %s with digest %.12s: must be grammar %s with digest %.12s", file.Grammar, file.Digest, g.Name, g.Digest)
	}
	p := newProbabilities(g)
	for _, a := range file.Alternatives {
		n, err := p.node(a.Node, grammars.Alternation)
		if err != nil {
			return nil, err
		}
		if len(a.P) != len(n.Children) {
			return nil, fmt.Errorf("probabilities of node %d: got %d probabilities, expected %d, one per alternative", a.Node, len(a.P), len(n.Children))
		}
		if p.alternatives[n.ID], err = shared(a.P); err != nil {
			return nil, fmt.Errorf("probabilities of node %d: %w", a.Node, err)
		}
	}
	for _, r := range file.Repetitions {
		n, err := p.node(r.Node, grammars.Repetition)
		if err != nil {
			return nil, err
		}
		if p.repetitions[n.ID], err = sharedTimes(n, r.P); err != nil {
			return nil, fmt.Errorf("probabilities of node %d: %w", r.Node, err)
		}
	}
	return p, nil
}

// node returns a node and checks its kind.
func (p *Probabilities) node(o grammars.Occurrence, kind grammars.NodeKind) (*grammars.Node, error) {
	if o < 0 || int(o) >= len(p.grammar.Nodes) || p.grammar.Nodes[o].Kind != kind {
		return nil, fmt.Errorf("probabilities of node %d: grammar %s has no %v with this number", o, p.grammar.Name, kind)
	}
	return p.grammar.Nodes[o], nil
}

// sharedTimes returns the probabilities of the numbers of rounds; nil if none is
// given.
func sharedTimes(n *grammars.Node, given map[string]*float64) (map[int]float64, error) {
	most := maxTimes
	if n.Max >= 0 {
		most = min(most, n.Max)
	}
	byTimes := map[int]*float64{}
	for text, p := range given {
		times, err := strconv.Atoi(text)
		if err != nil || times < n.Min || times > most {
			return nil, fmt.Errorf("%q rounds: must be a number between %d and %d", text, n.Min, most)
		}
		byTimes[times] = p
	}
	if len(byTimes) == 0 {
		return nil, nil
	}
	keys := timesOf(n, nil)
	for _, t := range slices.Sorted(maps.Keys(byTimes)) {
		if !slices.Contains(keys, t) {
			keys = append(keys, t)
		}
	}
	ps := make([]*float64, len(keys))
	for i, t := range keys {
		ps[i] = byTimes[t]
	}
	values, err := shared(ps)
	if err != nil || values == nil {
		return nil, err
	}
	out := map[int]float64{}
	for i, t := range keys {
		if values[i] > 0 {
			out[t] = values[i]
		}
	}
	return out, nil
}

// shared completes probabilities: options without a probability share the remaining
// probability equally. It returns nil if none is given.
func shared(given []*float64) ([]float64, error) {
	sum, open := 0.0, 0
	for _, p := range given {
		switch {
		case p == nil:
			open++
		case *p < 0 || math.IsNaN(*p) || *p > 1:
			return nil, fmt.Errorf("%g: must be between 0 and 1", *p)
		default:
			sum += *p
		}
	}
	const slack = 1e-6 // written numbers are rounded
	switch {
	case open == len(given):
		return nil, nil
	case sum > 1+slack || open == 0 && sum < 1-slack:
		return nil, fmt.Errorf("sum %.4g: must be 1, or at most 1 if some are null", sum)
	}
	out := make([]float64, len(given))
	for i, p := range given {
		if p != nil {
			out[i] = *p
		} else {
			out[i] = max(1-sum, 0) / float64(open)
		}
	}
	return out, nil
}
