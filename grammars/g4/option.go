package g4

// WithOption returns the text of a grammar file with an option of the grammar set to
// true. It returns the text unchanged if the text does not begin with the declaration
// of a grammar: [Parse] then reports why. Lines keep their numbers.
func WithOption(text, name string) string {
	s := &scanner{text: text, report: func(Pos, Severity, string, ...any) {}}
	t := s.scan()
	if t.text == "parser" || t.text == "lexer" {
		t = s.scan()
	}
	if t.text != "grammar" || s.scan().kind != identifier || s.scan().text != ";" {
		return text
	}
	at, before, after := s.off, " options { ", " }"
	if s.scan().text == "options" && s.scan().text == "{" {
		at, before, after = s.off, " ", ""
	}
	return text[:at] + before + name + " = true;" + after + text[at:]
}
