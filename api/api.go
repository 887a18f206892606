// Package api answers the requests of the contract.
//
// An [Engine] takes the types that are generated from openapi/openapi.yaml, calls
// the packages that do the work, and returns the answer. The server in package
// server decodes requests, calls an engine and encodes its answers; commands call
// an engine, or a service through package client. Both are a [Service], so that a
// request has the same answer with and without a service.
package api

import (
	"context"
	"io"
	"iter"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/model/observation"
)

// A Service answers requests: an [Engine] in this process, or a client over HTTP.
//
// Every method validates its request with [openapi.Validate], which also sets the
// defaults. Sequences end at their first error.
type Service interface {
	// CheckGrammar reports the errors, warnings and size of a grammar.
	CheckGrammar(ctx context.Context, req openapi.GrammarSource) (openapi.GrammarReport, error)
	// Grammars lists the grammars that requests can name.
	Grammars(ctx context.Context) (openapi.GrammarList, error)
	// Grammar returns a grammar. The ID in the answer names it in later requests.
	Grammar(ctx context.Context, name string) (openapi.Grammar, error)
	// Parse parses an input. An input outside the grammar is an answer, not an error.
	Parse(ctx context.Context, grammar string, req openapi.ParseRequest) (openapi.ParseAnswer, error)
	// FitGrammar reports how well a grammar fits a corpus.
	FitGrammar(ctx context.Context, grammar string, req openapi.FitGrammarParams, corpus Inputs) (openapi.Fit, error)

	// CountPaths counts the k-paths of a grammar.
	CountPaths(ctx context.Context, grammar string, req openapi.CountPathsParams) (openapi.PathCount, error)
	// ListPaths lists the k-paths of a grammar.
	ListPaths(ctx context.Context, grammar string, req openapi.ListPathsParams) iter.Seq2[openapi.Path, error]
	// MeasureCoverage reports how many k-paths a corpus covers.
	MeasureCoverage(ctx context.Context, grammar string, req openapi.MeasureCoverageParams, corpus Inputs) (openapi.Coverage, error)

	// LearnProbabilities learns the probabilities of a grammar's choices from a corpus.
	LearnProbabilities(ctx context.Context, grammar string, req openapi.LearnProbabilitiesParams, corpus Inputs) (openapi.Learned, error)
	// Generate generates inputs from a grammar. The last value has the summary.
	Generate(ctx context.Context, grammar string, req openapi.GenerateRequest) iter.Seq2[openapi.GeneratedInput, error]
	// Mutate generates inputs that differ from inputs of a corpus by one mutation. The
	// last value has the summary.
	Mutate(ctx context.Context, grammar string, req openapi.MutateInputsParams, corpus Inputs) iter.Seq2[openapi.GeneratedInput, error]
	// Solve generates inputs that satisfy a constraint. The last value has the summary.
	Solve(ctx context.Context, grammar string, req openapi.SolveRequest) iter.Seq2[openapi.GeneratedInput, error]

	// Train learns a model from files of observations.
	Train(ctx context.Context, t Training) (openapi.Model, error)
	// ModelFile returns the file of a model, which the caller closes.
	ModelFile(ctx context.Context, model string) (io.ReadCloser, error)
	// Model describes a model. The ID in the answer names it in later requests.
	Model(ctx context.Context, name string) (openapi.Model, error)
	// Methods lists the methods that a model knows, with their support and their scores
	// on held-out observations.
	Methods(ctx context.Context, model string, req openapi.ListMethodsParams) (openapi.MethodList, error)
	// Evaluate scores the predictions of a model on files of observations.
	Evaluate(ctx context.Context, model string, observations observation.Sources, params openapi.EvaluateModelParams) (openapi.Evaluation, error)
	// Predict predicts the methods that inputs reach, one answer per input.
	Predict(ctx context.Context, model string, req openapi.PredictParams, inputs Inputs) iter.Seq2[openapi.Answer, error]
	// Explain returns the conditions under which inputs reach a method.
	Explain(ctx context.Context, model, method string, req openapi.ExplainMethodParams) (openapi.Explanation, error)
	// ExplainOutcome returns the conditions under which an outcome is expected.
	ExplainOutcome(ctx context.Context, model, outcome string, req openapi.ExplainOutcomeParams) (openapi.Explanation, error)
	// Target generates inputs that reach methods. Methods without an input come last,
	// before the summary.
	Target(ctx context.Context, model string, req openapi.TargetRequest) iter.Seq2[openapi.TargetAnswer, error]
	// Compare reports the methods that different inputs reach according to two models.
	Compare(ctx context.Context, req openapi.CompareRequest) (openapi.Comparison, error)
	// Select selects the inputs of a corpus that a change affects.
	Select(ctx context.Context, req openapi.SelectRequest, corpus iter.Seq2[openapi.SelectInput, error]) (openapi.Selection, error)
}

// Inputs yields the inputs of a request one by one.
type Inputs = iter.Seq2[openapi.Input, error]
