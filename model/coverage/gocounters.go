package coverage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// This file decodes the output of Go binaries built with -cover (since Go
// 1.20): a meta-data file with the functions of all packages, and counter files
// that refer to it. The input is not trusted.

// goMeta is a meta-data file.
type goMeta struct {
	hash     [16]byte // identifies the meta-data in counter files
	packages []goPackage
}

type goPackage struct {
	path      string
	functions []goFunction
}

// A goFunction has one counter per block. The first block is the entry.
// Function literals belong to the enclosing function.
type goFunction struct {
	name, file string
	literal    bool // a function literal at package level
	blocks     []goBlock
}

type goBlock struct {
	startLine, startColumn int
	endLine, endColumn     int
}

var errGoTruncated = errors.New("truncated Go coverage file")

const (
	goMetaMagic     = "\x00cvm"
	goCounterMagic  = "\x00cwm"
	goMetaHeader    = 56
	goPackageHeader = 44
	goCounterHeader = 32
	goCounterFooter = 16
)

func decodeGoMeta(data []byte) (*goMeta, error) {
	if len(data) < goMetaHeader || !bytes.HasPrefix(data, []byte(goMetaMagic)) {
		return nil, errors.New("not a Go coverage meta-data file")
	}
	if version := binary.LittleEndian.Uint32(data[4:]); version > 1 {
		return nil, fmt.Errorf("version %d of Go coverage meta-data: must be at most 1", version)
	}
	meta := &goMeta{hash: [16]byte(data[24:40])}
	n := binary.LittleEndian.Uint64(data[16:])
	if n > uint64(len(data)-goMetaHeader)/16 {
		return nil, errGoTruncated
	}
	table := data[goMetaHeader:]
	for i := range n {
		offset := binary.LittleEndian.Uint64(table[8*i:])
		length := binary.LittleEndian.Uint64(table[8*(n+i):])
		if offset > uint64(len(data)) || length > uint64(len(data))-offset {
			return nil, errGoTruncated
		}
		p, err := decodeGoPackage(data[offset : offset+length])
		if err != nil {
			return nil, err
		}
		meta.packages = append(meta.packages, p)
	}
	return meta, nil
}

func decodeGoPackage(data []byte) (p goPackage, err error) {
	if len(data) < goPackageHeader {
		return p, errGoTruncated
	}
	n := int(binary.LittleEndian.Uint32(data[40:]))
	if n > (len(data)-goPackageHeader)/4 {
		return p, errGoTruncated
	}
	names, err := decodeGoStrings(goCursor{data: data, at: goPackageHeader + 4*n})
	if err != nil {
		return p, err
	}
	if p.path, err = names.at(uint64(binary.LittleEndian.Uint32(data[8:]))); err != nil {
		return p, err
	}
	p.functions = make([]goFunction, n)
	blocks := 0
	for i := range p.functions {
		at := int(binary.LittleEndian.Uint32(data[goPackageHeader+4*i:]))
		if p.functions[i], err = decodeGoFunction(goCursor{data: data, at: at}, names); err != nil {
			return p, err
		}
		// A crafted file may have overlapping functions, to exhaust memory.
		if blocks += len(p.functions[i].blocks); blocks > len(data) {
			return p, errors.New("functions overlap")
		}
	}
	return p, nil
}

func decodeGoFunction(c goCursor, names goStrings) (f goFunction, err error) {
	n := c.uvarint()
	name, file := c.uvarint(), c.uvarint()
	if n > uint64(len(c.data)) {
		return f, errGoTruncated
	}
	for range n {
		b := goBlock{int(c.uvarint()), int(c.uvarint()), int(c.uvarint()), int(c.uvarint())}
		c.uvarint() // number of statements
		if c.failed {
			return f, errGoTruncated
		}
		f.blocks = append(f.blocks, b)
	}
	f.literal = c.uvarint() != 0
	if c.failed {
		return f, errGoTruncated
	}
	if f.name, err = names.at(name); err != nil {
		return f, err
	}
	f.file, err = names.at(file)
	return f, err
}

type goStrings []string

func decodeGoStrings(c goCursor) (goStrings, error) {
	n := c.uvarint()
	if n > uint64(len(c.data)) {
		return nil, errGoTruncated
	}
	table := make(goStrings, 0, n)
	for range n {
		table = append(table, string(c.bytes(c.uvarint())))
	}
	if c.failed {
		return nil, errGoTruncated
	}
	return table, nil
}

func (t goStrings) at(i uint64) (string, error) {
	if i >= uint64(len(t)) {
		return "", errors.New("string index out of range")
	}
	return t[i], nil
}

// A goCursor decodes numbers. After the first failure all reads fail.
type goCursor struct {
	data   []byte
	at     int
	raw    bool // four bytes per number instead of varints
	failed bool
}

func (c *goCursor) uvarint() uint64 {
	if c.failed || c.at >= len(c.data) {
		c.failed = true
		return 0
	}
	if c.raw {
		b := c.bytes(4)
		if c.failed {
			return 0
		}
		return uint64(binary.LittleEndian.Uint32(b))
	}
	if b := c.data[c.at]; b < 0x80 {
		c.at++
		return uint64(b)
	}
	v, n := binary.Uvarint(c.data[c.at:])
	if n <= 0 || v > 1<<32 {
		c.failed = true
		return 0
	}
	c.at += n
	return v
}

func (c *goCursor) bytes(n uint64) []byte {
	if c.failed || c.at > len(c.data) || n > uint64(len(c.data)-c.at) {
		c.failed = true
		return nil
	}
	c.at += int(n)
	return c.data[c.at-int(n) : c.at]
}

// goCounterHash returns the hash of the meta-data that belongs to a counter
// file.
func goCounterHash(data []byte) ([16]byte, error) {
	if len(data) < goCounterHeader+goCounterFooter || !bytes.HasPrefix(data, []byte(goCounterMagic)) {
		return [16]byte{}, errors.New("not a Go coverage counter file")
	}
	return [16]byte(data[8:24]), nil
}

// decodeGoCounters calls visit for each function with counters, once per
// segment. The slice is valid during the call.
func decodeGoCounters(data []byte, visit func(pkg, function int, counters []uint32)) error {
	if _, err := goCounterHash(data); err != nil {
		return err
	}
	if version := binary.LittleEndian.Uint32(data[4:]); version > 1 {
		return fmt.Errorf("version %d of Go coverage counters: must be at most 1", version)
	}
	c := goCursor{data: data, at: goCounterHeader, raw: data[24] == 1}
	if c.raw && data[25] != 0 {
		return errors.New("big-endian counters: must be little-endian")
	}
	var counters []uint32
	segments := binary.LittleEndian.Uint32(data[len(data)-goCounterFooter+8:])
	for range segments {
		header := c.bytes(16)
		if c.failed {
			return errGoTruncated
		}
		n := binary.LittleEndian.Uint64(header)
		c.bytes(uint64(binary.LittleEndian.Uint32(header[8:])))
		c.bytes(uint64(binary.LittleEndian.Uint32(header[12:])))
		c.bytes(uint64(-c.at & 3))
		for range n {
			blocks, pkg, function := c.uvarint(), c.uvarint(), c.uvarint()
			if c.failed || blocks > uint64(len(data)) {
				return errGoTruncated
			}
			counters = counters[:0]
			for range blocks {
				counters = append(counters, uint32(c.uvarint()))
			}
			if c.failed {
				return errGoTruncated
			}
			visit(int(pkg), int(function), counters)
		}
		c.bytes(goCounterFooter)
	}
	return nil
}
