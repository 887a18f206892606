package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// writeReport writes the tables of a study in Markdown.
func writeReport(w io.Writer, libraries []library, results []result, list bool) {
	writeLibraries(w, libraries, results)
	for _, total := range []struct{ title, role string }{{"All", ""}, {"Held-out", "held-out"}, {"Development", "dev"}} {
		part := slices.DeleteFunc(slices.Clone(results), func(r result) bool {
			return total.role != "" && roleOf(libraries, r.Library) != total.role
		})
		if len(part) > 0 {
			fmt.Fprintf(w, "\n## %s libraries\n\n", total.title)
			writeRows(w, "all", part, true)
		}
	}
	fmt.Fprint(w, "\n## By library\n\n")
	first := true
	for _, l := range libraries {
		part := slices.DeleteFunc(slices.Clone(results), func(r result) bool { return r.Library != l.Name })
		if len(part) > 0 {
			writeRows(w, l.Name, part, first)
			first = false
		}
	}
	writeCauses(w, results)
	if list {
		writeList(w, results)
	}
}

func roleOf(libraries []library, name string) string {
	for _, l := range libraries {
		if l.Name == name {
			return l.Role
		}
	}
	return ""
}

// writeLibraries writes what each library's commits do, whatever is selected.
func writeLibraries(w io.Writer, libraries []library, results []result) {
	fmt.Fprint(w, "| library | language | grammar | role | commits | failed builds | newest | affect an input | change behaviour | inputs that do: median | oracle |\n")
	fmt.Fprint(w, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, l := range libraries {
		seen := map[string]bool{}
		var once []result // one per commit
		var differ []int
		failed, affecting := 0, 0
		for _, r := range results {
			if r.Library != l.Name || seen[r.Commit] || r.Age != 0 {
				continue
			}
			seen[r.Commit] = true
			if r.Failed != "" {
				failed++
				continue
			}
			once = append(once, r)
			affecting += number(r.Affected.All > 0)
			if r.Differ.All > 0 {
				differ = append(differ, r.Differ.All)
			}
		}
		if len(once) == 0 {
			continue
		}
		s := summarize(once)
		fmt.Fprintf(w, "| %s | %s | %s | %s | %d | %d | %.8s | %d | %d | %d | %s |\n", l.Name, l.Language, l.Grammar, l.Role,
			s.commits, failed, once[0].Commit, affecting, s.changing, median(differ), percent(s.oracle))
	}
}

// writeRows writes a row per variant and age, below the head of the table if head is
// set.
func writeRows(w io.Writer, name string, results []result, head bool) {
	if head {
		fmt.Fprint(w, "| library | inputs | age | commits | everything | run | oracle | file level | recall: affected | recall: behaviour | random | file level | caught | random | file level |\n")
		fmt.Fprint(w, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	}
	for _, variant := range variants {
		for _, age := range agesOf(results) {
			s := summarize(slices.DeleteFunc(slices.Clone(results), func(r result) bool { return r.Age != age || r.Variant != variant }))
			if s.commits == 0 {
				continue
			}
			fmt.Fprintf(w, "| %s | %s | %d | %d | %s | %s | %s | %s | %s | %s | %s | %s | %d of %d | %.1f | %d |\n", name, variant, age, s.commits,
				percent(float64(s.everything)/float64(s.commits)), percent(s.selected), percent(s.oracle), percent(s.file),
				s.affected, s.differ, s.atRandom, s.fileDiffer, s.caught, s.changing, s.byChance, s.fileCaught)
		}
	}
}

func agesOf(results []result) []int {
	ages := map[int]bool{}
	for _, r := range results {
		ages[r.Age] = true
	}
	return slices.Sorted(maps.Keys(ages))
}

// writeCauses writes how often each cause made a selection run everything.
func writeCauses(w io.Writer, results []result) {
	causes := summarize(results).causes
	if len(causes) == 0 {
		return
	}
	fmt.Fprint(w, "\n## Causes to run everything\n\n| cause |")
	ages := agesOf(results)
	for _, age := range ages {
		fmt.Fprintf(w, " age %d |", age)
	}
	fmt.Fprintf(w, "\n| --- |%s\n", strings.Repeat(" --- |", len(ages)))
	for _, cause := range slices.Sorted(maps.Keys(causes)) {
		fmt.Fprintf(w, "| %s |", cause)
		for _, age := range ages {
			of := summarize(slices.DeleteFunc(slices.Clone(results), func(r result) bool { return r.Age != age || r.Variant != recorded }))
			fmt.Fprintf(w, " %d |", of.causes[cause])
		}
		fmt.Fprintln(w)
	}
}

// writeList lists the selections of everything, those that miss inputs, and the
// commits that do not build.
func writeList(w io.Writer, results []result) {
	fmt.Fprint(w, "\n## Selections to look at\n\n| library | commit | inputs | age | run | affected | missed | causes |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, r := range results {
		if r.Failed != "" {
			first, _, _ := strings.Cut(r.Failed, "\n")
			fmt.Fprintf(w, "| %s | %.8s | %s | %d | | | | does not build: %.120s |\n", r.Library, r.Commit, r.Variant, r.Age, cell(first))
			continue
		}
		if missed := len(r.Missed); r.Everything || missed > 0 {
			fmt.Fprintf(w, "| %s | %.8s | %s | %d | %d | %d | %d of %d | %s |\n", r.Library, r.Commit, r.Variant, r.Age, r.Selected,
				r.Affected.All, missed, r.Differ.All, cell(strings.Join(r.Details, "; ")))
		}
	}
}

func cell(text string) string { return strings.NewReplacer("|", `\|`, "\n", " ").Replace(text) }

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// String returns three decimals without a leading zero, as in .987.
func (m mean) String() string {
	if m.n == 0 {
		return "-"
	}
	text := fmt.Sprintf("%.3f", m.sum/float64(m.n))
	return strings.TrimPrefix(text, "0")
}
