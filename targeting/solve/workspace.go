package solve

// A workspace is the memory that is needed only while the costs of a problem are
// measured. It is reused from one problem to the next.
type workspace struct {
	here     []int32   // by cell of the shape: the cell in the present frame
	linked   []int32   // references whose below is the number of a frame
	refined  []int32   // the cells that may differ from those of the shape
	ownUsers userLists // see findOwnUsers

	empty []int32  // by cell: the least cost for the empty vector
	can   []uint64 // by cell: the goals that it can contribute to
	work  cellSet
	tried []int32 // see settle

	rows    []row
	order   []int32 // the rows; each follows the rows that it depends on, unless they are recursive
	options []cost  // of all rows
	numbers []int32 // of rows: a hash table of their definitions; 0 if a place is free
	done    []bool  // by cell: whether its costs are known
	early   []int32 // by cell: the row of a cell that was referred to before it was done, or 0
	choices []cost  // of the present cell

	position     []int32 // by row: its index in order
	rowUsers     []rowUser
	rowUsersFrom []int32 // by row: where the range of its users begins
	now          []int32 // by row: the cost for the present vector
	lowered      bitSet  // the positions of rows whose users have not been lowered yet
}

// workspace returns a workspace that is not in use.
func (s *shape) workspace() *workspace {
	if w, ok := s.workspaces.Get().(*workspace); ok {
		return w
	}
	return &workspace{}
}

// reuse returns a slice of n zero values, in the memory of s if it is large enough.
func reuse[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// A cellSet is a set of cells in the order in which they were added.
type cellSet struct {
	has          []bool // by cell
	added, taken []int32
}

// clear empties the set and makes room for a number of cells.
func (s *cellSet) clear(cells int) { s.has, s.added = reuse(s.has, cells), s.added[:0] }

func (s *cellSet) add(at int32) {
	if !s.has[at] {
		s.has[at] = true
		s.added = append(s.added, at)
	}
}

// take empties the set and returns its former cells. The result is valid until the next
// call.
func (s *cellSet) take() []int32 {
	s.added, s.taken = s.taken[:0], s.added
	for _, at := range s.taken {
		s.has[at] = false
	}
	return s.taken
}
