'use strict';

/**
 * Tells listeners what happened.
 */
function Emitter(options) {
  this.listeners = Object.create(null);
  this.limit = options && options.limit || 10;
}

Emitter.prototype.on = function (event, listener) {
  if (typeof listener !== 'function') {
    throw new TypeError('a listener is a function, not ' + typeof listener);
  }
  var known = this.listeners[event];
  if (!known) {
    known = this.listeners[event] = [];
  } else if (known.length >= this.limit) {
    console.warn('there are ' + known.length + ' listeners of "' + event + '" already');
  }
  known.push(listener);
  return this;
};

Emitter.prototype.once = function (event, listener) {
  var self = this;
  function wrapper(...given) {
    self.off(event, wrapper);
    listener.apply(self, given);
  }
  wrapper.original = listener;
  return this.on(event, wrapper);
};

Emitter.prototype.off = function (event, listener) {
  var known = this.listeners[event], index;
  if (!known) return this;
  for (index = known.length - 1; index >= 0; index--) {
    if (known[index] === listener || known[index].original === listener) {
      known.splice(index, 1);
      break;
    }
  }
  if (known.length === 0) delete this.listeners[event];
  return this;
};

Emitter.prototype.emit = function (event, ...args) {
  var known = this.listeners[event];
  if (!known) return false;
  known.slice().forEach(function (each) { each.apply(this, args); }, this);
  return true;
};

module.exports = Emitter;
