package grammars

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"github.com/inroad/inroad/grammars/g4"
	"github.com/inroad/inroad/grammars/internal/atn"
)

// A Word is a token for a [Writer]; type 0 is trivia.
type Word struct {
	Type int
	Text []byte
	Rule *Rule // the lexer rule that should end the token; nil for any
}

// A Writer joins tokens into an input that lexes as the same tokens. It is not safe for
// concurrent use.
type Writer struct {
	grammar  *Grammar
	speller  *atn.Speller
	goals    map[goalKey]*atn.Goal
	releases map[string][]byte // see release
	missed   int               // failed searches for releases
	unspelt  map[spellKey]int  // failed searches for texts
	begins   map[spellKey]*begin
	marks    []mark  // after the words written last; see Written
	rules    []int32 // see Rules
}

// A begin is the beginning of a token.
type begin struct {
	from []atn.Lexed
	scan Scan // its writer is nil if there is none yet
}

type goalKey struct {
	token int
	rule  *Rule
}

type spellKey struct {
	goalKey
	mode int
}

// Writer returns a Writer for the grammar's tokens.
func (g *Grammar) Writer() *Writer {
	return &Writer{grammar: g, speller: g.machine.Speller(), goals: map[goalKey]*atn.Goal{}, releases: map[string][]byte{}, unspelt: map[spellKey]int{}, begins: map[spellKey]*begin{}}
}

// AnyMode stands for any mode of a rule that produces a token.
const AnyMode = -1

// IsToken reports whether text on its own lexes as a token of the given type, in a
// mode of a rule that produces it.
func (w *Writer) IsToken(token int, text []byte) bool {
	if w.grammar.Scannerless {
		types := w.grammar.CharTypes(string(text))
		return len(types) == 1 && types[0] == token
	}
	for _, from := range w.from(token, AnyMode, nil) {
		for _, last := range []bool{true, false} {
			if len(w.speller.Place(from, int32(token), -1, text, last)) > 0 {
				return true
			}
		}
	}
	return false
}

// from returns the lexer's states in which a token begins. The caller must not change them.
func (w *Writer) from(token, mode int, rule *Rule) []atn.Lexed {
	return w.begin(token, mode, rule).from
}

func (w *Writer) begin(token, mode int, rule *Rule) *begin {
	key := spellKey{goalKey{token, rule}, mode}
	b := w.begins[key]
	if b == nil {
		b = &begin{from: w.findFrom(token, mode, rule)}
		w.begins[key] = b
	}
	return b
}

func (w *Writer) findFrom(token, mode int, rule *Rule) []atn.Lexed {
	var out []atn.Lexed
	for i, name := range w.grammar.modes {
		switch {
		case mode != AnyMode && i != mode:
		case mode == AnyMode && !w.grammar.beginsIn(token, name, rule):
		default:
			out = append(out, w.speller.Above(i))
		}
	}
	return out
}

// Spell returns a random text that lexes as a token of the given type; nil if none was
// found. The token begins in the given mode and is ended by the given rule, if that is
// not nil.
//
// After two failed searches with the same arguments, it returns nil at once.
func (w *Writer) Spell(r *rand.Rand, token, mode int, rule *Rule) []byte {
	key := spellKey{goalKey{token, rule}, mode}
	if w.unspelt[key] == maxUnspelt {
		return nil
	}
	for _, from := range w.from(token, mode, rule) {
		search := atn.Search{Rand: r, Wander: maxWander, Most: maxSpellings}
		if text, _, _ := w.speller.Spell(from, w.goal(token, rule), search); text != nil {
			return text
		}
	}
	w.unspelt[key]++
	return nil
}

// A Scan follows the lexer through the characters of a token while they are drawn. It
// is not safe for concurrent use, but copies of it are independent.
type Scan struct {
	writer *Writer
	goal   *atn.Goal
	at     atn.Scan
}

// Scan returns a scan at the beginning of a token, in a mode. The token is ended by the
// given rule, if that is not nil.
func (w *Writer) Scan(token, mode int, rule *Rule) Scan {
	b := w.begin(token, mode, rule)
	if b.scan.writer == nil || !w.speller.Current(b.scan.at) {
		goal := w.goal(token, rule)
		b.scan = Scan{w, goal, w.speller.Scan(b.from, goal)}
	}
	return b.scan
}

// Next advances the scan by a character. It reports false, and does not advance, if no
// token continues with the character.
func (s *Scan) Next(char rune) bool {
	next, ok := s.writer.speller.Next(s.at, s.goal, char)
	if ok {
		s.at = next
	}
	return ok
}

// NextOf advances the scan by a random character of a set that a token continues with.
func (s *Scan) NextOf(set []g4.RuneRange, r *rand.Rand) (char rune, ok bool) {
	char, next, ok := s.writer.speller.NextOf(s.at, s.goal, set, r)
	if ok {
		s.at = next
	}
	return char, ok
}

// Done reports whether the token can end here.
func (s *Scan) Done() bool { return s.writer.speller.Done(s.at, s.goal) }

// beginsIn reports whether a token that a rule ends, or any rule if that is nil, may
// begin in a mode. Trivia has type 0.
func (g *Grammar) beginsIn(token int, mode string, rule *Rule) bool {
	switch {
	case g.HasMore():
		return true
	case rule != nil:
		return rule.Mode == mode
	default:
		return token == 0 || slices.ContainsFunc(g.makers[token], func(r *Rule) bool { return r.Mode == mode })
	}
}

type hasMoreKey struct{}

// HasMore reports whether a lexer rule has the command `more`, so that a token can consist
// of several matches.
func (g *Grammar) HasMore() bool {
	return g.Memo(hasMoreKey{}, func() any {
		return slices.ContainsFunc(g.Rules, func(r *Rule) bool { return r.Kind == TokenRule && hasCommand(r.source, "more") })
	}).(bool)
}

// goal returns the goal to spell a token, 0 meaning trivia, that the given rule ends,
// if that is not nil. All writers of a grammar have the same goals.
func (w *Writer) goal(token int, rule *Rule) *atn.Goal {
	key := goalKey{token, rule}
	goal := w.goals[key]
	if goal == nil {
		goal = w.grammar.Memo(key, func() any { return w.grammar.findGoal(token, rule) }).(*atn.Goal)
		w.goals[key] = goal
	}
	return goal
}

func (g *Grammar) findGoal(token int, rule *Rule) *atn.Goal {
	rules, last := make([]bool, len(g.Rules)-len(g.ParserRules())), -1
	for _, r := range g.Rules {
		switch {
		case r.Kind != TokenRule:
		case hasCommand(r.source, "more"):
			rules[r.Index] = true
		case rule != nil:
			rules[r.Index] = r == rule
		default:
			rules[r.Index] = slices.Contains(g.makers[token], r) || token == 0 && g.isTrivia(r)
		}
	}
	if rule != nil {
		last = rule.Index
		rules[last] = true
	}
	return g.machine.Goal(int32(token), last, rules)
}

// isTrivia reports whether tokens of a lexer rule can be trivia.
func (g *Grammar) isTrivia(r *Rule) bool {
	return slices.ContainsFunc(g.Nodes[g.Trivia].Children, func(n *Node) bool { return n.Target == r })
}

// Limits of a search for the text of a token.
const (
	maxWander    = 6     // random characters before the text is completed
	maxSpellings = 2_000 // spellings to look at
	maxRespelt   = 100   // spellings to look at to replace a text that does not fit
	maxGaps      = 2     // separators to try before a new text
	maxReleased  = 500   // spellings to look at for a separator
	maxReleases  = 1_000 // separators to remember
	maxMissed    = 20    // failed searches for separators
	maxUnspelt   = 2     // failed searches for the text of a token
)

// Writing says how a [Writer] joins tokens.
type Writing struct {
	// Separators are the trivia to put between words that would lex differently without
	// trivia; the first that fits is taken.
	Separators [][]byte
	// Trivia(i) is the trivia wanted before word i, or at the end for i = len(words),
	// one token per element. It is left out where the words would lex differently
	// with it. Nil means none.
	Trivia func(i int) [][]byte
	// Respell, if not nil, draws new texts for words that fit beside their neighbours
	// with no separator.
	Respell *rand.Rand
	// Like, if not nil, is a text of similar words, written with the same separators.
	// Words that both texts begin or end with need not be lexed again. It is ignored if
	// Trivia is not nil.
	Like *Written
}

// A Written is a text and its words; see [Writing].
type Written struct {
	text  []byte
	words []Word
	marks []mark // after each word
}

// A mark is a position in a text.
type mark struct {
	end     int // of the text so far
	threads []atn.Lexed
}

// Written returns a text and its words, both results of the last [Writer.Write], for
// use as [Writing.Like]. It returns nil if that call wrote a different number of words.
func (w *Writer) Written(words []Word, text []byte) *Written {
	if len(w.marks) != len(words) {
		return nil
	}
	return &Written{text, words, slices.Clone(w.marks)}
}

// Is reports whether l is not nil and has the given text.
func (l *Written) Is(text []byte) bool { return l != nil && bytes.Equal(l.text, text) }

// common returns the number of words that both begin with, and with which both end.
func (l *Written) common(words []Word) (first, last int) {
	most := min(len(words), len(l.words))
	for first < most && words[first].equal(l.words[first]) {
		first++
	}
	for last < most-first && words[len(words)-1-last].equal(l.words[len(l.words)-1-last]) {
		last++
	}
	return first, last
}

func (w Word) equal(v Word) bool {
	return w.Type == v.Type && w.Rule == v.Rule && bytes.Equal(w.Text, v.Text)
}

// Write joins words into an input. It returns the input and the words with the texts
// that they have in it. If a word cannot follow the words before it, ok is false, and
// written has the words before it. In a scannerless grammar, any word can follow any
// other, and there is no trivia. Afterwards, [Writer.Rules] returns the rules that
// match the words.
func (w *Writer) Write(words []Word, how Writing) (text []byte, written []Word, ok bool) {
	w.marks = w.marks[:0]
	if w.grammar.Scannerless {
		for _, word := range words {
			text = append(text, word.Text...)
		}
		return text, words, true
	}
	p := &page{Writer: w, Writing: how, words: words}
	at := place{threads: []atn.Lexed{w.speller.Begin(0)}}
	from, common := 0, 0
	if how.Trivia != nil {
		p.Like = nil
	}
	if p.Like != nil {
		from, common = p.Like.common(words)
		text, at, from = p.resume(at, from)
	}
	for i := from; i < len(words); i++ {
		if rest := len(words) - i; rest <= common && p.rejoins(at, rest) {
			return p.rejoin(text, rest), p.words, true
		}
		next, ok := p.word(at, i, p.wanted(i))
		if !ok && how.Respell != nil {
			next, ok = p.respell(at, i)
		}
		if !ok {
			return nil, words[:i], false
		}
		if p.before = at; next.base < at.base { // the word before has a new text
			p.before = place{}
			w.marks[i-1] = mark{}
		}
		text = append(text[:next.base], next.tail...)
		at = place{base: len(text), threads: next.threads}
		w.marks = append(w.marks, mark{len(text), at.threads})
	}
	end, ok := p.end(at)
	return append(text, end.tail...), p.words, ok
}

// resume returns the similar text up to the end of the first words, which both texts
// have, the place after these words, and their number. The last word of a text is
// written again.
func (p *page) resume(begin place, words int) (text []byte, at place, n int) {
	n = min(words, len(p.words)-1, len(p.Like.words)-1)
	for n > 0 && len(p.Like.marks[n-1].threads) == 0 {
		n--
	}
	if n <= 0 {
		return nil, begin, 0
	}
	p.marks = append(p.marks, p.Like.marks[:n]...)
	if p.before = begin; n > 1 {
		p.before = p.marks[n-2].place()
	}
	at = p.marks[n-1].place()
	return append(make([]byte, 0, len(p.Like.text)+32), p.Like.text[:at.base]...), at, n
}

func (m mark) place() place { return place{base: m.end, threads: m.threads} }

// rejoins reports whether the rest of the words is written as at the end of the similar text.
func (p *page) rejoins(at place, words int) bool {
	i := len(p.Like.words) - words - 1
	return i >= 0 && len(at.threads) == 1 && len(p.Like.marks[i].threads) == 1 && at.threads[0].Same(p.Like.marks[i].threads[0])
}

// rejoin adds the rest of the similar text.
func (p *page) rejoin(text []byte, words int) []byte {
	rest := p.Like.marks[len(p.Like.words)-words-1:]
	moved := len(text) - rest[0].end
	for _, m := range rest[1:] {
		p.marks = append(p.marks, mark{m.end + moved, m.threads})
	}
	return append(text, p.Like.text[rest[0].end:]...)
}

// Rules returns the indexes of the lexer rules that match the words written last, -1 where
// the rule is not known. The result is valid until the next call of [Writer.Write].
func (w *Writer) Rules() []int32 {
	w.rules = w.rules[:0]
	for _, m := range w.marks {
		rule := -1
		if len(m.threads) == 1 {
			rule = m.threads[0].Rule()
		}
		w.rules = append(w.rules, int32(rule))
	}
	return w.rules
}

// A page is an input while it is written.
type page struct {
	*Writer
	Writing
	words  []Word
	before place // before the last word
	copied bool  // whether words is a copy
}

// A place is a position in an input: the text after the first base bytes, and the
// states of the lexer. There are several states while it is not certain how a token
// ends.
type place struct {
	base    int
	tail    []byte
	threads []atn.Lexed
}

func (at place) guards() int { return at.threads[0].Guards() }

func (at place) then(text []byte, threads []atn.Lexed) place {
	if len(at.tail) == 0 {
		return place{at.base, slices.Clip(text), threads}
	}
	return place{at.base, append(slices.Clip(at.tail), text...), threads}
}

func (p *page) wanted(i int) [][]byte {
	if p.Trivia == nil {
		return nil
	}
	return p.Trivia(i)
}

// put returns the place after a token, and reports whether the token fits.
func (p *page) put(at place, word Word, last bool) (place, bool) {
	var threads []atn.Lexed
	rule := -1
	if word.Rule != nil {
		rule = word.Rule.Index
	}
	for i, t := range at.threads {
		after := p.speller.Place(t, int32(word.Type), rule, word.Text, last)
		if i == 0 {
			threads = slices.Clip(after)
			continue
		}
		threads = append(threads, after...)
	}
	return at.then(word.Text, threads), len(threads) > 0
}

// all returns the place after tokens of trivia.
func (p *page) all(at place, trivia [][]byte) (place, bool) {
	for _, text := range trivia {
		var ok bool
		if at, ok = p.put(at, Word{Text: text}, false); !ok {
			return at, false
		}
	}
	return at, true
}

// gaps yields the places after the trivia that can separate two words: first the
// wanted trivia, then none, then one separator, then one that ends the longer matches of
// tokens before, then two separators.
func (p *page) gaps(at place, wanted [][]byte) func(yield func(place) bool) {
	return func(yield func(place) bool) {
		if len(wanted) > 0 {
			if next, ok := p.all(at, wanted); ok && !yield(next) {
				return
			}
		}
		if !yield(at) {
			return
		}
		var once []place
		for _, s := range p.Separators {
			if next, ok := p.put(at, Word{Text: s}, false); ok {
				if once = append(once, next); !yield(next) {
					return
				}
			}
		}
		if s := p.release(at); s != nil {
			if next, ok := p.put(at, Word{Text: s}, false); ok {
				if once = slices.Insert(once, 0, next); !yield(next) {
					return
				}
			}
		}
		for _, between := range once { // one may be part of a longer token
			for _, s := range p.Separators {
				if next, ok := p.put(between, Word{Text: s}, false); ok && !yield(next) {
					return
				}
			}
		}
	}
}

// release returns trivia after which the text to come turns no earlier token into a longer
// one, such as a comment with a character that strings cannot have; nil if there is none,
// or if none is needed or wanted.
func (p *page) release(at place) []byte {
	if len(at.threads) == 0 || at.guards() == 0 || len(p.Separators) == 0 {
		return nil
	}
	t := at.threads[0]
	key := p.speller.Key(t)
	text, known := p.releases[key]
	if known || p.missed == maxMissed {
		return text
	}
	text, _, _ = p.speller.Spell(t, p.goal(0, nil), atn.Search{Most: maxReleased, Accept: func(after atn.Lexed) bool { return after.Guards() <= 1 }})
	if text == nil {
		p.missed++
	}
	if len(p.releases) > maxReleases {
		clear(p.releases)
	}
	p.releases[key] = text
	return text
}

// word returns the place after word i, with trivia before it if needed, preferably
// where the wanted rule ends it. It reports false if the word cannot follow.
func (p *page) word(at place, i int, wanted [][]byte) (place, bool) {
	word := p.words[i]
	if next, ok := p.fit(at, i, word, wanted); ok || word.Rule == nil {
		return next, ok
	}
	word.Rule = nil
	return p.fit(at, i, word, wanted)
}

// fit returns the place after a word, preferably where the text to come can turn no
// token but the last into a longer one.
func (p *page) fit(at place, i int, word Word, wanted [][]byte) (best place, ok bool) {
	last := i == len(p.words)-1
	if len(wanted) == 0 { // most words need nothing before them
		if next, fits := p.put(at, word, false); fits && next.guards() <= 1 {
			return next, true
		}
	}
	tried := 0
	for gap := range p.gaps(at, wanted) {
		next, fits := p.put(gap, word, false)
		if !fits && last {
			next, fits = p.put(gap, word, true)
		}
		if fits && (!ok || next.guards() < best.guards()) {
			best, ok = next, true
		}
		if tried++; ok && (best.guards() <= 1 || tried > 2*(len(p.Separators)+1)) {
			break
		}
	}
	return best, ok
}

// end returns the place at the end of the input, with the wanted trivia or a
// separator if needed.
func (p *page) end(at place) (place, bool) {
	for gap := range p.gaps(at, p.wanted(len(p.words))) {
		if slices.ContainsFunc(gap.threads, p.speller.Ends) {
			return gap, true
		}
	}
	return at, false
}

// respell replaces the text of word i or of the word before it, so that word i can
// follow.
func (p *page) respell(at place, i int) (place, bool) {
	follows := func(next place) bool { return i+1 == len(p.words) || p.fits(next, i+1) }
	if next, ok := p.spell(at, i, follows); ok {
		return next, true
	}
	if i > 0 {
		if next, ok := p.spell(p.before, i-1, func(next place) bool { return p.fits(next, i) }); ok {
			return p.word(next, i, nil)
		}
	}
	return p.spell(at, i, func(place) bool { return true })
}

func (p *page) fits(at place, i int) bool {
	_, ok := p.word(at, i, nil)
	return ok
}

// spell draws a new text for word i.
func (p *page) spell(at place, i int, follows func(place) bool) (place, bool) {
	tried := 0
	known := map[string]bool{} // by state of the lexer: whether the next word follows
	accept := func(after atn.Lexed) bool {
		key := p.speller.Key(after)
		ok, seen := known[key]
		if !seen {
			ok = follows(place{threads: []atn.Lexed{after}})
			known[key] = ok
		}
		return ok
	}
	for gap := range p.gaps(at, nil) {
		if tried++; tried > maxGaps {
			break
		}
		for _, t := range gap.threads {
			text, after, _ := p.speller.Spell(t, p.goal(p.words[i].Type, nil), atn.Search{
				Rand: p.Respell, Wander: 1, Most: maxRespelt, Last: i == len(p.words)-1,
				Accept: accept,
			})
			if text == nil {
				continue
			}
			if !p.copied {
				p.words, p.copied = slices.Clone(p.words), true
			}
			p.words[i].Text = text
			return gap.then(text, []atn.Lexed{after}), true
		}
	}
	return at, false
}
