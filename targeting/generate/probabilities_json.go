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

// probabilitiesVersion is what files of probabilities begin with.
const probabilitiesVersion = "probabilities/1"

// probabilitiesFile is the form of probabilities in files. Nodes are told by
// number; what they are made of is there for people and is not read.
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
	P    []*float64          `json:"p"` // null is a share of what is left
}

type repetitionFile struct {
	Node grammars.Occurrence `json:"node"`
	Rule string              `json:"rule,omitempty"`
	Of   string              `json:"of"`
	P    map[string]*float64 `json:"p"` // by number of times
}

// WriteJSON writes the probabilities of every choice that a grammar leaves. What
// nothing is known of has null for each, so that someone can fill it in.
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

// maxTimes bounds the number of times that a repetition has a probability for.
const maxTimes = 100_000

// ReadProbabilities reads probabilities of a grammar. Alternatives without one,
// and numbers of times up to ten, share what the others leave equally. If it is
// nothing, they have none.
func ReadProbabilities(r io.Reader, g *grammars.Grammar) (*Probabilities, error) {
	var file probabilitiesFile
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("read probabilities: %w", err)
	}
	switch {
	case file.Version != probabilitiesVersion:
		return nil, fmt.Errorf("read probabilities: it begins with %q where %q was expected", file.Version, probabilitiesVersion)
	case file.Digest != g.Digest || file.Numbering != grammars.NumberingVersion:
		return nil, fmt.Errorf("read probabilities: they are of grammar %s with digest %.12s, and not of %s with %.12s", file.Grammar, file.Digest, g.Name, g.Digest)
	}
	p := newProbabilities(g)
	for _, a := range file.Alternatives {
		n, err := p.node(a.Node, grammars.Alternation)
		if err != nil {
			return nil, err
		}
		if len(a.P) != len(n.Children) {
			return nil, fmt.Errorf("probabilities of node %d: there are %d of %d alternatives", a.Node, len(a.P), len(n.Children))
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

// node returns a node of a kind.
func (p *Probabilities) node(o grammars.Occurrence, kind grammars.NodeKind) (*grammars.Node, error) {
	if o < 0 || int(o) >= len(p.grammar.Nodes) || p.grammar.Nodes[o].Kind != kind {
		return nil, fmt.Errorf("probabilities of node %d: grammar %s has no such %v", o, p.grammar.Name, kind)
	}
	return p.grammar.Nodes[o], nil
}

// sharedTimes returns the probabilities of numbers of times; nil if none is given.
func sharedTimes(n *grammars.Node, given map[string]*float64) (map[int]float64, error) {
	byTimes := map[int]*float64{}
	for text, p := range given {
		times, err := strconv.Atoi(text)
		if err != nil || times < n.Min || n.Max >= 0 && times > n.Max || times > maxTimes {
			return nil, fmt.Errorf("%q times is not what the grammar allows", text)
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

// shared shares out what the given probabilities leave; nil if none is given.
func shared(given []*float64) ([]float64, error) {
	sum, open := 0.0, 0
	for _, p := range given {
		switch {
		case p == nil:
			open++
		case *p < 0 || math.IsNaN(*p) || *p > 1:
			return nil, fmt.Errorf("%g is no probability", *p)
		default:
			sum += *p
		}
	}
	const slack = 1e-6 // what people write adds up roughly
	switch {
	case open == len(given):
		return nil, nil
	case sum > 1+slack || open == 0 && sum < 1-slack:
		return nil, fmt.Errorf("they add up to %.4g", sum)
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
