package grammars

import (
	"path"
	"slices"
	"strings"

	"github.com/inroad/inroad/grammars/g4"
)

// A unit is a grammar file merged with its imports.
type unit struct {
	*g4.File
	sections []*section // the first has the rules before any mode section
	tokens   []g4.Name
	channels []g4.Name
	code     []g4.Code
	known    map[string]*g4.Rule
	first    map[string]*section // the first section of each mode
}

// A section is a run of consecutive rules of one mode.
type section struct {
	mode  string
	rules []*g4.Rule
}

func (u *unit) rules() []*g4.Rule {
	var out []*g4.Rule
	for _, s := range u.sections {
		out = append(out, s.rules...)
	}
	return out
}

// modes returns the unit's modes in order of definition, the default mode
// first.
func (u *unit) modes() []string {
	out := []string{g4.DefaultMode}
	seen := map[string]bool{g4.DefaultMode: true}
	for _, s := range u.sections {
		if !seen[s.mode] {
			seen[s.mode] = true
			out = append(out, s.mode)
		}
	}
	return out
}

// caseInsensitive reports whether a rule ignores case.
func (u *unit) caseInsensitive(rule *g4.Rule) bool {
	fold := option(u.Options, "caseInsensitive").Value == "true"
	if v := option(rule.Options, "caseInsensitive").Value; v != "" {
		fold = v == "true"
	}
	return fold
}

// option returns the named option, or the zero Option.
func option(options []g4.Option, name string) g4.Option {
	for _, o := range options {
		if o.Name == name {
			return o
		}
	}
	return g4.Option{}
}

// merge finds the parser and the lexer among the files and merges their
// imports.
func (l *loader) merge() {
	if len(l.files) == 0 {
		l.errorf(g4.Pos{File: "grammar", Line: 1, Column: 1}, "no grammar file was given")
		return
	}
	l.byName = map[string]*g4.File{}
	for _, f := range slices.Backward(l.files) { // the first of several wins
		l.byName[strings.TrimSuffix(path.Base(f.File), ".g4")] = f
	}
	for _, f := range slices.Backward(l.files) { // and the name of a grammar, over that of a file
		l.byName[f.Name] = f
	}
	imported := map[*g4.File]bool{}
	for _, f := range l.files {
		for _, name := range f.Imports {
			l.meter.Step(1)
			if g := l.find(name.Text); g != nil && g != f {
				imported[g] = true
			}
		}
	}
	main := l.mainFile(imported)
	if main == nil {
		return
	}
	l.parser = l.unit(main)
	l.lexer = l.parser
	if lexer := l.lexerFile(main, imported); lexer != nil {
		l.lexer = l.unit(lexer)
	} else if main.Kind == g4.Parser {
		l.errorf(main.Pos, "parser grammar %s needs a lexer grammar, but none was given", main.Name)
	}
	for _, f := range l.files {
		if f != l.parser.File && f != l.lexer.File && !imported[f] {
			l.warnf(f.Pos, "grammar %s is not used by any other file", f.Name)
		}
	}
}

// find returns the file that a name in an import or a tokenVocab option refers
// to.
func (l *loader) find(name string) *g4.File { return l.byName[name] }

// mainFile returns the file with parser rules that no other file imports.
func (l *loader) mainFile(imported map[*g4.File]bool) *g4.File {
	var main *g4.File
	for _, f := range l.files {
		if f.Kind == g4.Lexer || imported[f] {
			continue
		}
		if main != nil {
			l.errorf(f.Pos, "grammars %s and %s both have parser rules; give the files of one grammar only", main.Name, f.Name)
			return nil
		}
		main = f
	}
	if main != nil {
		return main
	}
	if i := slices.IndexFunc(l.files, func(f *g4.File) bool { return f.Kind != g4.Lexer }); i >= 0 {
		return l.files[i] // cyclic imports: the first file is the main one
	}
	l.errorf(l.files[0].Pos, "grammar %s has no parser rules; give the parser grammar as well", l.files[0].Name)
	return nil
}

// lexerFile returns the lexer grammar of a parser grammar. Like the ANTLR tool, it
// ignores the folders in tokenVocab = 'folder/Lexer'.
func (l *loader) lexerFile(main *g4.File, imported map[*g4.File]bool) *g4.File {
	vocabulary := option(main.Options, "tokenVocab")
	if f := l.find(path.Base(vocabulary.Value)); f != nil && f.Kind == g4.Lexer && main.Kind == g4.Parser {
		return f
	}
	if main.Kind != g4.Parser {
		if vocabulary.Value != "" {
			l.warnf(vocabulary.Pos, "tokenVocab = %s is ignored in a combined grammar", vocabulary.Value)
		}
		return nil
	}
	var lexers []*g4.File
	for _, f := range l.files {
		if f.Kind == g4.Lexer && !imported[f] {
			lexers = append(lexers, f)
		}
	}
	byName := func(f *g4.File) bool { return f.Name == strings.TrimSuffix(main.Name, "Parser")+"Lexer" }
	i := max(slices.IndexFunc(lexers, byName), 0)
	if len(lexers) == 0 {
		return nil
	}
	if vocabulary.Value != "" {
		l.warnf(vocabulary.Pos, "tokenVocab %s: not among the given lexer grammars; using the tokens of %s", vocabulary.Value, lexers[i].Name)
	} else {
		l.warnf(main.Pos, "parser grammar %s has no tokenVocab; using the tokens of %s", main.Name, lexers[i].Name)
	}
	return lexers[i]
}

// unit merges a file with its imports. The first definition of a rule wins, so
// the file's own rules override imported ones.
func (l *loader) unit(root *g4.File) *unit {
	u := &unit{File: root, known: map[string]*g4.Rule{}, first: map[string]*section{}}
	u.addSection(g4.DefaultMode)
	for _, r := range root.Rules {
		l.meter.Step(1)
		if other := u.known[r.Name]; other != nil {
			l.errorf(r.Pos, "rule %s is redefined; it was first defined at %v", r.Name, other.Pos)
			continue
		}
		u.known[r.Name] = r
		last := u.sections[len(u.sections)-1]
		if r.IsLexer() && r.Mode != last.mode {
			last = u.addSection(r.Mode)
		}
		last.rules = append(last.rules, r)
	}
	u.declare(root)
	for _, f := range l.imports(root) {
		l.meter.Step(len(f.Rules))
		u.add(f)
	}
	return u
}

func (u *unit) addSection(mode string) *section {
	s := &section{mode: mode}
	u.sections = append(u.sections, s)
	if u.first[mode] == nil {
		u.first[mode] = s
	}
	return s
}

func (u *unit) declare(f *g4.File) {
	u.tokens = append(u.tokens, f.Tokens...)
	u.channels = append(u.channels, f.Channels...)
	u.code = append(u.code, f.Code...)
}

// add merges an imported file into the unit.
func (u *unit) add(f *g4.File) {
	u.declare(f)
	for _, r := range f.Rules {
		if u.known[r.Name] != nil {
			continue
		}
		u.known[r.Name] = r
		mode := g4.DefaultMode
		if r.IsLexer() {
			mode = r.Mode
		}
		s := u.first[mode]
		if s == nil {
			s = u.addSection(mode)
		}
		s.rules = append(s.rules, r)
	}
}

// imports returns the transitive imports of root in pre-order, each once.
func (l *loader) imports(root *g4.File) []*g4.File {
	seen := map[*g4.File]bool{root: true}
	var out []*g4.File
	var visit func(f *g4.File)
	visit = func(f *g4.File) {
		for _, name := range f.Imports {
			l.meter.Step(1)
			g := l.find(name.Text)
			switch {
			case g == nil:
				l.errorf(name.Pos, "import %s: not among the given grammars", name.Text)
			case g.Scannerless != root.Scannerless:
				l.errorf(name.Pos, "import %s: both grammars must be scannerless, or neither", name.Text)
			case g.Kind != root.Kind && root.Kind != g4.Combined:
				l.errorf(name.Pos, "import %s: must be a %s grammar, like %s", name.Text, kindName(root.Kind), root.Name)
			case !seen[g]:
				seen[g] = true
				out = append(out, g)
				visit(g)
			}
		}
	}
	visit(root)
	return out
}

func kindName(k g4.Kind) string {
	return [...]string{g4.Combined: "combined", g4.Parser: "parser", g4.Lexer: "lexer"}[k]
}
