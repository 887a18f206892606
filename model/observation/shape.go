package observation

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	placeholder = "…"
	maxWords    = 24   // of a shape
	maxShaped   = 400  // bytes of a message that its shape depends on, without quoted parts
	maxScanned  = 2000 // bytes of a message that are searched for quoted parts
)

// A shape describes the message of a failure without the parts that vary with the input,
// such as quoted parts and numbers.
type shape []word

// A word is a word of a message, with the punctuation around it.
type word struct {
	text  string
	given bool // occurs in the input
}

// shapeOf returns the shape of the first line of a message about an input.
func shapeOf(message string, input []byte) shape {
	if whole := strings.TrimSpace(string(input)); isExcerpt(whole) {
		// The quoted input may contain the input itself, but not as a whole.
		for _, text := range []string{strconv.Quote(string(input)), strconv.Quote(whole), string(input), whole} {
			message = strings.ReplaceAll(message, text, placeholder)
		}
	}
	message = strings.TrimSpace(message[:min(len(message), maxScanned)])
	message, _, _ = strings.Cut(message, "\n")
	message = replaceQuoted(replaceExcerpt(message, input))
	var out shape
	for text := range strings.FieldsSeq(message[:min(len(message), maxShaped)]) {
		if len(out) == maxWords {
			break
		}
		out = append(out, wordOf(text, input))
	}
	return out.compact()
}

// replaceExcerpt replaces an excerpt of the input at the end of a message, after a colon,
// by a placeholder. White space may differ.
func replaceExcerpt(message string, input []byte) string {
	var squeezed []byte
	for i := range len(message) {
		rest, ok := strings.CutPrefix(message[i:], ": ")
		if !ok || !isExcerpt(rest) {
			continue
		}
		if squeezed == nil {
			squeezed = bytes.Join(bytes.Fields(input), nil)
		}
		if bytes.Contains(squeezed, []byte(strings.Join(strings.Fields(rest), ""))) {
			return message[:i+2] + placeholder
		}
	}
	return message
}

// isExcerpt reports whether a text that is in a message and in its input is an excerpt of
// the input: it is longer than a character, and does not consist only of words, which a
// message may contain anyway.
func isExcerpt(text string) bool {
	return len(text) > 1 && strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || r != ' ' && !unicode.IsLetter(r) })
}

// replaceQuoted replaces quoted parts of a message by placeholders.
func replaceQuoted(message string) string {
	var out strings.Builder
	before := ' '
	for len(message) > 0 {
		r, size := utf8.DecodeRuneInString(message)
		if end := quoted(message); end > 0 && !isWord(before) {
			out.WriteString(placeholder)
			r, size = ' ', end
		} else if unicode.IsControl(r) {
			out.WriteByte(' ')
		} else {
			out.WriteRune(r)
		}
		before, message = r, message[size:]
	}
	return out.String()
}

// quoted returns the length of the quoted part that a text begins with, or 0.
func quoted(text string) int {
	open, size := utf8.DecodeRuneInString(text)
	end := open
	switch open {
	case '"', '\'', '`':
	case '“':
		end = '”'
	case '‘':
		end = '’'
	case '«':
		end = '»'
	default:
		return 0
	}
	closed, escaped := 0, false
	for i, r := range text[size:] {
		at := size + i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			at = size + i + 1
		}
		switch {
		case escaped:
			escaped = false
		case r == '\\' && open != '`':
			escaped = true
		case r == end:
			after, _ := utf8.DecodeRuneInString(text[at:])
			if i == 0 && after == end { // a quoted quotation mark
				continue
			}
			if closed = at; !isWord(after) {
				return closed
			}
		}
	}
	return closed
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

var (
	wholeNumber = regexp.MustCompile(`^[-+]?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|[0-9a-fA-F]*\d[0-9a-fA-F]*)$`)
	hexadecimal = regexp.MustCompile(`0[xX][0-9a-fA-F]+|\b[0-9a-fA-F]*\d[0-9a-fA-F]*\b`)
	digits      = regexp.MustCompile(`\d+`)
)

// wordOf returns the word with a text. Numbers, and names of the input that are unlikely
// to be English words, are replaced.
func wordOf(text string, input []byte) word {
	start, end := core(text)
	name := text[start:end]
	switch {
	case wholeNumber.MatchString(name):
		return word{text: text[:start] + placeholder + text[end:]}
	case !contains(input, name):
		return word{text: digits.ReplaceAllString(hexadecimal.ReplaceAllString(text, placeholder), placeholder)}
	case peculiar(name):
		return word{text: text[:start] + placeholder + text[end:]}
	default:
		return word{text, true}
	}
}

// core returns where the punctuation before a text ends and where the punctuation after
// it begins. A text of punctuation alone is its own core, without brackets around it and
// without a comma, semicolon, colon or full stop at its end.
func core(text string) (start, end int) {
	start = strings.IndexFunc(text, isWord)
	if start < 0 {
		end = max(len(strings.TrimRight(text, ",;:.")), min(len(text), 1))
		if open := strings.IndexByte("([{<", text[0]); open >= 0 && end > 2 && text[end-1] == ")]}>"[open] {
			return 1, end - 1
		}
		return 0, end
	}
	end = strings.LastIndexFunc(text, isWord)
	_, size := utf8.DecodeRuneInString(text[end:])
	if start > 0 && (text[start-1] == '-' || text[start-1] == '+') {
		start--
	}
	return start, end + size
}

// peculiar reports whether a name is unlikely to be an English word: it has a digit, an
// inner capital or a character other than ASCII letters, or is a single letter.
func peculiar(name string) bool {
	if len(name) == 1 {
		return isWord(rune(name[0])) && name != "a" && name != "A"
	}
	letters := 0
	for i, r := range name {
		switch {
		case 'a' <= r && r <= 'z':
			letters++
		case 'A' <= r && r <= 'Z':
			if letters++; i > 0 && 'a' <= name[i-1] && name[i-1] <= 'z' {
				return true
			}
		}
	}
	return 0 < letters && letters < len(name)
}

// contains reports whether a name occurs in an input, not as a part of a longer name.
func contains(input []byte, name string) bool {
	if name == "" || name == placeholder {
		return false
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	for from := 0; ; {
		at := bytes.Index(input[from:], []byte(name))
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRune(input[:at])
		after, _ := utf8.DecodeRune(input[at+len(name):])
		if (!isWord(first) || !isWord(before)) && (!isWord(last) || !isWord(after)) {
			return true
		}
		_, size := utf8.DecodeRune(input[at:])
		from = at + size
	}
}

// cut returns the first words of a shape.
func (s shape) cut(words int) shape { return s[:min(len(s), words)] }

func (s shape) String() string {
	texts := make([]string, 0, len(s))
	for _, w := range s {
		texts = append(texts, w.text)
	}
	return strings.Join(texts, " ")
}

// folded returns the shape with placeholders for words of the input.
func (s shape) folded() shape {
	out := slices.Clone(s)
	for i, w := range out {
		if w.given {
			start, end := core(w.text)
			out[i] = word{text: w.text[:start] + placeholder + w.text[end:]}
		}
	}
	return out.compact()
}

// compact removes placeholders that follow another placeholder.
func (s shape) compact() shape {
	return slices.CompactFunc(s, func(a, b word) bool { return a.text == placeholder && b.text == placeholder })
}
