package features

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/inroad/inroad/grammars"
)

// A Kind is a kind of feature beyond paths, such as "a token has at least N
// bytes". The table below defines each kind in one row.
type Kind uint8

// The kinds of features. Their numbers are part of the format of models.
const (
	Repeated  Kind = 1
	SameStart Kind = 2
	Length    Kind = 3
	Wide      Kind = 4
	Digits    Kind = 5
	Large     Kind = 6
	Small     Kind = 7
	Children  Kind = 8
	Absent    Kind = 9
	Count     Kind = 10
	Before    Kind = 11
	After     Kind = 12
	Unsorted  Kind = 13
	Code      Kind = 14
	Early     Kind = 15
	Value     Kind = 16
	Operands  Kind = 17
	Character Kind = 18
)

// families returns the table of kinds: a row for each kind, grouped into
// families that users turn on and off. To add a kind, add its number and its
// row here, and its functions to the file of its family.
func families() []family {
	return []family{
		{
			name: "siblings", description: "children of one node that are equal, start alike or are unsorted",
			kinds: []kind{
				{Kind: Repeated, node: repeated, several: true, describe: describeRepeated, need: needSiblings},
				{Kind: SameStart, node: sameStart, several: true, describe: describeSameStart, need: needSiblings},
				{Kind: Unsorted, node: unsorted, several: true, describe: describeUnsorted, need: needSiblings},
			},
		},
		{
			name: "values", description: "the length of a token, the size of a number, wide and escaped characters",
			kinds: []kind{
				{
					Kind: Length, token: length, describe: describeLength, need: needCharacters,
					bounds: []int{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 4000},
				},
				{
					Kind: Wide, token: widest, describe: describeWide,
					bounds: []int{2, 3, 4},
				},
				{
					Kind: Digits, token: digits, describe: describeDigits, need: needCharacters,
					bounds: []int{2, 3, 4, 6, 8, 10, 15, 16, 17, 18, 19, 20},
				},
				{
					Kind: Large, token: large, describe: describeLarge, need: needPlaces,
					bounds: []int{1, 2, 3, 4, 5, 6, 7, 9, 10, 12, 15, 16, 18, 19, 20, 22, 38, 39, 308, 309},
				},
				{
					Kind: Small, token: small, describe: describeSmall,
					bounds: []int{0, 1, 2, 3, 4, 5, 6, 7, 22, 38, 45, 308, 324},
				},
				{Kind: Code, node: code, where: inTokens, describe: describeCode},
			},
		},
		{
			name: "texts", description: "the exact text of a token of up to four characters",
			kinds: []kind{{Kind: Value, text: value, describe: describeValue, need: needValue}},
		},
		{
			name: "characters", description: "a character beyond ASCII, by its code",
			kinds: []kind{{Kind: Character, text: characters, named: true, describe: describeCharacter, need: needCharacter}},
		},
		{
			name: "operands", description: "two children of one node, such as an operator and one of its operands",
			kinds: []kind{{Kind: Operands, node: operands, several: true, deep: true, two: true, keyed: byLast, describe: describeOperands, need: needOperands}},
		},
		{
			name: "children", description: "how many children of one name a node has",
			kinds: []kind{{
				Kind: Children, node: children, several: true, describe: describeChildren, need: needChildren,
				bounds: []int{2, 3, 4, 5, 8, 10, 16, 32, 64},
			}},
		},
		{
			name: "absent", description: "an optional part that is missing",
			kinds: []kind{{
				Kind: Absent, node: absent, where: inRules | inTokens, keyed: byRule,
				describe: describeAbsent, need: needAbsent,
			}},
		},
		{
			name: "counts", description: "a path of one or two symbols that occurs two or three times",
			kinds: []kind{{
				Kind: Count, node: counts, where: inRules | inTokens, keyed: byLast,
				describe: describeCount, need: needCount,
				bounds: []int{2, 3},
			}},
		},
		{
			name: "trivia", description: "white space and comments beside a token, with or without a line break",
			kinds: []kind{
				{Kind: Before, trivia: before, describe: describeBefore, need: needTrivia},
				{Kind: After, trivia: after, describe: describeAfter, need: needTrivia},
			},
		},
		{
			name: "early", description: "a rule or token within the first 1, 2, 4, ... or 128 tokens",
			kinds: []kind{{
				Kind: Early, symbol: early, atMost: true, describe: describeEarly, need: needEarly,
				bounds: []int{1, 2, 4, 8, 16, 32, 64, 128},
			}},
		},
	}
}

// A family is a group of kinds that users turn on and off together.
type family struct {
	name, description string
	kinds             []kind
}

// A kind is a row of the table.
type kind struct {
	Kind

	// The function that extracts features of the kind: exactly one of these is
	// set.
	symbol  func(x *ExtraExtractor, k Kind, o grammars.Occurrence) // called for each rule and token, in input order
	token   func(t *tokenText) int                                 // measures a token; 0 if the token has no number
	text    func(x *ExtraExtractor, k Kind, o grammars.Occurrence) // called for each token; x.token is set
	node    func(x *ExtraExtractor, k Kind, p *parent)             // called for each node with its children
	trivia  func(x *ExtraExtractor, k Kind, s *surroundings)       // called for each skipped or hidden token
	several bool                                                   // node is only called for nodes with two or more children
	deep    bool                                                   // features are found at descendants of the node's children
	two     bool                                                   // every feature has two occurrences
	where   where                                                  // the trees that node is called for; inRules if 0
	keyed   keyed                                                  // the occurrence that a feature is found at
	named   bool                                                   // text counts tokens of one name together, wherever they occur in the grammar
	bounds  []int                                                  // ascending; an input has the feature of each bound that it reaches
	atMost  bool                                                   // a number reaches the bounds that it does not exceed

	describe func(p phrase) string
	// need returns a condition on paths that targeting uses to get the feature;
	// nil if no condition expresses it.
	need func(p phrase) Need
}

// where is the set of trees that a kind is extracted from.
type where uint8

const (
	inRules  where = 1 << iota // the tree of parser rules
	inTokens                   // the trees inside tokens
)

// keyed says at which occurrence of its path a feature is found in a tree.
type keyed uint8

const (
	byFirst keyed = iota // the first of its path
	byLast               // the last of its path
	byRule               // the right-hand side of the rule of the first
)

// row returns the row of a kind; ok is false if the kind is unknown.
func (k Kind) row() (row kind, ok bool) {
	row, ok = kindRows()[k]
	return row, ok
}

// kindRows returns the rows of the table by kind.
//
//nolint:gochecknoglobals // made once, never changed
var kindRows = sync.OnceValue(func() map[Kind]kind {
	out := map[Kind]kind{}
	for _, f := range families() {
		for _, row := range f.kinds {
			out[row.Kind] = row
		}
	}
	return out
})

// Bounds returns the numbers that features of the kind compare with, ascending.
func (k Kind) Bounds() []int {
	row, _ := k.row()
	return row.bounds
}

// Kinds is a set of kinds.
type Kinds uint32

// Of returns the set of the given kinds.
func Of(kinds ...Kind) Kinds {
	set := Kinds(0)
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// Has reports whether the set contains k.
func (s Kinds) Has(k Kind) bool { return s>>k&1 == 1 }

// A Family is a named group of kinds that users turn on and off together.
type Family struct {
	Name        string
	Description string // the property that its features test
	Kinds       Kinds
}

// Families returns all families, in the order in which they are documented.
func Families() []Family {
	var out []Family
	for _, f := range families() {
		public := Family{Name: f.name, Description: f.description}
		for _, k := range f.kinds {
			public.Kinds |= Of(k.Kind)
		}
		out = append(out, public)
	}
	return out
}

// AllKinds returns the set of all kinds.
func AllKinds() Kinds {
	all := Kinds(0)
	for _, f := range Families() {
		all |= f.Kinds
	}
	return all
}

// KindsNamed returns the kinds of the named families. The name "all" stands for
// all families and "none" for no family.
func KindsNamed(names ...string) (Kinds, error) {
	set := Kinds(0)
	known := Families()
	for _, name := range names {
		i := slices.IndexFunc(known, func(f Family) bool { return f.Name == name })
		switch {
		case i >= 0:
			set |= known[i].Kinds
		case name == "all":
			set |= AllKinds()
		case name != "none":
			var allowed []string
			for _, f := range known {
				allowed = append(allowed, f.Name)
			}
			return 0, fmt.Errorf("unknown family of features %q: must be %s, all or none", name, strings.Join(allowed, ", "))
		}
	}
	return set, nil
}
