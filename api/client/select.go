package client

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/inroad/inroad/api"
	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/targeting/selection"
)

// Select implements [api.Service]. Inputs are sent one per line, after the request.
// Each path in the answer is either the path of an input that was sent, or the plain
// file name of a generated input, which begins with its digest.
func (c *Client) Select(ctx context.Context, req openapi.SelectRequest, corpus iter.Seq2[openapi.SelectInput, error]) (openapi.Selection, error) {
	req.Inputs = nil // they are the corpus
	sent := map[string]bool{}
	var body *lineBody
	out, err := ask[openapi.Selection](ctx, c, &req, func() (*http.Response, error) {
		body = inputBody(ctx, func(yield func(any, error) bool) {
			if !yield(req, nil) {
				return
			}
			for in, err := range corpus {
				if err == nil && !utf8.ValidString(in.Path) {
					err = fmt.Errorf("%q: a path that is not UTF-8 cannot be sent to a service", in.Path)
				}
				sent[in.Path] = true
				if !yield(in, err) {
					return
				}
			}
		})
		return c.generated.SelectInputsWithBody(ctx, ndjson, body)
	})
	if body != nil {
		err = body.stop(err)
	}
	if err != nil {
		return openapi.Selection{}, err
	}
	if err := checkSelection(out, sent); err != nil {
		return openapi.Selection{}, c.invalidAnswer(ctx, err)
	}
	return out, nil
}

// checkSelection returns an error unless each input that was sent is either selected or
// left out, and every other selected input is a generated one. Users run the selected
// inputs and write generated inputs to files, so the service is not trusted with paths.
func checkSelection(s openapi.Selection, sent map[string]bool) error {
	for _, in := range s.Inputs {
		err := new(selection.Digest).UnmarshalText([]byte(in.Digest))
		switch {
		case err != nil:
		case in.Input != nil || in.InputBase64 != nil:
			err = checkGenerated(in)
		default:
			err = take(sent, in.Path)
		}
		if err != nil {
			return err
		}
	}
	for _, path := range s.Rest {
		if err := take(sent, path); err != nil {
			return err
		}
	}
	if len(sent) > 0 {
		return fmt.Errorf("%d inputs are neither selected nor left out", len(sent))
	}
	return nil
}

// take removes a path from the set of paths that were sent.
func take(sent map[string]bool, path string) error {
	if !sent[path] {
		return fmt.Errorf("path %q was not sent, or is in the answer twice", api.Excerpt(path))
	}
	delete(sent, path)
	return nil
}

// checkGenerated returns an error unless the path of a generated input is a plain
// name that begins with the digest of its content.
func checkGenerated(in openapi.SelectedInput) error {
	text, err := api.Decode(in.Input, in.InputBase64)
	if err != nil {
		return err
	}
	digest := selection.DigestOf(text).String()
	if in.Digest != digest || !strings.HasPrefix(in.Path, digest[:16]+".") || strings.ContainsAny(in.Path, "/\\:\x00") {
		return fmt.Errorf("the generated input %q is not named after its digest", api.Excerpt(in.Path))
	}
	return nil
}
