package source

import (
	"path"
	"strconv"
	"strings"
)

// lexGo splits a Go file into tokens. It leaves out separators before a closing bracket,
// because formatting adds or removes them.
func lexGo(o *outline) {
	l := newLexer(o.file.text)
	comment := token{} // last comment
	for l.more() {
		c, d := l.text[l.pos], l.peek(1)
		switch {
		case c == '\n':
			if endsGoStatement(l) {
				l.emit(terminator, l.pos)
			}
			l.rest()
		case c == '/' && (d == '/' || d == '*'):
			comment = withComment(comment, goComment(o, l))
		case c == '"':
			l.emit(stringLiteral, l.quoted(1, false))
			if l.lastText() == `"C"` {
				addPreamble(l, comment)
			}
		case c == '`':
			l.emit(stringLiteral, l.behind(1, "`"))
		case c == '\'':
			l.emit(number, l.quoted(1, false))
		case c == ';':
			l.emit(terminator, l.pos+1)
		case c == ')' || c == ']' || c == '}':
			if n := len(l.tokens); n > 0 && (l.tokens[n-1].kind == terminator || l.lastText() == ",") {
				l.tokens = l.tokens[:n-1]
			}
			l.emit(operator, l.pos+1)
		default:
			l.rest("&^=", "<<=", "<-")
		}
	}
	if endsGoStatement(l) {
		l.emit(terminator, l.pos)
	}
	o.tokens = l.tokens
	o.endOrigin(int(l.line) + 1)
}

// endsGoStatement reports whether a line end behind the last token ends a statement.
func endsGoStatement(l *lexer) bool {
	if len(l.tokens) == 0 {
		return false
	}
	text := l.lastText()
	switch l.tokens[len(l.tokens)-1].kind {
	case identifier:
		switch text {
		case "case", "chan", "const", "default", "defer", "else", "for", "func", "go", "goto", "if", "import",
			"interface", "map", "package", "range", "select", "struct", "switch", "type", "var":
			return false
		}
		return true
	case number, stringLiteral:
		return true
	case operator:
		return text == ")" || text == "]" || text == "}" || text == "++" || text == "--"
	default:
		return false
	}
}

// goComment skips a comment, adds it if it is a directive, and returns it.
func goComment(o *outline, l *lexer) token {
	t := token{kind: directive, start: int32(l.pos), line: l.line}
	block := l.peek(1) == '*'
	var end int
	if block {
		end = l.behind(2, "*/")
	} else {
		end = l.lineEnd()
	}
	text := strings.TrimRight(l.text[l.pos:end], "\r")
	t.end = t.start + int32(len(text))
	if block && strings.Contains(text, "\n") && endsGoStatement(l) {
		l.emit(terminator, l.pos)
	}
	l.skip(end)
	t.last = l.line
	switch {
	case strings.HasPrefix(text, "//line ") && (t.start == 0 || l.text[t.start-1] == '\n'):
		goOrigin(o, int(t.line), text[len("//line "):])
	case isGoDirective(text):
		l.tokens = append(l.tokens, t)
		if patterns, ok := strings.CutPrefix(text, "//go:embed "); ok {
			o.file.Embeds = append(o.file.Embeds, goPatterns(patterns)...)
		}
	}
	return t
}

// isGoDirective reports whether the compiler obeys a comment.
func isGoDirective(text string) bool {
	if directive, ok := strings.CutPrefix(text, "//go:"); ok {
		return !strings.HasPrefix(directive, "generate")
	}
	return strings.HasPrefix(text, "//export ") || strings.HasPrefix(text, "//extern ") ||
		strings.HasPrefix(strings.TrimLeft(strings.TrimPrefix(text, "//"), " \t"), "+build ")
}

// withComment returns two comments as one if the second one begins on the line after the
// first, and the second one otherwise.
func withComment(first, second token) token {
	if first.end > 0 && first.last+1 == second.line {
		second.start, second.line = first.start, first.line
	}
	return second
}

// addPreamble adds the comments before import "C", which are code in C.
func addPreamble(l *lexer, comment token) {
	n := len(l.tokens)
	if n < 2 || l.tokens[n-2].text(l.text) != "import" || comment.last+1 != l.tokens[n-2].line {
		return
	}
	l.tokens = append(l.tokens[:n-2], comment, l.tokens[n-2], l.tokens[n-1])
}

// goOrigin records the origin in a //line directive: file:line, file:line:column or :line.
func goOrigin(o *outline, line int, text string) {
	name, number, ok := cutLast(strings.TrimSpace(text))
	if !ok {
		return
	}
	if file, before, ok := cutLast(name); ok {
		name, number = file, before // the last number was a column
	}
	file := o.file.Name
	if name != "" {
		file = relative(file, name)
	}
	o.originates(line, file, number)
}

// cutLast cuts a number behind the last colon off a text.
func cutLast(text string) (string, int, bool) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return text, 0, false
	}
	n, err := strconv.Atoi(text[i+1:])
	return text[:i], n, err == nil && n > 0
}

// goPatterns splits the patterns of a go:embed directive.
func goPatterns(text string) []string {
	var out []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if quoted, err := strconv.QuotedPrefix(text); err == nil {
			pattern, _ := strconv.Unquote(quoted)
			out = append(out, pattern)
			text = text[len(quoted):]
			continue
		}
		end := strings.IndexAny(text, " \t")
		if end < 0 {
			end = len(text)
		}
		out = append(out, text[:end])
		text = text[end:]
	}
	return out
}

// A goOutline outlines the tokens of a Go file.
type goOutline struct {
	*outline
	balanced bool // the brackets match
}

func outlineGo(o *outline) {
	lexGo(o)
	g := goOutline{outline: o}
	g.balanced = g.balance()
	for i := 0; i < len(g.tokens); {
		i = g.declaration(i)
	}
}

// balance reports whether there are as many closing as opening brackets.
func (g goOutline) balance() bool {
	depth := 0
	for i := range g.tokens {
		if depth += g.nesting(i); depth < 0 {
			return false
		}
	}
	return depth == 0
}

// statementEnd returns the index behind the tokens of a statement: the index of its
// terminator, of the bracket that closes the block around it, or of the end. In a file
// whose brackets do not match, a declaration also ends where the next one begins at the
// start of a line.
func (g goOutline) statementEnd(i int) int {
	depth := 0
	for first := i; i < len(g.tokens); i++ {
		nesting := g.nesting(i)
		if depth += nesting; depth < 0 {
			return i
		}
		if depth == 0 && g.kind(i) == terminator {
			return i
		}
		if i > first && g.resumes(i) {
			return i
		}
	}
	return i
}

// resumes reports whether a declaration begins at index i, inside another declaration
// whose closing bracket is missing.
func (g goOutline) resumes(i int) bool {
	if g.balanced || g.kind(i) != identifier || g.tokens[i].start == 0 || g.file.text[g.tokens[i].start-1] != '\n' {
		return false
	}
	switch g.text(i) {
	case "func", "type", "var", "const", "import":
		return true
	}
	return false
}

// declaration outlines the declaration at an index and returns the index behind
// it. Directives before it are part of it.
func (g goOutline) declaration(from int) int {
	i := from
	for g.kind(i) == directive {
		if i++; !g.attached(i - 1) {
			return i
		}
	}
	end := max(g.statementEnd(i), i+1)
	keyword := g.text(i)
	switch keyword {
	case "package":
		g.file.Package = g.text(i + 1)
	case "func":
		g.function(from, i, end)
	case "import", "const", "var", "type":
		if g.text(i+1) == "(" {
			end = g.group(from, i, keyword)
		} else {
			g.spec(from, i+1, end, keyword, &constants{})
			g.separate(i, i+1)
		}
	}
	if g.kind(end) == terminator {
		g.separate(end, end+1)
		end++
	}
	return end
}

// attached reports whether directive i belongs to the declaration behind it: no empty
// line stands between them.
func (g goOutline) attached(i int) bool {
	if i+1 >= len(g.tokens) {
		return false
	}
	return !blankLine(g.file.text[g.tokens[i].end:g.tokens[i+1].start])
}

// group outlines a declaration group and returns the index behind it.
func (g goOutline) group(from, i int, keyword string) int {
	g.separate(from, i+2)
	var before constants
	for i += 2; i < len(g.tokens) && g.text(i) != ")"; {
		spec := i
		for g.kind(i) == directive {
			i++
		}
		end := g.statementEnd(i)
		if g.resumes(i) {
			return i
		}
		if end > i {
			g.spec(spec, i, end, keyword, &before)
		}
		i = end
		if g.kind(i) == terminator {
			g.separate(i, i+1)
			i++
		} else if g.text(i) != ")" {
			i = max(i, spec+1)
			if !g.balanced {
				return i
			}
		}
	}
	g.separate(i, min(i+1, len(g.tokens)))
	return min(i+1, len(g.tokens))
}

// constants is the state of a group of constants. A constant without an expression
// repeats the last expression.
type constants struct {
	iota       int
	expression []token
	counts     bool // the expression contains iota
}

// spec outlines one import, constant, variable or type, whose name is at index i.
func (g goOutline) spec(from, i, end int, keyword string, before *constants) {
	switch keyword {
	case "import":
		g.imports(from, i, end)
		return
	case "type":
		name := g.text(i)
		g.declare(from, end, Decl{Kind: Type, Name: name, Short: name, name: g.offset(i), context: keyword})
		return
	}
	d := Decl{Kind: Value, Name: g.text(i), context: keyword, name: g.offset(i)}
	for ; g.kind(i) == identifier; i += 2 {
		if name := g.text(i); name != "_" {
			d.Names = append(d.Names, name)
		}
		if g.text(i+1) != "," {
			i++
			break
		}
	}
	if len(d.Names) > 0 {
		d.Short = d.Names[0]
	}
	if keyword == "const" {
		if i < end {
			before.expression = g.tokens[i:end]
			before.counts = g.counts(before.expression)
		} else {
			d.implied = before.expression
		}
		if before.counts {
			d.context += " " + strconv.Itoa(before.iota)
		}
		before.iota++
	}
	g.declare(from, end, d)
}

// counts reports whether an expression contains iota.
func (g goOutline) counts(tokens []token) bool {
	for _, t := range tokens {
		if t.kind == identifier && t.text(g.file.text) == "iota" {
			return true
		}
	}
	return false
}

// imports outlines an import whose name or path is at index i.
func (g goOutline) imports(from, i, end int) {
	name := g.text(i)
	imported, err := strconv.Unquote(g.text(end - 1))
	if err != nil {
		imported = g.text(end - 1)
	}
	g.file.Imports = append(g.file.Imports, imported)
	if end-1 == i {
		name = packageName(imported)
	}
	d := Decl{Kind: Import, Name: "import " + imported}
	if name != "_" && name != "." && name != "" {
		d.Short = name
	}
	g.declare(from, end, d)
}

// packageName returns the likely name of the package with an import path.
func packageName(imported string) string {
	name := path.Base(imported)
	if len(name) > 1 && name[0] == 'v' && isDigit(name[1]) && strings.Contains(imported, "/") { // major version
		name = path.Base(path.Dir(imported))
	}
	name, _, _ = strings.Cut(name, ".") // gopkg.in/yaml.v3
	return strings.TrimSuffix(strings.TrimPrefix(name, "go-"), "-go")
}

// function outlines a function whose keyword is at index i.
func (g goOutline) function(from, i, end int) {
	d := Decl{Kind: Function}
	name := i + 1
	if g.text(name) == "(" {
		var pointer bool
		d.Owner, d.self, pointer, name = g.receiver(name)
		d.Name = d.Owner
		if pointer {
			d.Name = "(*" + d.Owner + ")"
		}
		d.Name += "."
	}
	if g.kind(name) == identifier {
		d.Short = g.text(name)
		d.name = g.offset(name)
	}
	d.Name += g.text(name)
	g.declare(from, end, d)
}

// receiver returns the type and the name of the receiver in parentheses at index
// i, whether it is a pointer, and the index behind it.
func (g goOutline) receiver(i int) (owner, self string, pointer bool, next int) {
	depth := 0
	for ; i < len(g.tokens); i++ {
		text := g.text(i)
		switch {
		case text == "[" || text == "(":
			depth++
		case text == "]" || text == ")":
			depth--
		case text == "*":
			pointer = true
		case g.kind(i) == identifier && (depth == 1 || g.text(i-1) == "*" || g.text(i-1) == "("):
			self, owner = owner, text
		}
		if depth == 0 {
			break
		}
	}
	return owner, self, pointer, i + 1
}
