package subject

import (
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
)

// A Selection holds the flags that select programs to measure.
type Selection struct {
	only      string
	withJava  bool
	develop   bool
	byDefault string
}

// Bind adds the flags. Of the programs on which results are reported, those that
// match byDefault are measured unless -only is given.
func (s *Selection) Bind(byDefault string) {
	s.byDefault = byDefault
	flag.StringVar(&s.only, "only", "", "measure only programs whose names match this `regexp`")
	if byDefault != "" {
		flag.Lookup("only").Usage += "; by default " + byDefault + ", and with -dev all"
	}
	flag.BoolVar(&s.withJava, "java", true, "include programs in Java")
	flag.BoolVar(&s.develop, "dev", false, "measure the programs on which defaults are chosen, instead of those on which results are reported")
}

// Subjects returns the selected programs.
func (s *Selection) Subjects() ([]Subject, error) {
	all, only := Evaluation(), s.only
	if s.develop {
		all = Development()
	} else if only == "" {
		only = s.byDefault
	}
	matches, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	var selected []Subject
	for _, p := range all {
		if matches.MatchString(p.Name) && (p.Jar == "" || s.withJava) {
			selected = append(selected, p)
		}
	}
	return selected, nil
}

// EachObserved calls measure for each selected program with its files of observations in
// a folder. Programs without observations are reported to progress.
func (s *Selection) EachObserved(folder string, progress io.Writer, measure func(p Subject, files []string) error) error {
	selected, err := s.Subjects()
	if err != nil {
		return err
	}
	for _, p := range selected {
		files, err := p.Observations(folder)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			fmt.Fprintf(progress, "%s: no observations\n", p.Name)
			continue
		}
		if err := measure(p, files); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// Observations returns the files of observations of the program in a folder.
func (s Subject) Observations(folder string) ([]string, error) {
	return filepath.Glob(filepath.Join(folder, s.Name+"-[0-9]*.ndjson"))
}
