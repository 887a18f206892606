module github.com/inroad/inroad/eval

go 1.26.8

require (
	github.com/antlr4-go/antlr/v4 v4.13.1
	github.com/inroad/inroad v0.0.0
)

require (
	github.com/fxamacker/cbor/v2 v2.9.0 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	golang.org/x/exp v0.0.0-20240506185415-9bf2ced13842 // indirect
	golang.org/x/sync v0.24.0 // indirect
)

replace github.com/inroad/inroad => ../
