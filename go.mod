module github.com/inroad/inroad

go 1.26.8

require (
	github.com/antlr4-go/antlr/v4 v4.13.1
	github.com/fxamacker/cbor/v2 v2.9.0
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/spf13/cobra v1.10.2
	golang.org/x/sync v0.24.0
	golang.org/x/term v0.38.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	golang.org/x/exp v0.0.0-20240506185415-9bf2ced13842 // indirect
	golang.org/x/sys v0.39.0 // indirect
	golang.org/x/tools v0.26.0 // indirect
)
