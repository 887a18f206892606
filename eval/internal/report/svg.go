package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
)

// A Scatter plots points of several series in the unit square or a larger one.
type Scatter struct {
	Title, X, Y string
	Series      []Series
}

// A Series is a named set of points.
type Series struct {
	Name   string
	Points []Point
}

// A Point is a point of a plot.
type Point struct{ X, Y float64 }

// Colours that people with colour blindness can tell apart, after Okabe and Ito.
func colours() []string {
	return []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}
}

const (
	plotSize   = 360
	plotMargin = 50
)

func (s *Scatter) svg() []byte {
	out := &bytes.Buffer{}
	right, top := s.bounds()
	size := plotSize + 2*plotMargin
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="11">`+"\n", size+120, size)
	fmt.Fprintln(out, `<rect width="100%" height="100%" fill="#fff"/>`)
	fmt.Fprintf(out, `<text x="%d" y="20" font-size="13">%s</text>`+"\n", plotMargin, escaped(s.Title))
	fmt.Fprintf(out, `<path d="M%d %dV%dH%d" fill="none" stroke="#333"/>`+"\n", plotMargin, plotMargin, plotMargin+plotSize, plotMargin+plotSize)
	for tick := range 6 {
		share := float64(tick) / 5
		at := share * plotSize
		fmt.Fprintf(out, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", plotMargin+at, plotMargin+plotSize+15, label(share*right))
		fmt.Fprintf(out, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", plotMargin-5, plotMargin+plotSize-at+4, label(share*top))
	}
	fmt.Fprintf(out, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", plotMargin+plotSize/2, plotMargin+plotSize+35, escaped(s.X))
	fmt.Fprintf(out, `<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", plotMargin+plotSize/2, escaped(s.Y))
	for i, series := range s.Series {
		colour := colours()[i%len(colours())]
		fmt.Fprintf(out, `<g fill="%s" fill-opacity="0.6">`+"\n", colour)
		for _, p := range series.Points {
			fmt.Fprintf(out, `<circle cx="%.1f" cy="%.1f" r="2"/>`+"\n", plotMargin+p.X/right*plotSize, plotMargin+plotSize-p.Y/top*plotSize)
		}
		fmt.Fprintf(out, `<text x="%d" y="%d" fill-opacity="1">%s</text></g>`+"\n", plotMargin+plotSize+15, plotMargin+15*(i+1), escaped(series.Name))
	}
	fmt.Fprintln(out, "</svg>")
	return out.Bytes()
}

// bounds returns the ends of the axes, which start at 0: 1 for shares, and a number with
// one digit for larger values.
func (s *Scatter) bounds() (right, top float64) {
	right, top = 1, 1
	for _, series := range s.Series {
		for _, p := range series.Points {
			right, top = max(right, p.X), max(top, p.Y)
		}
	}
	round := func(x float64) float64 {
		if x <= 1 {
			return 1
		}
		unit := math.Pow(10, math.Floor(math.Log10(x)))
		return math.Ceil(x/unit) * unit
	}
	return round(right), round(top)
}

func label(x float64) string { return fmt.Sprintf("%.4g", x) }

func escaped(text string) string {
	out := &bytes.Buffer{}
	if err := xml.EscapeText(out, []byte(text)); err != nil {
		panic(err) // impossible: a buffer takes everything
	}
	return out.String()
}
