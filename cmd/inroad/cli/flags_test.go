package cli_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/cmd/inroad/cli"
)

// Flags have the names, defaults, allowed values and descriptions of the contract.
func TestBind(t *testing.T) {
	var req openapi.GenerateRequest
	flags := pflag.NewFlagSet("generate", pflag.ContinueOnError)
	cli.Bind(flags, &req, "n", "k", "strategy", "cooldown", "one_target", "seed")
	type flag struct{ Default, Type, Usage string }
	got := map[string]flag{}
	flags.VisitAll(func(f *pflag.Flag) { got[f.Name] = flag{f.DefValue, f.Value.Type(), f.Usage} })
	if got["k"].Default != "2" || got["k"].Type != "LENGTH" || got["strategy"].Default != "random" || got["n"].Default != "" || got["seed"].Default != "1" {
		t.Errorf("flags are %+v", got)
	}
	if len(got) != 6 || got["one-target"].Usage == "" {
		t.Errorf("flags are %+v", got)
	}
	if err := flags.Parse([]string{"--n", "3", "--strategy=kpath", "--one-target", "--seed", "0", "--cooldown", "0.5"}); err != nil {
		t.Fatal(err)
	}
	want := openapi.GenerateRequest{N: 3, K: 2, Strategy: openapi.Kpath, OneTarget: true, Seed: new(openapi.Seed(0)), Cooldown: 0.5}
	if diff := cmp.Diff(want, req); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A flag for a time takes a duration from now, a date, or a time.
func TestBindTimes(t *testing.T) {
	now := time.Now()
	for text, want := range map[string]time.Time{
		"90d":                       now.Add(90 * 24 * time.Hour),
		"36500d":                    now.Add(36500 * 24 * time.Hour),
		"12h":                       now.Add(12 * time.Hour),
		"1h30m":                     now.Add(90 * time.Minute),
		"2027-01-31":                time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC),
		"2027-01-31T12:00:00Z":      time.Date(2027, 1, 31, 12, 0, 0, 0, time.UTC),
		"2027-01-31T12:00:00+02:00": time.Date(2027, 1, 31, 10, 0, 0, 0, time.UTC),
		"":                          {},
		"90":                        {},
		"d":                         {},
		"0d":                        {},
		"-1d":                       {},
		"1.5d":                      {},
		"36501d":                    {},
		"9223372036854775808d":      {},
		"-1h":                       {},
		"soon":                      {},
		"31.1.2027":                 {},
		"2027-02-30":                {},
		"2027-01-31 12:00":          {},
	} {
		var req openapi.KeyRequest
		flags := pflag.NewFlagSet("create", pflag.ContinueOnError)
		cli.Bind(flags, &req, "expires")
		err := flags.Set("expires", text)
		if want.IsZero() != (err != nil) {
			t.Errorf("%q: got error %v", text, err)
		}
		if err == nil && req.Expires.Sub(want).Abs() > time.Minute { // since now
			t.Errorf("%q: got %v, want %v", text, req.Expires, want)
		}
	}
}

func TestBindLists(t *testing.T) {
	var solve openapi.SolveRequest
	var train openapi.TrainOptions
	var choose openapi.SelectRequest
	flags := pflag.NewFlagSet("lists", pflag.ContinueOnError)
	cli.Bind(flags, &solve, "require")
	cli.Bind(flags, &train, "features", "trivia", "margin")
	cli.Bind(flags, &choose, "budget_ms")
	if err := flags.Parse([]string{"--require", "a, b", "--require", "c", "--features", "early,values", "--trivia=false", "--margin", "0", "--budget", "1m30s"}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a, b", "c"}, solve.Require); diff != "" {
		t.Errorf("require: -want +got:\n%s", diff)
	}
	if diff := cmp.Diff([]openapi.TrainOptionsFeatures{openapi.EarlyFeatures, openapi.ValueFeatures}, train.Features); diff != "" {
		t.Errorf("features: -want +got:\n%s", diff)
	}
	if *train.Trivia || *train.Margin != 0 || choose.BudgetMs != 90_000 {
		t.Errorf("trivia %t, margin %v, budget %v", *train.Trivia, *train.Margin, choose.BudgetMs)
	}
}

// A default of a command gives way to the first value that is given.
func TestSetDefault(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []openapi.Scope
	}{
		{nil, []openapi.Scope{"read"}},
		{[]string{"--scopes", "write,admin"}, []openapi.Scope{"write", "admin"}},
	} {
		var req openapi.KeyRequest
		flags := pflag.NewFlagSet("keys", pflag.ContinueOnError)
		cli.Bind(flags, &req, "scopes")
		cli.SetDefault(flags, "scopes", "read")
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, req.Scopes); diff != "" {
			t.Errorf("%q: -want +got:\n%s", c.args, diff)
		}
	}
}

// What the contract does not allow is refused, with the contract's message.
func TestFlagErrors(t *testing.T) {
	for _, c := range []struct{ flag, value, want string }{
		{"k", "0", "k 0: must be between 1 and 8"},
		{"k", "two", "k two: must be a whole number between 1 and 8"},
		{"strategy", "lucky", "strategy lucky: must be random, shortest, kpath, forest, common, uncommon or failure"},
		{"timeout", "soon", "timeout_ms soon: must be a duration such as 500ms or 5m"},
		{"timeout", "48h", "timeout_ms 48h: must be between 1ns and 24h0m0s"},
		{"seed", "18446744073709551615", "seed 18446744073709551615: must be between 0 and 9223372036854775807"},
		{"k", "99999999999999999999", "k 99999999999999999999: must be between 1 and 8"},
		{"one-target", "maybe", "one_target maybe: must be true or false"},
	} {
		flags := pflag.NewFlagSet("errors", pflag.ContinueOnError)
		cli.Bind(flags, &openapi.GenerateRequest{}, "k", "strategy", "one_target", "seed")
		cli.Bind(flags, &openapi.ParseRequest{}, "timeout_ms")
		err := flags.Lookup(c.flag).Value.Set(c.value)
		if err == nil || err.Error() != c.want {
			t.Errorf("--%s %s: got %v, want %s", c.flag, c.value, err, c.want)
		}
	}
}
