package refine

import "github.com/inroad/inroad/grammars"

// A Graph is a refined grammar. Every derivation that the parser can return is a
// derivation of the body Start. A Graph is immutable.
type Graph struct {
	Bodies []Body

	Start     int32 // the body of the start rule
	Trivia    int32 // the body of one token that the parser does not see
	AllTrivia int32 // the body of any number of tokens that the parser does not see
}

// A Body is the right-hand side of a rule or a token for one operator binding, one
// lexer mode to begin in and one mode stack to end with. Each part comes after the
// parts that it consists of; the last part is the whole body.
type Body struct {
	Parts  []Part
	Kids   []Kid
	Rounds []Round

	makers [][]*grammars.Rule
	root   *grammars.Node
}

// A Part is a node of the grammar in a body, or a choice that refinement adds.
type Part struct {
	Kind   PartKind
	Useful bool           // whether a finite derivation of the body has the part
	Node   *grammars.Node // nil for a choice between mode stacks
	A, B   int32          // [Both]: the halves; [Either]: a range of the body's Kids; [Many]: a range of its Rounds
	Below  int32          // [Reference]: the body that it stands for; -1 if no rule makes the token
	// States is the number of [Many] parts that represent one repetition. It is set
	// on the last of them, with which the repetition begins, and 0 on the others.
	States int32
	makers int32 // of a [grammars.TokenSet]: an index of the body's makers, or -1 for any
}

// A PartKind is the kind of a part.
type PartKind uint8

// The kinds of parts.
const (
	End       PartKind = iota // the end of the input, or nothing at all
	Symbol                    // a symbol with nothing below
	Absent                    // the absence of an optional part
	Reference                 // a symbol with a body below
	Either                    // one of its kids
	Both                      // one half, then the other
	Many                      // one or more rounds of a repetition that begins with one mode stack
)

// A Kid is an option of an [Either] part.
type Kid struct {
	Part   int32
	Choice int32 // the alternative of an alternation; of a repetition 0 for its absence, 1 for its presence
}

// A Round is one round of a repetition.
type Round struct {
	Part int32 // the part that is repeated
	Next int32 // the [Many] part that follows, or -1
	Ends bool  // whether the repetition can end afterwards
}

// Loops reports whether a [Many] part repeats a single part any number of times.
func (b *Body) Loops(part int32) bool {
	x := &b.Parts[part]
	return x.B-x.A == 1 && b.Rounds[x.A].Ends && b.Rounds[x.A].Next == part
}

// MakersOf returns the lexer rules that can make the token of a part; nil if any can.
func (b *Body) MakersOf(x *Part) []*grammars.Rule {
	if x.makers < 0 {
		return nil
	}
	return b.makers[x.makers]
}
