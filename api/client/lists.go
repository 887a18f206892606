package client

import (
	"context"
	"iter"
	"net/http"

	"github.com/inroad/inroad/api/openapi"
)

// maxPage is the size of the pages that iterators ask for, unless the request has a limit.
const maxPage = 1000

// pages yields the items of a list. It asks for the next page, with the cursor of the page
// before, when the items of a page are used up.
func pages[L, T any](get func(cursor string) (L, error), items func(L) (items []T, next string)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for cursor := ""; ; {
			list, err := get(cursor)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			page, next := items(list)
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
			if next == "" {
				return
			}
			cursor = next
		}
	}
}

// EachGrammar yields the grammars of the service: bundled ones, then uploaded ones.
func (c *Client) EachGrammar(ctx context.Context) iter.Seq2[openapi.GrammarItem, error] {
	return pages(func(cursor string) (openapi.GrammarList, error) {
		req := openapi.ListGrammarsParams{Limit: maxPage, Cursor: cursor}
		return ask[openapi.GrammarList](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListGrammars(ctx, &req) })
	}, func(l openapi.GrammarList) ([]openapi.GrammarItem, string) { return l.Grammars, l.Next })
}

// EachSubject yields the programs with observations, by name.
func (c *Client) EachSubject(ctx context.Context) iter.Seq2[openapi.Subject, error] {
	return pages(func(cursor string) (openapi.SubjectList, error) {
		req := openapi.ListSubjectsParams{Limit: maxPage, Cursor: cursor}
		return ask[openapi.SubjectList](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListSubjects(ctx, &req) })
	}, func(l openapi.SubjectList) ([]openapi.Subject, string) { return l.Subjects, l.Next })
}

// EachModel yields the models of a program, newest first; of all programs if the name is
// empty.
func (c *Client) EachModel(ctx context.Context, subject string) iter.Seq2[openapi.ModelItem, error] {
	return pages(func(cursor string) (openapi.ModelList, error) {
		req := openapi.ListModelsParams{Subject: subject, Limit: maxPage, Cursor: cursor}
		return ask[openapi.ModelList](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListModels(ctx, &req) })
	}, func(l openapi.ModelList) ([]openapi.ModelItem, string) { return l.Models, l.Next })
}

// EachAlias yields the aliases of models, by name.
func (c *Client) EachAlias(ctx context.Context) iter.Seq2[openapi.Alias, error] {
	return pages(func(cursor string) (openapi.AliasList, error) {
		req := openapi.ListAliasesParams{Limit: maxPage, Cursor: cursor}
		return ask[openapi.AliasList](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListAliases(ctx, &req) })
	}, func(l openapi.AliasList) ([]openapi.Alias, string) { return l.Aliases, l.Next })
}

// EachJob yields the jobs for a program, newest first; for all programs if the name is
// empty.
func (c *Client) EachJob(ctx context.Context, subject string) iter.Seq2[openapi.Job, error] {
	return pages(func(cursor string) (openapi.JobList, error) {
		req := openapi.ListJobsParams{Subject: subject, Limit: maxPage, Cursor: cursor}
		return ask[openapi.JobList](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListJobs(ctx, &req) })
	}, func(l openapi.JobList) ([]openapi.Job, string) { return l.Jobs, l.Next })
}

// EachCampaign yields the campaigns for a program, newest first; for all programs if the
// name is empty.
func (c *Client) EachCampaign(ctx context.Context, subject string) iter.Seq2[openapi.Campaign, error] {
	return pages(func(cursor string) (openapi.CampaignList, error) {
		return c.Campaigns(ctx, openapi.ListCampaignsParams{Subject: subject, Limit: maxPage, Cursor: cursor})
	}, func(l openapi.CampaignList) ([]openapi.Campaign, string) { return l.Campaigns, l.Next })
}

// EachCampaignFailure yields the distinct failures of a campaign.
func (c *Client) EachCampaignFailure(ctx context.Context, id int64) iter.Seq2[openapi.DistinctFailure, error] {
	return pages(func(cursor string) (openapi.FailureList, error) {
		return c.CampaignFailures(ctx, id, openapi.ListCampaignFailuresParams{Limit: maxPage, Cursor: cursor})
	}, func(l openapi.FailureList) ([]openapi.DistinctFailure, string) { return l.Failures, l.Next })
}

// EachKeyEvent yields the key log of the service, newest first.
func (c *Client) EachKeyEvent(ctx context.Context) iter.Seq2[openapi.KeyEvent, error] {
	return pages(func(cursor string) (openapi.KeyLog, error) {
		return c.KeyLog(ctx, openapi.ListKeyEventsParams{Limit: maxPage, Cursor: cursor})
	}, func(l openapi.KeyLog) ([]openapi.KeyEvent, string) { return l.Events, l.Next })
}
