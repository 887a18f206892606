var {a, b: {c = 1}, d: [e, , ...f]} = g, [h, i = 2] = j;
[a.b, c[0]] = d;
({a, b: c.d} = e);
for (let [k, v] of m) {}
function n({o, p = 1}, [q]) {}