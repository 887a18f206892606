package main

import (
	"embed"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
)

//go:embed published/*.csv
var publishedFiles embed.FS

// published has the figures of a published table, by the name of the row and the column.
type published map[string]map[string]float64

// readPublished reads a table of the folder published.
func readPublished(name string) (published, error) {
	file, err := publishedFiles.Open("published/" + name + ".csv")
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	cells, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, err
	}
	out := published{}
	for _, row := range cells[1:] {
		out[row[0]] = map[string]float64{}
		for i, text := range row[1:] {
			number, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, fmt.Errorf("%s.csv: %s, %s: %w", name, row[0], cells[0][i+1], err)
			}
			out[row[0]][cells[0][i+1]] = number
		}
	}
	return out, nil
}

// get returns a figure, or NaN if there is none.
func (p published) get(row, column string) float64 {
	if number, ok := p[row][column]; ok {
		return number
	}
	return math.NaN()
}
