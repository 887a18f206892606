package model

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Sizes of the picture of a tree, in pixels.
const (
	svgRow     = 84 // from one row of boxes to the next
	svgBox     = 44
	svgGap     = 16
	svgChar    = 7
	svgMargin  = 16
	svgTitle   = 28
	svgMaxLine = 48 // characters in a line
)

// A svgNode is a question or an answer with its place.
type svgNode struct {
	lines           []string
	reached, leaf   bool
	full            string
	x, width, depth int // x is the middle
	absent, present *svgNode
}

// WriteSVG draws the tree.
func (e *Explanation) WriteSVG(w io.Writer) error {
	right := svgMargin
	deepest := 0
	var place func(q *Node, depth int) *svgNode
	place = func(q *Node, depth int) *svgNode {
		n := &svgNode{depth: depth, reached: q.Reached, leaf: q.Absent == nil}
		deepest = max(deepest, depth)
		if n.leaf {
			n.full = q.text()
			word, rest, _ := strings.Cut(n.full, " (")
			n.lines = []string{word, strings.TrimSuffix(rest, ")")}
		} else {
			n.full = q.Feature + "?"
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
		n.absent, n.present = place(q.Absent, depth+1), place(q.Present, depth+1)
		n.x = (n.absent.x + n.present.x) / 2
		if n.x-n.width/2 < left { // wider than all that is below it
			n.x = left + n.width/2
		}
		right = max(right, n.x+n.width/2+svgGap)
		return n
	}
	root := place(e.Tree, 0)
	width := max(right, svgChar*utf8.RuneCountInString(e.Unit.ID)+2*svgMargin)
	height := svgTitle + deepest*svgRow + svgBox + 2*svgMargin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n"+`<text x="%d" y="22" font-weight="bold">%s</text>`+"\n", svgMargin, escapeXML(e.Unit.ID))
	root.edges(&b)
	root.boxes(&b)
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (n *svgNode) y() int { return svgTitle + svgMargin + n.depth*svgRow }

// edges draws the lines below a node, so that boxes come over them.
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

// wrap puts a text into at most two lines.
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

// escapeXML returns a text as XML has it; what XML has no word for becomes the
// replacement character.
func escapeXML(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}
