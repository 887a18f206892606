(function (root, factory) {
  if (typeof define === 'function' && define.amd) {
    define(['exports'], factory);
  } else if (typeof exports !== 'undefined') {
    factory(exports);
  } else {
    factory((root.it = {}));
  }
}(this, function (exports) {
  'use strict';
  exports.version = '1.0';
}));
