package grammars

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/inroad/inroad/grammars/internal/atn"
)

// A Lexicon holds the tokens that the lexer can read, and which token can follow which.
// The lexer never reads a token that is not in the lexicon: earlier rules match all its
// texts. A token cannot follow another if the lexer reads no text as these two tokens,
// either adjacent or with trivia between them that leaves the mode stack unchanged.
type Lexicon struct {
	Readings []*Reading // of tokens that the parser sees
	Trivia   []*Reading // of other tokens
	// Follows tells, by class and by reading, whether a reading can follow a token of a
	// class. Everything can follow class 0, which is also the beginning of the input.
	Follows [][]bool
	// Prevented has, by token type, the types of tokens that never occur after a token
	// of the type, at any distance: the lexer would read the text from the one to the
	// other as one token.
	Prevented map[int][]int
}

// A Reading is a way in which the lexer reads a token in a mode.
type Reading struct {
	Mode  int   // the mode in which the token begins
	Type  int   // the token's type; 0 for trivia
	Rule  *Rule // the lexer rule that ends the token; nil in a scannerless grammar
	After []int // the modes that replace Mode on the mode stack, the current mode last
	Pops  int   // the number of modes below Mode that After replaces as well
	Class int   // see [Lexicon.Follows]
	// Pieces are the rules with `more` that can match the beginning of the token.
	Pieces []*Rule
	// Number is the index of the reading in [Lexicon.Readings].
	Number int

	endMode int // the mode in which the last match begins
	last    bool
	goal    *atn.Goal
}

// Limits of a lexicon. A lexer that exceeds one of the first three has no lexicon.
// Beyond the others, the lexicon allows tokens to follow each other that cannot.
const (
	maxMatches   = 5_000 // states to look at for the texts of a rule
	maxMoreModes = 8     // modes that `more` rules put on the mode stack within a token
	maxReadings  = 20_000
	fewEnds      = 4         // ends of a token's texts to look at first
	maxEnds      = 1_000     // ends of a token's texts
	fewSpellings = 100       // spellings to look at first
	maxSeam      = 5_000     // spellings to look at for a token after another
	maxLooked    = 1_000_000 // spellings to look at for all tokens
	maxFollows   = 100       // classes
)

type lexiconKey struct{}

// Lexicon returns the tokens that the lexer can read. It returns nil if they cannot be
// determined within the limits of the analysis. The grammar keeps the lexicon.
//
//nolint:contextcheck,nolintlint // callers that can wait prepare it with a context; contextcheck reads this at the function
func (g *Grammar) Lexicon() *Lexicon {
	return g.Memo(lexiconKey{}, func() any {
		x, _ := newLexicon(context.Background(), g) // the only error is the context's
		return x
	}).(*Lexicon)
}

// PrepareLexicon computes the grammar's lexicon. A large lexer takes seconds. The error
// is the cause of ctx's cancellation.
func (g *Grammar) PrepareLexicon(ctx context.Context) error {
	_, err := g.MemoWith(ctx, lexiconKey{}, func(ctx context.Context) (any, error) { return newLexicon(ctx, g) })
	return err
}

// A lexiconBuilder builds a lexicon.
type lexiconBuilder struct {
	*Writer
	ctx    context.Context //nolint:containedctx // of one analysis
	pieces [][]piece       // by mode
	tokens []*Reading
	trivia []*Reading
	follow [][]bool // by trivia, then by token
	looked int      // spellings so far
}

// A piece is a match of a lexer rule.
type piece struct {
	rule  *Rule
	kind  int
	after []int
	pops  int
	last  bool // whether it matches only at the end of the input
}

func newLexicon(ctx context.Context, g *Grammar) (*Lexicon, error) {
	if g.Scannerless {
		return g.charLexicon(), nil
	}
	b := &lexiconBuilder{Writer: g.Writer(), ctx: ctx, pieces: make([][]piece, len(g.modes))} //nolint:contextcheck // a writer does not wait
	for _, r := range g.Rules {
		if r.Kind == TokenRule && !b.findPieces(r) {
			return nil, context.Cause(ctx)
		}
	}
	for mode := range g.modes {
		if !b.findReadings(mode) {
			return nil, context.Cause(ctx)
		}
	}
	b.findTriviaRows()
	out := &Lexicon{Readings: b.tokens, Trivia: b.trivia, Prevented: b.findPrevented()}
	out.classify(b.row)
	if b.looked > maxLooked || len(out.Follows) > maxFollows {
		out = out.Coarse(1)
	}
	return out, context.Cause(ctx)
}

// findPieces finds the matches of a rule. It reports false if there may be others.
func (b *lexiconBuilder) findPieces(r *Rule) bool {
	mode := slices.Index(b.grammar.modes, r.Mode)
	var found []piece
	effects := map[string]bool{}
	for _, alt := range r.source.Body.Alts {
		effects[fmt.Sprint(alt.Commands)] = true
	}
	open := len(effects) // the effects without a match before the end of the input
	complete := b.speller.Matches(mode, r.Index, maxMatches, func(m atn.Match) bool {
		after, pops := m.Modes(mode)
		p := piece{r, m.Kind, after, pops, m.AtEnd}
		i := slices.IndexFunc(found, func(q piece) bool { return q.kind == p.kind && q.pops == pops && slices.Equal(q.after, p.after) })
		switch {
		case i < 0:
			found = append(found, p)
		case found[i].last && !p.last:
			found[i].last = false
		default:
			return true
		}
		if !p.last {
			open--
		}
		return open > 0
	})
	if !complete && open > 0 && len(effects) == 1 && len(r.source.Body.Alts[0].Commands) == 0 { // there is only one effect: assume a match
		found = []piece{{rule: r, kind: b.grammar.typeOf(r), after: []int{mode}}}
		open = 0
	}
	b.pieces[mode] = append(b.pieces[mode], found...)
	return (complete || open == 0) && b.ctx.Err() == nil
}

// typeOf returns the type of the tokens that a lexer rule without commands makes.
func (g *Grammar) typeOf(r *Rule) int {
	for t := range g.Tokens() {
		if slices.Contains(g.makers[t], r) {
			return t
		}
	}
	return 0
}

// findReadings finds the tokens that begin in a mode. It reports false if a limit is
// exceeded or if a token continues in an unknown mode.
func (b *lexiconBuilder) findReadings(mode int) bool {
	stacks := [][]int{{mode}}
	var found []*Reading
	var pieces []*Rule
	for i := 0; i < len(stacks); i++ {
		stack := stacks[i]
		if len(stack) == 0 || len(stack) > maxMoreModes {
			return false
		}
		top := stack[len(stack)-1]
		for _, p := range b.pieces[top] {
			below := len(stack) - 1 - p.pops
			after := slices.Concat(stack[:max(below, 0)], p.after)
			if p.kind == atn.MoreMatch {
				if below < 0 {
					return false
				}
				if !slices.Contains(pieces, p.rule) {
					pieces = append(pieces, p.rule)
				}
				if !slices.ContainsFunc(stacks, func(s []int) bool { return slices.Equal(s, after) }) {
					stacks = append(stacks, after)
				}
				continue
			}
			found = append(found, &Reading{Mode: mode, Type: p.kind, Rule: p.rule, After: after, Pops: max(-below, 0), endMode: top, last: p.last})
		}
	}
	for _, r := range found {
		r.Pieces = pieces
		b.add(r)
	}
	return len(b.tokens) <= maxReadings
}

// add adds a reading.
func (b *lexiconBuilder) add(r *Reading) {
	rules := make([]bool, len(b.grammar.Rules)-len(b.grammar.ParserRules()))
	rules[r.Rule.Index] = true
	for _, pieces := range b.pieces {
		for _, p := range pieces {
			rules[p.rule.Index] = rules[p.rule.Index] || p.kind == atn.MoreMatch
		}
	}
	r.goal = b.grammar.machine.Goal(int32(r.Type), r.Rule.Index, rules)
	if r.Type == atn.TriviaMatch {
		b.trivia = append(b.trivia, r)
		return
	}
	r.Number = len(b.tokens)
	b.tokens = append(b.tokens, r)
}

// ends returns the ends of a token's texts, at most the given number. It reports
// whether these are all ends, and whether any text can follow one of them.
func (b *lexiconBuilder) ends(r *Reading, most int) (ends []atn.Match, all, free bool) {
	all = b.speller.Matches(r.endMode, r.Rule.Index, maxMatches, func(m atn.Match) bool {
		if m.Kind == r.Type && !m.AtEnd {
			ends = append(ends, m)
			free = free || !b.speller.Live(m)
		}
		return !free && len(ends) < most
	})
	return ends, all, free
}

// A seamSearch finds the tokens that can follow a token with nothing between them.
type seamSearch struct {
	*lexiconBuilder
	ends []atn.Match
	all  bool // whether ends are all ends of the token: only then can it tell that a token cannot follow
}

// seams calls try with a search that looks at a few ends of a token. If try returns
// false, it calls try again with a search that looks at all ends. It stops and returns
// true if any token can follow, or if a limit is exceeded.
func (b *lexiconBuilder) seams(r *Reading, try func(seamSearch) (done bool)) (free bool) {
	for _, most := range []int{fewEnds, maxEnds} {
		ends, all, free := b.ends(r, most)
		if free || most == maxEnds && !all || b.looked > maxLooked || b.ctx.Err() != nil {
			return true
		}
		if try(seamSearch{b, ends, all}) {
			return false
		}
	}
	return false
}

// follows reports whether a token can follow. If that cannot be determined, it can.
func (s seamSearch) follows(next *Reading) bool {
	most := maxSeam
	if !s.all {
		most = fewSpellings
	}
	found, none, looked := s.speller.Follows(s.ends, next.Mode, next.goal, most)
	s.looked += 1 + looked
	return found || s.all && !none
}

// findTriviaRows finds the tokens that can follow trivia.
func (b *lexiconBuilder) findTriviaRows() {
	before := make([][]int, len(b.trivia)) // by trivia: the trivia that can precede it
	b.follow = make([][]bool, len(b.trivia))
	for i, r := range b.trivia {
		row := make([]bool, len(b.tokens))
		pushes := len(r.After) > 1 && r.After[0] == r.Mode // other trivia may restore the mode stack
		if r.Pops > 0 || !pushes && !slices.Equal(r.After, []int{r.Mode}) {
			b.follow[i] = row
			continue
		}
		free := pushes || b.seams(r, func(s seamSearch) bool {
			for _, token := range b.tokens {
				row[token.Number] = row[token.Number] || token.Mode != r.Mode || s.follows(token)
			}
			return !slices.Contains(row, false)
		})
		if free {
			row = slices.Repeat([]bool{true}, len(b.tokens))
		}
		for j, other := range b.trivia {
			if i != j && other.Mode == r.Mode && slices.Contains(row, false) { // most often not needed: assume that it can follow
				before[j] = append(before[j], i)
			}
		}
		b.follow[i] = row
	}
	for grown := true; grown; {
		grown = false
		for j, all := range before {
			for _, i := range all {
				grown = addAll(b.follow[i], b.follow[j]) || grown
			}
		}
	}
}

// row returns the tokens that can follow a token.
func (b *lexiconBuilder) row(r *Reading) []bool {
	row := make([]bool, len(b.tokens))
	if r.last {
		return row
	}
	may := func(next *Reading) bool { return len(r.After) == 0 || next.Mode == r.After[len(r.After)-1] }
	for _, token := range b.tokens {
		row[token.Number] = !may(token)
	}
	free := b.seams(r, func(s seamSearch) bool {
		for i, between := range b.trivia {
			if may(between) && adds(row, b.follow[i]) && s.follows(between) {
				for _, token := range b.tokens {
					row[token.Number] = row[token.Number] || token.Mode == between.Mode && b.follow[i][token.Number]
				}
			}
		}
		for _, token := range b.tokens {
			row[token.Number] = row[token.Number] || s.follows(token)
		}
		return !slices.Contains(row, false)
	})
	if free {
		return slices.Repeat([]bool{true}, len(b.tokens))
	}
	return row
}

// findPrevented finds the tokens that come nowhere after a token of another type.
func (b *lexiconBuilder) findPrevented() map[int][]int {
	byType := map[int][]*Reading{}
	for _, r := range b.tokens {
		byType[r.Type] = append(byType[r.Type], r)
	}
	out := map[int][]int{}
	types := slices.Sorted(maps.Keys(byType))
	for _, first := range types {
		holds := b.holds(byType[first])
		if len(holds) == 0 {
			continue
		}
		for _, second := range types {
			prevented := func(h *atn.Hold) bool {
				return !slices.ContainsFunc(byType[second], func(r *Reading) bool { return !b.speller.Prevents(h, r.endMode, r.goal) })
			}
			if b.ctx.Err() == nil && !slices.ContainsFunc(holds, func(h *atn.Hold) bool { return !prevented(h) }) {
				out[first] = append(out[first], second)
			}
		}
	}
	return out
}

// holds returns the holds of a token, one for each of its readings, or nil if a reading
// has none.
func (b *lexiconBuilder) holds(readings []*Reading) []*atn.Hold {
	var out []*atn.Hold
	for _, r := range readings {
		for _, most := range []int{1, maxEnds} { // most tokens have none
			ends, all, free := b.ends(r, most)
			hold := b.speller.Hold(ends)
			if free || hold == nil || most > 1 && !all {
				return nil
			}
			if most > 1 {
				out = append(out, hold)
			}
		}
	}
	return out
}

// adds reports whether a set has members that another set lacks.
func adds(set, more []bool) bool {
	for i, member := range more {
		if member && !set[i] {
			return true
		}
	}
	return false
}

// addAll adds the members of another set and reports whether any was new.
func addAll(set, more []bool) bool {
	grown := false
	for i, member := range more {
		if member && !set[i] {
			set[i], grown = true, true
		}
	}
	return grown
}

// classify sets the classes of readings, given a function that returns which readings
// can follow a reading.
func (x *Lexicon) classify(row func(*Reading) []bool) {
	x.Follows = [][]bool{slices.Repeat([]bool{true}, len(x.Readings))}
	for _, r := range x.Readings {
		row := row(r)
		same := func(other []bool) bool { return slices.Equal(row, other) }
		if r.Class = slices.IndexFunc(x.Follows, same); r.Class < 0 {
			r.Class = len(x.Follows)
			x.Follows = append(x.Follows, row)
		}
	}
}

// Among returns a lexicon for inputs in which only some tokens can be neighbours. It
// has fewer classes: it says nothing about tokens that cannot be neighbours.
func (x *Lexicon) Among(neighbours func(before, after int) bool) *Lexicon {
	if len(x.Follows) == 1 {
		return x
	}
	out := &Lexicon{Trivia: x.Trivia, Prevented: x.Prevented}
	for _, r := range x.Readings {
		other := *r
		out.Readings = append(out.Readings, &other)
	}
	out.classify(func(r *Reading) []bool {
		row := slices.Clone(x.Follows[r.Class])
		for i, next := range x.Readings {
			row[i] = row[i] || !neighbours(r.Type, next.Type)
		}
		return row
	})
	return out
}

// Coarse returns a lexicon with at most the given number of classes. It allows more
// tokens to follow each other.
func (x *Lexicon) Coarse(classes int) *Lexicon {
	if len(x.Follows) <= classes {
		return x
	}
	out := &Lexicon{Trivia: x.Trivia, Follows: slices.Clone(x.Follows), Prevented: x.Prevented}
	to := make([]int, len(x.Follows)) // by class: its class now
	for i := range to {
		to[i] = i
	}
	for count := len(x.Follows); count > max(classes, 1); count-- {
		into, from := out.closest()
		row := slices.Clone(out.Follows[into])
		addAll(row, out.Follows[from])
		out.Follows[into], out.Follows[from] = row, nil
		for i := range to {
			if to[i] == from {
				to[i] = into
			}
		}
	}
	numbers := map[int]int{}
	var rows [][]bool
	for i, row := range out.Follows {
		if row != nil {
			numbers[i] = len(rows)
			rows = append(rows, row)
		}
	}
	out.Follows = rows
	for _, r := range x.Readings {
		moved := *r
		moved.Class = numbers[to[r.Class]]
		out.Readings = append(out.Readings, &moved)
	}
	return out
}

// closest returns the two classes that differ least, the lower first.
func (x *Lexicon) closest() (into, from int) {
	least := -1
	for i, a := range x.Follows {
		for j, b := range x.Follows[:i] {
			if a == nil || b == nil {
				continue
			}
			differ := 0
			for k := range a {
				if a[k] != b[k] {
					differ++
				}
			}
			if least < 0 || differ < least {
				into, from, least = j, i, differ
			}
		}
	}
	return into, from
}
