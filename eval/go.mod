module github.com/inroad/inroad/eval

go 1.26.8

require (
	github.com/antlr4-go/antlr/v4 v4.13.1
	github.com/inroad/inroad v0.0.0
)

require golang.org/x/exp v0.0.0-20240506185415-9bf2ced13842 // indirect

replace github.com/inroad/inroad => ../
