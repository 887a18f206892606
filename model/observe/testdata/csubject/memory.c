#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void read_behind(char *block, size_t n) {
  block[0] = block[n];
}

static void use_freed(char *block) {
  block[0] = 1;
}

static int add(int a, int b) {
  return a + b;
}

static void free_again(char *block) {
  free(block);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *block = malloc(8);
  if (size == 4 && !memcmp(data, "read", 4)) read_behind(block, 8);
  free(block);
  if (size == 3 && !memcmp(data, "use", 3)) use_freed(block);
  if (size == 4 && !memcmp(data, "free", 4)) free_again(block);
  return size == 3 && !memcmp(data, "add", 3) ? add(INT_MAX, 1) == 0 : 0;
}
