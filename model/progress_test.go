package model

import "testing"

// TestProgress checks that progress increases steadily, whatever the number of
// workers.
func TestProgress(t *testing.T) {
	observations := observe(1, 200)
	for _, tc := range []struct {
		name           string
		workers, folds int
	}{
		{"one worker", 1, 5},
		{"eight workers", 8, 5},
		{"nothing held out", 2, 1},
		{"more folds than observations", 2, 100},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opt := Defaults()
			opt.Workers, opt.Folds = tc.workers, tc.folds
			last, all := 0, 0
			opt.Progress = func(done, total int) {
				if done <= last || done > total || all != 0 && total != all {
					t.Fatalf("progress %d of %d after %d of %d", done, total, last, all)
				}
				last, all = done, total
			}
			train(t, observations[:max(40, 200/tc.folds)], opt)
			if last == 0 || last != all {
				t.Errorf("final progress %d of %d", last, all)
			}
		})
	}
}
