package generate_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inroad/inroad/grammars/derivation"
	"github.com/inroad/inroad/grammars/grammartest"
	"github.com/inroad/inroad/targeting/generate"
)

// tagged has elements whose names agree, and uses that need a declaration.
const tagged = `grammar G;
file : ('let' ID ';')* element* EOF ;
// inroad: same ID
// inroad: distinct attribute/ID
element : '<' ID attribute* '>' (element | use)* '</' ID '>' ;
attribute : '.' ID ;
// inroad: needs 'let'
use : '$' ID ;
ID : LETTER (LETTER | [0-9])* ;
fragment LETTER : [a-c] | [A-C] ;
WS : ' ' -> skip ;
`

// disagreements returns what is wrong with an input of tagged.
func disagreements(tree *derivation.Tree) []string {
	var wrong []string
	for _, n := range tree.All() {
		if n.Kind() != derivation.Rule || n.Name() != "element" {
			continue
		}
		var names, attributes []string
		for child := range n.Children() {
			switch child.Name() {
			case "ID":
				names = append(names, child.Text())
			case "attribute":
				for part := range child.Children() {
					attributes = append(attributes, strings.Trim(part.Text(), "."))
				}
			}
		}
		if names[0] != names[1] {
			wrong = append(wrong, strings.Join(names, " and "))
		}
		attributes = slices.DeleteFunc(attributes, func(s string) bool { return s == "" })
		slices.Sort(attributes)
		if len(slices.Compact(slices.Clone(attributes))) < len(attributes) {
			wrong = append(wrong, strings.Join(attributes, " "))
		}
	}
	return wrong
}

func TestInputsAgree(t *testing.T) {
	g := grammartest.Load(t, tagged)
	x, err := generate.New(g, source(1), generate.Options{MaxDepth: 10, MaxRepeat: 4, MaxNodes: 200})
	if err != nil {
		t.Fatal(err)
	}
	elements, uses := 0, 0
	for range 500 {
		input, err := x.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text := string(input.Text)
		if wrong := disagreements(input.Tree); wrong != nil {
			t.Errorf("%s: %q", text, wrong)
		}
		if strings.Contains(text, "$") && !strings.Contains(text, "let") {
			t.Errorf("%s uses what nothing declares", text)
		}
		elements += strings.Count(text, "</")
		uses += strings.Count(text, "$")
	}
	if elements < 500 || uses < 100 {
		t.Errorf("only %d elements and %d uses", elements, uses)
	}
}

// A mutated tree agrees like any other.
func TestMutantsAgree(t *testing.T) {
	g := grammartest.Load(t, tagged)
	x, err := generate.New(g, source(1), generate.Options{MaxDepth: 10, MaxRepeat: 3, MaxNodes: 100})
	if err != nil {
		t.Fatal(err)
	}
	tree := grammartest.Parse(t, g, "let a; <a .b .c> <b></b> $a </a>")
	for range 200 {
		input, err := x.Mutate(t.Context(), tree, tree, generate.Mutations()...)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := disagreements(input.Tree); wrong != nil {
			t.Errorf("%s: %q", input.Text, wrong)
		}
	}
}

// A path counts more than an agreement does: paths in the names of start tags and
// in those of end tags are covered, by names that agree.
func TestCoversAgree(t *testing.T) {
	g := grammartest.Load(t, tagged)
	for _, how := range []generate.CoverOptions{{}, {OneTarget: true}} {
		x, err := generate.New(g, source(1), generate.Options{MaxNodes: 60})
		if err != nil {
			t.Fatal(err)
		}
		cover, err := generate.NewCover(x, 3, how)
		if err != nil {
			t.Fatal(err)
		}
		for input := range covering(t, cover) {
			if wrong := disagreements(input.Tree); wrong != nil {
				t.Errorf("%+v: %s: %q", how, input.Text, wrong)
			}
			if text := string(input.Text); strings.Contains(text, "$") && !strings.Contains(text, "let") {
				t.Errorf("%+v: %s uses what nothing declares", how, text)
			}
		}
		if covered, all := cover.Covered(); covered != all {
			t.Errorf("%+v: %d of %d paths are covered; not so: %v", how, covered, all, cover.Unrealised())
		}
	}
}

// What is infeasible with an agreement is had without.
func TestAgreementsGiveWay(t *testing.T) {
	g := grammartest.Load(t, `grammar G;
// inroad: same ID
s : ID ':' ID EOF ;
ID : [a] | [b] ;
`)
	x, err := generate.New(g, source(1), generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for draft := range x.Agreed(generate.DraftOf(grammartest.Parse(t, g, "a:b"))) {
		input, err := x.Write(t.Context(), draft)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(input.Text))
	}
	if want := []string{"a:a", "b:b", "a:b"}; !slices.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
}

// Where something nests in itself, covers do not nest it for want of a better
// idea: there is room left for the rest.
func TestCoversDoNotChaseDepth(t *testing.T) {
	g := grammartest.Load(t, `grammar G;
s : group EOF ;
group : '(' item ((',' item)+ | ('|' item)+)? ')' ;
item : (ID | group) ('?' | '*' | '+')? ;
ID : [a-z] ;
`)
	x, err := generate.New(g, source(1), generate.Options{MaxNodes: 60})
	if err != nil {
		t.Fatal(err)
	}
	cover, err := generate.NewCover(x, 3, generate.CoverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	deep := regexp.MustCompile(`\({6}`)
	inputs := 0
	for input := range covering(t, cover) {
		inputs++
		if deep.Match(input.Text) {
			t.Errorf("%s is nested deeply", input.Text)
		}
	}
	if covered, all := cover.Covered(); covered != all || inputs > 12 {
		t.Errorf("%d inputs cover %d of %d", inputs, covered, all)
	}
}
