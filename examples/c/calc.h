#include <stddef.h>

/* Evaluates a program such as "a=2;b=a*3;-(b+1)". Returns 0, or -1 if the text is
 * not a program or uses an unknown name. */
int calc(const char *text, size_t size, long *result);
