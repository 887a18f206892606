function f() { outer: for (;;) { inner: while (ask) { if (bid) continue outer; break inner } break outer; } }
ask: for (;;) break