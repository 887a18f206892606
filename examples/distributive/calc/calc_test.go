package calc

import "testing"

func TestOptimize(t *testing.T) {
	for text, want := range map[string]string{
		"1":               "1",
		"1 + 2":           "3",
		"(1 + 2)":         "3",
		"x * (2 + 3)":     "(x * 2 + x * 3)",
		"(x - y) * 3":     "(3 * x - 3 * y)",
		"2 * (3 + 4)":     "(6 + 8)",
		"x * (1 + y + z)": "((x + x * y) + x * z)",
		"x * (y % z - 2)": "(x * (y % z) - x * 2)",
		"x / (y + z)":     "x / (y + z)",
		"((x))":           "x",
		"- -x":            "x",
		"5 - 7":           "5 - 7",
		"x * 1 + 0":       "x",
		"7 % 4":           "3",
		"7 / 0":           "7 / 0",
		"++4":             "5",
		"4 2":             "42",
		"x * (y + z)*2":   "(x * y + x * z) * 2",
	} {
		if got, err := Optimize(text); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "1 +", "(1", "a", "1)"} {
		if got, err := Optimize(text); err == nil {
			t.Errorf("%q: %s, want an error", text, got)
		}
	}
}
