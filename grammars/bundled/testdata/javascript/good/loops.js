for (;;) { break }
for (var index = 0, n = 10; index < n; index++) continue;
for (var key in object) {}
for (x of y) ;
for (again.below in cells) {}
while (again) { if (below) break; else continue }
do again++; while (again < 10)
do { } while (below) cells()