package coverage_test

import (
	"testing"

	"github.com/inroad/inroad/model/coverage"
)

func TestFunctionName(t *testing.T) {
	for symbol, want := range map[string]string{
		"parse_value":                                        "parse_value",
		"_ZN3geo5Shape4areaEi":                               "geo::Shape::area",
		"_ZN3geo7largestIcEET_S1_S1_":                        "geo::largest",
		"_ZN4mini5parse17h0123456789abcdefE":                 "mini::parse",
		"_RNvCskwGfYPst2Cb_3foo16example_function":           "foo::example_function",
		"_RINvCs4mini_4mini5parsehE":                         "mini::parse",
		"_RNvMs_Cs4mini_4miniINtB4_6ReaderhE4next":           "<mini::Reader>::next",
		"_RNvXCs4mini_4miniINtB2_6ReaderhENtB2_6Source4next": "<mini::Reader as mini::Source>::next",
	} {
		if got := coverage.FunctionName(symbol); got != want {
			t.Errorf("%s: got %s, want %s", symbol, got, want)
		}
	}
}
