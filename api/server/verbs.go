package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/grammars"
)

// ListGrammars lists the bundled and the uploaded grammars.
func (s *Server) ListGrammars(ctx context.Context, req openapi.ListGrammarsRequestObject) (openapi.ListGrammarsResponseObject, error) {
	stored, err := s.Store.Grammars(ctx)
	if err != nil {
		return nil, err
	}
	uploaded := map[string]uint64{} // by ID: the position in the list
	for _, g := range stored {
		uploaded[g.ID] = g.Sequence
	}
	out, err := s.engine.Grammars(ctx)
	if err != nil {
		return nil, err
	}
	out.Grammars = slices.DeleteFunc(out.Grammars, func(g openapi.GrammarItem) bool { return !g.Bundled && uploaded[g.ID] == 0 }) // uploaded since stored was read
	out.Grammars, out.Next, err = api.PageAfter(out.Grammars, "grammars", req.Params.Cursor, req.Params.Limit, func(g openapi.GrammarItem) string {
		if g.Bundled {
			return "bundled " + g.ID
		}
		return fmt.Sprintf("uploaded %020d", uploaded[g.ID])
	})
	return openapi.ListGrammars200JSONResponse(out), err
}

// CreateGrammar stores a grammar without errors.
func (s *Server) CreateGrammar(ctx context.Context, req openapi.CreateGrammarRequestObject) (openapi.CreateGrammarResponseObject, error) {
	sources := api.Sources(*req.Body)
	g, err := api.LoadGrammar(ctx, req.Body.Start, sources)
	if err != nil {
		return nil, err
	}
	stored, created, err := s.Store.PutGrammar(ctx, store.Grammar{Name: g.Name, Start: req.Body.Start, Sources: sources})
	if err != nil {
		return nil, err
	}
	out := newGrammar(g, stored).Answer()
	if !created {
		return openapi.CreateGrammar200JSONResponse(out), nil
	}
	return openapi.CreateGrammar201JSONResponse{
		Body: out, Headers: openapi.CreateGrammar201ResponseHeaders{Location: "/v1/grammars/" + stored.ID},
	}, nil
}

func newGrammar(g *grammars.Grammar, stored store.Grammar) *api.Grammar {
	return &api.Grammar{Grammar: g, ID: stored.ID, Name: g.Name, Bundled: isBundled(stored.ID), Created: stored.Created, Sources: stored.Sources}
}

// CheckGrammar reports the errors and warnings of a grammar.
func (s *Server) CheckGrammar(ctx context.Context, req openapi.CheckGrammarRequestObject) (openapi.CheckGrammarResponseObject, error) {
	out, err := s.engine.CheckGrammar(ctx, *req.Body)
	return openapi.CheckGrammar200JSONResponse(out), err
}

// GetGrammar returns a grammar.
func (s *Server) GetGrammar(ctx context.Context, req openapi.GetGrammarRequestObject) (openapi.GetGrammarResponseObject, error) {
	out, err := s.engine.Grammar(ctx, req.Grammar)
	return openapi.GetGrammar200JSONResponse(out), err
}

// ParseInput parses an input.
func (s *Server) ParseInput(ctx context.Context, req openapi.ParseInputRequestObject) (openapi.ParseInputResponseObject, error) {
	parsed, err := s.engine.ParseTree(ctx, req.Grammar, *req.Body)
	if err != nil {
		return nil, err
	}
	return parsedResponse{parsed}, nil
}

// A parsedResponse writes a tree as a stream, because trees may be large.
type parsedResponse struct{ *api.Parsed }

func (r parsedResponse) VisitParseInputResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	return r.WriteJSON(w)
}

// FitGrammar reports how well a grammar fits a corpus.
func (s *Server) FitGrammar(ctx context.Context, req openapi.FitGrammarRequestObject) (openapi.FitGrammarResponseObject, error) {
	out, err := s.engine.FitGrammar(ctx, req.Grammar, req.Params, corpus(ctx, req.JSONBody, req.Body))
	return openapi.FitGrammar200JSONResponse(out), err
}

// CountPaths counts the paths of a grammar.
func (s *Server) CountPaths(ctx context.Context, req openapi.CountPathsRequestObject) (openapi.CountPathsResponseObject, error) {
	out, err := s.engine.CountPaths(ctx, req.Grammar, req.Params)
	return openapi.CountPaths200JSONResponse(out), err
}

// ListPaths lists the paths of a grammar.
func (s *Server) ListPaths(ctx context.Context, req openapi.ListPathsRequestObject) (openapi.ListPathsResponseObject, error) {
	return lines(ctx, s, func(ctx context.Context) iter.Seq2[openapi.Path, error] {
		return s.engine.ListPaths(ctx, req.Grammar, req.Params)
	}, false)
}

// MeasureCoverage reports how many paths a corpus covers.
func (s *Server) MeasureCoverage(ctx context.Context, req openapi.MeasureCoverageRequestObject) (openapi.MeasureCoverageResponseObject, error) {
	out, err := s.engine.MeasureCoverage(ctx, req.Grammar, req.Params, corpus(ctx, req.JSONBody, req.Body))
	return openapi.MeasureCoverage200JSONResponse(out), err
}

// LearnProbabilities learns the probabilities of a grammar's choices from a corpus.
func (s *Server) LearnProbabilities(ctx context.Context, req openapi.LearnProbabilitiesRequestObject) (openapi.LearnProbabilitiesResponseObject, error) {
	out, err := s.engine.LearnProbabilities(ctx, req.Grammar, req.Params, corpus(ctx, req.JSONBody, req.Body))
	return learnedResponse(out), err
}

// A learnedResponse is written without HTML escapes, so that its probabilities are
// the bytes that the engine returns.
type learnedResponse openapi.Learned

func (r learnedResponse) VisitLearnProbabilitiesResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(append(api.AppendJSON(nil, openapi.Learned(r)), '\n'))
	return err
}

// GenerateInputs generates inputs from a grammar.
func (s *Server) GenerateInputs(ctx context.Context, req openapi.GenerateInputsRequestObject) (openapi.GenerateInputsResponseObject, error) {
	return lines(ctx, s, func(ctx context.Context) iter.Seq2[openapi.GeneratedInput, error] {
		return s.engine.Generate(ctx, req.Grammar, *req.Body)
	}, true)
}

// MutateInputs generates inputs by mutating the inputs of a corpus.
func (s *Server) MutateInputs(ctx context.Context, req openapi.MutateInputsRequestObject) (openapi.MutateInputsResponseObject, error) {
	return lines(ctx, s, func(ctx context.Context) iter.Seq2[openapi.GeneratedInput, error] {
		return s.engine.Mutate(ctx, req.Grammar, req.Params, corpus(ctx, req.JSONBody, req.Body))
	}, true)
}

// SolveConstraint generates inputs that satisfy a constraint.
func (s *Server) SolveConstraint(ctx context.Context, req openapi.SolveConstraintRequestObject) (openapi.SolveConstraintResponseObject, error) {
	return lines(ctx, s, func(ctx context.Context) iter.Seq2[openapi.GeneratedInput, error] {
		return s.engine.Solve(ctx, req.Grammar, *req.Body)
	}, true)
}

// TargetMethods generates inputs that reach methods.
func (s *Server) TargetMethods(ctx context.Context, req openapi.TargetMethodsRequestObject) (openapi.TargetMethodsResponseObject, error) {
	return lines(ctx, s, func(ctx context.Context) iter.Seq2[openapi.TargetAnswer, error] {
		return s.engine.Target(ctx, req.Model, *req.Body)
	}, true)
}

// GetModel describes a model.
func (s *Server) GetModel(ctx context.Context, req openapi.GetModelRequestObject) (openapi.GetModelResponseObject, error) {
	out, err := s.engine.Model(ctx, req.Model)
	return openapi.GetModel200JSONResponse(out), err
}

// ListMethods lists the methods that a model knows.
func (s *Server) ListMethods(ctx context.Context, req openapi.ListMethodsRequestObject) (openapi.ListMethodsResponseObject, error) {
	out, err := s.engine.Methods(ctx, req.Model, req.Params)
	return openapi.ListMethods200JSONResponse(out), err
}

// EvaluateModel scores a model on observations.
func (s *Server) EvaluateModel(ctx context.Context, req openapi.EvaluateModelRequestObject) (openapi.EvaluateModelResponseObject, error) {
	out, err := s.engine.Evaluate(ctx, req.Model, observationsOf(ctx, req.Body, req.Params.Strict), req.Params)
	return openapi.EvaluateModel200JSONResponse(out), err
}

// ExplainMethod returns the conditions under which inputs reach a method.
func (s *Server) ExplainMethod(ctx context.Context, req openapi.ExplainMethodRequestObject) (openapi.ExplainMethodResponseObject, error) {
	out, err := s.engine.Explain(ctx, req.Model, req.Method, req.Params)
	if err != nil {
		return nil, err
	}
	return explained(out, req.Params.Format), nil
}

// ExplainOutcome returns the conditions under which an outcome is expected.
func (s *Server) ExplainOutcome(ctx context.Context, req openapi.ExplainOutcomeRequestObject) (openapi.ExplainOutcomeResponseObject, error) {
	out, err := s.engine.ExplainOutcome(ctx, req.Model, req.Outcome, req.Params)
	if err != nil {
		return nil, err
	}
	return outcomeResponse{explained(out, req.Params.Format)}, nil
}

// An outcomeResponse is written like the explanation of a method.
type outcomeResponse struct {
	openapi.ExplainMethodResponseObject
}

func (r outcomeResponse) VisitExplainOutcomeResponse(w http.ResponseWriter) error {
	return r.VisitExplainMethodResponse(w)
}

func explained(out openapi.Explanation, format openapi.ExplanationFormat) openapi.ExplainMethodResponseObject {
	text := []byte(out.Rendered)
	switch format {
	case openapi.Text:
		return openapi.ExplainMethod200TextResponse(text)
	case openapi.Dot:
		return openapi.ExplainMethod200TextVndGraphvizResponse{Body: bytes.NewReader(text), ContentLength: int64(len(text))}
	case openapi.Svg:
		return openapi.ExplainMethod200ImageSvgXMLResponse{Body: bytes.NewReader(text), ContentLength: int64(len(text))}
	default:
		return openapi.ExplainMethod200JSONResponse(out)
	}
}

// CompareModels reports the methods that different inputs reach according to two models.
func (s *Server) CompareModels(ctx context.Context, req openapi.CompareModelsRequestObject) (openapi.CompareModelsResponseObject, error) {
	out, err := s.engine.Compare(ctx, *req.Body)
	return openapi.CompareModels200JSONResponse(out), err
}

// SelectInputs selects the inputs that a change affects.
func (s *Server) SelectInputs(ctx context.Context, req openapi.SelectInputsRequestObject) (openapi.SelectInputsResponseObject, error) {
	asked, inputs, err := selectRequest(ctx, req)
	if err != nil {
		return nil, err
	}
	out, err := s.engine.Select(ctx, *asked, inputs)
	return openapi.SelectInputs200JSONResponse(out), err
}

// corpus yields the inputs of a JSON body, or of a streamed body with one input per
// line.
func corpus(ctx context.Context, body *openapi.InputList, stream io.Reader) api.Inputs {
	if body == nil {
		return decodeLines[openapi.Input](newLineDecoder(ctx, stream))
	}
	return values(body.Inputs)
}

// convert converts each element of a list. The result is never nil, so that it is
// an array in JSON.
func convert[T, U any](list []T, f func(T) U) []U {
	out := make([]U, len(list))
	for i, v := range list {
		out[i] = f(v)
	}
	return out
}
