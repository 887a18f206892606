package source

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// samples returns the files in testdata by name.
func samples(tb testing.TB) map[string]string {
	tb.Helper()
	files, err := filepath.Glob("testdata/[sS]ample.*")
	if err != nil || len(files) == 0 {
		tb.Fatalf("%d samples, %v", len(files), err)
	}
	out := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		out[filepath.Base(file)] = string(text)
	}
	return out
}

// check returns what is wrong with an outline.
func check(o *outline) error {
	owners := map[token]string{}
	names := map[string]bool{}
	lines := strings.Count(o.file.text, "\n") + 1
	for _, d := range o.file.Decls {
		if d.Name == "" || names[d.Name] {
			return fmt.Errorf("name %q is empty or not unique", d.Name)
		}
		names[d.Name] = true
		if d.Start < 1 || d.End < d.Start || d.End > lines {
			return fmt.Errorf("%s has lines %d-%d of %d", d.Name, d.Start, d.End, lines)
		}
		for _, t := range d.tokens {
			if t.start == t.end {
				continue
			}
			if other, ok := owners[t]; ok {
				return fmt.Errorf("%q in line %d belongs to %s and %s", d.text(t), t.line, other, d.Name)
			}
			owners[t] = d.Name
		}
	}
	for _, t := range o.tokens {
		text := t.text(o.file.text)
		if _, ok := owners[t]; !ok && t.start < t.end && (t.kind == number || t.kind == stringLiteral && !strings.HasPrefix(text, `"`)) {
			return fmt.Errorf("%q in line %d belongs to no declaration", text, t.line)
		}
	}
	if !slices.IsSortedFunc(o.file.Decls, func(a, b Decl) int { return a.Start - b.Start }) {
		return fmt.Errorf("declarations are not in the order of lines")
	}
	return nil
}

func TestEveryTokenBelongsToOneDeclaration(t *testing.T) {
	for name, text := range samples(t) {
		o, ok := parse(name, []byte(text))
		if !ok {
			t.Fatalf("%s is not outlined", name)
		}
		if err := check(o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		owned := 0
		for _, d := range o.file.Decls {
			owned += len(d.tokens)
		}
		if separators := len(o.tokens) - owned; separators > len(o.tokens)/8 {
			t.Errorf("%s: %d of %d tokens belong to no declaration", name, separators, len(o.tokens))
		}
	}
}

// digests returns the digests of declarations by name.
func digests(t *testing.T, name, text string) map[string]Digest {
	t.Helper()
	f, ok := Parse(name, []byte(text))
	if !ok {
		t.Fatalf("%s is not outlined", name)
	}
	out := map[string]Digest{}
	for _, d := range f.Decls {
		out[d.Name] = d.Digest
	}
	return out
}

// different returns the names with different digests.
func different(a, b map[string]Digest) []string {
	var out []string
	for name := range a {
		if a[name] != b[name] {
			out = append(out, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out = append(out, "+"+name)
		}
	}
	slices.Sort(out)
	return out
}

// reformat inserts comments and white space between tokens.
func reformat(o *outline, random *rand.Rand) string {
	text := o.file.text
	line, block := " // comment } ", " /* comment ' } */ "
	if o.file.Language == "python" {
		line, block = "  # comment ' :", "  "
	}
	var out strings.Builder
	end := 0
	for i, t := range o.tokens {
		if int(t.start) < end {
			continue
		}
		afterDirective := i > 0 && o.tokens[i-1].kind == directive
		gap := text[end:t.start]
		first := strings.IndexByte(gap, '\n')
		switch {
		case gap == "" || random.IntN(2) == 0 || afterDirective || strings.Contains(gap, `\`):
			out.WriteString(gap)
		case first < 0:
			out.WriteString(gap + block)
		case strings.TrimSpace(gap) == "":
			out.WriteString(line + gap[:first] + "\n" + gap[first:])
		default:
			out.WriteString(gap)
		}
		out.WriteString(text[t.start:t.end])
		end = int(t.end)
	}
	out.WriteString(text[end:])
	return out.String()
}

func TestReformattingChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for name, text := range samples(t) {
		want := digests(t, name, text)
		o, _ := parse(name, []byte(text))
		for range 20 {
			again := reformat(o, random)
			if again == text {
				t.Fatalf("%s: not reformatted", name)
			}
			if names := different(want, digests(t, name, again)); len(names) > 0 {
				t.Fatalf("%s: %q changed in\n%s", name, names, again)
			}
		}
		if crlf := strings.ReplaceAll(text, "\n", "\r\n"); !strings.Contains(text, "`") && !strings.Contains(text, `"""`) {
			if names := different(want, digests(t, name, crlf)); len(names) > 0 {
				t.Errorf("%s: %q changed with other line ends", name, names)
			}
		}
	}
}

func TestOneTokenChangesOneDeclaration(t *testing.T) {
	for name, text := range samples(t) {
		f, _ := Parse(name, []byte(text))
		want := digests(t, name, text)
		changes := 0
		for _, d := range f.Decls {
			if d.Kind != Function {
				continue
			}
			for _, token := range d.tokens {
				if token.kind != number || !isDigit(text[token.start]) {
					continue
				}
				changes++
				edited := text[:token.start] + "9" + text[token.start:]
				if got := different(want, digests(t, name, edited)); !slices.Equal(got, []string{d.Name}) {
					t.Errorf("%s: a number in line %d of %s changes %q", name, token.line, d.Name, got)
				}
				g, _ := Parse(name, []byte(edited))
				places := Places(&d, g.Find(d.Name))
				if places != nil && !slices.ContainsFunc(places, func(p Place) bool { return p.Line == int(token.line) }) {
					t.Errorf("%s: a number of %s differs at %v, want line %d", name, d.Name, places, token.line)
				}
			}
		}
		if changes < 3 {
			t.Errorf("%s: %d numbers in functions", name, changes)
		}
	}
}

func TestTruncatedFiles(t *testing.T) {
	for name, text := range samples(t) {
		for end := range len(text) {
			o, ok := parse(name, []byte(text[:end]))
			if !ok {
				t.Fatalf("%s: the first %d bytes are not outlined", name, end)
			}
			if err := check(o); err != nil {
				t.Fatalf("%s: the first %d bytes: %v", name, end, err)
			}
		}
	}
}

// mutate deletes, repeats, moves and inserts parts of a text.
func mutate(text string, random *rand.Rand) string {
	parts := []string{
		"(", ")", "[", "]", "{", "}", "<", ">", ";", ",", ":", "=", "=>", "'", `"`, "`", "\\", "/", "/*", "*/", "//", "#", "\n", "\t", " ", ".", "::",
		"class ", "function ", "fn ", "def ", "func ", "struct ", "enum ", "impl ", "template<", "operator", "const ", "import ", "export ", "${", "f'{",
		"#if 0\n", "#else\n", "#endif\n", "#define ", "\xff", "é", "0x", "@", "!", "async ", "static ", "R\"(", "r#\"", `"""`, "return\n",
	}
	for range 1 + random.IntN(6) {
		i := random.IntN(len(text) + 1)
		j := min(i+random.IntN(40), len(text))
		switch random.IntN(4) {
		case 0:
			text = text[:i] + text[j:]
		case 1:
			text = text[:j] + text[i:]
		case 2:
			k := random.IntN(len(text) + 1)
			text = text[:k] + text[i:j] + text[k:]
		default:
			text = text[:i] + parts[random.IntN(len(parts))] + text[i:]
		}
	}
	return text
}

func TestMutatedFiles(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	for name, text := range samples(t) {
		before, _ := Parse(name, []byte(text))
		for range 300 {
			mutant := mutate(text, random)
			o, ok := parse(name, []byte(mutant))
			if !ok {
				t.Fatalf("%s: not outlined:\n%s", name, mutant)
			}
			if err := check(o); err != nil {
				t.Fatalf("%s: %v in\n%s", name, err, mutant)
			}
			for _, d := range before.Decls {
				e := o.file.Find(d.Name)
				if e == nil {
					continue
				}
				if places := Places(&d, e); places != nil && d.Digest == e.Digest {
					t.Fatalf("%s: %s has places %v for equal digests in\n%s", name, d.Name, places, mutant)
				}
			}
		}
	}
}

func TestDeepNesting(t *testing.T) {
	for name := range samples(t) {
		for _, part := range []string{"(", "{", "a<", "class a{", "function f(){", "namespace a{", "mod a{", "x=(a)=>", "f'{", "`${", "#if a\n", "<a>"} {
			o, ok := parse(name, []byte(strings.Repeat(part, 3000)))
			if !ok {
				t.Fatalf("%s: repeated %q is not outlined", name, part)
			}
			if err := check(o); err != nil {
				t.Errorf("%s: repeated %q: %v", name, part, err)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for name, text := range samples(f) {
		f.Add(name, text, text)
		f.Add(name, text[len(text)/2:], text[:len(text)/3])
	}
	f.Fuzz(func(t *testing.T, name, before, after string) {
		a, ok := parse(name, []byte(before))
		if !ok {
			return
		}
		if err := check(a); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, before)
		}
		b, ok := parse(name, []byte(after))
		if !ok {
			return
		}
		for i := range a.file.Decls {
			d := &a.file.Decls[i]
			e := b.file.Find(d.Name)
			if e == nil {
				continue
			}
			if places := Places(d, e); places != nil && d.Digest == e.Digest {
				t.Fatalf("%s: places %v for equal digests", d.Name, places)
			}
		}
	})
}
