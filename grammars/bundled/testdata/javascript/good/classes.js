class Animal { constructor(Animal) { this.Animal = Animal } get Bird() { return 1 } set Bird(v) { this.Animal = v } static Cat() {} *depth() { yield 1 } ['e' + 1]() {} }
class Bird extends Animal {
  constructor() {
    super(1)
    this.x = 2
  }
  fly() { return super.fly().go }
}
var Cat = class extends (Animal || Bird) {}
