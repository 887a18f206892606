package main

import (
	"crypto/sha256"
	"slices"
	"strings"

	"github.com/inroad/inroad/model/observation"
)

// A function is a method of a commit with a digest of its own code: without
// comments, spacing and the methods inside it.
type function struct {
	id, file, name string
	digest         [32]byte
}

// functionsOf returns the methods whose lines are known. read returns the text of
// a file of the commit, and false if there is none.
func functionsOf(units []observation.Unit, read func(file string) (string, bool)) []function {
	files := map[string][]observation.Unit{}
	for _, u := range units {
		if u.Start > 0 && u.End >= u.Start && u.Kind != observation.KindBlock && u.Kind != observation.KindLine {
			files[u.File] = append(files[u.File], u)
		}
	}
	var out []function
	for file, inFile := range files {
		text, ok := read(file)
		if !ok {
			continue
		}
		lines := strings.Split(plainCode(text, strings.HasSuffix(file, ".py")), "\n")
		owners := ownersOf(inFile, len(lines))
		for i, u := range inFile {
			hash := sha256.New()
			for n := u.Start; n <= min(u.End, len(lines)); n++ {
				if line := strings.TrimRight(lines[n-1], " \t\r"); owners[n-1] == i && line != "" {
					hash.Write([]byte(line + "\n"))
				}
			}
			out = append(out, function{u.ID, u.File, u.Name, [32]byte(hash.Sum(nil))})
		}
	}
	slices.SortFunc(out, func(a, b function) int { return strings.Compare(a.id, b.id) })
	return out
}

// ownersOf returns for each line the index of the innermost method around it.
func ownersOf(units []observation.Unit, lines int) []int {
	outermost := make([]int, len(units))
	for i := range units {
		outermost[i] = i
	}
	slices.SortStableFunc(outermost, func(a, b int) int {
		return (units[b].End - units[b].Start) - (units[a].End - units[a].Start)
	})
	out := make([]int, lines)
	for _, i := range outermost {
		for n := units[i].Start; n <= min(units[i].End, lines); n++ {
			out[n-1] = i
		}
	}
	return out
}

// changedFunctions returns the IDs of the methods before and after a commit that
// the commit changed, removed or added. A method that only moved is unchanged.
func changedFunctions(before, after []function) (removed, added map[string]bool) {
	type place struct {
		file, name string
		digest     [32]byte
	}
	in := func(f function) place { return place{f.file, f.name, f.digest} }
	anywhere := func(f function) place { return place{"", f.name, f.digest} }
	match := func(key func(function) place) {
		count := map[place]int{}
		for _, f := range after {
			count[key(f)]++
		}
		kept := map[place]int{}
		before = slices.DeleteFunc(slices.Clone(before), func(f function) bool {
			if count[key(f)] == 0 {
				return false
			}
			count[key(f)]--
			kept[key(f)]++
			return true
		})
		after = slices.DeleteFunc(slices.Clone(after), func(f function) bool {
			if kept[key(f)] == 0 {
				return false
			}
			kept[key(f)]--
			return true
		})
	}
	match(in)
	match(anywhere)
	return idsOf(before), idsOf(after)
}

func idsOf(functions []function) map[string]bool {
	out := map[string]bool{}
	for _, f := range functions {
		out[f.id] = true
	}
	return out
}

// plainCode blanks comments and docstrings, reduces spacing, and keeps the lines.
// Python's indentation stays.
func plainCode(text string, python bool) string {
	var out strings.Builder
	last := byte(':') // of the code before the token
	for at := 0; at < len(text); {
		n := tokenLength(text[at:], python)
		token := text[at : at+n]
		line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
		docstring := python && last == ':' && strings.TrimSpace(line) == "" && (token[0] == '"' || token[0] == '\'')
		if code := strings.TrimSpace(token); code != "" && !isComment(token, python) {
			last = code[len(code)-1]
		}
		switch {
		case isComment(token, python) || docstring:
			out.WriteString(strings.Repeat("\n", strings.Count(token, "\n")))
		case strings.TrimSpace(token) != "" || token == "\n":
			out.WriteString(token)
		case python && (at == 0 || text[at-1] == '\n'):
			out.WriteString(token)
		case python:
			out.WriteString(" ")
		}
		at += n
	}
	return out.String()
}

func isComment(token string, python bool) bool {
	if python {
		return strings.HasPrefix(token, "#")
	}
	return strings.HasPrefix(token, "//") || strings.HasPrefix(token, "/*")
}

// tokenLength returns the length of the comment, the string, the run of blanks or
// the character that a text starts with.
func tokenLength(text string, python bool) int {
	rest := func(from int, until string, end int) int {
		if n := strings.Index(text[from:], until); n >= 0 {
			return from + n + end
		}
		return len(text)
	}
	switch {
	case isComment(text, python) && strings.HasPrefix(text, "/*"):
		return rest(2, "*/", 2)
	case isComment(text, python):
		return rest(1, "\n", 0)
	case python && (strings.HasPrefix(text, `"""`) || strings.HasPrefix(text, "'''")):
		return rest(3, text[:3], 3)
	case text[0] == '"' || text[0] == '\'' || text[0] == '`':
		return quotedLength(text)
	}
	blanks := len(text) - len(strings.TrimLeft(text, " \t\r"))
	return max(blanks, 1)
}

// quotedLength returns the length of a string. Strings in " and ' end with the line
// at the latest, so that a quote in a regular expression hides little.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\n' && text[0] != '`':
			return i
		}
	}
	return len(text)
}
