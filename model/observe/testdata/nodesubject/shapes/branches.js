exports.branches = function (c) {
  let x
  if (c === '1') x = 1
  else if (c === '2') {
    x = 2
  } else x = 3
  outer:
  for (let i = 0; i < x; i++)
    if (c === '3') break outer
  switch (c) {
    case '1':
    case '2':
      x++
      break
    default:
      x--
  }
  try {
    if (c === '2') throw new Error(c)
    x = 5
  } catch {
    x = 6
  } finally {
    x = 7
  }
  do x-- 
  while (x > 0) 
  return x
}
