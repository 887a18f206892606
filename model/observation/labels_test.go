package observation_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/model/observation"
)

func TestRelabel(t *testing.T) {
	units := []observation.Unit{
		{ID: "a.java#A.<init>(int)", Kind: observation.KindConstructor, Name: "A.<init>(int)", Start: 1, End: 2},
		{ID: "a.java#A.f(int)", Kind: observation.KindMethod, Name: "A.f(int)", Start: 3, End: 4},
		{ID: "a.java#A.f(int):4", Kind: observation.KindBlock, Name: "A.f(int):4", Start: 4, End: 4},
		{ID: "a.java#A.f(Map<K,V>)", Kind: observation.KindMethod, Name: "A.f(Map<K,V>)", Start: 8, End: 9},
		{ID: "b.go#(*T).M", Kind: observation.KindMethod, Name: "(*T).M", Start: 1, End: 1},
		{ID: "c.cc#ns::f(void (*)(int)) const", Kind: observation.KindMethod, Name: "ns::f(void (*)(int)) const", Start: 1, End: 1},
	}
	for _, tc := range []struct {
		labels observation.Labels
		units  []string // with their lines
		counts map[string]int
	}{
		{
			observation.Labels{},
			[]string{"a.java#A.<init>(int)", "a.java#A.f(int)", "a.java#A.f(int):4", "a.java#A.f(Map<K,V>)", "b.go#(*T).M", "c.cc#ns::f(void (*)(int)) const"},
			map[string]int{"a.java#A.<init>(int)": 1, "a.java#A.f(int)": 2, "a.java#A.f(int):4": 3, "a.java#A.f(Map<K,V>)": 4, "b.go#(*T).M": 5, "c.cc#ns::f(void (*)(int)) const": 6},
		},
		{
			observation.Labels{NoConstructors: true},
			[]string{"a.java#A.f(int)", "a.java#A.f(int):4", "a.java#A.f(Map<K,V>)", "b.go#(*T).M", "c.cc#ns::f(void (*)(int)) const"},
			map[string]int{"a.java#A.f(int)": 2, "a.java#A.f(int):4": 3, "a.java#A.f(Map<K,V>)": 4, "b.go#(*T).M": 5, "c.cc#ns::f(void (*)(int)) const": 6},
		},
		{
			observation.Labels{NoConstructors: true, MergeOverloads: true},
			[]string{"a.java#A.f", "a.java#A.f:4", "b.go#(*T).M", "c.cc#ns::f const"},
			map[string]int{"a.java#A.f": 6, "a.java#A.f:4": 3, "b.go#(*T).M": 5, "c.cc#ns::f const": 6},
		},
	} {
		selected, relabel := tc.labels.Relabel(units)
		var ids []string
		for _, u := range selected {
			ids = append(ids, u.ID)
			if u.ID == "a.java#A.f" && (u.Name != "A.f" || u.Start != 3 || u.End != 9) {
				t.Errorf("%+v: got unit %+v, want A.f with lines 3 to 9", tc.labels, u)
			}
		}
		if diff := cmp.Diff(tc.units, ids); diff != "" {
			t.Errorf("%+v: units (-want +got):\n%s", tc.labels, diff)
		}
		o := observation.Observation{}
		for i, u := range units {
			o.Methods, o.Counts = append(o.Methods, u.ID), append(o.Counts, i+1)
			o.Calls = append(o.Calls, u.ID)
		}
		relabel(&o)
		for _, id := range o.Calls {
			if !slices.Contains(o.Methods, id) {
				t.Errorf("%+v: the call of %s is none of %q", tc.labels, id, o.Methods)
			}
		}
		got := map[string]int{}
		for i, id := range o.Methods {
			got[id] = o.Counts[i]
		}
		if diff := cmp.Diff(tc.counts, got); diff != "" {
			t.Errorf("%+v: counts (-want +got):\n%s", tc.labels, diff)
		}
		unknown := observation.Observation{}
		if relabel(&unknown); unknown.Methods != nil {
			t.Errorf("%+v: got methods %q of an observation without", tc.labels, unknown.Methods)
		}
	}
}
