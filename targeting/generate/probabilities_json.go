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

// The versions of the file format. Probabilities that depend on the context need the second.
const (
	probabilitiesVersion = "probabilities/1"
	contextVersion       = "probabilities/2"
)

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
	choiceFile
	Of []string   `json:"of"`
	P  []*float64 `json:"p"` // null: an equal share of the rest
}

type repetitionFile struct {
	choiceFile
	Of string              `json:"of"`
	P  map[string]*float64 `json:"p"` // by number of rounds
}

// A choiceFile names a choice and its context.
type choiceFile struct {
	Node   grammars.Occurrence   `json:"node"`
	Rule   string                `json:"rule,omitempty"`
	Within []grammars.Occurrence `json:"within,omitempty"` // the enclosing symbols, the nearest first
	Below  []string              `json:"below,omitempty"`  // their texts
}

// WriteJSON writes the probabilities of every choice of the grammar. An alternation
// without probabilities is written with nulls to fill in, a repetition with an empty
// object. The probabilities of a choice in contexts follow those without a context.
func (p *Probabilities) WriteJSON(w io.Writer) error {
	file := probabilitiesFile{probabilitiesVersion, p.grammar.Name, p.grammar.Digest, grammars.NumberingVersion, []alternativesFile{}, []repetitionFile{}}
	if len(p.contexts) > 0 {
		file.Version = contextVersion
	}
	contexts := map[grammars.Occurrence][]choiceContext{}
	for _, c := range slices.SortedFunc(maps.Keys(p.contexts), choiceContext.compare) {
		contexts[c.node] = append(contexts[c.node], c)
	}
	for _, n := range p.grammar.Nodes {
		switch n.Kind {
		case grammars.Alternation:
			file.Alternatives = append(file.Alternatives, p.alternativesFile(choiceContext{node: n.ID}, p.alternatives[n.ID]))
			for _, c := range contexts[n.ID] {
				file.Alternatives = append(file.Alternatives, p.alternativesFile(c, p.contexts[c].alternatives))
			}
		case grammars.Repetition:
			file.Repetitions = append(file.Repetitions, p.repetitionFile(choiceContext{node: n.ID}, p.repetitions[n.ID]))
			for _, c := range contexts[n.ID] {
				file.Repetitions = append(file.Repetitions, p.repetitionFile(c, p.contexts[c].rounds))
			}
		}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(file)
}

func (p *Probabilities) alternativesFile(c choiceContext, ps []float64) alternativesFile {
	n := p.grammar.Nodes[c.node]
	a := alternativesFile{choiceFile: p.choiceFile(c), P: make([]*float64, len(n.Children))}
	for i, alt := range n.Children {
		a.Of = append(a.Of, features.Describe(alt))
		if ps != nil {
			a.P[i] = &ps[i]
		}
	}
	return a
}

func (p *Probabilities) repetitionFile(c choiceContext, ps map[int]float64) repetitionFile {
	r := repetitionFile{choiceFile: p.choiceFile(c), Of: features.Describe(p.grammar.Nodes[c.node]), P: map[string]*float64{}}
	for times, p := range ps {
		r.P[strconv.Itoa(times)] = &p
	}
	return r
}

func (p *Probabilities) choiceFile(c choiceContext) choiceFile {
	out := choiceFile{Node: c.node, Within: c.symbols()}
	if rule := p.grammar.Nodes[c.node].Rule; rule != nil {
		out.Rule = rule.Name
	}
	for _, o := range out.Within {
		out.Below = append(out.Below, features.Describe(p.grammar.Nodes[o]))
	}
	return out
}

// maxTimes limits the number of rounds of a repetition in a file.
const maxTimes = 100_000

// ReadProbabilities reads the probabilities of a grammar. Options of a choice without
// a probability share the remaining probability equally, which may be 0. The options
// of a repetition are the numbers of rounds up to ten and those in the file.
func ReadProbabilities(r io.Reader, g *grammars.Grammar) (*Probabilities, error) {
	var file probabilitiesFile
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("read probabilities: %w", err)
	}
	switch {
	case file.Version != probabilitiesVersion && file.Version != contextVersion:
		return nil, fmt.Errorf("read probabilities: version %q: must be %q or %q", file.Version, probabilitiesVersion, contextVersion)
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
		ps, err := shared(a.P)
		if err == nil {
			err = p.read(a.choiceFile, ps, nil)
		}
		if err != nil {
			return nil, fmt.Errorf("probabilities of node %d: %w", a.Node, err)
		}
	}
	for _, r := range file.Repetitions {
		n, err := p.node(r.Node, grammars.Repetition)
		if err != nil {
			return nil, err
		}
		ps, err := sharedTimes(n, r.P)
		if err == nil {
			err = p.read(r.choiceFile, nil, ps)
		}
		if err != nil {
			return nil, fmt.Errorf("probabilities of node %d: %w", r.Node, err)
		}
	}
	return p, nil
}

// read sets the probabilities of a choice in its context, unless there are none.
func (p *Probabilities) read(of choiceFile, alternatives []float64, rounds map[int]float64) error {
	if len(of.Within) >= MaxContext {
		return fmt.Errorf("within %d symbols: must be at most %d", len(of.Within), MaxContext-1)
	}
	for _, o := range of.Within {
		if o < 0 || int(o) >= len(p.grammar.Nodes) || !p.grammar.Nodes[o].Kind.Symbolic() {
			return fmt.Errorf("within %d: grammar %s has no symbol with this number", o, p.grammar.Name)
		}
	}
	if alternatives != nil || rounds != nil {
		p.set(newContext(of.Node, of.Within), alternatives, rounds)
	}
	return nil
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
