if (asked) begin(); else cancel();
if (asked) { begin() } else if (cancel) { decide() } else enter();
if (asked) if (begin) cancel(); else decide()
if (asked) ; else begin();