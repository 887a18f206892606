package observation

import "strings"

// Labels select the units of a program that observations have.
type Labels struct {
	MergeOverloads bool // methods that differ only in their parameters are one unit
	NoConstructors bool // constructors are left out
}

// Relabel returns the selected units, and a function that replaces the methods of an
// observation by them. A merged unit has the lines of all its methods.
func (l Labels) Relabel(units []Unit) (selected []Unit, relabel func(*Observation)) {
	if l == (Labels{}) {
		return units, func(*Observation) {}
	}
	dropped := map[string]bool{}
	at := map[string]int{}
	for _, u := range units {
		if l.NoConstructors && u.Kind == KindConstructor {
			dropped[u.ID] = true
			continue
		}
		if l.MergeOverloads {
			u.ID, u.Name = withoutParameters(u.ID), withoutParameters(u.Name)
		}
		i, ok := at[u.ID]
		if !ok {
			at[u.ID] = len(selected)
			selected = append(selected, u)
			continue
		}
		selected[i].Start, selected[i].End = min(selected[i].Start, u.Start), max(selected[i].End, u.End)
		selected[i].StartColumn, selected[i].EndColumn = 0, 0
	}
	return selected, func(o *Observation) {
		if o.Methods == nil {
			return
		}
		methods, counts := make([]string, 0, len(o.Methods)), o.Counts
		if counts != nil {
			counts = make([]int, 0, len(o.Counts))
		}
		for i, id := range o.Methods {
			if dropped[id] {
				continue
			}
			if l.MergeOverloads {
				id = withoutParameters(id)
			}
			methods = append(methods, id)
			if counts != nil {
				counts = append(counts, o.Counts[i])
			}
		}
		o.Methods, o.Counts = methods, counts
		if o.Calls != nil {
			calls := make([]string, 0, len(o.Calls))
			for _, id := range o.Calls {
				if dropped[id] {
					continue
				}
				if l.MergeOverloads {
					id = withoutParameters(id)
				}
				calls = append(calls, id)
			}
			o.Calls = calls
		}
		o.normalize()
	}
}

// withoutParameters removes lists of parameters from a name: parentheses behind a
// name or a > with all that they enclose. The parentheses around a receiver, as in
// (*T).Method, stay.
func withoutParameters(name string) string {
	var out strings.Builder
	for name != "" {
		open := strings.IndexByte(name, '(')
		if open < 0 {
			break
		}
		depth, end := 0, len(name)
		for i := open; i < len(name); i++ {
			switch name[i] {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 {
				end = i + 1
				break
			}
		}
		isReceiver := open == 0 || strings.IndexByte("#.: ", name[open-1]) >= 0
		out.WriteString(name[:open])
		if isReceiver {
			out.WriteString(name[open:end])
		}
		name = name[end:]
	}
	return out.String() + name
}
