var s = `a${b + `c${d}`}e $ \` ${ {f: 1}.f }$`, t = tag`x${1}
`