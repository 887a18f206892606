function f(a, b = 1, ...c) { return a + b }
var g = function () {}, h = function named(x) { return x; };