package tribble

import (
	"maps"
	"slices"

	"github.com/inroad/inroad/grammars/g4"
)

// maxCyclic limits the rules of all cycles together. More are left as they are.
const maxCyclic = 100

// breakCycles removes alternatives that lead back to their own rule and derive no
// further texts, such as 'b in 'a := "x" | 'b if 'b := 'a. A generator can follow them;
// a parser would loop forever. Cycles that it cannot break are left recursion, which
// loading reports.
func (p *parser) breakCycles() {
	u := newUnitProductions(p.file)
	cyclic := u.cyclic(p.file.Rules)
	if len(cyclic) > maxCyclic {
		return
	}
	for _, r := range cyclic {
		cycle := u.cycle(r)
		for _, alt := range slices.Clone(r.Body.Alts) {
			to := u.target(alt)
			if len(r.Body.Alts) == 1 || !cycle[to] {
				continue
			}
			before := r.Body.Alts
			r.Body.Alts = slices.DeleteFunc(slices.Clone(before), func(a *g4.Alt) bool { return a == alt })
			if !u.complete(cycle) {
				r.Body.Alts = before
				continue
			}
			p.report(alt.Pos, g4.Warning, "alternative %s of rule %s leads back to the rule and derives nothing else; it is left out", to.Name, r.Name)
		}
	}
}

// unitProductions finds the unit productions of a grammar: alternatives that consist of
// one reference. It has the rules by name.
type unitProductions map[string]*g4.Rule

func newUnitProductions(f *g4.File) unitProductions {
	u := unitProductions{}
	for _, r := range f.Rules {
		if u[r.Name] == nil {
			u[r.Name] = r
		}
	}
	return u
}

// target returns the rule that a unit production refers to; nil for other alternatives.
func (u unitProductions) target(alt *g4.Alt) *g4.Rule {
	if len(alt.Elements) != 1 {
		return nil
	}
	ref, ok := alt.Elements[0].(*g4.Ref)
	if !ok {
		return nil
	}
	return u[ref.Name]
}

// cyclic returns the rules of all cycles, and the rules on paths between cycles.
func (u unitProductions) cyclic(rules []*g4.Rule) []*g4.Rule {
	to, from := map[*g4.Rule][]*g4.Rule{}, map[*g4.Rule][]*g4.Rule{}
	for _, r := range rules {
		for _, alt := range r.Body.Alts {
			if next := u.target(alt); next != nil {
				to[r], from[next] = append(to[r], next), append(from[next], r)
			}
		}
	}
	left := map[*g4.Rule]bool{}
	for _, r := range rules {
		left[r] = true
	}
	for _, edges := range []struct{ ahead, behind map[*g4.Rule][]*g4.Rule }{{to, from}, {from, to}} {
		degree := map[*g4.Rule]int{}
		var ends []*g4.Rule // rules that lead nowhere
		for _, r := range rules {
			for _, next := range edges.ahead[r] {
				if left[r] && left[next] {
					degree[r]++
				}
			}
			if left[r] && degree[r] == 0 {
				ends = append(ends, r)
			}
		}
		for len(ends) > 0 {
			end := ends[len(ends)-1]
			ends = ends[:len(ends)-1]
			delete(left, end)
			for _, r := range edges.behind[end] {
				if degree[r]--; left[r] && degree[r] == 0 {
					ends = append(ends, r)
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(rules), func(r *g4.Rule) bool { return !left[r] })
}

// reach returns the rules that unit productions lead to from a rule, and the rule itself.
func (u unitProductions) reach(r *g4.Rule) map[*g4.Rule]bool {
	out := map[*g4.Rule]bool{r: true}
	for open := []*g4.Rule{r}; len(open) > 0; {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		for _, alt := range last.Body.Alts {
			if to := u.target(alt); to != nil && !out[to] {
				out[to] = true
				open = append(open, to)
			}
		}
	}
	return out
}

// cycle returns the rules that share a cycle with a rule, and the rule itself; none if
// there is no cycle.
func (u unitProductions) cycle(r *g4.Rule) map[*g4.Rule]bool {
	out := map[*g4.Rule]bool{}
	for _, alt := range r.Body.Alts {
		if to := u.target(alt); to != nil && u.reach(to)[r] {
			maps.Copy(out, u.reach(to))
		}
	}
	maps.DeleteFunc(out, func(to *g4.Rule, _ bool) bool { return !u.reach(to)[r] })
	return out
}

// complete reports whether all rules of a cycle lead to all rules of the cycle that have
// other alternatives, so that all derive the same texts.
func (u unitProductions) complete(cycle map[*g4.Rule]bool) bool {
	for r := range cycle {
		reached := u.reach(r)
		for other := range cycle {
			if !reached[other] && slices.ContainsFunc(other.Body.Alts, func(alt *g4.Alt) bool { return !cycle[u.target(alt)] }) {
				return false
			}
		}
	}
	return true
}
