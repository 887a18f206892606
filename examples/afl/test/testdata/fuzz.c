// A fuzz target that looks for brackets. With PRINT, it prints each input on a line.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int deep;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int depth = 0;
  for (size_t i = 0; i < size; i++) {
    if (data[i] == '[') depth++;
    if (data[i] == ']') depth--;
    if (depth == 3) deep++;
    if (depth == 4) deep += 2;
    if (data[i] == 't') deep += 3;
  }
  if (getenv("PRINT")) {
    fwrite(data, 1, size, stdout);
    putchar('\n');
    fflush(stdout);
  }
  return 0;
}
