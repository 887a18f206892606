(function (window, document, undefined) {
  'use strict';

  var counter = 0, cache = {}, animation = null;
  var defaults = { speed: 400, easing: 'swing', wrap: true, margin: [0, 10, 0, 10], template: '<li class="item"></li>' };

  function extend(target, ...origins) {
    origins.forEach(function (origin) {
      for (var property in origin) {
        if (origin.hasOwnProperty(property)) target[property] = origin[property];
      }
    });
    return target;
  }

  function Slider(element, settings) {
    if (!(this instanceof Slider)) return new Slider(element, settings);
    this.id = 'slider-' + ++counter;
    this.element = typeof element === 'string' ? document.querySelector(element) : element;
    this.settings = extend({}, defaults, settings);
    this.current = 0;
    this.build();
  }

  Slider.prototype = {
    constructor: Slider,

    build: function () {
      var pages = this.element.children, holder = document.createElement('ol'), width = 0, page;
      for (var n = 0, count = pages.length; n < count; n++) {
        page = pages[n];
        page.style.left = width + 'px';
        width += page.offsetWidth || 0;
        holder.innerHTML += this.settings.template;
      }
      this.element.appendChild(holder).className = 'pages';
      this.element.style.width = width > 0 ? width + 'px' : 'auto';
      document.getElementById(this.id) || this.element.setAttribute('id', this.id);
      window.addEventListener('resize', this.resize.bind(this), false);
    },

    resize: function (event) {
      var now = +new Date(), elapsed = now - (this.last || 0);
      if (elapsed < 50) { return; }
      this.last = now;
      do {
        elapsed >>= 1;
      } while (elapsed > 100);
      cache[this.id] = event && event.type;
    },

    go: function (direction) {
      var next = this.current + (direction === 'back' ? -1 : 1), limit = this.element.children.length - 1;
      if (next < 0) next = this.settings.wrap ? limit : 0;
      else if (next > limit) next = this.settings.wrap ? 0 : limit;
      window.clearTimeout(animation);
      animation = window.setTimeout(() => { this.current = next; }, this.settings.speed);
      return this;
    },

    each: function (visitor) {
      var items = this.element.querySelectorAll('li');
      outer:
      for (var row = 0; row < items.length; row++) {
        for (var column = 0; column < items[row].childNodes.length; column++) {
          var result = visitor.call(this, items[row].childNodes[column], row, column);
          if (result === false) break outer;
          if (result === undefined) continue;
          try {
            result = JSON.parse(result);
          } catch (problem) {
            void 0;
          } finally {
            items[row].title = String(result);
          }
        }
      }
    }
  };

  window.Slider = Slider;
})(this, this.document);
