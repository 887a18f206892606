class A { constructor(a) { this.a = a } get b() { return 1 } set b(v) { this.a = v } static c() {} *d() { yield 1 } ['e' + 1]() {} }
class B extends A {
  constructor() {
    super(1)
    this.x = 2
  }
  f() { return super.f().g }
}
var C = class extends (A || B) {}
