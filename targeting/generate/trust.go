package generate

// A Trust decides which texts are parsed to check that they are read as drawn: every text
// at first, and 1 in 16 once 200 in a row were read as drawn. A misread text starts the
// count again, so grammars whose texts are sometimes misread are checked much more often.
//
// The zero value is ready for use. A Trust is not safe for concurrent use; a [Stream] with
// one must have one worker.
type Trust struct {
	right   int // successive texts that were read as drawn
	skipped int // texts since the last one that was parsed
}

const (
	trustedAfter = 200 // texts
	trustedCheck = 16  // one in so many texts is parsed
)

// skips reports whether the next text need not be parsed.
func (t *Trust) skips() bool {
	if t == nil || t.right < trustedAfter || t.skipped == trustedCheck-1 {
		return false
	}
	t.skipped++
	return true
}

// tell records whether a text was read as drawn.
func (t *Trust) tell(asDrawn bool) {
	if t == nil {
		return
	}
	t.skipped = 0
	if t.right++; !asDrawn {
		t.right = 0
	}
}
