var s = `ark${bell + `cup${disc}`}end $ \` ${ {fork: 1}.fork }$`, t = tag`x${1}
`