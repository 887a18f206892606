package source

// nesting returns 1 for an opening bracket, -1 for a closing one, and 0 otherwise.
func (o *outline) nesting(i int) int {
	if o.tokens[i].kind != operator {
		return 0
	}
	switch o.file.text[o.tokens[i].start] {
	case '(', '[', '{':
		return 1
	case ')', ']', '}':
		return -1
	}
	return 0
}

// is reports whether the token with an index is a bracket or another operator of
// one byte.
func (o *outline) is(i int, c byte) bool {
	if i < 0 || i >= len(o.tokens) {
		return false
	}
	t := o.tokens[i]
	return t.kind == operator && t.end == t.start+1 && o.file.text[t.start] == c
}

// matchBrackets computes the partner of each opening bracket: its closing one, or,
// if that is missing, the closing one of the brackets around it.
func (o *outline) matchBrackets() {
	o.partners = make([]int32, len(o.tokens))
	var open []int32
	for i := range o.tokens {
		switch o.nesting(i) {
		case 1:
			open = append(open, int32(i))
		case -1:
			open = o.closeBracket(open, i)
		}
	}
	for _, i := range open {
		o.partners[i] = int32(len(o.tokens))
	}
}

// closeBracket removes the partner of a closing bracket from the open ones, and
// the unclosed brackets inside it. A closing bracket without a partner is ignored,
// and only a brace closes what is inside braces.
func (o *outline) closeBracket(open []int32, i int) []int32 {
	want := opening(o.file.text[o.tokens[i].start])
	for n := len(open) - 1; n >= 0; n-- {
		c := o.file.text[o.tokens[open[n]].start]
		if c == want {
			for _, inside := range open[n:] {
				o.partners[inside] = int32(i)
			}
			return open[:n]
		}
		if c == '{' {
			break
		}
	}
	return open
}

// opening returns the opening bracket of a closing one.
func opening(c byte) byte {
	switch c {
	case ')':
		return '('
	case ']':
		return '['
	}
	return '{'
}

// behindBracket returns the index behind the closing bracket of the opening one
// with an index, at most end.
func (o *outline) behindBracket(i, end int) int {
	return min(max(int(o.partners[i]), i)+1, end)
}

// find returns the index of the first operator in a set of bytes from index i on
// that is in no brackets, or end.
func (o *outline) find(i, end int, set string) int {
	for i < end {
		if t := o.tokens[i]; t.kind == operator && t.end == t.start+1 {
			for _, c := range []byte(set) {
				if o.file.text[t.start] == c {
					return i
				}
			}
			if o.nesting(i) > 0 {
				i = o.behindBracket(i, end)
				continue
			}
		}
		i++
	}
	return end
}

// behindAngles returns the index behind the type parameters whose opening angle
// bracket has an index. It returns the index itself if they do not end before a
// brace or a semicolon.
func (o *outline) behindAngles(i, end int) int {
	depth := 0
	for j := i; j < end; {
		switch {
		case o.is(j, '<'):
			depth++
		case o.is(j, '>'):
			if depth--; depth == 0 {
				return j + 1
			}
		case o.is(j, '(') || o.is(j, '['):
			j = o.behindBracket(j, end)
			continue
		case o.is(j, '{') || o.is(j, '}') || o.is(j, ';') || o.is(j, ')'):
			return i
		}
		j++
	}
	return i
}
