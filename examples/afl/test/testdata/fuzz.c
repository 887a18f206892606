// A fuzz target that looks for brackets and words, which are hard to find by changing bytes.
// With PRINT, it prints each input on a line.

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int found;

static unsigned hash(const char *word) {
  unsigned h = 0;
  for (; *word; word++) h = h * 31 + (unsigned char)*word;
  return h;
}

static void word(unsigned h) {
  if (h == hash("false")) found |= 1;
  if (h == hash("null")) found |= 2;
  if (h == hash("true")) found |= 4;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  int depth = 0;
  unsigned h = 0;
  found = 0;
  for (size_t i = 0; i < size; i++) {
    if (data[i] == '[') depth++;
    if (data[i] == ']') depth--;
    if (depth == 3) found |= 8;
    if (data[i] >= 'a' && data[i] <= 'z') {
      h = h * 31 + data[i];
    } else {
      word(h);
      h = 0;
    }
  }
  word(h);
  if (getenv("PRINT")) {
    fwrite(data, 1, size, stdout);
    putchar('\n');
    fflush(stdout);
  }
  return 0;
}
