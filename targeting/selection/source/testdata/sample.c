#include <stdio.h>
#include "sample.h"
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define LONG \
	1 + 2

typedef struct { int x, y; } point;
static const char *names[] = {"a", "b"};
enum color { RED, GREEN = 5, BLUE };
int counter = 3;
int proto(int a);

static int add(int a, int b)
{
#if DEBUG
	if (a > 4) {
#else
	if (a > 5) {
#endif
		counter++;
	}
	return a + b - -6;
}

int old(a, b)
	int a;
	char *b;
{
	return a ? '{' : 7;
}

#ifdef WIDE
long wide(void) { return 8L; }
#else
int wide(void) { return 9; }
#endif

MACRO_FUNCTION(thing)
{
	return "}" "10"[11];
}
