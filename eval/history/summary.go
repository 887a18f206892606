package main

import "slices"

// A summary adds up the results of selections for several commits.
type summary struct {
	commits    int
	everything int
	causes     map[string]int // commits by cause

	selected, oracle, file float64 // mean share of the corpus
	affected               mean    // recall, over the commits that affect an input
	differ                 mean    // recall, over the commits that change the behaviour of an input
	fileDiffer             mean

	changing   int     // commits that change the behaviour of an input
	caught     int     // of them: such an input was selected
	byChance   float64 // of them: expected with as many random inputs
	fileCaught int
	atRandom   mean // recall of as many random inputs, over the changing commits
}

// A mean is the mean of values that exist for some commits.
type mean struct {
	sum float64
	n   int
}

func (m *mean) add(value float64) { m.sum, m.n = m.sum+value, m.n+1 }

// summarize adds up results. Those that failed do not count.
func summarize(results []result) summary {
	s := summary{causes: map[string]int{}}
	for _, r := range results {
		if r.Failed != "" {
			continue
		}
		s.commits++
		s.everything += number(r.Everything)
		for _, cause := range r.Causes {
			s.causes[cause]++
		}
		all := float64(r.Inputs)
		s.selected += float64(r.Selected) / all
		s.oracle += float64(r.Affected.All) / all
		s.file += float64(r.File.Selected) / all
		if r.Affected.All > 0 {
			s.affected.add(r.Affected.recall())
		}
		if r.Differ.All > 0 {
			s.changing++
			s.differ.add(r.Differ.recall())
			s.fileDiffer.add(float64(r.File.Differ) / float64(r.Differ.All))
			s.atRandom.add(float64(r.Selected) / all)
			s.caught += number(r.Differ.Selected > 0)
			s.fileCaught += number(r.File.Differ > 0)
			s.byChance += r.byChance()
		}
	}
	n := max(float64(s.commits), 1)
	s.selected, s.oracle, s.file = s.selected/n, s.oracle/n, s.file/n
	return s
}

// median returns the median of the numbers, the lower one of two.
func median(numbers []int) int {
	if len(numbers) == 0 {
		return 0
	}
	slices.Sort(numbers)
	return numbers[(len(numbers)-1)/2]
}
