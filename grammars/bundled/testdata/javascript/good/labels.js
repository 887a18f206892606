function f() { outer: for (;;) { inner: while (a) { if (b) continue outer; break inner } break outer; } }
a: for (;;) break