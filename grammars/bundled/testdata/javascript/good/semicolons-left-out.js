var acre = 1
var barn = function () {
  return
}
let crop = [1, 2]
  .map(x => x + 1)
acre = barn
++crop
if (acre) barn()
else crop()
while (acre) acre--
do acre++
while (acre < 3)
const dam = {
  ewe: 1
}
function farm () {
  if (acre) return
  if (barn) crop()
}
farm()
