package source_test

import (
	"testing"
)

func TestC(t *testing.T) {
	testOutlines(t, "x.c", []outlineCase{
		{"declarations", `#include <stdio.h>
#include "a.h"
#define MAX(a, b) \
	((a) > (b) ? (a) : (b))

static const int table[] = {
	1, 2,
};
int a = 1, *b, c[3];
extern int d;
typedef unsigned int u32;
typedef int (*callback)(int, void *);
typedef struct { int x; } point;
struct node {
	struct node *next;
	int (*visit)(struct node *);
};
enum color { RED, GREEN = 5, BLUE };
static const struct { char *name; int n; } names[] = {
	{"a", 1},
};
int proto(int a);

/* f */
static struct node *
f(struct node *n, int (*g)(int))
{
	if (n) { return n; }
	return 0;
}
int main(void) { return 0; }
`, `
1-1 import include stdio.h
2-2 import include a.h
3-4 value MAX
6-8 value table
9-9 value a [a b c]
10-10 value d;
11-11 type u32
12-12 type callback
13-13 type point
14-17 type node
18-18 type color
18-18 value RED
18-18 value GREEN
18-18 value BLUE
19-21 value names
22-22 value proto;
25-30 function f
31-31 function main
`},
		{"old style, macros and pointers to functions", `int f(a, b)
	int a;
	char *b;
{
	return a;
}
void (*signal(int sig, void (*func)(int)))(int)
{
	return 0;
}
int (isdigit)(int c) { return 0; }
XMLAPI(int) XML_Parse(Parser p) { return 0; }
PHP_FUNCTION(strlen)
{
	return;
}
EXPORT_SYMBOL(f);
int g(int x) __attribute__((noreturn));
static inline __attribute__((always_inline)) int h(void) { return 1; }
DEFINE_TYPE(a, b)

int k(void) { return 1; }
`, `
1-6 function f
7-10 function signal
11-11 function isdigit
12-12 function XML_Parse
13-16 function PHP_FUNCTION(strlen) [strlen PHP_FUNCTION]
17-20 statement <file>
18-18 value g;
19-19 function h
22-22 function k
`},
		{"conditional compilation", `#ifdef A
int f(int a) {
#else
int f(int a, int b) {
#endif
	return a;
}
int g(int a)
{
#if B
	if (a) {
#else
	if (!a) {
#endif
		h();
	}
	return 0;
}
int h(void)
#ifdef C
{ return 1; }
#else
{ return 2; }
#endif
#if 0
int i(void) { don't }
#endif
int j(void) { return '{'; }
`, `
1-27 statement <file>
2-7 function f
8-18 function g
19-23 function h
28-28 function j
`},
	})
	testOutlines(t, "x.cpp", []outlineCase{
		{"classes", `namespace a::b {
template <typename T, int N = (3 > 2)>
class C : public D<T>, private E {
public:
	C(int x, const std::string &s) : D<T>(x), y_{x} { init(); }
	explicit C(C &&other) noexcept = default;
	~C() {}
	virtual int f(int a = 1) const override;
	bool operator==(const C &o) const { return true; }
	int operator()(int a) { return a; }
	operator bool() const { return true; }
	static std::function<void(int)> g(std::map<int, std::string> m) { return {}; }
	struct Inner { void h() {} };
private:
	int y_ = 0;
};

template <typename T>
int C<T>::f(int a) const {
	auto l = [&](int b) { return b; };
	return l(a);
}
static int counter{0};
using X = std::vector<int>;
enum class Color : int { Red, Green };
auto k(int a) -> int { return a; }
}
extern "C" {
int m(void) { return 0; }
}
TEST(Suite, Name) { }
`, `
1-30 statement <file>
2-16 type a::b::C
5-5 function a::b::C::C(int,const std::string&) of C
6-6 value a::b::C::C(C&&); of C
7-7 function a::b::C::~C() of C
8-8 value a::b::C::f(int); of C
9-9 function a::b::C::operator==(const C&) of C
10-10 function a::b::C::operator()(int) of C
11-11 function a::b::C::operator bool() of C
12-12 function a::b::C::g(std::map<int,std::string>) of C
13-13 type a::b::C::Inner of C
13-13 function a::b::C::Inner::h() of Inner
18-22 function a::b::C::f(int) of C
23-23 value a::b::counter
24-24 type a::b::X
25-25 type a::b::Color
25-25 value a::b::Color::Red of Color
25-25 value a::b::Color::Green of Color
26-26 function a::b::k(int)
29-29 function m()
31-31 function TEST(Suite,Name) [Suite Name TEST]
`},
	})
}

func TestCChanges(t *testing.T) {
	testChanges(t, "x.c", []changeCase{
		{"comment and format", "int f(int a) { return a; }\nint t[] = {1, 2};", "/* f */ int f(int a)\n{\n\treturn a; // a\n}\nint t[] = {\n\t1,\n\t2,\n};", nil},
		{"macro", "#define A 1\n#define B 2\n", "#define A 1\n#define B \\\n 3\n", []string{"B"}},
		{"macro continued", "#define A f(1, 2)\n", "#define A \\\n\tf(1, /* two */ \\\n\t  2)\n", nil},
		{"condition", "#if A\nint f(void) { return 1; }\n#endif\n", "#if B\nint f(void) { return 1; }\n#endif\n", []string{"<file>"}},
		{"enum inserted", "enum e { A, B, C = 9, D };", "enum e { A, X, B, C = 9, D };", []string{"B", "+X"}},
		{"field", "struct s { int a; };", "struct s { long a; };", []string{"s"}},
		{"prototype", "int f(int);\nint f(int a) { return a; }", "int f(long);\nint f(int a) { return a; }", []string{"f;"}},
		{"inactive", "#if 0\nint a;\n#endif\n", "#if 0\nint b;\n#endif\n", nil},
		{"pragma", "#pragma pack(1)\nint a;", "#pragma pack(2)\nint a;", []string{"<file>"}},
	})
}
