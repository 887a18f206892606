for (;;) { break }
for (var i = 0, n = 10; i < n; i++) continue;
for (var k in o) {}
for (x of y) ;
for (a.b in c) {}
while (a) { if (b) break; else continue }
do a++; while (a < 10)
do { } while (b) c()