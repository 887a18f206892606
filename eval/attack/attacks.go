package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// An attack is one row of the table. Answers of prepare and of run both count.
type attack struct {
	name, about string
	prepare     func(ctx context.Context, a *attacker) error // takes at most maxPreparation
	run         func(ctx context.Context, a *attacker)       // for the duration of the attack
}

// Sizes of attacks.
const (
	maxBody = 16<<20 - 100 // of a body that is not streamed, without the JSON around its values
	maxLine = 48 << 20     // of a line of a streamed body
)

// Paths of the demo model.
const (
	predictions  = "/v1/models/demo/predictions"
	observations = "/v1/subjects/calc/observations"
)

// attacks returns all attacks.
func attacks() []attack {
	var all []attack
	for _, group := range [][]attack{bodyAttacks(), grammarAttacks(), slowAttacks(), workAttacks(), stateAttacks()} {
		all = append(all, group...)
	}
	return all
}

// repeat returns as many copies of a text as fit into size bytes.
func repeat(text string, size int) string { return strings.Repeat(text, size/len(text)) }

// numbered formats the numbers from 0 to n-1 and joins the results.
func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// everywhere returns a request to each endpoint that expects an array, with an array
// of copies of an element.
func everywhere(element string) []request {
	array := "[" + strings.TrimSuffix(repeat(element+",", maxBody), ",") + "]"
	return compressed(
		post(predictions, `{"inputs":`+array+`}`),
		post("/v1/grammars", `{"files":`+array+`}`),
		post("/v1/grammars/json/parses", `{"input":`+array+`}`),
		post("/v1/grammars/json/coverage", `{"inputs":`+array+`}`),
		post("/v1/grammars/json/inputs", `{"tokens":{"STRING":`+array+`}}`),
		post("/v1/grammars/json/inputs", `{"probabilities":`+array+`}`),
		post("/v1/grammars/json/solutions", `{"require":`+array+`}`),
		post("/v1/models/demo/inputs", `{"methods":`+array+`}`),
		post("/v1/selections", `{"model":"demo","touched":`+array+`}`),
		post("/v1/comparisons", `{"before":"demo","after":"demo","inputs":`+array+`}`),
		post("/v1/keys", array),
	)
}

func bodyAttacks() []attack {
	flood := func(clients int, requests func() []request) func(context.Context, *attacker) {
		return func(ctx context.Context, a *attacker) { a.flood(ctx, clients, requests()...) }
	}
	return []attack{
		{name: "none", about: "nobody attacks", run: func(ctx context.Context, a *attacker) { a.wait(ctx) }},
		{
			name: "arrays", about: "bodies of 16 MiB in 24 kB gzip with empty arrays, to 11 endpoints, 6 at once",
			run: flood(6, func() []request { return everywhere("[]") }),
		},
		{name: "objects", about: "the same with empty objects", run: flood(6, func() []request { return everywhere("{}") })},
		{name: "numbers", about: "the same with numbers", run: flood(6, func() []request { return everywhere("1") })},
		{name: "strings", about: "the same with short strings, which some endpoints accept", run: flood(6, func() []request { return everywhere(`"a"`) })},
		{
			name: "names", about: "bodies of 16 MiB in gzip with a million names in an object, new or repeated, 6 at once",
			run: flood(6, func() []request {
				repeated, different := repeat(`"input":"x",`, maxBody)+`"input":"x"`, strings.TrimSuffix(numbered(1_000_000, `"n%d":0,`), ",")
				return compressed(
					post(predictions, `{"inputs":[{`+repeated+`}]}`), post(predictions, `{`+different+`}`),
					post("/v1/grammars/json/parses", `{`+repeated+`}`), post("/v1/grammars/json/inputs", `{"tokens":{`+different+`}}`),
					lines(predictions, `{`+repeated+"}\n"), lines(observations, `{"input":"1",`+different+"}\n"),
				)
			}),
		},
		{
			name: "nesting", about: "JSON nested a million times, in bodies, lines and inputs, 6 at once",
			run: flood(6, func() []request {
				arrays, objects := strings.Repeat("[", 4<<20), repeat(`{"a":`, maxBody)
				return compressed(
					post(predictions, `{"inputs":`+arrays), post(predictions, objects), post("/v1/grammars/json/inputs", `{"probabilities":`+arrays),
					lines(predictions, arrays+"\n"), lines(observations, objects+"\n"),
					post("/v1/grammars/json/parses", `{"max_depth":1000000000,"input":"`+arrays+strings.Repeat("]", 4<<20)+`"}`),
					post(predictions, `{"inputs":[{"input":"`+strings.Repeat("(", 4<<20)+"x"+strings.Repeat(")", 4<<20)+`"}]}`),
				)
			}),
		},
		{
			name: "zstd", about: "zstd bodies of 16 MiB to 1 GiB in 33 kB, with windows of 8 MiB to 2 GiB, 60 at once",
			run: flood(60, func() (all []request) {
				for _, window := range []int{8 << 20, 128 << 20, 2 << 30} {
					for _, r := range []request{post(predictions, ""), lines(predictions, ""), lines(observations, ""), lines("/v1/grammars/json/fit", "")} {
						r.encoding, r.body = "zstd", zeros(window, 1<<30)
						all = append(all, r)
					}
				}
				return all
			}),
		},
		{
			name: "unfinished-lines", about: "60 connections with an unfinished line of 48 MiB in gzip, held",
			run: func(ctx context.Context, a *attacker) {
				line := lines(predictions, `{"input":"`+repeat("x", maxLine)).gzipped(false)
				a.hold(ctx, 60, a.head(line, 1000), "")
			},
		},
		{
			name: "many-lines", about: "1 GB of short lines in 3 MB gzip, 6 at once",
			run: flood(6, func() []request {
				body := lines(predictions, repeat(`{"input":"x"}`+"\n", 16<<20)).gzipped(true)
				body.body = bytes.Repeat(body.body, 63) // a sequence of gzip files is one
				coverage, fit, upload := body, body, body
				coverage.path, fit.path, upload.path = "/v1/grammars/expr/coverage", "/v1/grammars/expr/fit", observations
				return []request{body, coverage, fit, upload}
			}),
		},
		{
			name: "wide-observations", about: "lines with two million methods in gzip, 6 at once",
			run: flood(6, func() []request {
				methods := strings.TrimSuffix(numbered(2_000_000, `"m%d",`), ",")
				return compressed(
					lines("/v1/subjects/wide/observations", `{"input":"1","methods":[`+methods+"]}\n"),
					lines("/v1/models/demo/evaluations", `{"input":"1","methods":[`+methods+"]}\n"),
				)
			}),
		},
		{
			name: "batches", about: "predictions of 10,000 inputs of up to 1.6 kB with reasons, 6 at once",
			run: flood(6, func() []request {
				batch := func(input string) string {
					return `{"inputs":[` + strings.TrimSuffix(strings.Repeat(`{"input":"`+input+`"},`, 10_000), ",") + `]}`
				}
				return compressed(
					post(predictions+"?reasons=true", batch("x"+repeat("*(y+1)", 1600))), post(predictions+"?reasons=true", batch("x")),
					post(predictions, batch("x*")), post("/v1/comparisons", `{"before":"demo","after":"demo",`+batch("x*(y+1)")[1:]),
				)
			}),
		},
		{
			name: "queries", about: "predictions with 1,000 methods in a query of 24 kB, and with a query of 900 kB, 16 at once",
			run: flood(16, func() []request {
				const one = `{"inputs":[{"input":"x"}]}`
				return []request{
					post(predictions+"?"+strings.Repeat("method=distributiveRule&", 1000), one),
					post(predictions+"?"+repeat("method=distributiveRule&", 900_000), one),
				}
			}),
		},
		{
			name: "large-inputs", about: "inputs of 8 MiB to parse, in every format, and of 60 kB for the ANTLR runtime, 6 at once",
			run: flood(6, func() []request {
				input := "[" + repeat("1,", 8<<20-10) + "1]"
				return compressed(
					post("/v1/grammars/json/parses", `{"max_steps":9007199254740992,"input":"`+input+`"}`),
					post("/v1/grammars/json/parses", `{"format":"json","inside":true,"input":"`+input+`"}`),
					post("/v1/grammars/json/parses", `{"engine":"antlr","input":"[`+repeat("1,", 60_000)+`1]"}`),
					post("/v1/grammars/json/coverage?k=8", `{"inputs":[{"input":"`+input+`"}]}`),
					post(predictions, `{"inputs":[{"input":"x`+repeat("+x", 8<<20-10)+`"}]}`),
				)
			}),
		},
	}
}

// zeros returns a zstd frame that decompresses to size zeros. Its window has window
// bytes, a power of two. Each of its blocks is a repeated byte.
func zeros(window, size int) []byte {
	out := []byte{0x28, 0xb5, 0x2f, 0xfd, 0}
	exponent := 0
	for 1<<(exponent+10) < window {
		exponent++
	}
	out = append(out, byte(exponent<<3))
	const block = 128 << 10
	for size > 0 {
		n := min(size, block)
		size -= n
		header := n<<3 | 1<<1 // a repeated byte
		if size == 0 {
			header |= 1 // the last block
		}
		out = append(out, byte(header), byte(header>>8), byte(header>>16), 0)
	}
	return out
}

// Grammars that are small when compressed, but expensive.
const (
	recursive   = "grammar g; e:"                                 // followed by alternatives of e
	exponential = "grammar g; s : r0 EOF ; %sr60 : 'x' | 'y' ;\n" // around doublings
	doubling    = "r%d : r%d r%[2]d | r%[2]d 'a' r%[2]d | ( r%[2]d | 'b' )+ ;\n"
)

// uploadedGrammar returns a prepare function that uploads a grammar, and a run
// function that floods the endpoints of the uploaded grammar.
func uploadedGrammar(text string, clients int, requests func(path string) []request) (prepare func(context.Context, *attacker) error, run func(context.Context, *attacker)) {
	var id string
	prepare = func(ctx context.Context, a *attacker) (err error) {
		id, err = a.upload(ctx, grammar("/v1/grammars", text).gzipped(true))
		return err
	}
	run = func(ctx context.Context, a *attacker) {
		if id == "" { // refused
			a.wait(ctx)
			return
		}
		a.flood(ctx, clients, requests("/v1/grammars/"+id)...)
	}
	return prepare, run
}

func grammarAttacks() []attack {
	uploadAndCheck := func(clients int, texts func() []string) func(context.Context, *attacker) {
		return func(ctx context.Context, a *attacker) {
			var all []request
			for _, text := range texts() {
				all = append(all, compressed(grammar("/v1/grammar-checks", text), grammar("/v1/grammars", text))...)
			}
			a.floodFor(ctx, clients, patience/5, all...)
		}
	}
	var doublings strings.Builder
	for i := range 60 {
		fmt.Fprintf(&doublings, doubling, i, i+1)
	}
	prepareExponential, runExponential := uploadedGrammar(fmt.Sprintf(exponential, &doublings), 16, func(path string) []request {
		return []request{
			get(path + "/path-count?k=8"), get(path + "/path-count?k=8&absent=true"), get(path + "/paths?k=8"),
			post(path+"/inputs", `{"strategy":"kpath","k":8}`), post(path+"/inputs", `{"n":1000000,"max_nodes":100000,"max_depth":1000}`),
			post(path+"/solutions", `{"require":["r10 > r11"],"n":1000,"style":"varied"}`),
			post(path+"/parses", `{"input":"`+repeat("xaxbyay", 1<<20)+`"}`),
		}
	})
	prepareComplete, runComplete := uploadedGrammar(complete(150), 16, func(path string) []request {
		return []request{
			get(path + "/path-count?k=8"), get(path + "/path-count?k=8&names=true"), get(path + "/paths?k=3"),
			post(path+"/inputs", `{"strategy":"kpath","k":3}`), post(path+"/solutions", `{"require":["r1 > r2 > r3"],"forbid":["r1 > r4"],"n":100}`),
		}
	})
	return []attack{
		{
			name: "recursive-grammar", about: "e: with 120,000 alternatives e'o'e, checked and uploaded, 16 at once; the clients leave after a second",
			run: uploadAndCheck(16, func() []string { return []string{recursive + strings.Repeat("e'o'e|", 120_000) + "'x';"} }),
		},
		{
			name: "large-grammars", about: "grammars of a megabyte of rules, alternatives, brackets or tokens, 16 at once; the clients leave after a second",
			run: uploadAndCheck(16, func() []string {
				return []string{
					"grammar g; s : " + strings.Repeat("(", 500_000) + "'x'" + strings.Repeat(")", 500_000) + ";",
					"grammar g; s : " + strings.Repeat("(", 100_000) + "'x'" + strings.Repeat("'y')*", 100_000) + ";",
					"grammar g; s : r1 ; " + numbered(35_000, "r%d : r%[1]d 'x' | r1 ;\n"),
					"grammar g; s : " + strings.TrimSuffix(numbered(90_000, "'k%d'|"), "|") + ";",
					"grammar g; s : T ; T : " + strings.Repeat("([a-z]|'x'..'z'|~[q])*", 45_000) + ";",
					"lexer grammar g; " + numbered(38_000, "T%d : [a-z]+ '%[1]d' ;\n"),
					strings.Repeat("{ ", 250_000) + strings.Repeat("} ", 250_000),
				}
			}),
		},
		{
			name: "exponential-grammar", about: "60 rules that double each other: counting, listing and covering paths, generating, solving, parsing, 16 at once",
			prepare: prepareExponential, run: runExponential,
		},
		{
			name: "complete-grammar", about: "150 rules that all refer to each other: counting, listing and covering paths, solving, 16 at once",
			prepare: prepareComplete, run: runComplete,
		},
		{
			name: "grammar-list", about: "50 uploaded grammars of 1 MB, listed, 16 at once",
			prepare: func(ctx context.Context, a *attacker) error {
				for _, r := range commented(50) {
					if _, err := a.upload(ctx, r); err != nil {
						return err
					}
				}
				return nil
			},
			run: func(ctx context.Context, a *attacker) { a.flood(ctx, 16, get("/v1/grammars")) },
		},
	}
}

// commented returns requests to upload n grammars of two files, one of them with a
// comment of a megabyte.
func commented(n int) []request {
	end := post("", `{"name":"g1.g4","text":"grammar g1; s1 : 'x' ; /*`+strings.Repeat("x", 1_000_000)+`*/"}]}`).gzipped(true)
	var out []request
	for i := range n {
		r := post("/v1/grammars", fmt.Sprintf(`{"files":[{"name":"g0.g4","text":"grammar g0; import g1; s : 'n%d' ;"},`, i)).gzipped(true)
		r.body = append(r.body, end.body...) // a sequence of gzip files is one
		out = append(out, r)
	}
	return out
}

// complete returns a grammar of n rules that all refer to each other.
func complete(n int) string {
	var b strings.Builder
	b.WriteString("grammar g;\n")
	for i := range n {
		fmt.Fprintf(&b, "r%d : 'x%[1]d'", i)
		for j := range n {
			fmt.Fprintf(&b, " | 'a%d' r%[1]d", j)
		}
		b.WriteString(" ;\n")
	}
	return b.String()
}

func slowAttacks() []attack {
	hold := func(n, missing int, tail string, r request) func(context.Context, *attacker) {
		return func(ctx context.Context, a *attacker) { a.hold(ctx, n, a.head(r, missing), tail) }
	}
	const slow = 1000
	dots := strings.Repeat(" ", slow)
	return []attack{
		{
			name: "slow-downloads", about: "300 streams of generated inputs, read at a byte per second",
			run: hold(300, 0, "", post("/v1/grammars/json/inputs", `{"n":1000000}`)),
		},
		{
			name: "slow-observations", about: "300 downloads of 3 MB of observations, read at a byte per second",
			prepare: func(ctx context.Context, a *attacker) error {
				_, _, err := a.send(ctx, lines("/v1/subjects/slow/observations", numbered(30_000, `{"input":"%d","methods":["`+strings.Repeat("m", 80)+"\"]}\n")))
				return err
			},
			run: hold(300, 0, "", get("/v1/subjects/slow/observations")),
		},
		{
			name: "slow-backups", about: "64 backups, read at a byte per second",
			run: hold(64, 0, "", get("/v1/backup")),
		},
		{
			name: "slow-uploads", about: "300 streamed uploads of a byte per second",
			run: hold(300, slow, dots, lines("/v1/subjects/slow/observations", "")),
		},
		{
			name: "slow-predictions", about: "300 streams of predictions, written at a byte per second",
			run: hold(300, slow, dots, lines(predictions, `{"input":"x"}`+"\n")),
		},
		{
			name: "slow-bodies", about: "300 bodies that are not streamed, written at a byte per second",
			run: hold(300, slow, dots, post(predictions, `{"inputs":[`)),
		},
		{
			name: "slow-headers", about: "1,000 connections that write a byte of their headers per second",
			run: func(ctx context.Context, a *attacker) {
				a.hold(ctx, 1000, []byte("GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Slow: "), dots)
			},
		},
		{
			name: "large-headers", about: "100 connections with a megabyte of headers, and one with 100 MB",
			run: func(ctx context.Context, a *attacker) {
				start := []byte("GET /v1/models HTTP/1.1\r\nHost: x\r\n")
				header := []byte("X-Large: " + strings.Repeat("x", 991) + "\r\n")
				done := make(chan struct{})
				go func() {
					defer close(done)
					a.hold(ctx, 1, append(bytes.Clone(start), bytes.Repeat(header, 100_000)...), "")
				}()
				a.hold(ctx, 100, append(bytes.Clone(start), bytes.Repeat(header, 1000)...), dots)
				<-done
			},
		},
		{
			name: "idle-connections", about: "2,000 connections without a request",
			run: func(ctx context.Context, a *attacker) { a.hold(ctx, 2000, nil, "") },
		},
		{
			name: "job-events", about: "500 clients that follow a job",
			prepare: queueTrainings,
			run:     hold(500, 0, "", get("/v1/jobs/3/events")),
		},
	}
}

func workAttacks() []attack {
	flood := func(requests ...request) func(context.Context, *attacker) {
		return func(ctx context.Context, a *attacker) { a.flood(ctx, 16, requests...) }
	}
	const counted = `{"counts":[{"path":"value > object","min":30,"max":35},{"path":"array","min":30,"max":35}],"n":10000,"style":"varied"}`
	return []attack{
		{
			name: "generate", about: "a million inputs of up to 100,000 symbols, and the 4-paths of javascript, 16 at once",
			run: flood(
				post("/v1/grammars/javascript/inputs", `{"n":1000000,"max_nodes":100000,"max_depth":1000,"max_repeat":1000}`),
				post("/v1/grammars/javascript/inputs", `{"strategy":"kpath","k":4,"one_target":true}`),
				post("/v1/grammars/sql/inputs", `{"strategy":"forest","k":5,"n":1000}`),
				post("/v1/grammars/xml/inputs", `{"strategy":"uncommon","n":1000000,"expansions":100000}`),
			),
		},
		{
			name: "solve", about: "10,000 inputs under constraints with counts, for javascript, sql and json, 16 at once",
			run: flood(
				post("/v1/grammars/javascript/solutions", `{"require":["statements > line","line > statement > if","if > expression","statement > try","try > handler","line > declaration"],"absent":["simple"],"n":10000,"style":"varied"}`),
				post("/v1/grammars/sql/solutions", `{"counts":[{"path":"result > expr","min":30},{"path":"join","min":20,"max":30}],"n":10000}`),
				post("/v1/grammars/json/solutions", counted),
			),
		},
		{
			name: "abandoned-solve", about: "the same, by clients that leave after a second",
			run: func(ctx context.Context, a *attacker) {
				a.floodFor(ctx, 16, patience/5, post("/v1/grammars/json/solutions", counted))
			},
		},
		{
			name: "target", about: "10,000 inputs for a method, avoiding others, 16 at once",
			run: flood(
				post("/v1/models/demo/inputs", `{"methods":["distributiveRule"],"n":10000,"style":"varied"}`),
				post("/v1/models/demo/inputs", `{"methods":["distributiveRule"],"avoid":["simplifyUnary"],"n":10000,"style":"natural","any_outcome":true}`),
			),
		},
		{
			name: "path-count", about: "8-paths of javascript, css and sql, counted, 16 at once",
			run: flood(
				get("/v1/grammars/javascript/path-count?k=8"), get("/v1/grammars/javascript/path-count?k=8&absent=true"),
				get("/v1/grammars/sql/path-count?k=8&names=true"), get("/v1/grammars/css/path-count?k=8&trivia=true"),
			),
		},
		{
			name: "paths", about: "millions of paths of javascript and sql, listed and missed, 16 at once",
			run: flood(
				get("/v1/grammars/javascript/paths?k=4"), get("/v1/grammars/sql/paths?k=5"), get("/v1/grammars/javascript/paths?k=8"),
				post("/v1/grammars/javascript/coverage?k=4&missing=5000000", `{"inputs":[{"input":"x"}]}`),
			),
		},
		{
			name: "select", about: "selections for a diff of 16 MB in gzip, and minimized, 16 at once",
			run: func(ctx context.Context, a *attacker) {
				hunk := `@@ -1 +1 @@\n-a\n+b\n`
				inputs := strings.TrimSuffix(numbered(100_000, `{"path":"%d","input":"x*(y+%[1]d)"},`), ",")
				a.flood(ctx, 16, compressed(
					post("/v1/selections", `{"model":"demo","diff":"--- a/optimize.go\n+++ b/optimize.go\n`+repeat(hunk, maxBody-1000)+`"}`),
					post("/v1/selections", `{"model":"demo","minimize":true,"inputs":[`+inputs+`]}`),
					post("/v1/comparisons", `{"before":"demo","after":"demo","random":100000}`),
				)...)
			},
		},
		{
			name: "without-a-key", about: "metrics, health, contract, page, and requests with wrong keys, 64 at once",
			run: func(ctx context.Context, a *attacker) {
				a.key = "inroad_00000000_wrong"
				a.flood(ctx, 64, get("/metrics"), get("/readyz"), get("/openapi.json"), get("/docs"), get("/v1/models"), get("/nowhere"))
			},
		},
	}
}

// queueTrainings uploads observations and queues 20 trainings on them.
func queueTrainings(ctx context.Context, a *attacker) error {
	status, answer, err := a.send(ctx, lines("/v1/subjects/many/observations", numbered(20_000, `{"input":"x*(y+%d)","methods":["a%[1]d","b","c"]}`+"\n")))
	if err != nil {
		return err
	}
	if status >= 300 {
		return fmt.Errorf("%d %s", status, answer)
	}
	for i := range 20 {
		r := post("/v1/models", fmt.Sprintf(`{"subject":"many","grammar":"expr","options":{"k":8,"features":["all"],"seed":%d}}`, i+1))
		status, answer, err = a.send(ctx, r)
		if err != nil {
			return err
		}
		a.answered(r, status, answer)
	}
	return nil
}

func stateAttacks() []attack {
	return []attack{
		{
			name: "trainings", about: "trainings on 20,000 observations with 20,000 methods, queued and listed, 16 at once",
			prepare: queueTrainings,
			run: func(ctx context.Context, a *attacker) {
				a.flood(ctx, 16, post("/v1/models", `{"subject":"many","grammar":"expr","options":{"k":8,"features":["all"]}}`), get("/v1/jobs?limit=1000"), get("/v1/models?limit=1000"))
			},
		},
		{
			name: "keys", about: "keys created and listed, 16 at once",
			run: func(ctx context.Context, a *attacker) {
				a.flood(ctx, 16, post("/v1/keys", `{"name":"k","scopes":["read"]}`), get("/v1/keys"))
			},
		},
		{
			name: "commits", about: "uploads for 10,000 commits, listed, 16 at once",
			run: func(ctx context.Context, a *attacker) {
				var all []request
				for i := range 10_000 {
					all = append(all, lines("/v1/subjects/new/observations?commit="+fmt.Sprint(i), `{"input":"1","methods":["a"]}`+"\n"))
					if i%10 == 0 {
						all = append(all, get("/v1/subjects"))
					}
				}
				a.flood(ctx, 16, all...)
			},
		},
		{
			name: "backups", about: "backups of a store with 50 MB of observations, 16 at once",
			prepare: func(ctx context.Context, a *attacker) error {
				status, _, err := a.send(ctx, lines("/v1/subjects/large/observations", numbered(100_000, `{"input":"%x","methods":["`+strings.Repeat("m", 400)+"%[1]d\"]}\n")))
				if err == nil && status >= 300 {
					err = errors.New("the upload was refused")
				}
				return err
			},
			run: func(ctx context.Context, a *attacker) { a.flood(ctx, 16, get("/v1/backup")) },
		},
	}
}
