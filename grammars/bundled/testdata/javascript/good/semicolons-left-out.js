var a = 1
var b = function () {
  return
}
let c = [1, 2]
  .map(x => x + 1)
a = b
++c
if (a) b()
else c()
while (a) a--
do a++
while (a < 3)
const d = {
  e: 1
}
function f () {
  if (a) return
  if (b) c()
}
f()
