package coverage_test

import (
	"fmt"
	"strings"

	"github.com/inroad/inroad/model/coverage"
)

func ExampleReports() {
	const tracefile = `TN:first
SF:reader.c
FN:3,9,read
FN:11,20,read_array
FNDA:1,read
FNDA:0,read_array
end_of_record
TN:second
SF:reader.c
FN:3,9,read
FN:11,20,read_array
FNDA:1,read
FNDA:2,read_array
end_of_record
`
	var reports coverage.Reports
	if err := reports.ReadReport(strings.NewReader(tracefile), "", coverage.LCOV); err != nil {
		fmt.Println(err)
		return
	}
	for _, run := range reports.Runs() {
		fmt.Println(run.Name, "reached", strings.Join(run.Methods, ", "))
	}
	// Output:
	// first reached reader.c#read
	// second reached reader.c#read, reader.c#read_array
}
