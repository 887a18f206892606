package source

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// A cOutline outlines the tokens of a C or C++ file.
type cOutline struct {
	*outline
	overloads bool // names of functions include the types of their parameters
}

func outlineC(o *outline) {
	lexC(o)
	o.matchBracketsC()
	c := cOutline{o, path.Ext(o.file.Name) != ".c"}
	c.directives()
	c.members(0, len(o.tokens), scope{})
}

// directives outlines the macros of the file, and records the included files.
func (c cOutline) directives() {
	for i := 0; i < len(c.tokens); i++ {
		if !c.is(i, '#') {
			continue
		}
		end := c.behindDirective(i)
		switch c.text(i + 1) {
		case "define":
			if name := c.text(i + 2); c.kind(i+2) == identifier {
				c.declare(i, end, Decl{Kind: Value, Name: name, Short: name, name: c.offset(i + 2)})
			}
		case "include", "include_next", "import":
			if i+2 < end-1 {
				c.file.Imports = append(c.file.Imports, c.included(i))
			}
		}
		i = end - 1
	}
}

// included returns the file that the include directive at an index names.
func (c cOutline) included(i int) string { return strings.Trim(c.text(i+2), `"<>`) }

// include outlines the directive at an index if it is an include. An include inside a
// declaration is part of the declaration, because it may be part of a table or a body.
func (c cOutline) include(i int) {
	switch c.text(i + 1) {
	case "include", "include_next", "import":
		if end := c.behindDirective(i); i+2 < end-1 {
			c.declare(i, end, Decl{Kind: Import, Name: "include " + c.included(i)})
		}
	}
}

// members outlines the declarations of a file, a namespace or a class.
func (c cOutline) members(i, end int, in scope) {
	for i < end {
		switch {
		case c.is(i, '#'):
			if in.owner == "" {
				c.include(i)
			}
			i = c.behindDirective(i)
		case c.is(i, '{'): // second body of a function, in another branch of a condition
			to := c.behindBracket(i, end)
			c.extendLast(i, to)
			i = to
		case c.nesting(i) != 0 || c.is(i, ';') || c.is(i, ','):
			i++
		default:
			i = max(c.declaration(i, end, in), i+1)
		}
	}
}

// extendLast extends the last function to index to, if a directive follows it and ends
// before index i.
func (c cOutline) extendLast(i, to int) {
	n := len(c.spans)
	if n == 0 || c.spans[n-1].decl == separator || c.decls[c.spans[n-1].decl].Kind != Function || c.kind(i-1) != terminator {
		return
	}
	if last := c.spans[n-1].to; c.is(last, '#') {
		c.spans[n-1].to = to
	}
}

// A cHead is the part of a declaration before its body, initializer or semicolon.
type cHead struct {
	stop    int   // index of '{', '=', ';', ':' or '}' behind it
	groups  []int // opening parentheses behind a name
	keyword int   // index of the operator keyword, or 0
}

// head finds the end of the head of a declaration.
func (c cOutline) head(i, end int) cHead {
	var h cHead
	for i < end {
		switch {
		case c.is(i, '#'):
			i = c.behindDirective(i)
			continue
		case c.is(i, '<') && c.kind(i-1) == identifier:
			i = c.behindAngles(i, end)
			continue
		case c.is(i, '['):
			i = c.behindBracket(i, end)
			continue
		case c.is(i, '('):
			if !c.isAttribute(i - 1) {
				h.groups = append(h.groups, i)
			}
			i = c.behindBracket(i, end)
			continue
		case c.is(i, ';') || c.is(i, '{') || c.is(i, '}') || c.is(i, '=') || c.is(i, ':') || c.is(i, ')') || c.is(i, ']'):
			h.stop = i
			return h
		case c.kind(i) == identifier && c.text(i) == "operator":
			h.keyword = i
			if i++; c.is(i, '(') {
				i++ // operator()
			}
			for i < end && !c.is(i, '(') && !c.is(i, ';') && !c.is(i, '{') {
				i++
			}
			continue
		}
		i++
	}
	h.stop = end
	return h
}

// isAttribute reports whether identifier i takes parentheses, but is no function.
func (c cOutline) isAttribute(i int) bool {
	switch c.text(i) {
	case "__attribute__", "__attribute", "__declspec", "alignas", "_Alignas", "decltype", "typeof", "__typeof__", "noexcept",
		"throw", "requires", "explicit", "asm", "__asm__", "__asm", "__pragma", "_Pragma":
		return true
	}
	return false
}

// declaration outlines the declaration at an index and returns the index behind
// it.
func (c cOutline) declaration(from, end int, in scope) int {
	if next := c.behindMacro(from, end); next > from {
		return next
	}
	i := c.behindTemplate(from, end)
	if next, ok := c.special(from, i, end, in); ok {
		return next
	}
	if body, name, ok := c.classHead(i, end); ok {
		return c.class(from, i, body, name, end, in)
	}
	h := c.head(i, end)
	if c.is(h.stop, ':') {
		switch {
		case len(h.groups) > 0 || h.keyword > 0: // initializers of a constructor
			h.stop = c.behindInitializers(h.stop+1, end)
		case h.stop == i+1 && !c.is(h.stop+1, ':') || in.owner != "" && h.stop == i+2 && c.kind(i+1) == identifier && c.isAccess(i): // public:
			return h.stop + 1
		default: // width of a field
			h.stop = c.find(h.stop, end, ";}")
		}
	}
	isFunction := len(h.groups) > 0
	switch {
	case c.is(h.stop, '{') && isFunction:
		return c.function(from, i, h, end, in)
	case c.is(h.stop, ';') && isFunction && c.isOldStyle(h):
		if body := c.oldStyleBody(h.stop, end); body < end {
			h.stop = body
			return c.function(from, i, h, end, in)
		}
	case c.is(h.stop, '}') || c.is(h.stop, ')') || c.is(h.stop, ']'):
		return h.stop
	}
	return c.simple(from, i, h, end, in)
}

// behindMacro returns the index behind a macro that stands alone: it has no semicolon,
// and an empty line, a directive or a declaration on its own line follows. It returns
// i if there is no such macro.
func (c cOutline) behindMacro(i, end int) int {
	next := i + 1
	capital := isCapital(c.text(i))
	arguments := c.is(next, '(')
	if arguments {
		next = c.behindBracket(next, end)
	} else if !capital {
		return i
	}
	if c.kind(i) != identifier || next >= end || c.is(next, ';') || c.is(next, '{') {
		return i
	}
	if c.is(next, '#') || blankLine(c.file.text[c.tokens[next-1].end:c.tokens[next].start]) {
		return next
	}
	newLine := c.tokens[next].line > c.tokens[next-1].last && c.kind(next) == identifier
	if newLine && arguments && capital && (isCapital(c.text(next)) || c.kind(next+1) == identifier) {
		return next
	}
	return i
}

// isCapital reports whether a name has no small letters, as names of macros do.
func isCapital(name string) bool { return len(name) > 1 && strings.ToUpper(name) == name }

// blankLine reports whether a text contains an empty line.
func blankLine(text string) bool {
	_, rest, _ := strings.Cut(text, "\n")
	for line := range strings.Lines(rest) {
		if strings.HasSuffix(line, "\n") && strings.TrimSpace(line) == "" {
			return true
		}
	}
	return false
}

// isAccess reports whether an identifier controls access to members.
func (c cOutline) isAccess(i int) bool {
	switch c.text(i) {
	case "public", "protected", "private":
		return true
	}
	return false
}

// behindTemplate returns the index behind template parameters.
func (c cOutline) behindTemplate(i, end int) int {
	for c.text(i) == "template" || c.text(i) == "export" {
		if i++; c.is(i, '<') {
			i = c.behindAngles(i, end)
		}
	}
	return min(i, end)
}

// special outlines namespaces, linkage blocks and using declarations.
func (c cOutline) special(from, i, end int, in scope) (int, bool) {
	if c.text(i) == "inline" && c.text(i+1) == "namespace" {
		i++
	}
	switch c.text(i) {
	case "namespace":
		open := c.find(i, end, "{;=")
		if !c.is(open, '{') {
			return c.find(i, end, ";") + 1, true
		}
		var name strings.Builder
		for k := i + 1; k < open; k++ {
			if c.kind(k) == identifier && c.text(k) != "inline" && !c.is(k+1, '(') {
				name.WriteString(c.text(k) + "::")
			}
		}
		return c.block(open, end, scope{prefix: in.prefix + name.String(), depth: in.depth + 1}), true
	case "extern":
		if c.kind(i+1) == stringLiteral && c.is(i+2, '{') {
			in.depth++
			return c.block(i+2, end, in), true
		}
	case "using":
		to := min(c.find(i, end, ";}")+1, end)
		if name := c.text(i + 1); c.is(i+2, '=') {
			c.declare(from, to, Decl{Kind: Type, Name: in.prefix + name, Short: name, Owner: in.owner, name: c.offset(i + 1)})
		} else {
			c.declare(from, to, Decl{Kind: Import, Name: "using " + in.prefix + c.text(to-2)})
		}
		return to, true
	case "friend", "static_assert", "_Static_assert", "asm", "__asm__", "__extension__":
		if c.text(i) == "__extension__" {
			return i + 1, true
		}
		h := c.head(i, end)
		if c.is(h.stop, '{') && len(h.groups) > 0 {
			return 0, false
		}
		return min(c.find(i, end, ";}")+1, end), true
	}
	return 0, false
}

// block outlines the declarations in braces, and returns the index behind them.
func (c cOutline) block(open, end int, in scope) int {
	to := c.behindBracket(open, end)
	if in.depth <= maxNesting {
		c.members(open+1, c.beforeClose(open, to), in)
	}
	return to
}

// classHead finds the head of a type definition at index i. It returns the indexes of
// its body and of its name; an anonymous type has the index of its body as name.
func (c cOutline) classHead(i, end int) (body, name int, ok bool) {
	for i < end && c.isSpecifier(i) {
		i++
	}
	switch c.text(i) {
	case "class", "struct", "union", "enum":
	default:
		return 0, 0, false
	}
	name = -1
	named := false // there is another name before it
	for i++; i < end; {
		switch {
		case c.is(i, '#'):
			i = c.behindDirective(i)
		case c.is(i, '['):
			i = c.behindBracket(i, end)
		case c.is(i, '(') && c.kind(i-1) == identifier: // an attribute or a macro
			if name == i-1 {
				name = -1
			}
			if i = c.behindBracket(i, end); c.kind(i) != identifier && !c.isAttribute(i) && !c.is(i, '{') || named && c.is(i, '{') {
				return 0, 0, false
			}
		case c.is(i, '<') && name >= 0:
			i = c.behindAngles(i, end)
		case c.kind(i) == identifier:
			if text := c.text(i); text != "final" && text != "class" && text != "struct" && !c.isAttribute(i) {
				named = name >= 0
				name = i
			}
			i++
		case c.text(i) == "::":
			i++
		case c.is(i, ':'): // base classes
			body = i
			for i++; i < end && !c.is(i, '{') && !c.is(i, ';'); i++ {
				if c.is(i, '(') {
					i = c.behindBracket(i, end) - 1
				}
			}
			if !c.is(i, '{') || name < 0 && c.text(body-1) != "enum" {
				return 0, 0, false
			}
		case c.is(i, '{'):
			if name < 0 {
				name = i
			}
			return i, name, true
		default:
			return 0, 0, false
		}
	}
	return 0, 0, false
}

// isSpecifier reports whether an identifier may stand before the keyword of a type.
func (c cOutline) isSpecifier(i int) bool {
	switch c.text(i) {
	case "typedef", "static", "const", "extern", "volatile", "inline", "constexpr", "constinit", "thread_local", "mutable", "register",
		"__extension__", "_Thread_local":
		return true
	}
	return false
}

// class outlines a type definition whose head ends at body.
func (c cOutline) class(from, i, body, name, end int, in scope) int {
	closed := c.behindBracket(body, end)
	d := Decl{Kind: Type, Owner: in.owner}
	if c.kind(name) == identifier {
		d.Names = append(d.Names, c.text(name))
		d.name = c.offset(name)
	}
	to := c.find(closed, end, ";}{=")
	if c.is(to, '{') { // a missing semicolon
		to = closed
	} else if c.is(to, '=') {
		to = c.find(to, end, ";}")
	}
	declared := c.declarators(closed, to)
	if initial := c.find(closed, to, "="); initial < to {
		d.Kind = Value
		d.Names = append(declared, d.Names...)
	} else {
		d.Names = append(d.Names, declared...)
	}
	if c.is(to, ';') {
		to++
	}
	isEnum := slices.ContainsFunc([]int{i, i + 1, i + 2}, func(k int) bool { return k < body && c.text(k) == "enum" })
	if len(d.Names) > 0 {
		d.Short = d.Names[0]
		d.Name = in.prefix + d.Short
		if d.name == 0 {
			d.name = c.offsetOf(closed, to, d.Short)
		}
	} else if in.owner == "" || isEnum {
		d.Name = in.prefix + "<anonymous>"
	}
	if d.Name != "" { // otherwise it is a part of the type around it
		c.declare(from, to, d)
	}
	switch {
	case isEnum:
		inside := in
		if c.text(body-1) != "enum" && d.Kind == Type && (c.text(i+1) == "class" || c.text(i+1) == "struct") {
			inside = in.inside(d.Short, "::")
		}
		c.constants(body+1, c.beforeClose(body, closed), inside)
	case d.Short != "":
		c.block(body, closed, in.inside(d.Short, "::"))
	}
	return to
}

// offsetOf returns the offset of the first token with a text.
func (o *outline) offsetOf(i, end int, text string) int32 {
	for ; i < end; i++ {
		if o.text(i) == text {
			return o.tokens[i].start
		}
	}
	return 0
}

// declarators returns the names that are declared in the tokens from i to before
// end, behind their type.
func (c cOutline) declarators(i, end int) []string {
	var out []string
	for i < end {
		next := c.find(i, end, ",")
		if name := c.declarator(i, next); name >= 0 {
			out = append(out, c.text(name))
		}
		i = next + 1
	}
	return out
}

// declarator returns the index of the name that is declared in the tokens from i
// to before end, or -1.
func (c cOutline) declarator(i, end int) int {
	name := -1
	for i < end {
		switch {
		case c.is(i, '=') || c.is(i, ':') || c.is(i, '{'):
			return name
		case c.is(i, '<') && c.kind(i-1) == identifier:
			i = c.behindAngles(i, end)
			continue
		case c.is(i, '#'):
			i = c.behindDirective(i)
			continue
		case c.is(i, '['):
			i = c.behindBracket(i, end)
			continue
		case c.is(i, '('):
			if inside := c.pointerName(i); inside >= 0 {
				return inside
			}
			if !c.isAttribute(i-1) && name == i-1 {
				return name
			}
			i = c.behindBracket(i, end)
			continue
		case c.kind(i) == identifier && !c.isAttribute(i):
			name = i
		}
		i++
	}
	return name
}

// pointerName returns the index of the name in a parenthesis such as (*name) or
// (*name[2]), or -1.
func (c cOutline) pointerName(open int) int {
	i, end := open+1, int(c.partners[open])
	if !c.is(i, '*') && !c.is(i, '^') && !c.is(i, '&') && c.text(i+1) != "::" && (c.kind(i) != identifier || !c.is(i+1, '*')) {
		return -1
	}
	for ; i < end; i++ {
		if c.kind(i) == identifier && (c.is(i+1, ')') || c.is(i+1, '[') || c.is(i+1, '(')) {
			return i
		}
	}
	return -1
}

// constants outlines the constants of an enum.
func (c cOutline) constants(i, end int, in scope) {
	base, offset := "", 0
	for i < end {
		if c.is(i, '#') {
			i = c.behindDirective(i)
			continue
		}
		next := c.find(i, end, ",")
		if c.kind(i) == identifier {
			d := Decl{Kind: Value, Name: in.prefix + c.text(i), Short: c.text(i), Owner: in.owner, name: c.offset(i)}
			if initial := c.find(i, next, "="); initial < next {
				base, offset = c.text(i), 0
			} else {
				d.context = base + " " + strconv.Itoa(offset) // the value follows from the constants before it
			}
			offset++
			c.declare(i, next, d)
		}
		if next < end {
			c.separate(next, next+1)
		}
		i = next + 1
	}
}

// behindInitializers returns the index of the body of a constructor behind the
// initializers at an index.
func (c cOutline) behindInitializers(i, end int) int {
	for i < end {
		switch {
		case c.is(i, '#'):
			i = c.behindDirective(i)
		case c.is(i, '(') || c.is(i, '['):
			i = c.behindBracket(i, end)
		case c.is(i, '<'):
			i = c.behindAngles(i, end)
		case c.is(i, '{'):
			if c.kind(i-1) != identifier && !c.is(i-1, '>') || c.text(i-1) == "try" {
				return i
			}
			i = c.behindBracket(i, end)
		case c.is(i, ';') || c.is(i, '}'):
			return i
		default:
			i++
		}
	}
	return end
}

// isOldStyle reports whether the parameters of a function are plain names whose
// types follow.
func (c cOutline) isOldStyle(h cHead) bool {
	open := h.groups[len(h.groups)-1]
	closed := int(c.partners[open])
	if closed+1 >= h.stop || c.kind(closed+1) != identifier || closed == open+1 || c.kind(open-1) != identifier {
		return false
	}
	for i := open + 1; i < closed; i++ {
		if c.kind(i) != identifier && !c.is(i, ',') || c.kind(i) == identifier && c.kind(i+1) == identifier {
			return false
		}
	}
	return true
}

// oldStyleBody returns the index of the body behind the types of parameters, whose
// first declaration ends at a semicolon with index i; end if there is none.
func (c cOutline) oldStyleBody(i, end int) int {
	for i++; i < end; i++ {
		switch {
		case c.is(i, '{'):
			if c.is(i-1, ';') {
				return i
			}
			return end
		case c.is(i, '#'):
			i = c.behindDirective(i) - 1
		case c.is(i, '}') || c.is(i, '=') || c.is(i, '(') && c.kind(i-1) == identifier && !c.is(i+1, '*'):
			return end
		case c.is(i, '(') || c.is(i, '['):
			i = c.behindBracket(i, end) - 1
		}
	}
	return end
}

// function outlines a function whose body begins at the end of its head.
func (c cOutline) function(from, i int, h cHead, end int, in scope) int {
	to := c.behindBracket(h.stop, end)
	for c.text(to) == "catch" { // of a function body that is a try block
		body := c.find(to, end, "{;}")
		if !c.is(body, '{') {
			break
		}
		to = c.behindBracket(body, end)
	}
	d := c.signature(i, h, in)
	d.Kind = Function
	c.declare(from, to, d)
	return to
}

// signature returns the names of a function.
func (c cOutline) signature(i int, h cHead, in scope) Decl {
	open := c.parameters(i, h)
	name := open - 1
	if inside := c.functionName(open); inside > 0 {
		name, open = inside, inside+1
		if !c.is(open, '(') {
			open = int(c.partners[inside-1]) + 1
		}
	}
	d := Decl{Owner: in.owner}
	first := name
	if h.keyword > 0 && h.keyword < open {
		first = h.keyword
		for k := first; k < open; k++ {
			if k > first && c.kind(k) == identifier {
				d.Short += " "
			}
			d.Short += c.text(k)
		}
	} else {
		d.Short = c.text(name)
	}
	if c.is(first-1, '~') {
		first--
		d.Short = "~" + d.Short
	}
	d.name = c.offset(name)
	qualifier, owner := c.qualifier(first)
	if owner != "" {
		d.Owner = owner
	}
	d.Name = in.prefix + qualifier + d.Short
	if c.isMacro(name, i, in) {
		d.Name, d.Names = c.macroName(name, open)
		d.Names = append(d.Names, d.Short)
		d.Short = d.Names[0]
		d.Name = in.prefix + d.Name
		return d
	}
	if c.overloads {
		d.Name += "(" + c.parameterTypes(open+1, int(c.partners[open])) + ")"
	}
	return d
}

// parameters returns the index of the parenthesis that opens the parameters of a
// function. A first parenthesis without a type before it belongs to a macro if another
// name with a parenthesis follows.
func (c cOutline) parameters(i int, h cHead) int {
	if h.keyword > 0 {
		for _, open := range h.groups {
			if open > h.keyword+1 {
				return open
			}
		}
	}
	first := h.groups[0]
	if len(h.groups) == 1 {
		return first
	}
	for k := i; k < first-1; k++ {
		if !c.isSpecifier(k) && c.text(k) != "virtual" && c.kind(k) != stringLiteral {
			return first
		}
	}
	closed := int(c.partners[first])
	second := h.groups[1]
	if c.kind(closed+1) == identifier && c.kind(second-1) == identifier && second < h.stop && !c.isSuffix(closed+1) {
		return second
	}
	if (c.is(closed+1, '*') || c.is(closed+1, '&')) && c.kind(second-1) == identifier {
		return second
	}
	return first
}

// isSuffix reports whether an identifier may follow the parameters of a function.
func (c cOutline) isSuffix(i int) bool {
	switch c.text(i) {
	case "const", "noexcept", "override", "final", "volatile", "try":
		return true
	}
	return c.isAttribute(i)
}

// functionName returns the index of a function's name inside a parenthesis: the function
// returns a pointer to a function, or its name is in parentheses. It returns 0 if the
// parenthesis opens parameters.
func (c cOutline) functionName(open int) int {
	closed := int(c.partners[open])
	if !c.is(closed+1, '(') {
		return 0
	}
	if c.is(open+1, '*') {
		if name := c.pointerName(open); name > 0 {
			return name
		}
	}
	if closed == open+2 && c.kind(open+1) == identifier {
		return open + 1
	}
	return 0
}

// qualifier returns the qualifier before name i, with a separator at the end, and the
// last part of the qualifier.
func (c cOutline) qualifier(i int) (qualifier, owner string) {
	for last := i - maxArguments; i > last && c.text(i-1) == "::"; {
		i -= 2
		if c.is(i, '>') {
			i = c.beforeAngles(i, last)
		}
		if c.kind(i) != identifier {
			break
		}
		if owner == "" {
			owner = c.text(i)
		}
		qualifier = c.text(i) + "::" + qualifier
	}
	return qualifier, owner
}

// maxArguments limits the tokens of a name with template arguments.
const maxArguments = 200

// beforeAngles returns the index before the template arguments that angle bracket i
// closes. It looks back no further than last.
func (c cOutline) beforeAngles(i, last int) int {
	depth := 0
	for ; i > max(last, 0); i-- {
		if c.is(i, '>') {
			depth++
		} else if c.is(i, '<') {
			depth--
		}
		if depth == 0 {
			break
		}
	}
	return i - 1
}

// isMacro reports whether a macro defines the function with the given name: the name is
// in capital letters and has no type before it.
func (c cOutline) isMacro(name, i int, in scope) bool {
	text := c.text(name)
	return name == i && text != in.owner && isCapital(text) && !c.is(name+2, ')')
}

// macroName returns the name of a function that a macro defines, and the
// identifiers among the arguments of the macro.
func (c cOutline) macroName(name, open int) (string, []string) {
	var out strings.Builder
	var names []string
	out.WriteString(c.text(name))
	for k := open; k <= int(c.partners[open]) && k < len(c.tokens); k++ {
		out.WriteString(c.text(k))
		if c.kind(k) == identifier {
			names = append(names, c.text(k))
		}
	}
	if len(names) == 0 {
		names = []string{c.text(name)}
	}
	return out.String(), names
}

// parameterTypes returns the types of parameters.
func (c cOutline) parameterTypes(i, end int) string {
	var out strings.Builder
	end = min(end, len(c.tokens))
	for i < end {
		next := i
		for next < end && !c.is(next, ',') {
			switch {
			case c.is(next, '<'):
				next = c.behindAngles(next, end)
			case c.nesting(next) > 0:
				next = c.behindBracket(next, end)
			default:
				next++
			}
		}
		if out.Len() > 0 {
			out.WriteByte(',')
		}
		c.parameterType(&out, i, c.find(i, next, "="))
		i = next + 1
	}
	if out.String() == "void" {
		return ""
	}
	return out.String()
}

// parameterType writes the type of the parameter in the tokens from i to before
// end.
func (c cOutline) parameterType(out *strings.Builder, i, end int) {
	name := end - 1
	for name > i && c.is(name, ']') {
		for name--; name > i && !c.is(name, '['); name-- {
		}
		name--
	}
	if name <= i || c.kind(name) != identifier || c.text(name-1) == "::" || c.isBuiltin(name) || c.isTypeWord(name-1) {
		name = -1
	}
	wordBefore := false
	for k := i; k < end; k++ {
		if k == name {
			continue
		}
		isWord := c.kind(k) == identifier
		if isWord && wordBefore {
			out.WriteByte(' ')
		}
		out.WriteString(c.text(k))
		wordBefore = isWord
	}
}

// isBuiltin reports whether an identifier is a type of the language.
func (c cOutline) isBuiltin(i int) bool {
	switch c.text(i) {
	case "int", "char", "long", "short", "double", "float", "bool", "unsigned", "signed", "void", "const", "auto":
		return true
	}
	return false
}

// isTypeWord reports whether an identifier is a keyword before the name of a type.
func (c cOutline) isTypeWord(i int) bool {
	switch c.text(i) {
	case "struct", "class", "enum", "union", "typename", "const", "volatile":
		return true
	}
	return false
}

// simple outlines a declaration without a body: a variable, a prototype or a type.
// The fields of classes are part of their type.
func (c cOutline) simple(from, i int, h cHead, end int, in scope) int {
	to := c.find(h.stop, end, ";}")
	if c.is(h.stop, '{') { // initializer of a variable, or the body of a macro
		if closed := c.behindBracket(h.stop, end); !c.is(closed, ';') && !c.is(closed, ',') {
			to = closed
		}
	}
	if c.is(to, ';') {
		to++
	}
	to = max(to, i+1)
	typedef := c.text(i) == "typedef"
	pure := c.is(h.stop, '=') && c.is(h.stop+2, ';') && slices.Contains([]string{"default", "delete", "0"}, c.text(h.stop+1))
	isFunction := len(h.groups) > 0 && (c.is(h.stop, ';') || pure) && c.pointerName(h.groups[0]) < 0 && !typedef
	d := Decl{Kind: Value, Owner: in.owner}
	switch {
	case isFunction || h.keyword > 0:
		if len(h.groups) == 0 || h.groups[0]-1 == i && in.owner == "" { // a macro
			return to
		}
		d = c.signature(i, h, in)
		d.Kind = Value
		d.Name += ";"
	case c.isForward(i, to):
		d.Kind = Type
		d.Short = c.text(to - 2)
		d.Name = in.prefix + d.Short + ";"
		d.name = c.offset(to - 2)
	case typedef:
		d.Kind = Type
		d.Names = c.declarators(i+1, to)
	case in.owner != "":
		return to
	case h.stop-i < 2: // a macro
		return to
	default:
		d.Names = c.declarators(i, to)
	}
	if len(d.Names) > 0 && d.Name == "" {
		d.Short = d.Names[0]
		d.Name = in.prefix + d.Short
		d.name = c.offsetOf(i, to, d.Short)
		if c.text(i) == "extern" && !c.is(h.stop, '=') {
			d.Name += ";"
		}
	}
	if d.Name != "" {
		c.declare(from, to, d)
	}
	return to
}

// isForward reports whether a declaration that ends before an index declares
// nothing but the name of a type.
func (c cOutline) isForward(i, to int) bool {
	switch c.text(i) {
	case "class", "struct", "union", "enum":
		return c.is(to-1, ';') && c.find(i, to, ",=*&(") == to && c.kind(to-2) == identifier && to-i <= 4
	}
	return false
}
