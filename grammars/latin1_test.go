package grammars_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inroad/inroad/grammars"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/grammars/limit"
)

// records is a binary format: records with a begin, bytes and an end.
const records = `grammar records; file : record* EOF ; record : '\u00FE' BYTE* END ; END : '\u00FF' ; BYTE : [\u0000-\u00FD] ;`

func TestLatin1RoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := rapid.SliceOf(rapid.Byte()).Draw(t, "input")
		text := grammars.DecodeLatin1(input)
		if got, err := grammars.EncodeLatin1(text); err != nil || !bytes.Equal(got, input) {
			t.Fatalf("decoded to %q, encoded to %q, %v, want %q", text, got, err, input)
		}
	})
	for _, text := range []string{"a\u0100", "a\xFF"} {
		if got, err := grammars.EncodeLatin1([]byte(text)); err == nil {
			t.Errorf("%q: encoded to %q", text, got)
		}
	}
}

// Texts and spans of a tree's leaves are the bytes of the input.
func TestParseLatin1(t *testing.T) {
	g := grammartest.Load(t, records)
	rapid.Check(t, func(t *rapid.T) {
		var input []byte
		for range rapid.IntRange(0, 5).Draw(t, "records") {
			body := rapid.SliceOfN(rapid.ByteRange(0, 0xFD), 0, 100).Draw(t, "body")
			input = append(append(append(input, 0xFE), body...), 0xFF)
		}
		tree, err := g.Parse(t.Context(), input, grammars.ParseOptions{Latin1: true})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := grammars.EncodeLatin1([]byte(tree.String())); err != nil || !bytes.Equal(got, input) {
			t.Fatalf("the tree prints %q, %v, want %q", got, err, input)
		}
		var out bytes.Buffer
		if err := tree.WriteDeepJSON(&out); err != nil {
			t.Fatal(err)
		}
		var root spanNode
		if err := json.Unmarshal(out.Bytes(), &root); err != nil {
			t.Fatal(err)
		}
		root.check(t, input)
	})
}

type spanNode struct {
	Text       string
	Start, End int
	Children   []spanNode
}

func (n *spanNode) check(t *rapid.T, input []byte) {
	if text := grammars.DecodeLatin1(input[n.Start:n.End]); n.Text != "" && n.Text != string(text) {
		t.Fatalf("leaf %q at %d to %d has the bytes %q", n.Text, n.Start, n.End, text)
	}
	for i := range n.Children {
		n.Children[i].check(t, input)
	}
}

func TestParseLatin1Errors(t *testing.T) {
	g := grammartest.Load(t, records)
	_, err := g.Parse(t.Context(), []byte("\xFE\xC3\xA9\xFE\xFF"), grammars.ParseOptions{Latin1: true})
	if syntax, ok := errors.AsType[*grammars.SyntaxError](err); !ok || syntax.Offset != 3 || syntax.Column != 4 || syntax.Unexpected != "\u00FE" {
		t.Errorf("got %#v, want an error at byte 3", err)
	}
	// The limit is on bytes of the input, not of its text.
	input := []byte(strings.Repeat("\xFE\xFF", 50))
	opt := grammars.ParseOptions{Latin1: true, Limits: grammars.Limits{Input: len(input)}}
	if _, err := g.Parse(t.Context(), input, opt); err != nil {
		t.Error(err)
	}
	opt.Limits.Input--
	_, err = g.Parse(t.Context(), input, opt)
	if _, ok := errors.AsType[*limit.Error](err); !ok {
		t.Errorf("got %v, want a limit", err)
	}
}
