package openapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/inroad/inroad/api/openapi"
	"github.com/inroad/inroad/features"
)

// A training request takes the families of features that there are.
func TestFeatureFamilies(t *testing.T) {
	contract, err := openapi3.NewLoader().LoadFromData(openapi.Document)
	if err != nil {
		t.Fatal(err)
	}
	var want []any // in alphabetical order, after those that stand for several
	for _, f := range features.Families() {
		want = append(want, f.Name)
	}
	slices.SortFunc(want, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	want = append([]any{"all", "none"}, want...)
	got := contract.Components.Schemas["TrainOptions"].Value.Properties["features"].Value.Items.Value.Enum
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("features of TrainOptions (-package features +contract):\n%s", diff)
	}
}
