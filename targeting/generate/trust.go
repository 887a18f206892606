package generate

// A Trust decides which texts are parsed to check that they are read as drawn: all of them
// at first, and one of several after many were. A text that is misread ends the trust. So
// grammars whose texts are sometimes misread are checked much more often than others.
//
// The zero value is ready for use. A Trust is not safe for concurrent use; a [Stream] with
// one must have one worker.
type Trust struct {
	right   int // successive texts that were read as drawn
	skipped int // texts since the last one that was parsed
}

const (
	trustedAfter = 200 // texts
	trustedCheck = 16  // one text of so many is parsed
)

// skips reports whether the next text need not be parsed.
func (t *Trust) skips() bool {
	if t == nil || t.right < trustedAfter || t.skipped == trustedCheck-1 {
		return false
	}
	t.skipped++
	return true
}

// tell says whether a text was read as drawn.
func (t *Trust) tell(asDrawn bool) {
	if t == nil {
		return
	}
	t.skipped = 0
	if t.right++; !asDrawn {
		t.right = 0
	}
}
