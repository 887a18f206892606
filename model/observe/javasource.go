package observe

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// locate sets the source file of a unit, and the lines from its declaration to
// its closing brace. Class files contain only the lines with code.
func (s *javaSources) locate(u observation.Unit, file string) observation.Unit {
	u.File = file
	text, ok := s.parsed[file]
	if !ok {
		if data, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(file))); err == nil {
			text = parseJavaSource(string(data))
		}
		s.parsed[file] = text
	}
	if text == nil || u.Start == 0 || u.Kind == observation.KindSynthetic {
		return u
	}
	if b, ok := text.find(u); ok {
		u.Start, u.End = b.start, b.end
	}
	return u
}

// javaSource lists the blocks of a source file.
type javaSource struct{ blocks []javaBlock }

// A javaBlock is a pair of braces with its head: the text since the previous
// declaration or statement.
type javaBlock struct {
	head  string
	start int // first line of the head
	end   int // line of the closing brace
}

// parseJavaSource finds the blocks of a source file in Java, or in a language
// with the same comments, strings and braces.
func parseJavaSource(text string) *javaSource {
	t := &javaSource{}
	var (
		open  []int // indices of unclosed blocks; -1 for an array initializer
		head  strings.Builder
		start int  // first line of the head; 0 if the head is empty
		last  byte // last byte of the head, ignoring white space
		line  = 1
	)
	reset := func() {
		head.Reset()
		start, last = 0, 0
	}
	write := func(c byte) {
		head.WriteByte(c)
		last = c
	}
	for i := 0; i < len(text); {
		n := skipJava(text[i:])
		if n > 0 { // comment, literal or white space
			if start > 0 {
				head.WriteByte(' ')
			}
			line += strings.Count(text[i:i+n], "\n")
			i += n
			continue
		}
		switch c := text[i]; c {
		case '{':
			if strings.IndexByte("=(,{]", last) >= 0 {
				open = append(open, -1)
				write(c)
				break
			}
			if start == 0 {
				start = line
			}
			open = append(open, len(t.blocks))
			t.blocks = append(t.blocks, javaBlock{head: strings.TrimSpace(head.String()), start: start})
			reset()
		case '}':
			if n := len(open); n > 0 {
				block := open[n-1]
				if open = open[:n-1]; block < 0 {
					write(c)
					break
				}
				t.blocks[block].end = line
			}
			reset()
		case ';':
			reset()
		default:
			if start == 0 {
				start = line
			}
			write(c)
		}
		i++
	}
	t.blocks = slices.DeleteFunc(t.blocks, func(b javaBlock) bool { return b.end == 0 })
	return t
}

// skipJava returns the length of the white space, comment, string or character
// literal at the start of text, or 0.
func skipJava(text string) int {
	switch {
	case strings.HasPrefix(text, "//"):
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			return end
		}
		return len(text)
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text[2:], "*/"); end >= 0 {
			return end + 4
		}
		return len(text)
	case strings.HasPrefix(text, `"""`):
		for i := 3; i < len(text); i++ {
			if text[i] == '\\' {
				i++
			} else if strings.HasPrefix(text[i:], `"""`) {
				return i + 3
			}
		}
		return len(text)
	case text[0] == '"', text[0] == '\'':
		for i := 1; i < len(text) && text[i] != '\n'; i++ {
			switch text[i] {
			case '\\':
				i++
			case text[0]:
				return i + 1
			}
		}
		return 1
	case text[0] == ' ', text[0] == '\t', text[0] == '\r', text[0] == '\n', text[0] == '\f':
		return 1
	default:
		return 0
	}
}

var (
	javaStatic = regexp.MustCompile(`^static$`)
	javaCall   = regexp.MustCompile(`\b(?:new|return|throw|else|yield|case)\s+$`)
)

// find returns the block of a method: the innermost one around its first line
// of code whose head declares the method. A constructor's code starts with the
// field initializers of its class, so its last line is used instead.
func (t *javaSource) find(u observation.Unit) (javaBlock, bool) {
	name, _, _ := strings.Cut(u.Name, "(")
	class, method := "", name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		class, method = name[:i], name[i+1:]
	}
	declares, line := javaStatic, u.End
	if method != "<clinit>" {
		if method == "<init>" {
			method = class[strings.LastIndexByte(class, '.')+1:]
		} else {
			line = u.Start
		}
		var err error
		if declares, err = regexp.Compile(`(?:^|[\w\]>)?]\s+|[\]>)]\s*)` + regexp.QuoteMeta(method) + `\s*\(`); err != nil {
			return javaBlock{}, false
		}
	}
	best, ok := javaBlock{}, false
	for _, b := range t.blocks { // outer before inner
		if b.start <= line && line <= b.end && b.declares(declares, method) {
			best, ok = b, true
		}
	}
	if !ok && u.Kind != observation.KindMethod { // implicit: the line of the class, or of the first field
		return javaBlock{start: u.Start, end: u.Start}, true
	}
	return best, ok
}

// declares reports whether the head declares the method. In a call, a keyword
// such as new precedes the name, or the parentheses are unbalanced.
func (b *javaBlock) declares(pattern *regexp.Regexp, method string) bool {
	at := pattern.FindStringIndex(b.head)
	if at == nil || strings.Count(b.head, "(") != strings.Count(b.head, ")") || strings.Contains(b.head, "->") {
		return false
	}
	name := strings.Index(b.head[at[0]:], method)
	return name < 0 || !javaCall.MatchString(b.head[:at[0]+name])
}
