// Compiles JavaScript with MuJS, without running it.

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mujs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *source = malloc(size + 1);
  js_State *state = js_newstate(NULL, NULL, 0);
  if (source && state) {
    memcpy(source, data, size);
    source[size] = 0;
    js_ploadstring(state, "input", source);
  }
  js_freestate(state);
  free(source);
  return 0;
}
