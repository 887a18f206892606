package main

// A row has the measurements of one grammar. Processor times are in seconds.
type row struct {
	unit

	Error   string    `json:"error,omitempty"`   // the grammar does not load
	Running string    `json:"running,omitempty"` // the step in progress
	Stopped []string  `json:"stopped,omitempty"` // the steps that a limit or a crash ended, and why
	Nodes   int       `json:"nodes,omitempty"`   // of the grammar graph
	Load    float64   `json:"load,omitempty"`
	Example *examples `json:"examples,omitempty"`
	Random  *random   `json:"random,omitempty"`
	Cover   *cover    `json:"cover,omitempty"`
	ANTLR   *verdict  `json:"antlr,omitempty"`

	Passes     []float64 `json:"passes,omitempty"`     // of -passes
	PassMemory int64     `json:"passMemory,omitempty"` // bytes after the passes
}

// examples say how inroad and the ANTLR tool judge the examples of a grammar.
type examples struct {
	Tried   int     `json:"tried"`
	Parsed  int     `json:"parsed"`
	Differ  int     `json:"differ"` // judged otherwise by the ANTLR tool
	Seconds float64 `json:"seconds"`
	First   string  `json:"first,omitempty"` // the first error
}

// random describes random inputs.
type random struct {
	Inputs   int     `json:"inputs"`   // that the generator returned
	Draws    int     `json:"draws"`    // trees drawn for them
	Distinct int     `json:"distinct"` // different ones within the number of tokens
	Large    int     `json:"large"`    // inputs with more tokens
	Tokens   int     `json:"tokens"`   // of all distinct inputs
	Bytes    int     `json:"bytes"`    // of all distinct inputs
	Seconds  float64 `json:"seconds"`
	Error    string  `json:"error,omitempty"`
	None     bool    `json:"none,omitempty"` // proved: no input has a token, so there is nothing to generate
}

// thrown returns the share of draws that gave no input. It is 1 if no draw did, unless
// there is nothing to draw.
func (r *random) thrown() float64 {
	if r.None {
		return 0
	}
	if r.Draws == 0 {
		return 1
	}
	return 1 - float64(r.Inputs)/float64(r.Draws)
}

// cover describes inputs that cover the paths of a length.
type cover struct {
	Paths      int     `json:"paths"`
	Covered    int     `json:"covered"`
	Impossible int     `json:"impossible"` // proved: no input has the path
	Excluded   int     `json:"excluded"`   // further paths of the grammar graph, proved impossible before
	NotFound   int     `json:"notFound"`   // neither covered nor proved impossible
	Inputs     int     `json:"inputs"`
	Seconds    float64 `json:"seconds"`
	Error      string  `json:"error,omitempty"`

	Missing []string `json:"missing,omitempty"` // up to 40 of the paths not found
}

// A verdict says how the ANTLR tool judges generated inputs.
type verdict struct {
	Checked  int     `json:"checked"` // inputs that were parsed in time
	Accepted int     `json:"accepted"`
	Random   int     `json:"random"` // random inputs among the accepted ones
	Seconds  float64 `json:"seconds"`
	Error    string  `json:"error,omitempty"`
	First    string  `json:"first,omitempty"` // the first rejected input, and why
}
