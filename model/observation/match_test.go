package observation_test

import (
	"strings"
	"testing"

	"github.com/inroad/inroad/model/observation"
)

// TestMatchUnits finds methods by parts of their names, in several languages.
func TestMatchUnits(t *testing.T) {
	units := []observation.Unit{
		{ID: "Kv.java#Kv.duplicate(String)", Name: "Kv.duplicate(String)"},
		{ID: "Kv.java#Kv.parse(String)", Name: "Kv.parse(String)"},
		{ID: "Kv.java#Kv.parse(String,int)", Name: "Kv.parse(String,int)"},
		{ID: "kv.c#exponent", Name: "exponent"},
		{ID: "kv.c#exponent_of", Name: "exponent_of"},
		{ID: "kv.cc#kv::list", Name: "kv::list"},
		{ID: "kv/x.go#(*T).Next", Name: "(*T).Next"},
		{ID: "kv/x.go#(*T).Next:12.3", Kind: observation.KindBlock, Name: "(*T).Next:12.3"},
		{ID: "kv.py#Kv.größe", Name: "Kv.größe"},
	}
	for _, c := range []struct{ name, want string }{
		{"duplicate", "Kv.java#Kv.duplicate(String)"},
		{"Kv.duplicate", "Kv.java#Kv.duplicate(String)"},
		{"parse", "Kv.java#Kv.parse(String) Kv.java#Kv.parse(String,int)"},
		{"parse(String)", "Kv.java#Kv.parse(String)"},
		{"exponent", "kv.c#exponent"},
		{"kv.c:exponent", "kv.c#exponent"},
		{"exponent_", "kv.c#exponent_of"},
		{"list", "kv.cc#kv::list"},
		{"kv::list", "kv.cc#kv::list"},
		{"next", "kv/x.go#(*T).Next"},
		{"Next", "kv/x.go#(*T).Next"},
		{"12.3", "kv/x.go#(*T).Next:12.3"},
		{"T", "kv/x.go#(*T).Next"},
		{"größe", "kv.py#Kv.größe"},
		{"x.go", "kv/x.go#(*T).Next"},
		{"missing", ""},
		{"", ""},
	} {
		var got []string
		for _, i := range observation.MatchUnits(units, c.name) {
			got = append(got, units[i].ID)
		}
		if all := strings.Join(got, " "); all != c.want {
			t.Errorf("%q: got %q, want %q", c.name, all, c.want)
		}
	}
}
