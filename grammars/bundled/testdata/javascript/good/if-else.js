if (a) b(); else c();
if (a) { b() } else if (c) { d() } else e();
if (a) if (b) c(); else d()
if (a) ; else b();