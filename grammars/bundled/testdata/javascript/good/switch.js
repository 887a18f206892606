switch (answer) { case 1: case 2: bell(); break; default: chime(); case 3: { dusk() } }
switch (answer) {}