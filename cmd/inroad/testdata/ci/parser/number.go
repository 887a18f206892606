package parser

func number() int {
	return 1
}
