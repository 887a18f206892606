package solve

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/inroad/inroad/grammars/refine"
)

// A cost is the least cost of a cell by vector: that of a row plus a constant.
type cost struct{ row, extra int32 }

// A row is a list of least costs by vector, defined by other rows. Row 0 belongs to
// a derivation that costs nothing and contributes nothing.
//
// There are far fewer rows than cells. The tokens around an operand only add a
// constant to its costs, and the bodies of a rule that differ by operator binding or
// lexer mode have most alternatives in common.
type row struct {
	kind      rowKind
	recursive bool   // whether rows that precede it in the order depend on it
	can       uint64 // the goals that it can contribute to
	empty     int32  // the cost for the empty vector
	from, to  int32  // a range of all options; the row costs no more than each of them
	a, b      cost   // a split: the two parts; a symbol: the derivation below
	outcome   int32  // of a symbol
}

type rowKind uint8

const (
	choice rowKind = iota // one of its options
	split                 // one of its options, or two parts that both contribute
	symbol                // a symbol that contributes to goals, and the derivation below
)

// A rowFinder finds the rows of a problem.
type rowFinder struct {
	*problem
	used int // places of the hash table
}

// findRows finds the rows of all cells, and their costs for the empty vector.
func (p *problem) findRows() {
	p.costs = make([]cost, len(p.cells))
	p.rows, p.order, p.options = append(p.rows[:0], row{}), p.order[:0], p.options[:0]
	if p.vectors == 1 {
		for i, c := range p.empty {
			p.costs[i] = cost{0, c}
		}
	} else {
		p.numbers = reuse(p.numbers, max(1024, len(p.numbers)))
		p.done, p.early = reuse(p.done, len(p.cells)), reuse(p.early, len(p.cells))
		r := &rowFinder{problem: p}
		r.find()
	}
	p.least = make([]int32, len(p.rows)*int(p.vectors))
	for i := range p.least {
		p.least[i] = impossible
	}
	for i := range p.rows {
		p.least[int32(i)*p.vectors] = p.rows[i].empty
	}
}

// find finds the rows of all cells, from the bottom up. A recursive cell has a row
// before its definition is known.
func (r *rowFinder) find() {
	for at := range r.all() {
		if c := &r.cells[at]; c.kind != refine.Many || c.states > 0 {
			r.cell(at, c)
		}
		if row := r.early[at]; row != 0 {
			r.define(row, r.costs[at])
			r.costs[at] = cost{row: row}
		}
		r.done[at] = true
	}
}

// placeholder adds a row for a cell whose definition is not known yet.
func (r *rowFinder) placeholder(at int32) int32 {
	r.rows = append(r.rows, row{recursive: true, can: r.can[at], empty: r.empty[at]})
	return int32(len(r.rows) - 1)
}

// define completes a placeholder.
func (r *rowFinder) define(row int32, options ...cost) {
	x := &r.rows[row]
	x.from = int32(len(r.options))
	r.options = append(r.options, options...)
	x.to = int32(len(r.options))
	r.order = append(r.order, row)
}

// cell finds the costs of a cell. For the last cell of a repetition, it also finds the
// costs of the repetition's other cells.
func (r *rowFinder) cell(at int32, c *cell) {
	if c.dead || r.can[at] == 0 {
		for i := at - max(c.states, 1) + 1; i <= at; i++ {
			r.costs[i] = cost{0, r.empty[i]}
		}
		return
	}
	switch c.kind {
	case refine.Symbol, refine.Absent:
		r.costs[at] = r.symbol(at, c.outcome, cost{0, c.weight})
	case refine.Reference:
		below := r.below(c.below)
		below.extra += c.weight
		r.costs[at] = r.symbol(at, c.outcome, below)
	case refine.Either:
		r.choices = r.choices[:0]
		for _, kid := range r.kidsOf(c) {
			r.choices = append(r.choices, r.costs[kid.Part])
		}
		r.costs[at] = r.choice(at)
	case refine.Both:
		r.costs[at] = r.both(r.costs[c.a], r.costs[c.b])
	case refine.Many:
		if r.loops(at) {
			r.costs[at] = r.loop(at, r.costs[r.roundsOf(c)[0].Part])
		} else {
			r.many(at)
		}
	}
}

// below returns the costs of the cell below a reference.
func (r *rowFinder) below(at int32) cost {
	switch {
	case r.done[at]:
		return r.costs[at]
	case r.can[at] == 0:
		return cost{0, r.empty[at]}
	case r.early[at] == 0:
		r.early[at] = r.placeholder(at)
	}
	return cost{row: r.early[at]}
}

// symbol returns the costs of a symbol with an outcome, given the costs below it.
func (r *rowFinder) symbol(at, outcome int32, below cost) cost {
	if outcome == 0 || below.extra >= impossible {
		return below
	}
	row := r.add(row{kind: symbol, can: r.can[at], empty: r.without(at, below.extra), a: cost{below.row, 0}, outcome: outcome})
	return cost{row, below.extra}
}

// without returns the cost of a cell for the empty vector, less a constant.
func (r *rowFinder) without(at, extra int32) int32 {
	if r.empty[at] >= impossible {
		return impossible
	}
	return r.empty[at] - extra
}

// choice returns the least of the costs in r.choices.
func (r *rowFinder) choice(at int32) cost {
	slices.SortFunc(r.choices, func(a, b cost) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.extra, b.extra)) })
	kids := slices.CompactFunc(r.choices, func(a, b cost) bool { return a.row == b.row })
	kids = slices.DeleteFunc(kids, func(k cost) bool { return k.extra >= impossible })
	switch len(kids) {
	case 0:
		return cost{0, impossible}
	case 1:
		return kids[0]
	}
	extra := kids[0].extra
	for _, k := range kids {
		extra = min(extra, k.extra)
	}
	for i := range kids {
		kids[i].extra -= extra
	}
	return cost{r.add(row{can: r.can[at], empty: r.without(at, extra)}, kids...), extra}
}

// both returns the costs of two parts in sequence.
func (r *rowFinder) both(a, b cost) cost {
	extra := a.extra + b.extra
	switch {
	case a.extra >= impossible || b.extra >= impossible || extra >= impossible:
		return cost{0, impossible}
	case a.row == 0:
		return cost{b.row, extra}
	case b.row == 0:
		return cost{a.row, extra}
	}
	a, b = cost{min(a.row, b.row), 0}, cost{max(a.row, b.row), 0}
	x, y := &r.rows[a.row], &r.rows[b.row]
	return cost{r.add(row{kind: split, can: x.can | y.can, empty: min(impossible, x.empty+y.empty), a: a, b: b}, cost{a.row, y.empty}, cost{b.row, x.empty}), extra}
}

// loop returns the costs of one or more rounds, given the costs of one round. The parts
// of its split are the first round and the rounds after it.
func (r *rowFinder) loop(at int32, round cost) cost {
	if round.row == 0 {
		return round
	}
	self := cost{row: int32(len(r.rows))}
	return cost{r.add(row{kind: split, can: r.can[at], empty: r.empty[at], a: round, b: self}, round), 0}
}

// many finds the costs of a repetition whose rounds change the lexer mode. last is its
// last cell.
func (r *rowFinder) many(last int32) {
	first := last - r.cells[last].states + 1
	for i := first; i <= last; i++ {
		r.costs[i] = cost{row: r.placeholder(i)}
	}
	for i := first; i <= last; i++ {
		r.choices = r.choices[:0]
		for _, round := range r.roundsOf(&r.cells[i]) {
			part := r.costs[round.Part]
			if round.Ends && part.extra < impossible {
				r.choices = append(r.choices, part)
			}
			if round.Next >= 0 {
				if both := r.both(part, r.costs[round.Next]); both.extra < impossible {
					r.choices = append(r.choices, both)
				}
			}
		}
		if r.cells[i].dead {
			r.choices = r.choices[:0]
		}
		r.define(r.costs[i].row, r.choices...)
	}
}

// add returns the number of the row with a definition, which it adds unless it exists.
func (r *rowFinder) add(x row, options ...cost) int32 {
	if 2*r.used >= len(r.numbers) {
		r.grow()
	}
	slot := r.slot(&x, options)
	if number := r.numbers[slot]; number != 0 {
		return number
	}
	next := int32(len(r.rows))
	r.numbers[slot] = next
	r.used++
	r.rows = append(r.rows, x)
	r.define(next, options...)
	return next
}

// slot returns the place of a row with a definition in the hash table.
func (r *rowFinder) slot(x *row, options []cost) uint64 {
	mask := uint64(len(r.numbers) - 1)
	slot := r.hash(x, options) & mask
	for r.numbers[slot] != 0 && !r.equal(r.numbers[slot], x, options) {
		slot = (slot + 1) & mask
	}
	return slot
}

// grow doubles the hash table.
func (r *rowFinder) grow() {
	before := r.numbers
	r.numbers = make([]int32, 2*len(before))
	for _, number := range before {
		if number != 0 {
			x := &r.rows[number]
			r.numbers[r.slot(x, r.options[x.from:x.to])] = number
		}
	}
}

// hash returns a hash of the definition of a row. The second part of a split is
// left out: a loop refers to itself.
func (r *rowFinder) hash(x *row, options []cost) uint64 {
	const prime = 0x100000001b3
	h := uint64(x.kind)*prime ^ uint64(x.outcome)
	for _, c := range options {
		h = (h*prime^uint64(c.row))*prime ^ uint64(c.extra)
		h ^= h >> 29
	}
	h = ((h*prime^uint64(x.a.row))*prime ^ uint64(x.a.extra)) * prime
	return h ^ h>>32
}

// equal reports whether a row has the same definition as x.
func (r *rowFinder) equal(number int32, x *row, options []cost) bool {
	y := &r.rows[number]
	sameLoop := x.b.row == int32(len(r.rows)) && y.b.row == number
	return x.kind == y.kind && x.outcome == y.outcome && x.a == y.a && (x.b == y.b || sameLoop) && slices.Equal(options, r.options[y.from:y.to])
}

// A rowUser is a row that costs at most extra more than another row.
type rowUser struct{ row, extra int32 }

// findRowUsers finds the users of each row, in the order of rows.
func (p *problem) findRowUsers() {
	p.rowUsersFrom = reuse(p.rowUsersFrom, len(p.rows)+1)
	p.position = reuse(p.position, len(p.rows))
	each := func(do func(row int32, user rowUser)) {
		for _, i := range slices.Backward(p.order) {
			x := &p.rows[i]
			for _, o := range p.options[x.from:x.to] {
				do(o.row, rowUser{i, o.extra})
			}
			if x.kind == symbol {
				do(x.a.row, rowUser{row: i})
			}
		}
	}
	each(func(row int32, _ rowUser) { p.rowUsersFrom[row]++ })
	to := int32(0)
	for i := range p.rowUsersFrom {
		to += p.rowUsersFrom[i]
		p.rowUsersFrom[i] = to
	}
	p.rowUsers = reuse(p.rowUsers, int(to))
	each(func(row int32, user rowUser) { // fills each range from its end
		p.rowUsersFrom[row]--
		p.rowUsers[p.rowUsersFrom[row]] = user
	})
	for position, i := range p.order {
		p.position[i] = int32(position)
	}
}

// usersOfRow returns the users of a row.
func (p *problem) usersOfRow(i int32) []rowUser {
	return p.rowUsers[p.rowUsersFrom[i]:p.rowUsersFrom[i+1]]
}

// measureVector computes the least costs of all rows for one vector.
func (p *problem) measureVector(v int32) {
	now := p.now
	for i := range now {
		now[i] = impossible
	}
	support := p.support[v]
	for _, i := range p.order {
		x := &p.rows[i]
		if support&^x.can != 0 {
			continue
		}
		least := now[i]
		switch x.kind {
		case split:
			least = min(least, p.split(x, v))
		case symbol:
			switch rest := p.rest(x.outcome, v); {
			case rest == v:
				least = min(least, now[x.a.row])
			case rest >= 0:
				least = p.least[x.a.row*p.vectors+rest]
			}
		}
		for _, o := range p.options[x.from:x.to] {
			least = min(least, now[o.row]+o.extra)
		}
		p.steps++
		if now[i] = least; x.recursive && least < impossible {
			p.lowerUsers(i, v)
		}
	}
	for p.lowered.any() {
		for position := range p.lowered.take() {
			p.lowerUsers(p.order[position], v)
		}
	}
	for i, cost := range now {
		if cost < impossible {
			p.least[int32(i)*p.vectors+v] = cost
		}
	}
}

// lowerUsers lowers the costs of a row's users for a vector to the row's cost plus
// their constants.
func (p *problem) lowerUsers(i, v int32) {
	now := p.now
	users := p.usersOfRow(i)
	p.steps += len(users)
	cost := now[i]
	for _, user := range users {
		if cost+user.extra >= now[user.row] {
			continue
		}
		if x := &p.rows[user.row]; x.kind == symbol && p.rest(x.outcome, v) != v {
			continue
		}
		now[user.row] = cost + user.extra
		p.lowered.add(p.position[user.row])
	}
}

// A bitSet is a set of small numbers.
type bitSet []uint64

func (s bitSet) add(i int32) { s[i/64] |= 1 << (i % 64) }

func (s bitSet) any() bool {
	return slices.ContainsFunc(s, func(word uint64) bool { return word != 0 })
}

// take removes and yields the numbers in ascending order, including larger ones that
// are added meanwhile.
func (s bitSet) take() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := range s {
			for s[i] != 0 {
				bit := bits.TrailingZeros64(s[i])
				s[i] &^= 1 << bit
				if !yield(int32(64*i + bit)) {
					return
				}
			}
		}
	}
}

// split returns the least cost of two parts that both contribute to a vector. It
// compares only the splits that the goals of the parts allow.
func (p *problem) split(x *row, v int32) int32 {
	l, r := p.row(x.a.row), p.row(x.b.row)
	support := p.support[v]
	lefts, rights := p.rows[x.a.row].can&support, p.rows[x.b.row].can&support
	cost := int32(impossible)
	switch {
	case lefts == 0 || rights == 0:
		return impossible
	case lefts != support:
		most := p.restrict(v, lefts)
		p.steps += len(p.splits[most]) + 1
		cost = l[most] + r[v-most]
		for _, part := range p.splits[most] {
			cost = min(cost, l[part]+r[v-part])
		}
	case rights != support:
		most := p.restrict(v, rights)
		p.steps += len(p.splits[most]) + 1
		cost = l[v-most] + r[most]
		for _, part := range p.splits[most] {
			cost = min(cost, l[v-part]+r[part])
		}
	default:
		p.steps += len(p.splits[v])
		for _, part := range p.halves[v] {
			rest := v - part
			cost = min(cost, l[part]+r[rest], l[rest]+r[part])
		}
	}
	return min(impossible, cost+x.a.extra+x.b.extra)
}

// row returns the costs of a row by vector.
func (p *problem) row(i int32) []int32 { return p.least[i*p.vectors : (i+1)*p.vectors] }

// cost returns the least cost of a cell for a vector.
func (p *problem) cost(cell, v int32) int32 {
	c := p.costs[cell]
	return min(impossible, p.least[c.row*p.vectors+v]+c.extra)
}
