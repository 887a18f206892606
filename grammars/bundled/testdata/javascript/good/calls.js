(function () { return this })();
!function () {}();
(() => {})();
a.b.c(d)(e)[f]`g`.h()