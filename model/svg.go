package model

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Dimensions of the drawing, in pixels.
const (
	svgRow     = 84 // distance between rows of boxes
	svgBox     = 44
	svgGap     = 16
	svgChar    = 7
	svgMargin  = 16
	svgTitle   = 28
	svgMaxLine = 48 // characters
)

// An svgNode is a positioned node.
type svgNode struct {
	lines           []string
	reached, leaf   bool
	full            string
	x, width, depth int // x is the center
	absent, present *svgNode
}

// WriteSVG draws the tree as SVG.
func (e *Explanation) WriteSVG(w io.Writer) error {
	right := svgMargin
	deepest := 0
	var place func(node *Node, depth int) *svgNode
	place = func(node *Node, depth int) *svgNode {
		n := &svgNode{depth: depth, reached: node.Reached, leaf: node.Absent == nil}
		deepest = max(deepest, depth)
		if n.leaf {
			n.full = node.text()
			word, rest, _ := strings.Cut(n.full, " (")
			n.lines = []string{word, strings.TrimSuffix(rest, ")")}
		} else {
			n.full = node.test()
			n.lines = wrap(n.full)
		}
		for _, line := range n.lines {
			n.width = max(n.width, svgChar*utf8.RuneCountInString(line)+svgGap)
		}
		if n.leaf {
			n.x = right + n.width/2
			right += n.width + svgGap
			return n
		}
		left := right
		n.absent, n.present = place(node.Absent, depth+1), place(node.Present, depth+1)
		n.x = (n.absent.x + n.present.x) / 2
		if n.x-n.width/2 < left { // wider than its children
			n.x = left + n.width/2
		}
		right = max(right, n.x+n.width/2+svgGap)
		return n
	}
	root := place(e.Tree, 0)
	width := max(right, svgChar*utf8.RuneCountInString(e.name())+2*svgMargin)
	height := svgTitle + deepest*svgRow + svgBox + 2*svgMargin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n"+`<text x="%d" y="22" font-weight="bold">%s</text>`+"\n", svgMargin, escapeXML(e.name()))
	root.edges(&b)
	root.boxes(&b)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (n *svgNode) y() int { return svgTitle + svgMargin + n.depth*svgRow }

// edges draws the lines to the children. It runs before boxes, which overlap
// the lines.
func (n *svgNode) edges(b *strings.Builder) {
	if n.leaf {
		return
	}
	for _, child := range []struct {
		*svgNode
		word string
	}{{n.absent, "no"}, {n.present, "yes"}} {
		top, bottom := n.y()+svgBox, child.y()
		fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="#888888"/>`+"\n", n.x, top, child.x, bottom)
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="#555555" text-anchor="middle">%s</text>`+"\n", (n.x+child.x)/2, (top+bottom)/2, child.word)
		child.edges(b)
	}
}

func (n *svgNode) boxes(b *strings.Builder) {
	fill, radius := "#ffffff", 0
	if n.leaf {
		fill, radius = "#eeeeee", 8
	}
	if n.leaf && n.reached {
		fill = "#cce8cc"
	}
	fmt.Fprintf(b, `<g><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="%d" fill="%s" stroke="#888888"/>`,
		escapeXML(n.full), n.x-n.width/2, n.y(), n.width, svgBox, radius, fill)
	for i, line := range n.lines {
		y := n.y() + svgBox/2 + 4 + 16*i - 8*(len(n.lines)-1)
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`, n.x, y, escapeXML(line))
	}
	b.WriteString("</g>\n")
	if !n.leaf {
		n.absent.boxes(b)
		n.present.boxes(b)
	}
}

// wrap splits a text into at most two lines.
func wrap(s string) []string {
	runes := []rune(s)
	if len(runes) <= svgMaxLine {
		return []string{s}
	}
	at := svgMaxLine
	if i := strings.LastIndexByte(string(runes[:svgMaxLine]), ' '); i > 0 {
		at = utf8.RuneCountInString(string(runes[:svgMaxLine])[:i])
	}
	rest := []rune(strings.TrimSpace(string(runes[at:])))
	if len(rest) > svgMaxLine {
		rest = append(rest[:svgMaxLine-1], '…')
	}
	return []string{string(runes[:at]), string(rest)}
}

// escapeXML escapes a text for XML. Characters that XML cannot represent become
// U+FFFD.
func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder cannot fail
	return b.String()
}
