package server

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"time"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/store"
)

// ListCampaigns lists campaigns, newest first.
func (s *Server) ListCampaigns(ctx context.Context, req openapi.ListCampaignsRequestObject) (openapi.ListCampaignsResponseObject, error) {
	found, next, err := newest("campaigns", req.Params.Cursor, req.Params.Limit, func(c store.Campaign) uint64 { return c.ID }, func(before uint64, limit int) ([]store.Campaign, error) {
		return s.Store.Campaigns(ctx, req.Params.Subject, before, limit)
	})
	return openapi.ListCampaigns200JSONResponse{Campaigns: convert(found, describeCampaign), Next: next}, err
}

// CreateCampaign creates a campaign.
func (s *Server) CreateCampaign(ctx context.Context, req openapi.CreateCampaignRequestObject) (openapi.CreateCampaignResponseObject, error) {
	if s.shuttingDown.Load() {
		return nil, errShutdown
	}
	c, err := s.campaigns.create(ctx, *req.Body, clientOf(ctx))
	if err != nil {
		return nil, err
	}
	return openapi.CreateCampaign201JSONResponse{
		Body: c, Headers: openapi.CreateCampaign201ResponseHeaders{Location: "/v1/campaigns/" + strconv.FormatInt(c.ID, 10)},
	}, nil
}

// GetCampaign returns a campaign.
func (s *Server) GetCampaign(ctx context.Context, req openapi.GetCampaignRequestObject) (openapi.GetCampaignResponseObject, error) {
	c, err := s.campaigns.get(ctx, uint64(req.Campaign))
	return openapi.GetCampaign200JSONResponse(c), err
}

// DeleteCampaign deletes a campaign.
func (s *Server) DeleteCampaign(ctx context.Context, req openapi.DeleteCampaignRequestObject) (openapi.DeleteCampaignResponseObject, error) {
	return openapi.DeleteCampaign204Response{}, s.campaigns.delete(ctx, uint64(req.Campaign))
}

// AskCampaign hands out inputs of a campaign.
func (s *Server) AskCampaign(ctx context.Context, req openapi.AskCampaignRequestObject) (openapi.AskCampaignResponseObject, error) {
	if err := openapi.Validate(req.Body); err != nil {
		return nil, err
	}
	answer, err := s.campaigns.ask(ctx, uint64(req.Campaign), *req.Body)
	return openapi.AskCampaign200JSONResponse(answer), err
}

// TellCampaign stores observations of a campaign.
func (s *Server) TellCampaign(ctx context.Context, req openapi.TellCampaignRequestObject) (openapi.TellCampaignResponseObject, error) {
	answer, err := s.campaigns.tell(ctx, uint64(req.Campaign), *req.Body)
	return openapi.TellCampaign200JSONResponse(answer), err
}

// StopCampaign stops a campaign.
func (s *Server) StopCampaign(ctx context.Context, req openapi.StopCampaignRequestObject) (openapi.StopCampaignResponseObject, error) {
	if err := s.campaigns.stop(ctx, uint64(req.Campaign)); err != nil {
		return nil, err
	}
	c, err := s.campaigns.get(ctx, uint64(req.Campaign))
	return openapi.StopCampaign200JSONResponse(c), err
}

// ListCampaignInputs lists the findings of a campaign, newest first.
func (s *Server) ListCampaignInputs(ctx context.Context, req openapi.ListCampaignInputsRequestObject) (openapi.ListCampaignInputsResponseObject, error) {
	out, err := api.CampaignInputs(s.told(ctx, uint64(req.Campaign)), req.Params.Cursor, cmp.Or(req.Params.Limit, defaultLimit))
	return openapi.ListCampaignInputs200JSONResponse(out), err
}

// ListCampaignFailures lists the distinct failures of a campaign.
func (s *Server) ListCampaignFailures(ctx context.Context, req openapi.ListCampaignFailuresRequestObject) (openapi.ListCampaignFailuresResponseObject, error) {
	out, err := api.CampaignFailures(s.told(ctx, uint64(req.Campaign)), req.Params.Cursor, cmp.Or(req.Params.Limit, defaultLimit))
	return openapi.ListCampaignFailures200JSONResponse(out), err
}

// told yields the observations of a campaign in the order in which they were told.
func (s *Server) told(ctx context.Context, id uint64) iter.Seq2[api.ToldInput, error] {
	return func(yield func(api.ToldInput, error) bool) {
		for block, err := range s.Store.CampaignLog(ctx, id, 0) {
			if err = cmp.Or(err, context.Cause(ctx)); err != nil {
				yield(api.ToldInput{}, err)
				return
			}
			for _, t := range block.Told {
				if !yield(api.ToldInput(t), nil) {
					return
				}
			}
		}
	}
}

// campaignInterval is the minimum time between two events of a campaign.
const campaignInterval = 250 * time.Millisecond

// FollowCampaign sends a campaign as a server-sent event now and whenever it changes,
// until it has ended.
func (s *Server) FollowCampaign(ctx context.Context, req openapi.FollowCampaignRequestObject) (openapi.FollowCampaignResponseObject, error) {
	id := uint64(req.Campaign)
	if _, err := s.campaigns.get(ctx, id); err != nil {
		return nil, err
	}
	return streamResponse(func(w http.ResponseWriter) error {
		out := stream(ctx, w, "text/event-stream")
		for {
			changed := s.campaigns.changed(id)
			c, err := s.campaigns.get(ctx, id)
			s.campaigns.forget(id, c.State, err)
			if err != nil {
				return err
			}
			fmt.Fprint(out, "event: campaign\ndata: ")
			if err := out.line(c); err != nil {
				return err
			}
			fmt.Fprintln(out)
			if err := out.flush(); err != nil || c.State != openapi.CampaignRunning {
				return err
			}
			if err := s.awaitChange(ctx, out, changed); err != nil {
				return err
			}
		}
	}), nil
}

// awaitChange waits for a change, but at least for the interval between two events.
func (s *Server) awaitChange(ctx context.Context, out *streamWriter, changed <-chan struct{}) error {
	pause := time.NewTimer(campaignInterval)
	defer pause.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-pause.C:
		return s.keepAlive(ctx, out, changed)
	}
}
