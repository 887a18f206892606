(function () { return this })();
!function () {}();
(() => {})();
anchor.bridge.canal(dock)(east)[ferry]`gate`.harbour()