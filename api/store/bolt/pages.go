package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/bits"
	"slices"
)

// Layout of the pages of a bbolt file. This package checks pages before bbolt reads
// them, because a damaged page makes bbolt panic, fault or loop. All numbers have the
// byte order of the machine.
//
// A page starts with a header: its number (8 bytes), its type (2), the number of its
// elements (2) and the number of pages that continue it (4). The first two pages are
// meta pages. The one with the higher transaction number is valid; the other one
// belongs to the previous transaction.
const (
	headerSize  = 16
	elementSize = 16

	branchPage   = 1
	leafPage     = 2
	freelistPage = 16

	bucketElement = 1 // flag of an element of a leaf: the value is a bucket

	metaMagic    = 0xED0CDAED
	metaVersion  = 2
	metaSumStart = 16
	metaSumEnd   = 72 // where the checksum is

	minPageSize = 1 << 10
	maxPageSize = 1 << 16

	maxDepth  = 64 // pages between the root and a leaf; a tree of 2⁶⁰ entries has fewer
	maxFaults = 20 // reported
)

// A meta is the content of a meta page.
type meta struct{ pageSize, root, freelist, pages, transaction uint64 }

// readMeta reads the meta page at an offset. It reports whether the page is valid.
func readMeta(r io.ReaderAt, at int64) (meta, bool) {
	var page [metaSumEnd + 8]byte
	if _, err := r.ReadAt(page[:], at); err != nil {
		return meta{}, false
	}
	order := binary.NativeEndian
	sum := fnv.New64a()
	_, _ = sum.Write(page[metaSumStart:metaSumEnd]) // never fails
	m := meta{
		pageSize: uint64(order.Uint32(page[24:])), root: order.Uint64(page[32:]), freelist: order.Uint64(page[48:]),
		pages: order.Uint64(page[56:]), transaction: order.Uint64(page[64:]),
	}
	return m, order.Uint32(page[16:]) == metaMagic && order.Uint32(page[20:]) == metaVersion && order.Uint64(page[metaSumEnd:]) == sum.Sum64() &&
		m.pageSize >= minPageSize && m.pageSize <= maxPageSize && bits.OnesCount64(m.pageSize) == 1
}

// A pageReport is the result of [checkPages].
type pageReport struct {
	free    int64    // bytes of unused pages
	faults  []string // in pages that hold data: nothing can be read safely
	minor   []string // in other pages: reading is safe, writing is not
	omitted int      // faults beyond maxFaults
}

func (r *pageReport) all() []string {
	all := slices.Concat(r.faults, r.minor)
	if r.omitted > 0 {
		all = append(all, fmt.Sprintf("%d more faults", r.omitted))
	}
	return all
}

var (
	errNoStore   = errors.New("not an inroad store, or its first pages are damaged")
	errTruncated = errors.New("truncated")
)

// checkPages reads the structure of a bbolt file, but not its values, and reports
// faults. It returns an error if the file is no bbolt file, is truncated, or cannot be
// read.
func checkPages(r io.ReaderAt, size int64) (*pageReport, error) {
	c := &pageChecker{reader: r, report: &pageReport{}}
	if err := c.readMetas(size); err != nil {
		return nil, err
	}
	if c.meta.pages > uint64(size)/c.meta.pageSize {
		return nil, fmt.Errorf("%w: has %d bytes, needs %d pages of %d bytes", errTruncated, size, c.meta.pages, c.meta.pageSize)
	}
	c.use = make([]pageUse, c.meta.pages)
	if err := c.tree(c.meta.root, keyRange{}, 0); err != nil {
		return nil, err
	}
	if err := c.freelist(); err != nil {
		return nil, err
	}
	for id := uint64(2); id < c.meta.pages; id++ {
		if c.use[id] == unknownPage {
			c.minor("page %d: neither used nor free", id)
		}
	}
	return c.report, nil
}

type pageUse uint8

const (
	unknownPage pageUse = iota
	usedPage
	freePage
)

type pageChecker struct {
	reader io.ReaderAt
	meta   meta
	use    []pageUse // by page
	report *pageReport
}

func (c *pageChecker) fault(format string, args ...any) {
	if len(c.report.faults) == maxFaults {
		c.report.omitted++
		return
	}
	c.report.faults = append(c.report.faults, fmt.Sprintf(format, args...))
}

func (c *pageChecker) minor(format string, args ...any) {
	if len(c.report.minor) == maxFaults {
		c.report.omitted++
		return
	}
	c.report.minor = append(c.report.minor, fmt.Sprintf(format, args...))
}

// readMetas selects the meta page that bbolt selects.
func (c *pageChecker) readMetas(size int64) error {
	first, ok0 := readMeta(c.reader, 0)
	second, ok1 := meta{}, false
	if ok0 {
		second, ok1 = readMeta(c.reader, int64(first.pageSize))
	}
	for pageSize := int64(minPageSize); !ok0 && !ok1 && pageSize <= maxPageSize && pageSize < size; pageSize *= 2 {
		if second, ok1 = readMeta(c.reader, pageSize); second.pageSize != uint64(pageSize) {
			ok1 = false
		}
	}
	switch {
	case !ok0 && !ok1:
		return errNoStore
	case !ok0:
		c.minor("page 0: damaged; the last change may be lost")
	case !ok1:
		c.minor("page 1: damaged; the last change may be lost")
	case first.pageSize != second.pageSize:
		return errNoStore
	}
	if c.meta = first; ok1 && (!ok0 || second.transaction > first.transaction) {
		c.meta = second
	}
	return nil
}

// A page is a page of the file together with the pages that continue it. Its bytes
// are read on demand.
type page struct {
	id, size    uint64
	kind, count uint16
	head        []byte // the beginning
	read        func(at, n uint64) ([]byte, error)
}

// bytes returns n bytes of the page at an offset, both of which are within the page.
func (p *page) bytes(at, n uint64) ([]byte, error) {
	if at+n <= uint64(len(p.head)) {
		return p.head[at : at+n], nil
	}
	return p.read(at, n)
}

// readPage reads the header of a page and marks the page as used. If the page is
// faulty, it calls fault with the reason and returns nil.
func (c *pageChecker) readPage(id uint64, fault func(format string, args ...any)) (*page, error) {
	if id < 2 || id >= c.meta.pages {
		fault("page %d: must be between 2 and %d", id, c.meta.pages-1)
		return nil, nil
	}
	start := int64(id * c.meta.pageSize)
	head := make([]byte, c.meta.pageSize)
	if _, err := c.reader.ReadAt(head, start); err != nil {
		return nil, err
	}
	order := binary.NativeEndian
	p := &page{
		id: id, kind: order.Uint16(head[8:]), count: order.Uint16(head[10:]), head: head,
		read: func(at, n uint64) ([]byte, error) {
			part := make([]byte, n)
			_, err := c.reader.ReadAt(part, start+int64(at))
			return part, err
		},
	}
	more := uint64(order.Uint32(head[12:]))
	switch number := order.Uint64(head); {
	case number != id:
		fault("page %d: has the number %d", id, number)
		return nil, nil
	case more >= c.meta.pages-id:
		fault("page %d: continues after the last page", id)
		return nil, nil
	}
	p.size = (more + 1) * c.meta.pageSize
	for i := id; i <= id+more; i++ {
		if c.use[i] != unknownPage {
			fault("page %d: used twice", i)
			return nil, nil
		}
		c.use[i] = usedPage
	}
	return p, nil
}

// A keyRange is a half-open range of keys: it includes from, but not to. A nil bound
// is no bound.
type keyRange struct{ from, to []byte }

func (r keyRange) has(key []byte) bool {
	return (r.from == nil || bytes.Compare(key, r.from) >= 0) && (r.to == nil || bytes.Compare(key, r.to) < 0)
}

// tree checks the tree of pages below a page. All keys of the tree must be in the
// range.
func (c *pageChecker) tree(id uint64, keys keyRange, depth int) error {
	if depth > maxDepth {
		c.fault("page %d: more than %d levels below the root", id, maxDepth)
		return nil
	}
	p, err := c.readPage(id, c.fault)
	if p == nil {
		return err
	}
	switch p.kind {
	case leafPage:
		return c.leaf(p, keys, depth)
	case branchPage:
		return c.branch(p, keys, depth)
	default:
		c.fault("page %d: has the type %d, must be a leaf or a branch", id, p.kind)
		return nil
	}
}

// An element is an element of a leaf or a branch.
type element struct {
	key   []byte
	flags uint32 // of an element of a leaf
	at, n uint64 // offset and size of the value of an element of a leaf
	child uint64 // page below an element of a branch
}

// elements reads the elements of a page and checks their keys. It reports whether
// they are correct.
func (c *pageChecker) elements(p *page, keys keyRange) ([]element, bool, error) {
	data := headerSize + uint64(p.count)*elementSize
	if data > p.size {
		c.fault("page %d: %d elements do not fit", p.id, p.count)
		return nil, false, nil
	}
	table, err := p.bytes(headerSize, data-headerSize)
	if err != nil {
		return nil, false, err
	}
	order := binary.NativeEndian
	out := make([]element, p.count)
	for i := range out {
		raw := table[i*elementSize:]
		at := headerSize + uint64(i)*elementSize
		e := &out[i]
		var keySize uint64
		if p.kind == leafPage {
			e.flags = order.Uint32(raw)
			at, keySize, e.n = at+uint64(order.Uint32(raw[4:])), uint64(order.Uint32(raw[8:])), uint64(order.Uint32(raw[12:]))
		} else {
			at, keySize, e.child = at+uint64(order.Uint32(raw)), uint64(order.Uint32(raw[4:])), order.Uint64(raw[8:])
		}
		if at < data || at+keySize+e.n > p.size || keySize == 0 || e.flags > bucketElement {
			c.fault("page %d: element %d is damaged", p.id, i)
			return nil, false, nil
		}
		if e.key, err = p.bytes(at, keySize); err != nil {
			return nil, false, err
		}
		e.at = at + keySize
		if !keys.has(e.key) || i > 0 && bytes.Compare(out[i-1].key, e.key) >= 0 {
			c.fault("page %d: key %d is out of order", p.id, i)
			return nil, false, nil
		}
	}
	return out, true, nil
}

func (c *pageChecker) branch(p *page, keys keyRange, depth int) error {
	elements, ok, err := c.elements(p, keys)
	if err != nil || !ok {
		return err
	}
	if len(elements) == 0 {
		c.fault("page %d: a branch without elements", p.id)
	}
	for i, e := range elements {
		below := keyRange{e.key, keys.to}
		if i+1 < len(elements) {
			below.to = elements[i+1].key
		}
		if err := c.tree(e.child, below, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (c *pageChecker) leaf(p *page, keys keyRange, depth int) error {
	elements, ok, err := c.elements(p, keys)
	if err != nil || !ok {
		return err
	}
	for i, e := range elements {
		if e.flags != bucketElement {
			continue
		}
		value, err := p.bytes(e.at, e.n)
		if err != nil {
			return err
		}
		if err := c.bucket(p.id, i, value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// bucket checks a bucket, whose value holds the number of its root page and a
// sequence number. In a small bucket, the value also holds the root page itself.
func (c *pageChecker) bucket(id uint64, i int, value []byte, depth int) error {
	const bucketHeader = 16
	if len(value) < bucketHeader {
		c.fault("page %d: bucket %d is damaged", id, i)
		return nil
	}
	order := binary.NativeEndian
	if root := order.Uint64(value); root != 0 {
		return c.tree(root, keyRange{}, depth)
	}
	head := value[bucketHeader:]
	if len(head) < headerSize || order.Uint16(head[8:]) != leafPage || depth > maxDepth {
		c.fault("page %d: bucket %d is damaged", id, i)
		return nil
	}
	inline := &page{
		id: id, size: uint64(len(head)), kind: leafPage, count: order.Uint16(head[10:]), head: head,
	}
	return c.leaf(inline, keyRange{}, depth)
}

// freelist checks the list of free pages.
func (c *pageChecker) freelist() error {
	p, err := c.readPage(c.meta.freelist, func(format string, args ...any) { c.minor("free list: "+format, args...) })
	if p == nil {
		return err
	}
	if p.kind != freelistPage {
		c.minor("page %d: has the type %d, must be a free list", p.id, p.kind)
		return nil
	}
	start, count := uint64(headerSize), uint64(p.count)
	const many = 1<<16 - 1 // the first entry is the count
	if p.count == many {
		first, err := p.bytes(start, 8)
		if err != nil {
			return err
		}
		start, count = start+8, binary.NativeEndian.Uint64(first)
	}
	if count > (p.size-start)/8 {
		c.minor("page %d: %d free pages do not fit", p.id, count)
		return nil
	}
	ids, err := p.bytes(start, count*8)
	if err != nil {
		return err
	}
	for entry := range slices.Chunk(ids, 8) {
		switch id := binary.NativeEndian.Uint64(entry); {
		case id < 2 || id >= c.meta.pages:
			c.minor("free page %d: must be between 2 and %d", id, c.meta.pages-1)
		case c.use[id] == usedPage:
			c.minor("page %d: both used and free", id)
		case c.use[id] == freePage:
			c.minor("page %d: freed twice", id)
		default:
			c.use[id] = freePage
			c.report.free += int64(c.meta.pageSize)
		}
	}
	return nil
}
