package service

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
	"github.com/inroad/inroad/cmd/inroad/cli"
	"github.com/inroad/inroad/examples/distributive"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
	"github.com/inroad/inroad/model/observation"
)

// The demo is the program in examples/distributive.
const (
	demoModel   = "demo" // alias of its model
	demoGrammar = "expr"
)

// putDemo adds the observations of the demo and its model to a store.
func putDemo(ctx context.Context, st *bolt.Store) error {
	header, observations, err := readDemo()
	if err != nil {
		return err
	}
	named, err := st.Named(ctx, demoModel)
	if _, none := errors.AsType[*store.NotFoundError](err); err != nil && !none {
		return err
	}
	if named.Subject != "" && named.Subject != header.Subject {
		return fmt.Errorf("--demo: the store already has a model named %s, of program %s", demoModel, cli.Printable(named.Subject))
	}
	if _, err := st.AddObservations(ctx, header.Subject, header.Commit, header.Units, observations); err != nil {
		return err
	}
	sources, err := bundled.Sources(demoGrammar)
	if err != nil {
		return err
	}
	opt := model.Defaults()
	opt.Workers = runtime.GOMAXPROCS(0)
	m, err := model.Train(ctx, "", sources, header, observations, opt)
	if err != nil {
		return err
	}
	var file bytes.Buffer
	if err := m.Write(&file); err != nil {
		return err
	}
	stored, err := st.PutModel(ctx, store.Model{
		ID: m.Digest, Subject: header.Subject, Commit: header.Commit, Grammar: demoGrammar, Quality: api.AppendJSON(nil, api.NewModel(m).Quality()),
	}, file.Bytes())
	if err != nil {
		return err
	}
	return st.PutAlias(ctx, store.Alias{Name: demoModel, Model: stored.ID})
}

func readDemo() (observation.Header, []observation.Observation, error) {
	text, err := gzip.NewReader(bytes.NewReader(distributive.Observations))
	if err != nil {
		return observation.Header{}, nil, err
	}
	r := observation.NewReader(text)
	var out []observation.Observation
	for {
		o, err := r.Next()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return r.Header(), out, err
		}
		out = append(out, o)
	}
}

// invite prints example requests.
func invite(w io.Writer, address string, needKeys bool) error {
	key := ""
	if needKeys {
		key = ` -H "Authorization: Bearer $INROAD_KEY"`
	}
	models := address + "/v1/models/" + demoModel
	post := key + " -H 'Content-Type: application/json'"
	var errs []error
	for _, line := range []string{
		"# The model demo is of calc, a small optimiser of arithmetic. Which of these inputs reach its distributiveRule, and why?",
		"curl -s '" + models + "/predictions?method=distributiveRule&reasons=true'" + post + ` -d '{"inputs":[{"input":"x*(y+1)"},{"input":"x*y+1"}]}'`,
		"# Which inputs reach it?",
		"curl -s '" + models + "/methods/distributiveRule?format=text'" + key,
		"# Generate some.",
		"curl -s '" + models + "/inputs'" + post + ` -d '{"methods":["distributiveRule"],"n":5,"style":"varied"}'`,
		"# Or open the page: " + address + "/#/models/" + demoModel,
		"# All requests: " + address + "/docs",
	} {
		_, err := fmt.Fprintln(w, line)
		errs = append(errs, err)
	}
	return cmp.Or(errs...)
}
