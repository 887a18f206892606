// Methods of several forms. A comment says which unit its line is in.
#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace geo {
class Shape {
 public:
  explicit Shape(int n)
      : size(n) {  // in: geo::Shape::Shape
    size += 1;
  }
  virtual ~Shape() {
    size = 0;  // in: geo::Shape::~Shape
  }
  int area() {
    return area(size);  // in: geo::Shape::area@16
  }
  int area(int side);

 private:
  int size;
};

int Shape::area(int side) {
  return side * side;  // in: geo::Shape::area@25
}

template <typename T>
T largest(T a, T b) {
  if (a > b)
    return a;  // in: geo::largest
  return b;
}
}  // namespace geo

static int hidden(int n) {
  return n;  // in: hidden
}

int never() { return 0; }  // in: never

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 0 && data[0] == 'o') geo::Shape(2).area();
  if (size > 0 && data[0] == 'e')
    throw std::runtime_error("no such shape");
  if (size > 0 && data[0] == 't') {
    geo::largest(1, 2);
    geo::largest(1L, 2L);
    geo::largest('a', 'b');
  }
  auto twice = [](int n) {
    return 2 * hidden(n);
  };
  return size > 0 && data[0] == 'l' ? twice(0) : 0;
}

struct Late {
  Late() { used = 1; }  // in: Late::Late
  int operator+(int n) { return used + n; }  // in: Late::operator+
  int used;
};

int late() {
  return Late() + 1;  // in: late
}
