package server

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/limit"
)

// A treeResponse answers with a tree, which can be much larger than its input.
// As JSON it is written as it is made.
type treeResponse struct {
	tree   *derivation.Tree
	exact  bool
	format openapi.ParseRequestFormat
	inside bool
}

// VisitParseInputResponse writes the answer.
func (r *treeResponse) VisitParseInputResponse(w http.ResponseWriter) error {
	out := openapi.ParseAnswer{Exact: r.exact}
	if token, ok := r.tree.Unread(); ok {
		line, column := derivation.LineColumn(r.tree.Input(), int(token.Start))
		out.Unread = openapi.Unread{Line: line, Column: column, Offset: int(token.Start)}
	}
	if r.format == openapi.JSONTree {
		return r.writeJSON(w, out)
	}
	var text strings.Builder
	write := r.tree.WriteLisp
	if r.format == openapi.IndentedTree {
		write = r.tree.WriteIndented
	}
	if err := write(&text); err != nil {
		return err
	}
	out.Tree = text.String()
	return openapi.ParseInput200JSONResponse(out).VisitParseInputResponse(w)
}

// writeJSON writes the tree behind what else is to be told. What is inside some
// tokens may be missing, if it takes too long to find out; the answer says so.
func (r *treeResponse) writeJSON(w http.ResponseWriter, head openapi.ParseAnswer) error {
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	writeTree, writeTrivia := r.tree.WriteJSON, r.tree.WriteTriviaJSON
	if r.inside {
		writeTree, writeTrivia = r.tree.WriteDeepJSON, r.tree.WriteDeepTriviaJSON
	}
	out := bufio.NewWriterSize(w, 64<<10)
	fmt.Fprintf(out, `%s,"derivation":`, bytes.TrimSuffix(text, []byte("}")))
	treeErr := writeTree(out)
	fmt.Fprint(out, `,"trivia":`)
	triviaErr := writeTrivia(out)
	err = cmp.Or(treeErr, triviaErr)
	if over, ok := errors.AsType[*limit.Error](err); ok {
		text, err = json.Marshal(over.Error())
		fmt.Fprintf(out, `,"partial":%s`, text)
	}
	fmt.Fprintln(out, "}")
	return errors.Join(out.Flush(), err)
}
