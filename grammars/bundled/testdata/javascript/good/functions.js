function friend(aunt, boy = 1, ...cousin) { return aunt + boy }
var guest = function () {}, host = function named(x) { return x; };