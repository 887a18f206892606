package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/api/server"
	"github.com/inroad/inroad/api/store"
	"github.com/inroad/inroad/api/store/bolt"
)

// Each operation is allowed by keys with the scope that the contract names, and
// by no others.
func TestScopes(t *testing.T) {
	s := start(t, func(c *server.Config) { c.NeedKeys = true })
	secrets := map[string]string{"none": "", "unknown": "inroad_00000000_x"}
	for _, scope := range store.Scopes() {
		_, secret, err := s.store.NewKey(t.Context(), store.Key{Name: "test", Scopes: []store.Scope{scope}})
		if err != nil {
			t.Fatal(err)
		}
		secrets[string(scope)] = secret
	}
	doc := document(t)
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			needed := "read"
			if op.Security != nil {
				needed = ""
				for _, requirement := range *op.Security {
					needed = requirement["key"][0]
				}
			}
			for who, secret := range secrets {
				url := strings.NewReplacer("{job}", "99", "{grammar}", "none", "{subject}", "none", "{model}", "none", "{method}", "none", "{alias}", "none", "{key}", "none").Replace(path)
				resp, text := s.send(t, method, url, "", strings.NewReader(""), "Authorization", "Bearer "+secret, "Host", "example.org")
				want := 0 // it is let in, whatever comes of it
				switch {
				case needed == "" || who == needed:
				case who == "none" || who == "unknown":
					want = http.StatusUnauthorized
				default:
					want = http.StatusForbidden
				}
				refused := resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden
				if want == 0 && refused || want != 0 && resp.StatusCode != want {
					t.Errorf("%s %s with key %s: %s %s", method, path, who, resp.Status, text)
				}
				if (resp.StatusCode == http.StatusUnauthorized) != (resp.Header.Get("WWW-Authenticate") == "Bearer") {
					t.Errorf("%s %s with key %s: %s, WWW-Authenticate %q", method, path, who, resp.Status, resp.Header.Get("WWW-Authenticate"))
				}
			}
		}
	}
	p := s.problem(t, http.MethodGet, "/v1/models", "", nil)
	if p.Status != http.StatusUnauthorized || p.Type != "urn:inroad:problem:unauthorized" {
		t.Errorf("no key at all: %+v", p)
	}
}

// Without keys, only requests that no other web site can have sent are served. With
// keys, the key alone decides.
func TestOrigin(t *testing.T) {
	open, keyed := start(t), start(t, func(c *server.Config) { c.NeedKeys = true })
	_, secret, err := keyed.store.NewKey(t.Context(), store.Key{Name: "test", Scopes: []store.Scope{store.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	own := strings.TrimPrefix(open.url, "http://")
	for _, c := range []struct {
		name    string
		headers []string
		detail  string // of the problem; empty if the request is served
	}{
		{"not a browser", nil, ""},
		{"a page of the service", []string{"Origin", open.url, "Sec-Fetch-Site", "same-origin"}, ""},
		{"an address that was typed", []string{"Sec-Fetch-Site", "none"}, ""},
		{"an image in a page of another site", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, `Sec-Fetch-Site "cross-site": must be same-origin or none, because the service requires no keys`},
		{"a link of another site", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate"}, `Sec-Fetch-Site "cross-site": must be`},
		{"a page of another port of this machine", []string{"Sec-Fetch-Site", "same-site"}, `Sec-Fetch-Site "same-site": must be`},
		{"a relation that browsers may add", []string{"Sec-Fetch-Site", "near-site"}, `Sec-Fetch-Site "near-site": must be`},
		{"another origin", []string{"Origin", "http://example.org"}, `origin "http://example.org": must be "` + own + `"`},
		{"no origin that a browser names", []string{"Origin", "null"}, `origin "null": must be`},
		{"another site that claims our origin", []string{"Origin", open.url, "Sec-Fetch-Site", "cross-site"}, `Sec-Fetch-Site "cross-site": must be`},
		{"another host name", []string{"Host", "example.org"}, `host "example.org": must be a loopback address`},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, text := open.send(t, http.MethodGet, "/v1/models", "", nil, c.headers...)
			if c.detail == "" && resp.StatusCode != http.StatusOK {
				t.Errorf("%s %s, want 200", resp.Status, text)
			}
			if c.detail != "" {
				if p := open.problem(t, http.MethodGet, "/v1/models", "", nil, c.headers...); p.Status != http.StatusForbidden || !strings.Contains(p.Detail, c.detail) {
					t.Errorf("%d %q, want 403 %q", p.Status, p.Detail, c.detail)
				}
			}
			headers := append([]string{"Authorization", "Bearer " + secret}, c.headers...)
			if resp, text := keyed.send(t, http.MethodGet, "/v1/models", "", nil, headers...); resp.StatusCode != http.StatusOK {
				t.Errorf("with a key: %s %s, want 200", resp.Status, text)
			}
		})
	}
}

// Links of other sites open the page and the documentation. Other sites cannot show them
// in frames, or load them.
func TestLinksOfOtherSites(t *testing.T) {
	s := start(t)
	for _, c := range []struct {
		path, mode, dest string
		want             int
	}{
		{"/", "navigate", "document", http.StatusOK},
		{"/docs", "navigate", "document", http.StatusOK},
		{"/", "navigate", "iframe", http.StatusForbidden},
		{"/", "no-cors", "script", http.StatusForbidden},
		{"/v1/models", "navigate", "document", http.StatusForbidden},
	} {
		resp, text := s.send(t, http.MethodGet, c.path, "", nil, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", c.mode, "Sec-Fetch-Dest", c.dest)
		if resp.StatusCode != c.want {
			t.Errorf("%s as a %s: %s %.100s, want %d", c.path, c.dest, resp.Status, text, c.want)
		}
	}
}

// The name of the scheme may be in any case, and white space around the key has no
// meaning.
func TestAuthorization(t *testing.T) {
	s := start(t, func(c *server.Config) { c.NeedKeys = true })
	_, secret, err := s.store.NewKey(t.Context(), store.Key{Name: "test", Scopes: []store.Scope{store.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	const none, unknown = "no key: send the header Authorization: Bearer KEY", "unknown key"
	for header, detail := range map[string]string{
		"Bearer " + secret:             "",
		"bearer " + secret:             "",
		"BEARER   " + secret:           "",
		"  Bearer \t" + secret + " \t": "",
		"Bearer":                       none,
		"Bearer  ":                     none,
		secret:                         none,
		"Basic " + secret:              none,
		"Bearer" + secret:              none,
		"Bearer " + secret + " more":   unknown,
		"Bearer " + secret + "x":       unknown,
	} {
		resp, text := s.send(t, http.MethodGet, "/v1/models", "", nil, "Authorization", header)
		if detail == "" && resp.StatusCode != http.StatusOK {
			t.Errorf("%q: %s %s, want 200", header, resp.Status, text)
		}
		if detail != "" && (resp.StatusCode != http.StatusUnauthorized || !strings.Contains(string(text), detail)) {
			t.Errorf("%q: %s %s, want 401 and %q", header, resp.Status, text, detail)
		}
	}
}

func TestRevokedKey(t *testing.T) {
	s := start(t, func(c *server.Config) { c.NeedKeys = true })
	key, secret, err := s.store.NewKey(t.Context(), store.Key{Name: "test", Scopes: []store.Scope{store.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{http.StatusOK, http.StatusUnauthorized} {
		if resp, text := s.send(t, http.MethodGet, "/v1/models", "", nil, "Authorization", "Bearer "+secret); resp.StatusCode != want {
			t.Errorf("%s %s, want %d", resp.Status, text, want)
		}
		if want == http.StatusOK {
			if err := s.store.RevokeKey(t.Context(), key.ID, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// as returns the header of requests with a key.
func as(secret string) []string { return []string{"Authorization", "Bearer " + secret} }

// newKey creates a key with scopes.
func (s *service) newKey(t *testing.T, scopes ...store.Scope) (store.Key, string) {
	t.Helper()
	key, secret, err := s.store.NewKey(t.Context(), store.Key{Name: "test", Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	return key, secret
}

// A key can be created with a time in the future from which it is refused.
func TestExpiry(t *testing.T) {
	s := start(t, func(c *server.Config) { c.NeedKeys = true })
	_, admin := s.newKey(t, store.ScopeAdmin)
	create := func(expires string) (*http.Response, []byte) {
		return s.send(t, http.MethodPost, "/v1/keys", "application/json", strings.NewReader(`{"name":"ci","scopes":["read"],"expires":"`+expires+`"}`), as(admin)...)
	}
	resp, text := create("2999-01-31T02:00:00+02:00")
	var made openapi.NewKey
	if err := json.Unmarshal(text, &made); err != nil || resp.StatusCode != http.StatusCreated || !made.Key.Expires.Equal(time.Date(2999, 1, 31, 0, 0, 0, 0, time.UTC)) {
		t.Fatalf("%s %s", resp.Status, text)
	}
	if resp, text := s.send(t, http.MethodGet, "/v1/models", "", nil, as(made.Secret)...); resp.StatusCode != http.StatusOK {
		t.Errorf("before the key expires: %s %s", resp.Status, text)
	}
	for expires, detail := range map[string]string{
		"2001-01-31T00:00:00Z":      "expires 2001-01-31T00:00:00Z: must be in the future and before the year 10000",
		"9999-12-31T23:59:59-01:00": "expires 9999-12-31T23:59:59-01:00: must be in the future and before the year 10000",
		"2999-01-31":                "expires 2999-01-31: must be a time such as 2027-01-31T00:00:00Z",
		"90d":                       "expires 90d: must be a time such as 2027-01-31T00:00:00Z",
	} {
		resp, text := create(expires)
		var p openapi.Problem
		if err := json.Unmarshal(text, &p); err != nil || resp.StatusCode != http.StatusBadRequest || p.Detail != detail {
			t.Errorf("%s: %s %q, want 400 %q", expires, resp.Status, p.Detail, detail)
		}
	}
	old, secret, err := s.store.NewKey(t.Context(), store.Key{Name: "old", Scopes: []store.Scope{store.ScopeRead}, Expires: time.Date(2001, 1, 31, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	p := s.problem(t, http.MethodGet, "/v1/models", "", nil, as(secret)...)
	if want := "key " + old.ID + ": expired at 2001-01-31T00:00:00Z"; p.Status != http.StatusUnauthorized || p.Type != "urn:inroad:problem:unauthorized" || p.Detail != want {
		t.Errorf("an expired key: %+v, want 401 and %q", p, want)
	}
}

// keyLog returns the key log, oldest first, without times. The names of the keys stand
// for their IDs.
func (s *service) keyLog(t *testing.T, secret string, names map[string]string) (out []string) {
	t.Helper()
	for path := "/v1/keys/log?limit=3"; path != ""; {
		resp, text := s.send(t, http.MethodGet, path, "", nil, as(secret)...)
		var page openapi.KeyLog
		if err := json.Unmarshal(text, &page); err != nil || resp.StatusCode != http.StatusOK || len(page.Events) > 3 {
			t.Fatalf("%s %s", resp.Status, text)
		}
		for _, e := range page.Events {
			out = append(out, fmt.Sprintf("%d %s key=%s by=%s %v %s %d", e.Number, e.Kind, names[e.Key], names[e.By], e.Scopes, e.Reason, e.Count))
		}
		if path = ""; page.Next != "" {
			path = "/v1/keys/log?limit=3&cursor=" + page.Next
		}
	}
	slices.Reverse(out)
	return out
}

// The log has each key that was created or revoked, and counts the requests that were
// let in or refused. Requests with unknown keys share one entry. Counts survive a
// restart.
func TestKeyLog(t *testing.T) {
	needKeys := func(c *server.Config) { c.NeedKeys = true }
	s := start(t, needKeys)
	adminKey, admin := s.newKey(t, store.ScopeAdmin)
	oldKey, old, err := s.store.NewKey(t.Context(), store.Key{Name: "old", Scopes: []store.Scope{store.ScopeRead}, Expires: time.Date(2001, 1, 31, 0, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	var made openapi.NewKey
	_, text := s.send(t, http.MethodPost, "/v1/keys", "application/json", strings.NewReader(`{"name":"ci","scopes":["read","write"]}`), as(admin)...)
	if err := json.Unmarshal(text, &made); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{adminKey.ID: "admin", oldKey.ID: "old", made.Key.ID: "ci"}
	want := []string{
		"1 created key=admin by= [admin]  1",
		"2 created key=old by= [read]  1",
		"3 created key=ci by=admin [read write]  1",
		"4 used key=admin by= [admin]  2", // it also reads the log
	}
	if diff := cmp.Diff(want, s.keyLog(t, admin, names)[:4]); diff != "" {
		t.Errorf("after the creation: %s", diff)
	}
	for i := range 20 {
		s.send(t, http.MethodGet, "/v1/models", "", nil, as(fmt.Sprintf("inroad_%08x_x", i))...)
	}
	s.send(t, http.MethodGet, "/v1/models", "", nil)
	s.send(t, http.MethodGet, "/v1/models", "", nil, as(old)...)
	s.send(t, http.MethodGet, "/v1/keys", "", nil, as(made.Secret)...)
	for range 3 {
		s.send(t, http.MethodGet, "/v1/models", "", nil, as(made.Secret)...)
	}
	s.send(t, http.MethodDelete, "/v1/aliases/none", "", nil, as(made.Secret)...)
	s.send(t, http.MethodGet, "/healthz", "", nil) // needs no key
	s.stop()
	s = startOn(t, s.path, needKeys)
	s.send(t, http.MethodDelete, "/v1/keys/"+made.Key.ID, "", nil, as(admin)...)
	got := s.keyLog(t, admin, names)
	want = []string{
		"created key=admin by= [admin]  1",
		"created key=old by= [read]  1",
		"created key=ci by=admin [read write]  1",
		"used key=admin by= [admin]  3",
		"refused key= by= [read] unknown 20",
		"refused key= by= [read] missing 1",
		"refused key=old by= [read] expired 1",
		"refused key=ci by= [admin] scope 1",
		"used key=ci by= [read]  3",
		"used key=ci by= [write]  1",
		"revoked key=ci by=admin []  1",
		"used key=admin by= [admin]  2", // of the new process
	}
	for i := range want {
		want[i] = fmt.Sprint(i+1, " ", want[i])
	}
	if diff := cmp.Diff(want, got[:min(len(got), len(want))]); diff != "" || len(got) != len(want) {
		t.Errorf("%d entries %s", len(got), diff)
	}
	if p := s.problem(t, http.MethodGet, "/v1/keys/log", "", nil, as(made.Secret)...); p.Status != http.StatusUnauthorized || p.Detail != "unknown key" {
		t.Errorf("with a revoked key: %+v", p)
	}
}

// Revoking a key ends its requests at once: streams, and requests whose body does not
// arrive. Requests of other keys continue.
func TestRevocationEndsRequests(t *testing.T) {
	s := start(t, func(c *server.Config) { c.NeedKeys = true })
	_, admin := s.newKey(t, store.ScopeAdmin)
	key, secret := s.newKey(t, store.ScopeRead, store.ScopeWrite)
	_, other := s.newKey(t, store.ScopeRead, store.ScopeWrite)

	type answer struct {
		name, status string
		text         string
	}
	answers := make(chan answer, 4)
	entered := make(chan struct{})
	open := func(name, method, path, contentType, secret, begin string) io.Closer {
		body, client := io.Pipe()
		go func() {
			req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, body)
			if err != nil {
				t.Error(err)
			}
			req.Header.Set("Content-Type", contentType)
			req.Header.Set("Authorization", "Bearer "+secret)
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				answers <- answer{name, "failed", err.Error()}
				return
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			answers <- answer{name, resp.Status, fmt.Sprint(string(text), err)}
		}()
		go func() {
			io.WriteString(client, begin)
			entered <- struct{}{}
		}()
		<-entered
		return client
	}
	open("upload", http.MethodPost, observations, ndjson, secret, calc(1))
	open("predictions", http.MethodPost, "/v1/grammars/json/probabilities", ndjson, secret, `{"input":"1"}`+"\n")
	open("plain request", http.MethodPost, "/v1/grammars/json/parses", "application/json", secret, `{"input":`)
	kept := open("upload of another key", http.MethodPost, observations, ndjson, other, calc(1))
	// The requests were let in when they are counted.
	for used := int64(0); used < 3; {
		if len(answers) > 0 {
			t.Fatalf("answered already: %v", <-answers)
		}
		_, text := s.send(t, http.MethodGet, "/v1/keys/log", "", nil, as(admin)...)
		var log openapi.KeyLog
		if err := json.Unmarshal(text, &log); err != nil {
			t.Fatal(err)
		}
		used = 0
		for _, e := range log.Events {
			if e.Kind == openapi.KeyUsed && e.Key == key.ID {
				used += e.Count
			}
		}
	}
	if resp, text := s.send(t, http.MethodDelete, "/v1/keys/"+key.ID, "", nil, as(admin)...); resp.StatusCode != http.StatusNoContent {
		t.Fatalf("%s %s", resp.Status, text)
	}
	for range 3 {
		a := <-answers
		if !strings.HasPrefix(a.status, "401") || !strings.Contains(a.text, "key "+key.ID+": revoked") {
			t.Errorf("%s: %s %s, want 401", a.name, a.status, a.text)
		}
	}
	kept.Close()
	if a := <-answers; !strings.HasPrefix(a.status, "200") {
		t.Errorf("%s: %s %s, want 200", a.name, a.status, a.text)
	}
}

// A key that revokes itself gets the answer.
func TestOwnRevocation(t *testing.T) {
	s := start(t, func(c *server.Config) { c.NeedKeys = true })
	key, secret := s.newKey(t, store.ScopeAdmin)
	for _, want := range []int{http.StatusNoContent, http.StatusUnauthorized} {
		if resp, text := s.send(t, http.MethodDelete, "/v1/keys/"+key.ID, "", nil, as(secret)...); resp.StatusCode != want {
			t.Errorf("%s %s, want %d", resp.Status, text, want)
		}
	}
}

// Keys are made and revoked while the service runs.
func TestKeys(t *testing.T) {
	s := start(t, func(c *server.Config) { c.NeedKeys = true })
	adminKey, admin, err := s.store.NewKey(t.Context(), store.Key{Name: "admin", Scopes: []store.Scope{store.ScopeAdmin}})
	if err != nil {
		t.Fatal(err)
	}
	resp, text := s.send(t, http.MethodPost, "/v1/keys", "application/json", strings.NewReader(`{"name":"ci","scopes":["read"],"active":3}`), as(admin)...)
	var made openapi.NewKey
	if err := json.Unmarshal(text, &made); err != nil || resp.StatusCode != http.StatusCreated || resp.Header.Get("Location") != "/v1/keys/"+made.Key.ID {
		t.Fatalf("%s %s", resp.Status, text)
	}
	want := openapi.Key{ID: made.Key.ID, Name: "ci", Scopes: []openapi.Scope{openapi.ScopeRead}, Created: made.Key.Created, CreatedBy: adminKey.ID, Active: 3}
	if diff := cmp.Diff(want, made.Key); diff != "" {
		t.Error(diff)
	}
	if resp, text := s.send(t, http.MethodGet, "/v1/models", "", nil, as(made.Secret)...); resp.StatusCode != http.StatusOK {
		t.Errorf("with the new key: %s %s", resp.Status, text)
	}
	_, text = s.send(t, http.MethodGet, "/v1/keys", "", nil, as(admin)...)
	var list openapi.KeyList
	if err := json.Unmarshal(text, &list); err != nil || len(list.Keys) != 2 || list.Keys[0].Name != "admin" || list.Keys[1].LastUsed.Before(want.Created) {
		t.Fatalf("keys are %s", text)
	}
	if want.LastUsed = list.Keys[1].LastUsed; !cmp.Equal(list.Keys[1], want) {
		t.Errorf("keys are %s", text)
	}
	if strings.Contains(string(text), made.Secret) || strings.Contains(string(text), "hash") {
		t.Errorf("keys tell what they should not: %s", text)
	}
	if resp, text := s.send(t, http.MethodDelete, "/v1/keys/"+made.Key.ID, "", nil, as(admin)...); resp.StatusCode != http.StatusNoContent {
		t.Errorf("revoke: %s %s", resp.Status, text)
	}
	for secret, c := range map[string]struct {
		method, path string
		status       int
	}{
		made.Secret: {http.MethodGet, "/v1/models", http.StatusUnauthorized},
		admin:       {http.MethodDelete, "/v1/keys/" + made.Key.ID, http.StatusNotFound},
	} {
		if p := s.problem(t, c.method, c.path, "", nil, as(secret)...); p.Status != c.status {
			t.Errorf("%s %s: %+v", c.method, c.path, p)
		}
	}
}

// A key that has used up what it may is told when to come again.
func TestQuotas(t *testing.T) {
	s := start(t, func(c *server.Config) {
		c.NeedKeys = true
		c.Quotas = store.Limits{Upload: 3000}
	})
	secret := func(limits store.Limits) string {
		_, secret, err := s.store.NewKey(t.Context(), store.Key{Name: "test", Scopes: []store.Scope{store.ScopeRead, store.ScopeWrite}, Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		return "Bearer " + secret
	}
	refused := func(resp *http.Response, text []byte, detail string, least, most int) {
		t.Helper()
		wait, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if resp.StatusCode != http.StatusTooManyRequests || err != nil || wait < least || wait > most || !strings.Contains(string(text), detail) {
			t.Errorf("%s, Retry-After %q, %s; want %q and %d to %d seconds", resp.Status, resp.Header.Get("Retry-After"), text, detail, least, most)
		}
	}
	t.Run("requests a second", func(t *testing.T) {
		key := secret(store.Limits{Rate: 0.01})
		s.send(t, http.MethodGet, "/v1/models", "", nil, "Authorization", key)
		resp, text := s.send(t, http.MethodGet, "/v1/models", "", nil, "Authorization", key)
		refused(resp, text, "rate limit of 0.01 requests per second exceeded", 90, 100)
		if resp, text := s.send(t, http.MethodGet, "/v1/models", "", nil, "Authorization", secret(store.Limits{})); resp.StatusCode != http.StatusOK {
			t.Errorf("another key: %s %s", resp.Status, text)
		}
	})
	t.Run("requests at the same time", func(t *testing.T) {
		key := secret(store.Limits{Active: 1, Upload: 1 << 20})
		for seen := false; !seen; {
			body, client := io.Pipe()
			ended := make(chan struct{})
			go func() { // a stream that takes its time
				defer close(ended)
				s.send(t, http.MethodPost, observations, ndjson, body, "Authorization", key)
			}()
			io.WriteString(client, `{"input":"1"}`+"\n")
			for refusedItself := false; !seen && !refusedItself; { // until it has been let in
				resp, text := s.send(t, http.MethodGet, "/v1/models", "", nil, "Authorization", key)
				if seen = resp.StatusCode != http.StatusOK; seen {
					refused(resp, text, "limit of 1 concurrent requests exceeded", 1, 1)
				}
				select {
				case <-ended: // one of these requests kept the stream from being let in
					refusedItself = true
				default:
				}
			}
			client.Close()
			<-ended
		}
	})
	t.Run("bytes an hour", func(t *testing.T) {
		key := secret(store.Limits{})
		// Of unknown length, so that it is seen as it comes in. What came before is stored.
		resp, text := s.send(t, http.MethodPost, observations+"?commit=u", ndjson, struct{ io.Reader }{strings.NewReader(calc(1000))}, "Authorization", key)
		refused(resp, text, "upload quota of 3000 bytes per hour exceeded", 300, 3600*11)
		resp, text = s.send(t, http.MethodPost, observations+"?commit=u", ndjson, strings.NewReader(calc(1)), "Authorization", key)
		refused(resp, text, "upload quota of 3000 bytes per hour exceeded", 300, 3600*11)
		if resp, text := s.send(t, http.MethodGet, "/v1/models", "", nil, "Authorization", key); resp.StatusCode != http.StatusOK {
			t.Errorf("without a body: %s %s", resp.Status, text)
		}
	})
	t.Run("more than an hour's bytes", func(t *testing.T) {
		p := s.problem(t, http.MethodPost, observations, ndjson, strings.NewReader(calc(1000)), "Authorization", secret(store.Limits{}))
		if p.Status != http.StatusRequestEntityTooLarge || p.Detail != "body too large: must have at most 3000 bytes" {
			t.Errorf("got %+v", p)
		}
	})
}

// A backup has all that was there when it was asked for, and leaves nothing behind.
func TestBackup(t *testing.T) {
	s := start(t)
	s.file(t)
	id := s.trained(t)
	resp, body := s.send(t, http.MethodGet, "/v1/backup", "", nil)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Length") != fmt.Sprint(len(body)) {
		t.Fatalf("%s, %d bytes", resp.Status, len(body))
	}
	path := filepath.Join(t.TempDir(), "b.db")
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := bolt.Open(t.Context(), path, bolt.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	report, err := b.Check(t.Context())
	if err != nil || len(report.Faults) > 0 || report.Models != 1 || report.Observations != 100 {
		t.Errorf("the backup: %+v, %v", report, err)
	}
	if _, err := b.Model(t.Context(), id); err != nil {
		t.Error(err)
	}
	if left, err := filepath.Glob(s.path + "*"); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

func TestMetrics(t *testing.T) {
	s := start(t)
	for _, path := range []string{"/v1/models", "/v1/models", "/v1/models/none", "/nowhere/1", "/nowhere/2"} {
		s.send(t, http.MethodGet, path, "", nil)
	}
	s.send(t, "NONSENSE", "/v1/models", "", nil)
	_, text := s.send(t, http.MethodGet, "/metrics", "", nil)
	for _, want := range []string{
		`inroad_requests_total{method="GET",route="/v1/models",status="200"} 2`,
		`inroad_requests_total{method="GET",route="/v1/models/:model",status="404"} 1`,
		`inroad_requests_total{method="any",route="none",status="404"} 2`,
		`inroad_requests_total{method="any",route="none",status="405"} 1`,
		`inroad_jobs_waiting 0`,
		`inroad_request_seconds_count{method="GET",route="/v1/models"} 2`,
	} {
		if !strings.Contains(string(text), want+"\n") {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
}

func TestDocs(t *testing.T) {
	resp, text := start(t).send(t, http.MethodGet, "/docs", "", nil)
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") || !strings.Contains(string(text), "/openapi.json") {
		t.Errorf("%s %.100s", resp.Status, text)
	}
	if strings.Contains(string(text), "://") {
		t.Error("the page has something from elsewhere")
	}
}
