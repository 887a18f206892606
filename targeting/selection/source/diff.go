package source

// maxEdits limits the insertions and deletions that diffTokens searches for. Beyond the
// limit, all tokens between the first and the last difference count as different.
const maxEdits = 500

// An edit replaces the tokens a to before aEnd by b to before bEnd.
type edit struct{ a, aEnd, b, bEnd int }

// diffTokens returns the edits that turn the tokens of a into the tokens of b.
func diffTokens(a, b *Decl) []edit {
	x, y := symbols(a, b)
	start := 0
	for start < len(x) && start < len(y) && x[start] == y[start] {
		start++
	}
	end := 0
	for end < len(x)-start && end < len(y)-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	x, y = x[start:len(x)-end], y[start:len(y)-end]
	if len(x) == 0 && len(y) == 0 {
		return nil
	}
	edits := shortestEdits(x, y)
	for i := range edits {
		edits[i].a += start
		edits[i].aEnd += start
		edits[i].b += start
		edits[i].bEnd += start
	}
	return edits
}

// symbols numbers the different tokens of two declarations.
func symbols(a, b *Decl) (x, y []int32) {
	type symbol struct {
		kind tokenKind
		text string
	}
	numbers := map[symbol]int32{}
	number := func(d *Decl) []int32 {
		out := make([]int32, len(d.tokens))
		for i, t := range d.tokens {
			s := symbol{t.kind, d.text(t)}
			n, ok := numbers[s]
			if !ok {
				n = int32(len(numbers))
				numbers[s] = n
			}
			out[i] = n
		}
		return out
	}
	return number(a), number(b)
}

// shortestEdits returns the shortest edits by Myers' algorithm: furthest[k] is the
// furthest index of x on diagonal k after d insertions and deletions. history keeps it
// for each d, at index k+d.
func shortestEdits(x, y []int32) []edit {
	var history [][]int32
	furthest := map[int]int{1: 0}
	for d := 0; d <= min(maxEdits, len(x)+len(y)); d++ {
		row := make([]int32, 2*d+1)
		for k := -d; k <= d; k += 2 {
			var i int
			if k == -d || k != d && furthest[k-1] < furthest[k+1] {
				i = furthest[k+1]
			} else {
				i = furthest[k-1] + 1
			}
			for i < len(x) && i-k < len(y) && x[i] == y[i-k] {
				i++
			}
			furthest[k] = i
			row[k+d] = int32(i)
			if i >= len(x) && i-k >= len(y) {
				return backtrack(append(history, row), len(x), len(y))
			}
		}
		history = append(history, row)
	}
	return []edit{{0, len(x), 0, len(y)}}
}

// backtrack returns the edits on the way to the ends of x and y.
func backtrack(history [][]int32, i, j int) []edit {
	var out []edit // last edit first
	for d := len(history) - 1; d > 0; d-- {
		k := i - j
		before := history[d-1]
		at := func(k int) int {
			if k < 1-d || k > d-1 {
				return -1
			}
			return int(before[k+d-1])
		}
		var e edit
		if k == -d || k != d && at(k-1) < at(k+1) { // insertion
			i = at(k + 1)
			j = i - (k + 1)
			e = edit{i, i, j, j + 1}
		} else {
			i = at(k - 1)
			j = i - (k - 1)
			e = edit{i, i + 1, j, j}
		}
		if n := len(out); n > 0 && out[n-1].a == e.aEnd && out[n-1].b == e.bEnd {
			out[n-1].a, out[n-1].b = e.a, e.b
		} else {
			out = append(out, e)
		}
	}
	for left, right := 0, len(out)-1; left < right; left, right = left+1, right-1 {
		out[left], out[right] = out[right], out[left]
	}
	return out
}
