package source

import (
	"path"
	"slices"
	"strings"
)

// A jsOutline outlines the tokens of a JavaScript or TypeScript file in one pass.
type jsOutline struct {
	*outline
	jsMarks
	frames []jsFrame // open brackets; the first one is the file
	depth  int       // number of frames with a name
	// bodies are the frames of declarations, by the index of their opening brace.
	bodies map[int]jsFrame
	// claimed holds the indexes of functions and classes that an assignment has named
	// already.
	claimed    map[int]bool
	decorators span // the last decorators of a class
}

// A jsFrame is an open bracket, or the file.
type jsFrame struct {
	kind   jsFrameKind
	end    int    // index of its closing bracket
	prefix string // of qualified names
	owner  string // type, or object, whose members are declared in it
	named  bool   // it is the body of a declaration
	// module is true for the file and for functions that run once when the file is
	// loaded: their variables are values.
	module bool
	// wraps is true if functions in the current statement run once.
	wraps bool
	next  int // index of the next statement or member directly in it
}

type jsFrameKind uint8

const (
	jsGroup  jsFrameKind = iota // parentheses, brackets
	jsBlock                     // statements
	jsObject                    // object literal
	jsClass                     // members of a class
	jsType                      // a type of TypeScript: it contains no functions
)

// Limits on functions that are declarations of their own.
const (
	maxFrames = 64   // frames with a name around a function
	maxArrow  = 250  // tokens outside brackets of a type, of a head, or of an expression that is a body
	maxImport = 5000 // tokens of an import
)

// A jsName is the name of a value.
type jsName struct {
	path  []string // as written, such as A, prototype, f
	from  int      // index of its first token
	at    int      // index of its last token
	names []string // further names of the value
}

func outlineJavaScript(o *outline) {
	marks := lexJavaScript(o)
	o.matchBrackets(true)
	j := &jsOutline{outline: o, jsMarks: marks, bodies: map[int]jsFrame{}, claimed: map[int]bool{}}
	j.frames = []jsFrame{{kind: jsBlock, end: len(o.tokens), module: true}}
	for i := range o.tokens {
		for len(j.frames) > 1 && j.top().end <= i {
			if j.top().named {
				j.depth--
			}
			j.frames = j.frames[:len(j.frames)-1]
		}
		j.token(i)
	}
}

func (j *jsOutline) top() *jsFrame { return &j.frames[len(j.frames)-1] }

// token outlines the statement, member or declaration that begins at token i.
func (j *jsOutline) token(i int) {
	top := j.top()
	if i >= top.next && i < top.end && j.kind(i) != terminator {
		switch top.kind {
		case jsBlock:
			if top.module {
				top.next = max(j.statement(i), i+1)
			}
		case jsObject:
			top.next = max(j.property(i, top.end), i+1)
		case jsClass:
			top.next = max(j.member(i, top.end), i+1)
		}
	}
	j.imports(i)
	switch {
	case j.nesting(i) > 0:
		j.open(i)
	case top.kind == jsType:
	case j.kind(i) == identifier:
		switch j.text(i) {
		case "function":
			j.function(i)
		case "class":
			j.class(i, jsName{from: i})
		case "var", "let", "const":
			j.annotated(i)
		}
	case j.is(i, '='):
		if name, ok := j.assigned(i); ok {
			j.value(name, i+1)
		}
	}
}

// imports records a module that require or import loads.
func (j *jsOutline) imports(i int) {
	if j.kind(i) != stringLiteral {
		return
	}
	switch before := j.text(i - 1); {
	case before == "(" && (j.text(i-2) == "require" || j.text(i-2) == "import"), before == "from", before == "import":
		if text := j.text(i); len(text) > 1 {
			j.file.Imports = append(j.file.Imports, text[1:len(text)-1])
		}
	}
}

// open enters a bracket.
func (j *jsOutline) open(i int) {
	top := j.top()
	frame, ok := j.bodies[i]
	if !ok {
		frame = jsFrame{prefix: top.prefix, owner: top.owner}
		switch {
		case top.kind == jsType:
			frame.kind = jsType
		case j.objects[i]:
			frame.kind = jsObject
		case j.is(i, '{'):
			frame.kind = jsBlock
			frame.module = j.isModule(i)
		}
	}
	frame.end = int(j.partners[i])
	frame.next = i + 1
	if frame.named {
		j.depth++
	}
	j.frames = append(j.frames, frame)
}

// isModule reports whether the statements in a brace run once when the file is loaded:
// the brace is a block among statements that do, or the body of a function that wraps
// a module.
func (j *jsOutline) isModule(open int) bool {
	for n, f := range slices.Backward(j.frames) {
		switch {
		case f.kind == jsBlock && n == len(j.frames)-1:
			return f.module && (f.wraps || j.text(open-1) != "=>")
		case f.kind == jsBlock:
			return f.module && f.wraps
		case f.kind != jsGroup:
			return false
		}
	}
	return false
}

// isMember reports whether keyword i is used as the name of a property.
func (j *jsOutline) isMember(i int) bool {
	return isQualifier(j.text(i-1)) || j.is(i+1, ':') || j.is(i+1, ',') || j.is(i+1, '=')
}

// A jsFunction is a function in the text.
type jsFunction struct {
	open int // index of the brace of its body, or -1 if the body is an expression
	end  int // index behind it
	name int // index of its own name, or -1
}

// parseFunction finds the function that begins at an index.
func (j *jsOutline) parseFunction(i int) (jsFunction, bool) {
	f := jsFunction{open: -1, name: -1}
	if j.text(i) == "async" && (j.kind(i+1) == identifier || j.is(i+1, '(') || j.is(i+1, '<')) {
		i++
	}
	if j.text(i) == "function" && j.kind(i) == identifier {
		if i++; j.is(i, '*') {
			i++
		}
		if j.kind(i) == identifier {
			f.name = i
			i++
		}
		return j.parseBody(f, i)
	}
	switch {
	case j.kind(i) == identifier && j.text(i+1) == "=>":
		i++
	case j.is(i, '<') || j.is(i, '('):
		if j.is(i, '<') {
			i = j.behindAngles(i, len(j.tokens))
		}
		if !j.is(i, '(') {
			return f, false
		}
		if i = j.behindBracket(i, len(j.tokens)); j.is(i, ':') {
			i = j.typeEnd(i+1, true)
		}
	}
	if j.text(i) != "=>" {
		return f, false
	}
	if i++; j.is(i, '{') && !j.objects[i] {
		f.open = i
		f.end = j.behindBracket(i, len(j.tokens))
		return f, true
	}
	f.end = j.expressionLimit(i, i+maxArrow, true)
	return f, f.end > i
}

// parseBody finds the body of a function whose parameters begin at an index.
func (j *jsOutline) parseBody(f jsFunction, i int) (jsFunction, bool) {
	if j.is(i, '<') {
		i = j.behindAngles(i, len(j.tokens))
	}
	if !j.is(i, '(') {
		return f, false
	}
	if i = j.behindBracket(i, len(j.tokens)); j.is(i, ':') {
		i = j.typeEnd(i+1, false)
	}
	if !j.is(i, '{') {
		f.end = i
		return f, false
	}
	f.open = i
	f.end = j.behindBracket(i, len(j.tokens))
	return f, true
}

// typeEnd returns the index behind a TypeScript type: the index of '{', of '=>' if arrow,
// or of another token that is not part of a type.
func (j *jsOutline) typeEnd(i int, arrow bool) int {
	begins := true // a type begins here
	first := i
	for range maxArrow {
		switch text := j.text(i); {
		case i > first && i < len(j.tokens) && !begins && j.tokens[i].line > j.tokens[i-1].last && j.beginsMember(i):
			return i
		case j.is(i, '{') && !begins, j.is(i, ';'), j.is(i, '='), j.is(i, ','), text == "", text == "=>" && arrow:
			return i
		case j.nesting(i) > 0:
			i = j.behindBracket(i, len(j.tokens))
			begins = false
			continue
		case j.nesting(i) < 0:
			return i
		case j.is(i, '<'):
			i = j.behindAngles(i, len(j.tokens))
			begins = false
			continue
		case j.kind(i) == identifier:
			begins = text == "is" || text == "keyof" || text == "extends" || text == "readonly" || text == "asserts" || text == "infer"
		default:
			begins = j.kind(i) == operator
		}
		i++
	}
	return i
}

// beginsMember reports whether a token at the start of a line begins a statement or
// a member behind a type.
func (j *jsOutline) beginsMember(i int) bool {
	switch j.kind(i) {
	case identifier:
		return j.text(i) != "extends" && j.text(i) != "is"
	case operator:
		return j.is(i, '@') || j.is(i, '[') || j.is(i, '#') || j.is(i, '*') || j.is(i, '(')
	}
	return true
}

// expressionEnd returns the index behind an expression: the index of a semicolon, of a
// comma if comma is true, of a closing bracket, or of the first token of a new statement.
func (j *jsOutline) expressionEnd(i int, comma bool) int {
	return j.expressionLimit(i, len(j.tokens), comma)
}

// expressionLimit is like expressionEnd, for an expression with a limited number of
// tokens outside brackets.
func (j *jsOutline) expressionLimit(i, limit int, comma bool) int {
	first := i
	for range limit - first {
		switch {
		case i >= len(j.tokens) || j.kind(i) == terminator || j.is(i, ';') || comma && j.is(i, ',') || j.nesting(i) < 0:
			return i
		case i > first && j.endsLine(i):
			return i
		case j.elements[i] > i:
			i = j.elements[i]
		case j.nesting(i) > 0:
			i = j.behindBracket(i, len(j.tokens))
		default:
			i++
		}
	}
	return min(i, len(j.tokens))
}

// endsLine reports whether a statement ends before token i because the token begins a
// new line.
func (j *jsOutline) endsLine(i int) bool {
	if j.tokens[i].line <= j.tokens[i-1].last {
		return false
	}
	before, text := j.text(i-1), j.text(i)
	switch j.kind(i - 1) {
	case operator:
		if before != ")" && before != "]" && before != "}" && before != "++" && before != "--" && before != ">" {
			return false
		}
	case identifier:
		switch before {
		case "typeof", "new", "void", "delete", "in", "of", "instanceof", "extends", "implements", "await", "case", "else", "as", "from", "import", "async":
			return false
		}
	}
	switch j.kind(i) {
	case operator:
		return text == "++" || text == "--" || text == "!" || text == "~" || text == "@" || text == "}"
	case identifier:
		return text != "instanceof" && text != "in" && text != "of" && text != "as" && text != "extends" && text != "implements" && text != "satisfies" && text != "from"
	case stringLiteral:
		return text[0] != '`' && text[0] != '}'
	}
	return true
}

// assigned returns the name that an equals sign assigns to.
func (j *jsOutline) assigned(i int) (jsName, bool) {
	name := jsName{at: i - 1}
	k := i - 1
	for range maxFrames {
		switch {
		case j.kind(k) == identifier:
			name.path = append(name.path, j.text(k))
			name.from = k
		case j.is(k, ']') && j.kind(k-1) == stringLiteral && j.is(k-2, '['):
			text := j.text(k - 1)
			name.path = append(name.path, strings.Trim(text, `"'`+"`"))
			name.from = k - 2
			if j.kind(k-3) == identifier {
				k -= 3
				continue
			}
		}
		if len(name.path) == 0 || !j.is(k-1, '.') {
			break
		}
		k -= 2
	}
	slices.Reverse(name.path)
	if len(name.path) > 1 && name.path[0] == "this" {
		name.path = name.path[1:]
	}
	return name, len(name.path) > 0
}

// annotated outlines the function that is assigned to a variable with a type,
// whose keyword has index i.
func (j *jsOutline) annotated(i int) {
	if j.kind(i+1) != identifier || !j.is(i+2, ':') {
		return
	}
	if end := j.typeEnd(i+3, false); j.is(end, '=') {
		j.value(jsName{path: []string{j.text(i + 1)}, from: i + 1, at: i + 1}, end+1)
	}
}

// value outlines the named value at index i: a function, a class, or an object whose
// members get qualified names.
func (j *jsOutline) value(name jsName, i int) {
	if _, marked := j.bodies[i]; marked || j.claimed[i] {
		return
	}
	j.claimed[i] = true
	if j.depth >= maxFrames {
		return
	}
	top := j.top()
	prefix := top.prefix + strings.Join(name.path, ".") + "."
	switch {
	case j.text(i) == "class" && j.kind(i) == identifier:
		j.class(i, name)
	case j.objects[i]:
		j.bodies[i] = jsFrame{kind: jsObject, prefix: prefix, owner: j.owner(name), named: true}
	default:
		wrapped := 0
		for j.is(i+wrapped, '(') && wrapped < 2 {
			wrapped++
		}
		f, ok := j.parseFunction(i)
		switch {
		case ok && !j.isCall(f.end):
			j.claimFunction(i)
			j.declareFunction(name, f)
		case ok && f.open >= 0:
			j.claimFunction(i)
			j.bodies[f.open] = jsFrame{kind: jsBlock, prefix: prefix, module: top.module, named: true}
		case wrapped > 0:
			if f, ok := j.parseFunction(i + wrapped); ok && f.open >= 0 && f.name < 0 {
				j.bodies[f.open] = jsFrame{kind: jsBlock, prefix: prefix, module: top.module, named: true}
			}
		}
	}
}

// claimFunction claims the keyword of the function at an index.
func (j *jsOutline) claimFunction(i int) {
	if j.text(i) == "async" {
		i++
	}
	j.claimed[i] = true
}

// isCall reports whether a function that ends before an index is called at once.
func (j *jsOutline) isCall(i int) bool {
	return j.is(i, '(') || j.is(i, '.') && (j.text(i+1) == "call" || j.text(i+1) == "apply") && j.is(i+2, '(')
}

// owner returns the last part of a name that is neither a global object nor prototype:
// the owner of the members of the named value.
func (j *jsOutline) owner(name jsName) string {
	for _, part := range slices.Backward(name.path) {
		if !isGlobalObject(part) && part != "prototype" {
			return part
		}
	}
	return ""
}

// isGlobalObject reports whether an object holds the exports of a module, or global
// variables.
func isGlobalObject(name string) bool {
	switch name {
	case "exports", "module", "this", "window", "global", "globalThis", "self", "root", "default":
		return true
	}
	return false
}

// declaration returns the declaration of a name.
func (j *jsOutline) declaration(kind Kind, name jsName) Decl {
	top := j.top()
	short := name.path[len(name.path)-1]
	if short == "default" && top.kind == jsBlock && top.module || short == "exports" && len(name.path) > 1 { // importers tend to call it like the file
		base := path.Base(j.file.Name)
		short = strings.TrimSuffix(base, path.Ext(base))
	}
	d := Decl{
		Kind: kind, Name: top.prefix + strings.Join(name.path, "."), Short: short, Owner: top.owner,
		Names: append([]string{short}, name.names...), name: j.offset(name.at),
	}
	if len(name.path) > 1 {
		d.Owner = j.owner(jsName{path: name.path[:len(name.path)-1]})
	}
	if d.Owner != "" {
		d.self = "this"
	}
	return d
}

// declareFunction declares a function and prepares the frame of its body.
func (j *jsOutline) declareFunction(name jsName, f jsFunction) {
	if j.depth >= maxFrames {
		return
	}
	if f.name >= 0 && f.name != name.at {
		name.names = append(name.names, j.text(f.name))
	}
	d := j.declaration(Function, name)
	j.declare(name.from, f.end, d)
	if f.open >= 0 {
		j.bodies[f.open] = jsFrame{kind: jsBlock, prefix: d.Name + ".", named: true}
	}
}

// function outlines a function whose keyword has index i.
func (j *jsOutline) function(i int) {
	if j.claimed[i] || j.isMember(i) {
		return
	}
	f, ok := j.parseFunction(i)
	from := i
	if j.text(i-1) == "async" {
		from--
	}
	if f.name < 0 {
		return
	}
	name := jsName{path: []string{j.text(f.name)}, from: from, at: f.name}
	if ok {
		j.declareFunction(name, f)
		return
	}
	if j.top().kind == jsBlock && j.top().module { // a signature
		d := j.declaration(Value, name)
		d.Name += ";"
		j.declare(from, max(f.end, i+1), d)
	}
}

// class outlines a class whose keyword has index i. If name is empty, the class has its
// own name.
func (j *jsOutline) class(i int, name jsName) {
	if len(name.path) == 0 && j.claimed[i] || j.isMember(i) || j.depth >= maxFrames {
		return
	}
	j.claimed[i] = true
	open := j.find(i, min(i+maxArrow, len(j.tokens)), "{;)}")
	if !j.is(open, '{') {
		return
	}
	if own := j.text(i + 1); j.kind(i+1) == identifier && own != "extends" && own != "implements" {
		if len(name.path) > 0 {
			name.names = []string{own}
		} else {
			name.path, name.at = []string{own}, i+1
		}
	}
	if len(name.path) == 0 {
		name.path, name.at = []string{"<anonymous>"}, i
	}
	if name.from == i && j.decorators.to == i {
		name.from = j.decorators.from
	}
	d := j.declaration(Type, name)
	d.self = ""
	if d.Short == "<anonymous>" {
		d.Short, d.Names = "", nil
	}
	j.declare(name.from, j.behindBracket(open, len(j.tokens)), d)
	j.bodies[open] = jsFrame{kind: jsClass, prefix: d.Name + ".", owner: name.path[len(name.path)-1], named: true}
}

// key returns the name of a property or member at an index, and the index behind
// it.
func (j *jsOutline) key(i int) (name jsName, next int) {
	switch {
	case j.is(i, '#') && j.kind(i+1) == identifier:
		return jsName{path: []string{j.text(i + 1)}, at: i + 1}, i + 2
	case j.kind(i) == identifier || j.kind(i) == number:
		return jsName{path: []string{j.text(i)}, at: i}, i + 1
	case j.kind(i) == stringLiteral:
		return jsName{path: []string{strings.Trim(j.text(i), `"'`)}, at: i}, i + 1
	case j.is(i, '['):
		next := j.behindBracket(i, len(j.tokens))
		var text strings.Builder
		for k := i; k < min(next, i+20); k++ {
			text.WriteString(j.text(k))
		}
		return jsName{path: []string{text.String()}, at: i}, next
	}
	return jsName{}, i
}

// behindJSModifiers returns the index behind words such as static and async before
// the name of a member.
func (j *jsOutline) behindJSModifiers(i int) int {
	for {
		switch j.text(i) {
		case "static", "async", "get", "set", "readonly", "public", "private", "protected", "abstract", "override", "declare", "accessor":
			switch j.text(i + 1) {
			case "(", "=", ";", ":", "?", "<", "}", ",", "!":
				return i
			}
		case "*":
		default:
			return i
		}
		i++
	}
}

// property outlines the property of an object at an index and returns the index of
// the next one.
func (j *jsOutline) property(i, end int) int {
	next := j.find(i, end, ",") + 1
	name, after := j.key(j.behindJSModifiers(i))
	name.from = i
	if len(name.path) == 0 {
		return next
	}
	if j.is(after, ':') {
		j.value(name, after+1)
		return next
	}
	if f, ok := j.parseBody(jsFunction{open: -1, name: -1}, after); ok {
		j.declareFunction(name, f)
	}
	return next
}

// member outlines the member of a class at an index and returns the index of the
// next one.
func (j *jsOutline) member(i, end int) int {
	if j.is(i, ';') || j.is(i, ',') {
		return i + 1
	}
	from := i
	for j.is(i, '@') && i < end {
		i = j.behindDecorator(i)
	}
	if j.text(i) == "static" && j.is(i+1, '{') {
		to := j.behindBracket(i+1, end)
		j.declare(from, to, Decl{Kind: Statement, Name: j.top().prefix + "<static>", Owner: j.top().owner})
		return to
	}
	name, after := j.key(j.behindJSModifiers(i))
	if len(name.path) == 0 {
		return i + 1
	}
	name.from = from
	if j.is(after, '?') || j.is(after, '!') {
		after++
	}
	f, ok := j.parseBody(jsFunction{open: -1, name: -1}, after)
	switch {
	case ok:
		if name.path[0] == "constructor" {
			name.names = []string{j.top().owner}
		}
		j.declareFunction(name, f)
		return f.end
	case f.end > 0: // a signature
		return f.end
	}
	if j.is(after, ':') {
		after = j.typeEnd(after+1, false)
	}
	to := after
	if j.is(after, '=') {
		to = min(j.expressionEnd(after, false), end)
		j.value(name, after+1)
		if j.isDeclaration(after + 1) {
			return to
		}
	}
	d := j.declaration(Value, name)
	j.declare(from, to, d)
	return to
}

// statement outlines the statement at an index that runs when the file is loaded,
// and returns the index of the next one. Functions and classes are outlined when
// their keywords are reached.
func (j *jsOutline) statement(i int) int {
	top := j.top()
	top.wraps = false
	switch text := j.text(i); text {
	case ";":
		j.separate(i, i+1)
		return i + 1
	case "{":
		return j.behindBracket(i, top.end)
	case "if", "while", "for", "switch", "with", "catch":
		if j.text(i+1) == "await" {
			i++
		}
		if j.is(i+1, '(') {
			return j.behindBracket(i+1, top.end)
		}
	case "else", "do", "try", "finally":
		return i + 1
	case "export":
		return j.export(i)
	case "declare", "abstract":
		if j.kind(i+1) == identifier {
			return j.prefix(i)
		}
	case "import":
		if !j.is(i+1, '(') && !j.is(i+1, '.') {
			return j.importClause(i)
		}
	case "function", "async":
		if f, _ := j.parseFunction(i); f.end > i && (text == "function" || j.text(i+1) == "function") {
			return f.end
		}
	case "class":
		if open := j.find(i, min(i+maxArrow, top.end), "{;"); j.is(open, '{') {
			return j.behindBracket(open, top.end)
		}
	case "@":
		return j.decorator(i)
	case "interface", "enum", "type", "namespace", "module":
		if next, ok := j.typeStatement(i); ok {
			return next
		}
	case "var", "let", "const":
		if j.text(i+1) == "enum" {
			j.separate(i, i+1)
			return i + 1
		}
		if j.kind(i+1) == identifier || j.is(i+1, '{') || j.is(i+1, '[') {
			j.separate(i, i+1)
			return j.variables(i + 1)
		}
	}
	return j.expression(i)
}

// export outlines an export at an index.
func (j *jsOutline) export(i int) int {
	switch {
	case j.is(i+1, '{') || j.is(i+1, '*') || j.text(i+1) == "type" && j.is(i+2, '{'):
		to := j.withSemicolon(j.expressionEnd(i+1, false))
		j.declare(i, to, Decl{Kind: Import, Name: "export"})
		return to
	case j.text(i+1) == "default":
		j.separate(i, i+2)
		switch j.text(i + 2) {
		case "function", "class", "async", "abstract", "interface":
			f, ok := j.parseFunction(i + 2)
			if ok && f.name < 0 {
				j.value(jsName{path: []string{"default"}, from: i + 2, at: i + 1}, i+2)
				return f.end
			}
			return i + 2
		}
		j.value(jsName{path: []string{"default"}, from: i + 2, at: i + 1}, i+2)
		return j.withSemicolon(j.expressionEnd(i+2, false))
	case j.is(i+1, '='):
		return j.expressionEnd(i+1, false)
	}
	return j.prefix(i)
}

// prefix skips a word before a declaration that has no effect at run time.
func (j *jsOutline) prefix(i int) int {
	j.separate(i, i+1)
	if j.decorators.to == i {
		j.decorators.to++
	}
	return i + 1
}

// decorator notes a decorator of the declaration behind it.
func (j *jsOutline) decorator(i int) int {
	to := j.behindDecorator(i)
	if j.decorators.to != i {
		j.decorators.from = i
	}
	j.decorators.to = to
	return to
}

// behindDecorator returns the index behind a decorator.
func (j *jsOutline) behindDecorator(i int) int {
	for i += 2; j.is(i, '.'); i += 2 {
	}
	if j.is(i, '(') {
		i = j.behindBracket(i, len(j.tokens))
	}
	return i
}

// withSemicolon returns the index behind a semicolon at an index, or the index.
func (j *jsOutline) withSemicolon(i int) int {
	if j.is(i, ';') {
		return i + 1
	}
	return i
}

// importClause outlines an import at an index.
func (j *jsOutline) importClause(i int) int {
	to := min(j.expressionEnd(i, false), i+maxImport)
	d := Decl{Kind: Import}
	for k := i + 1; k < to; k++ {
		switch j.kind(k) {
		case identifier:
			if text := j.text(k); text != "as" && text != "from" && text != "type" && j.text(k+1) != "as" {
				d.Names = append(d.Names, text)
			}
		case stringLiteral:
			d.Name = "import " + strings.Trim(j.text(k), `"'`)
		}
	}
	if len(d.Names) > 0 {
		d.Short = d.Names[0]
	}
	to = j.withSemicolon(to)
	if d.Name == "" {
		d.Name = "import"
	}
	j.declare(i, to, d)
	return to
}

// typeStatement outlines a declaration of TypeScript at an index.
func (j *jsOutline) typeStatement(i int) (int, bool) {
	top := j.top()
	keyword := j.text(i)
	if j.kind(i+1) != identifier && (keyword != "module" || j.kind(i+1) != stringLiteral) {
		return i, false
	}
	name := jsName{path: []string{strings.Trim(j.text(i+1), `"'`)}, from: i, at: i + 1}
	if keyword == "type" {
		after := i + 2
		if j.is(after, '<') {
			after = j.behindAngles(after, top.end)
		}
		if !j.is(after, '=') {
			return i, false
		}
		to := j.expressionEnd(after, false)
		j.declare(i, j.withSemicolon(to), j.declaration(Type, name))
		j.markTypes(after, to)
		j.claimed[after+1] = true
		return j.withSemicolon(to), true
	}
	open := j.find(i, min(i+maxArrow, top.end), "{;=(")
	if !j.is(open, '{') {
		return i, false
	}
	to := j.behindBracket(open, top.end)
	if keyword == "namespace" || keyword == "module" {
		if j.depth >= maxFrames {
			return to, true
		}
		for k := i + 2; k < open; k++ {
			if j.kind(k) == identifier {
				name.path = append(name.path, j.text(k))
			}
		}
		j.bodies[open] = jsFrame{kind: jsBlock, module: true, named: true, prefix: top.prefix + strings.Join(name.path, ".") + "."}
		return to, true
	}
	j.declare(i, to, j.declaration(Type, name))
	j.markTypes(i, to)
	return to, true
}

// markTypes marks the brackets of a type.
func (j *jsOutline) markTypes(i, end int) {
	for i < end {
		if j.nesting(i) > 0 {
			j.bodies[i] = jsFrame{kind: jsType}
			i = j.behindBracket(i, end)
			continue
		}
		i++
	}
}

// variables outlines the variables that are declared at an index.
func (j *jsOutline) variables(i int) int {
	for {
		after := i
		if j.kind(i) == identifier && (j.is(i+1, ':') || j.is(i+1, '!')) {
			after = j.typeEnd(i+2, false)
		}
		to := j.expressionEnd(after, true)
		j.variable(i, to)
		if !j.is(to, ',') {
			if j.is(to, ';') {
				j.separate(to, to+1)
				to++
			}
			return to
		}
		j.separate(to, to+1)
		i = to + 1
	}
}

// variable outlines the variable in the tokens from i to before end. A function or
// a class is outlined when it is reached.
func (j *jsOutline) variable(i, end int) {
	if i >= end {
		return
	}
	equals := j.find(i, end, "=")
	name := jsName{path: []string{j.text(i)}, from: i, at: i}
	if j.kind(i) != identifier { // a pattern
		names := j.patternNames(i, min(equals, end))
		if len(names) == 0 {
			return
		}
		name.path, name.names = names[:1], names[1:]
	} else if equals < end && j.isDeclaration(equals+1) {
		return
	}
	d := j.declaration(Value, name)
	d.self = ""
	j.declare(i, end, d)
}

// isDeclaration reports whether the value at an index is a function or class that
// is outlined as such.
func (j *jsOutline) isDeclaration(i int) bool {
	if j.text(i) == "class" && j.kind(i) == identifier {
		return true
	}
	f, ok := j.parseFunction(i)
	return ok && !j.isCall(f.end)
}

// patternNames returns the names that a pattern in the tokens from i to before end
// binds.
func (j *jsOutline) patternNames(i, end int) []string {
	var out []string
	for ; i < end; i++ {
		if j.kind(i) == identifier && !j.is(i+1, ':') {
			out = append(out, j.text(i))
		}
	}
	return out
}

// expression outlines the expression statement at an index: an assignment is a
// value.
func (j *jsOutline) expression(i int) int {
	top := j.top()
	to := j.expressionEnd(i, false)
	switch j.text(i) {
	case "(", "!", "+", "-", "~", "void", "define", "new", "require":
		top.wraps = true
	}
	equals := i
	for j.kind(equals) == identifier && (j.is(equals+1, '.') || j.is(equals+1, '=')) {
		equals += 2
		if j.is(equals-1, '=') {
			equals--
			break
		}
	}
	if j.is(equals, '=') && equals > i && equals < to {
		name, ok := j.assigned(equals)
		if ok && !j.isDeclaration(equals+1) && !isGlobalObject(name.path[len(name.path)-1]) {
			d := j.declaration(Value, name)
			for next := equals + 1; j.kind(next) == identifier; { // a = b = value
				last := next
				for j.is(last+1, '.') && j.kind(last+2) == identifier {
					last += 2
				}
				if !j.is(last+1, '=') {
					break
				}
				d.Names = append(d.Names, j.text(last))
				next = last + 2
			}
			d.self = ""
			j.declare(i, to, d)
		}
	}
	if j.is(to, ';') {
		j.separate(to, to+1)
		to++
	}
	return to
}
