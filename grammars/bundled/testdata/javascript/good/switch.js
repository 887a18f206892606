switch (a) { case 1: case 2: b(); break; default: c(); case 3: { d() } }
switch (a) {}