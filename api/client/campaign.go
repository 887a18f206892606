package client

import (
	"context"
	"net/http"

	"github.com/inroad/inroad/api/openapi"
)

// CreateCampaign creates a campaign. Its grammar may be a file, which is uploaded.
func (c *Client) CreateCampaign(ctx context.Context, req openapi.CampaignRequest) (openapi.Campaign, error) {
	if err := openapi.Validate(&req); err != nil {
		return openapi.Campaign{}, err
	}
	g, err := c.Grammar(ctx, req.Grammar)
	if err != nil {
		return openapi.Campaign{}, err
	}
	req.Grammar = g.ID
	resp, err := c.generated.CreateCampaign(ctx, req)
	return read[openapi.Campaign](ctx, c, resp, err)
}

// Campaign returns a campaign with its history and aims.
func (c *Client) Campaign(ctx context.Context, id int64) (openapi.Campaign, error) {
	resp, err := c.generated.GetCampaign(ctx, id)
	return read[openapi.Campaign](ctx, c, resp, err)
}

// Campaigns lists campaigns, newest first.
func (c *Client) Campaigns(ctx context.Context, req openapi.ListCampaignsParams) (openapi.CampaignList, error) {
	return ask[openapi.CampaignList](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListCampaigns(ctx, &req) })
}

// Ask asks a campaign for inputs to run.
func (c *Client) Ask(ctx context.Context, id int64, req openapi.AskRequest) (openapi.AskAnswer, error) {
	return ask[openapi.AskAnswer](ctx, c, &req, func() (*http.Response, error) { return c.generated.AskCampaign(ctx, id, req) })
}

// Tell tells a campaign the observations of inputs. It can be called again with the same
// observations.
func (c *Client) Tell(ctx context.Context, id int64, req openapi.TellRequest) (openapi.TellAnswer, error) {
	return ask[openapi.TellAnswer](ctx, c, &req, func() (*http.Response, error) { return c.generated.TellCampaign(ctx, id, req) })
}

// CampaignInputs lists the findings of a campaign, newest first.
func (c *Client) CampaignInputs(ctx context.Context, id int64, req openapi.ListCampaignInputsParams) (openapi.CampaignInputList, error) {
	return ask[openapi.CampaignInputList](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListCampaignInputs(ctx, id, &req) })
}

// CampaignFailures lists the distinct failures of a campaign.
func (c *Client) CampaignFailures(ctx context.Context, id int64, req openapi.ListCampaignFailuresParams) (openapi.FailureList, error) {
	return ask[openapi.FailureList](ctx, c, &req, func() (*http.Response, error) { return c.generated.ListCampaignFailures(ctx, id, &req) })
}

// StopCampaign stops a campaign.
func (c *Client) StopCampaign(ctx context.Context, id int64) (openapi.Campaign, error) {
	resp, err := c.generated.StopCampaign(ctx, id)
	return read[openapi.Campaign](ctx, c, resp, err)
}

// DeleteCampaign deletes a campaign. Its observations stay with the program.
func (c *Client) DeleteCampaign(ctx context.Context, id int64) error {
	return closed(c.generated.DeleteCampaign(ctx, id))
}
