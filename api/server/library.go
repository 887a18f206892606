package server

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars/bundled"
	"github.com/inroad/inroad/model"
)

// A library loads grammars and models from the store, and caches them.
type library struct {
	store       store.Store
	parserCache int // bytes of the caches of a grammar, each
	grammars    *cache[*api.Grammar]
	models      *cache[*api.Model]
}

func newLibrary(s store.Store, bytes int64, parserCache int) *library {
	return &library{
		store: s, parserCache: parserCache,
		grammars: newCache[*api.Grammar](bytes / 2), models: newCache[*api.Model](bytes / 2),
	}
}

// bytes returns the approximate size of the caches.
func (l *library) bytes() int64 { return l.grammars.bytes() + l.models.bytes() }

// Grammars implements [api.Library].
func (l *library) Grammars(ctx context.Context) ([]*api.Grammar, error) {
	out, err := new(api.Files).Grammars(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := l.store.Grammars(ctx)
	for _, g := range stored {
		out = append(out, &api.Grammar{ID: g.ID, Name: g.Name, Created: g.Created})
	}
	return out, err
}

// Grammar implements [api.Library]. Bundled grammars are found by name, others by ID.
func (l *library) Grammar(ctx context.Context, id string) (*api.Grammar, error) {
	return l.grammars.get(ctx, id, func(ctx context.Context) (*api.Grammar, int64, error) {
		stored, err := l.sources(ctx, id)
		if err != nil {
			return nil, 0, err
		}
		g, err := api.LoadGrammar(ctx, stored.Start, stored.Sources)
		if err != nil {
			return nil, 0, err
		}
		g.LimitCaches(l.parserCache)
		// An estimate: few grammars fill the parser's caches, which LimitCaches limits.
		return newGrammar(g, stored), int64(len(g.Nodes))<<12 + 1<<16, nil
	})
}

// sources returns the files of a grammar.
func (l *library) sources(ctx context.Context, id string) (store.Grammar, error) {
	if isBundled(id) {
		files, err := bundled.Sources(id)
		return store.Grammar{ID: id, Name: id, Sources: files}, err
	}
	g, err := l.store.Grammar(ctx, id)
	if _, none := errors.AsType[*store.NotFoundError](err); none {
		err = api.GrammarNotFound(id)
	}
	return g, err
}

func isBundled(id string) bool { return slices.Contains(bundled.Names(), id) }

// latest is the name of the newest model. PROGRAM@latest is the newest model of a
// program.
const latest = "latest"

// idLength is the length of the ID of a model. PutAlias refuses aliases of this length.
const idLength = 64

// find returns the stored model with an ID, an alias, or a name such as calc@latest.
func (l *library) find(ctx context.Context, name string) (store.Model, error) {
	subject, ok := strings.CutSuffix(name, "@"+latest)
	if !ok && name != latest {
		first, second := l.store.Named, l.store.Model
		if len(name) == idLength { // no alias is as long
			first, second = second, first
		}
		m, err := first(ctx, name)
		if _, none := errors.AsType[*store.NotFoundError](err); none {
			m, err = second(ctx, name)
		}
		return m, err
	}
	if !ok {
		subject = ""
	}
	found, err := l.store.Models(ctx, subject, 0, 1)
	if err == nil && len(found) == 0 {
		err = &store.NotFoundError{Kind: "model", Name: name}
	}
	if err != nil {
		return store.Model{}, err
	}
	return found[0], nil
}

// Model implements [api.Library].
func (l *library) Model(ctx context.Context, name string) (*api.Model, error) {
	stored, err := l.find(ctx, name)
	if err != nil {
		return nil, err
	}
	return l.models.get(ctx, stored.ID, func(ctx context.Context) (*api.Model, int64, error) {
		file, err := l.store.ModelFile(ctx, stored)
		if err != nil {
			return nil, 0, err
		}
		m, err := model.ReadModel(ctx, bytes.NewReader(file))
		if err != nil {
			return nil, 0, err
		}
		m.Grammar.LimitCaches(l.parserCache)
		// Decoded trees take about as much memory as they take in the uncompressed
		// file, and their encoded predictions take the same amount again.
		return newModel(m, stored), 16*stored.Size + int64(len(m.Grammar.Nodes))<<12 + 1<<16, nil
	})
}

func newModel(m *model.Model, stored store.Model) *api.Model {
	out := api.NewModel(m)
	out.Number, out.Created, out.Size, out.GrammarID = stored.Number, stored.Created, stored.Size, stored.Grammar
	return out
}
